package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A nodeFrame is what the parts of a node kernel share.
type nodeFrame struct {
	c      *Context
	m      machine
	groups groups
	orders roundOrders

	dst, src, next GPPhysical // nodes at hand, and those to load
	count          GPPhysical // nodes left
	k              GPPhysical // a table of constants
	rounds, parts  GPPhysical // counters
	// The schedule in memory is a half at w and a half at w8, which change
	// places every 8 rounds; part is where words are loaded to.
	w, w8, part GPPhysical
	order       Mem                       // the byte order, over the width of a register
	pairs       Mem                       // the tables of pairing
	saved       func(group, word int) Mem // the state between the blocks
}

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
//
// Where W is in memory the loops are of 8 rounds. That keeps the whole kernel
// in the cache of decoded instructions, from which calls for few nodes would
// else fall out again and again.
func nodeLaneKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		m := shape.machine(&emitter{c: c})
		width := m.bits() / 8
		lanes := shape.groups * m.bits() / 32

		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s hashes n nodes of 64 bytes at src into dst, %d at once, one 32-bit", name, lanes),
			fmt.Sprintf("word of each in a register. n is a multiple of %d; dst may be src.", lanes))
		c.SignatureExpr(nodeSignature)

		f := &nodeFrame{
			c: c, m: m, orders: shape.orders,
			dst: RDI, src: RSI, next: R8, count: RCX, k: RAX, rounds: RDX, parts: RBX,
			w: R10, w8: R9, part: R11,
		}
		scratch := &arena{base: R12, align: width}
		f.order = scratch.take(width)
		states := scratch.take(8 * shape.groups * width)
		f.saved = func(group, word int) Mem { return states.Offset(width * (8*group + word)) }
		var schedule Mem
		if !shape.scheduleInRegisters {
			schedule = scratch.take(16 * shape.groups * width)
		}
		local := c.AllocLocal(scratch.size + 64)

		c.Load(c.Param("dst"), f.dst)
		c.Load(c.Param("src"), f.src)
		c.Load(c.Param("n"), f.count)
		c.TESTQ(f.count, f.count)
		c.JZ(LabelRef("done"))
		c.LEAQ(local.Offset(63), R12)
		c.ANDQ(I8(-64), R12)

		f.groups = newGroups(m, shape, f.w, f.w8)
		m.broadcastQuarter(f.groups[0].t[7], byteOrder(c, name))
		m.store(f.order, f.groups[0].t[7])
		f.pairs = pairing(c, name, m)
		if !shape.scheduleInRegisters {
			c.LEAQ(schedule, f.w)
			c.LEAQ(schedule.Offset(8*width), f.w8)
		}

		load := func() {
			if shape.scheduleInRegisters {
				g := f.groups[0]
				for part := range 4 {
					g.loadPart(part, f.words(f.src, 16*part), &f.order, nil, [4]Register{}, [2]Register(g.t[6:8]))
				}
				return
			}
			c.MOVQ(f.src, f.next)
			f.eachPart("load", func(load func()) { load() })
		}
		if shape.preload {
			load()
		}
		c.Label("nodes")
		if !shape.preload {
			load()
		}

		iv := f.table("tableIV256")
		f.groups.all(func(_ int, g *group) {
			for j, v := range g.v {
				m.broadcastConstant(v, iv, j)
			}
			g.begin()
		})
		kw := f.table("tableK")
		if shape.scheduleInRegisters {
			f.loop("first", f.rounds, 3, func() { f.blockRounds(kw, 16, true) })
			f.blockRounds(kw, 16, false)
		} else {
			f.loop("first", f.rounds, 6, func() {
				f.blockRounds(kw, 8, true)
				c.XCHGQ(f.w, f.w8)
			})
			f.loop("last", f.rounds, 2, func() {
				f.blockRounds(kw, 8, false)
				c.XCHGQ(f.w, f.w8)
			})
		}
		iv = f.table("tableIV256")
		f.groups.all(func(i int, g *group) {
			for j, v := range g.v {
				m.addConstant(v, iv, j, g.t[2])
				m.store(f.saved(i, j), v)
			}
			g.begin()
		})

		kw = f.table("tableNodeK")
		if shape.preload {
			// What lies behind the last nodes may not be read.
			c.CMPQ(f.count, U32(lanes))
			c.JEQ(LabelRef("final"))
			c.LEAQ(Mem{Base: f.src, Disp: 64 * lanes}, f.next)
			f.eachPart("second", func(load func()) { f.constantRounds(kw, 8, load) })
			c.Label("store")
		} else {
			f.loop("second", f.rounds, 8, func() { f.constantRounds(kw, 8) })
		}

		names := f.groups.names()
		for i, g := range f.groups {
			f.storeDigests(g, i)
		}
		c.ADDQ(U32(64*lanes), f.src)
		c.ADDQ(U32(32*lanes), f.dst)
		c.SUBQ(U32(lanes), f.count)
		c.JNZ(LabelRef("nodes"))
		m.leave()
		c.Label("done")
		c.RET()
		if shape.preload {
			c.Label("final")
			f.groups.rename(names)
			f.loop("finalRounds", f.rounds, 8, func() { f.constantRounds(kw, 8) })
			c.JMP(LabelRef("store"))
		}
	}
}

// table points f.k at a table of the package.
func (f *nodeFrame) table(symbol string) constants {
	f.c.LEAQ(Mem{Symbol: Symbol{Name: "·" + symbol}, Base: StaticBase}, f.k)
	return constants{base: f.k}
}

// loop emits a loop that runs body times times.
func (f *nodeFrame) loop(label string, counter GPPhysical, times int, body func()) {
	f.groups.loop(f.c, label, counter, times, body)
}

// blockRounds does the next n rounds of the first block, with the steps of the
// schedule or without.
func (f *nodeFrame) blockRounds(k constants, n int, schedule bool) {
	by := f.orders.plain
	if schedule {
		by = f.orders.scheduled
	}
	f.groups.rounds(by, n, func(_ int, g *group, t int) {
		g.round(t, k, t)
		if schedule {
			g.schedule(t + 16)
		}
	})
	f.c.ADDQ(U32(k.word(n).Disp), f.k)
}

// constantRounds does the next n rounds of the second block, beside something
// else.
func (f *nodeFrame) constantRounds(k constants, n int, beside ...func()) {
	f.groups.rounds(f.orders.constant, n, func(_ int, g *group, t int) { g.constantRound(k, t) }, beside...)
	f.c.ADDQ(U32(k.word(n).Disp), f.k)
}

// eachPart emits loops that run body for each quarter of a block in each group.
// Body emits, by load, how that part of the nodes at f.next gets into W. Of the
// temporaries, load uses only those that no round does.
func (f *nodeFrame) eachPart(label string, body func(load func())) {
	first, last := f.groups[0], f.groups[len(f.groups)-1]
	rows, t := [4]Register(first.t[2:6]), [2]Register(first.t[6:8])
	if first != last {
		rows = [4]Register{first.t[5], first.t[6], last.t[5], last.t[6]}
		t = [2]Register{first.t[7], last.t[7]}
	}
	width := f.m.bits() / 8
	f.c.MOVQ(f.w, f.part)
	f.loop(label+"_group", f.parts, len(f.groups), func() {
		f.loop(label, f.rounds, 4, func() {
			body(func() { first.loadPart(0, f.words(f.next, 0), &f.order, f.part, rows, t) })
			f.c.ADDQ(Imm(16), f.next)
			f.c.ADDQ(U32(4*width), f.part)
		})
		f.c.ADDQ(U32(64*first.lanes()-64), f.next)
	})
}

// words returns where the words at disp from the start of the nodes at base are.
func (f *nodeFrame) words(base Register, disp int) func(lane int) Mem {
	return func(lane int) Mem { return Mem{Base: base, Disp: 64*lane + disp} }
}

// storeDigests adds the saved state and stores the digests of group i.
func (f *nodeFrame) storeDigests(g *group, i int) {
	for j, v := range g.v {
		g.m.add(v, v, f.saved(i, j))
		g.m.shuffleBytes(v, f.order)
	}
	storeWords(g, func(lane int) Mem { return Mem{Base: f.dst, Disp: 32 * (i*g.lanes() + lane)} }, f.pairs)
}
