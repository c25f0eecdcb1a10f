package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// nodeLaneKernel generates a kernel that hashes a node of 64 bytes in each lane:
//
//	load 16 words of each lane, byte-swapped and transposed, into W
//	the rounds of the first block, from the initial state
//	the rounds of the second: W+K is a table, there is no message schedule
//	store the digests
//
// With preload, W is loaded for the next nodes during the rounds of the second
// block, which do not use it. So the nodes of a group are all read, and some
// after them, before its digests are written: dst may be src.
func nodeLaneKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		e := &emitter{c: c}
		m := shape.machine(e)
		width := m.bits() / 8
		lanes := shape.groups * m.bits() / 32

		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s hashes n nodes of 64 bytes at src into dst, %d at once, one 32-bit", name, lanes),
			fmt.Sprintf("word of each in a register. n is a multiple of %d; dst may be src. It needs", lanes),
			shape.isa+".")
		c.SignatureExpr(nodeSignature)

		dst, src, next, count, k, rounds := RDI, RSI, R8, RCX, RAX, RDX
		w, nextPart := R10, R11 // the schedule in memory, and where its next part goes
		scratch := &arena{base: R12, align: width}
		order := scratch.take(width)
		states := scratch.take(8 * shape.groups * width)
		saved := func(group, word int) Mem { return states.Offset(width * (8*group + word)) }
		var schedule Mem
		if !shape.scheduleInRegisters {
			schedule = scratch.take(16 * shape.groups * width)
		}
		local := c.AllocLocal(scratch.size + 64)

		c.Load(c.Param("dst"), dst)
		c.Load(c.Param("src"), src)
		c.Load(c.Param("n"), count)
		c.TESTQ(count, count)
		c.JZ(LabelRef("done"))
		c.LEAQ(local.Offset(63), R12)
		c.ANDQ(I8(-64), R12)
		if !shape.scheduleInRegisters {
			c.LEAQ(schedule, w)
		}

		// Registers: the groups' states first, then their temporaries, then W.
		groups := make([]*group, shape.groups)
		register := 0
		take := func() Register { register++; return m.reg(register - 1) }
		for i := range groups {
			groups[i] = newGroup(m, shape.splitAdd)
			for j := range groups[i].v {
				groups[i].v[j] = take()
			}
		}
		for i, g := range groups {
			for j := range g.t {
				g.t[j] = take()
			}
			for j := range g.w {
				if shape.scheduleInRegisters {
					g.w[j] = take()
				} else {
					g.w[j] = Mem{Base: w, Disp: width * (16*i + j)}
				}
			}
		}
		start := groups[0].v
		table := func(symbol string) constants {
			c.LEAQ(Mem{Symbol: Symbol{Name: "·" + symbol}, Base: StaticBase}, k)
			return constants{base: k}
		}
		all := func(do func(i int, g *group)) {
			parts := make([]func(), len(groups))
			for i, g := range groups {
				parts[i] = func() { do(i, g) }
			}
			e.interleave(parts...)
		}
		// words returns where the words at disp from base of a group's nodes are.
		words := func(base Register, i, disp int) func(lane int) Mem {
			return func(lane int) Mem {
				return Mem{Base: base, Disp: 64*(i*m.bits()/32+lane) + disp}
			}
		}
		m.broadcastQuarter(groups[0].t[7], byteOrder(c, name))
		m.store(order, groups[0].t[7])

		load := func() {
			for i, g := range groups {
				for part := range 4 {
					g.loadPart(part, words(src, i, 16*part), &order, w, [4]Register(g.t[2:6]), [2]Register(g.t[6:8]))
				}
			}
		}
		if shape.preload {
			load()
		}
		c.Label("nodes")
		if !shape.preload {
			load()
		}

		iv := table("iv256")
		all(func(_ int, g *group) {
			for j, v := range g.v {
				m.broadcastConstant(v, iv, j)
			}
			g.begin()
		})
		kw := table("k")
		c.MOVL(U32(3), rounds.As32())
		c.Label("first")
		for t := range 16 {
			all(func(_ int, g *group) {
				g.round(t, kw, t)
				g.schedule(t + 16)
			})
		}
		c.ADDQ(U32(kw.word(16).Disp), k)
		c.DECL(rounds.As32())
		c.JNZ(LabelRef("first"))
		for t := range 16 {
			all(func(_ int, g *group) { g.round(t, kw, t) })
		}

		iv = table("iv256")
		all(func(i int, g *group) {
			for j, v := range g.v {
				m.addConstant(v, iv, j, g.t[2])
				m.store(saved(i, j), v)
			}
			g.begin()
		})
		if shape.preload {
			// The nodes after the last ones are the last ones again: nobody looks at
			// them, and what lies behind may not be read.
			c.LEAQ(Mem{Base: src, Disp: 64 * lanes}, next)
			c.CMPQ(count, U32(lanes))
			c.CMOVQEQ(src, next)
			c.MOVQ(w, nextPart)
		}
		kw = table("nodeK")
		c.MOVL(U32(4), rounds.As32())
		c.Label("second")
		var parts []func()
		for _, g := range groups {
			parts = append(parts, func() {
				for t := range 16 {
					g.constantRound(kw, t)
				}
			})
		}
		if shape.preload {
			parts = append(parts, func() {
				g0, g1 := groups[0], groups[1]
				for i, g := range groups {
					g.loadPart(0, words(next, i, 0), &order, nextPart,
						[4]Register{g0.t[5], g0.t[6], g1.t[5], g1.t[6]}, [2]Register{g0.t[7], g1.t[7]})
				}
			})
		}
		e.interleave(parts...)
		if shape.preload {
			c.ADDQ(Imm(16), next)
			c.ADDQ(U32(4*width), nextPart)
		}
		c.ADDQ(U32(kw.word(16).Disp), k)
		c.DECL(rounds.As32())
		c.JNZ(LabelRef("second"))

		if groups[0].v != start {
			panic("the working variables are not where the loop expects them")
		}
		for i, g := range groups {
			for j, v := range g.v {
				m.add(v, v, saved(i, j))
				m.shuffleBytes(v, order)
			}
			for half := range 2 {
				rows, _ := transpose(m, [4]Register(g.v[4*half:4*half+4]), [2]Register(g.t[:2]))
				for j, row := range rows {
					for q := range m.bits() / 128 {
						lane := i*m.bits()/32 + 4*q + j
						m.extract(Mem{Base: dst, Disp: 32*lane + 16*half}, q, row)
					}
				}
			}
		}
		c.ADDQ(U32(64*lanes), src)
		c.ADDQ(U32(32*lanes), dst)
		c.SUBQ(U32(lanes), count)
		c.JNZ(LabelRef("nodes"))
		m.leave()
		c.Label("done")
		c.RET()
	}
}
