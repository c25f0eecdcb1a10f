package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Chain kernels iterate HMAC on its own digest, as PBKDF2 does (RFC 8018, section
// 5.2): U ← HMAC(U), sum ← sum XOR U. A key is the two states after the blocks of
// ipad and of opad. An iteration is then two blocks in each lane: 32 bytes of a
// digest and padding, from the inner state and from the outer one. Between iterations
// U stays where the rounds want it. The padding is an argument. With the padding of a
// message that is only a digest, and the initial hash value for both states, an iteration
// is two steps of U ← SHA-256(U).

// chainSignature is the signature of all chain kernels. The padding is W[8] to W[15].
const chainSignature = "func(c *uint32, n int, padding *[8]uint32)"

// The values of a lane, eight words each, in the order in which c has them.
const (
	chainInner = iota // the state after the key's block of ipad
	chainOuter        // the state after its block of opad
	chainU            // the digest so far
	chainSum          // the exclusive or of all digests
	chainValues
)

// loadChainArgs loads the first two arguments of a kernel of chains, and leaves if n is
// zero.
func loadChainArgs(c *Context, chains, n Register) {
	c.Load(c.Param("c"), chains)
	c.Load(c.Param("n"), n)
	c.TESTQ(n, n)
	c.JZ(LabelRef("done"))
}

// chainLaneKernel generates a kernel that iterates a chain in each lane:
//
//	load U into W[0] to W[7]
//	for each iteration:
//	    for the inner and for the outer state:
//	        W[8] to W[15] are the padding
//	        48 rounds, each with a step of the message schedule
//	        16 rounds
//	        add the state; that is W[0] to W[7]
//	    sum ← sum XOR U
//	store U
func chainLaneKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		m := shape.machine(&emitter{c: c})
		width := m.bits() / 8
		lanes := shape.groups * m.bits() / 32
		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s does n iterations of %d chains of HMAC, one 32-bit word of each in a", name, lanes),
			"register: see ChainKernel.Advance.")
		c.SignatureExpr(chainSignature)

		args, count, padding, k, rounds, states, passes, w, w8 := RDI, RCX, R8, RAX, RDX, RSI, RBX, R10, R11
		scratch := &arena{base: R12, align: width}
		var schedule Mem
		if !shape.scheduleInRegisters {
			schedule = scratch.take(16 * shape.groups * width)
		}
		local := c.AllocLocal(scratch.size + 64)
		loadChainArgs(c, args, count)
		c.Load(c.Param("padding"), padding)
		if !shape.scheduleInRegisters {
			c.LEAQ(local.Offset(63), R12)
			c.ANDQ(I8(-64), R12)
			c.LEAQ(schedule, w)
			c.LEAQ(schedule.Offset(8*width), w8)
		}
		gs := newGroups(m, shape, w, w8)
		at := func(base Register, value, group, word int) Mem {
			return Mem{Base: base, Disp: width * (8*(chainValues*group+value) + word)}
		}
		// setWord sets W[t] of a group to what set puts into a register.
		setWord := func(g *group, t int, set func(Register)) {
			switch op := g.w[t].(type) {
			case Mem:
				set(g.t[2])
				m.store(op, g.t[2])
			default:
				set(op.(Register))
			}
		}
		for i, g := range gs {
			for t := range 8 {
				setWord(g, t, func(r Register) { m.load(r, at(args, chainU, i, t)) })
			}
		}

		table := kTable(c, name, false)
		kt := constants{base: k}
		unit := 8
		if shape.scheduleInRegisters {
			unit = 16
		}
		blockRounds := func(scheduled bool) {
			by := shape.orders.plain
			if scheduled {
				by = shape.orders.scheduled
			}
			gs.rounds(by, unit, func(_ int, g *group, t int) {
				g.round(t, kt, t)
				if scheduled {
					g.schedule(t + 16)
				}
			})
			c.ADDQ(U32(kt.word(unit).Disp), k)
			if !shape.scheduleInRegisters {
				c.XCHGQ(w, w8)
			}
		}
		c.Label("iteration")
		c.MOVQ(args, states)
		gs.loop(c, "pass", passes, 2, func() {
			for _, g := range gs {
				for t := 8; t < 16; t++ {
					setWord(g, t, func(r Register) { m.broadcastConstant(r, constants{base: padding}, t-8) })
				}
			}
			gs.all(func(i int, g *group) {
				for j, v := range g.v {
					m.load(v, at(states, chainInner, i, j))
				}
				g.begin()
			})
			c.LEAQ(table, k)
			gs.loop(c, "scheduled", rounds, 48/unit, func() { blockRounds(true) })
			gs.loop(c, "last", rounds, 16/unit, func() { blockRounds(false) })
			gs.all(func(i int, g *group) {
				for j, v := range g.v {
					setWord(g, j, func(r Register) { m.add(r, v, at(states, chainInner, i, j)) })
				}
			})
			c.ADDQ(U32(8*width), states)
		})
		gs.all(func(i int, g *group) {
			for j := range 8 {
				u, ok := g.w[j].(Register)
				if !ok {
					u = g.t[3]
					m.load(u, g.w[j].(Mem))
				}
				m.xor(g.t[2], u, at(args, chainSum, i, j))
				m.store(at(args, chainSum, i, j), g.t[2])
			}
		})
		c.DECQ(count)
		c.JNZ(LabelRef("iteration"))

		for i, g := range gs {
			for j := range 8 {
				u, ok := g.w[j].(Register)
				if !ok {
					u = g.t[2]
					m.load(u, g.w[j].(Mem))
				}
				m.store(at(args, chainU, i, j), u)
			}
		}
		m.leave()
		c.Label("done")
		c.RET()
	}
}

// chainShaKernel generates a kernel that iterates n chains, interleaved, with the SHA
// extensions: n = 1, 2 or 4.
func chainShaKernel(n int) func(c *Context, name string) {
	return func(c *Context, name string) {
		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s does n iterations of HMAC, %d chains interleaved, with the SHA extensions:", name, n),
			"see ChainKernel.Advance.")
		c.SignatureExpr(chainSignature)

		// Registers as in shaKernel. The states of the keys are kept as abef and cdgh. U
		// is in the registers of W[0] to W[7] if these have any, else in memory.
		args, count, padding, k, state := RDI, RCX, R8, RAX, RSI
		inRegisters := n <= 2
		scratch := &arena{base: RDX, align: 16}
		keys := scratch.take(64 * n)
		var us, schedules Mem
		if !inRegisters {
			us, schedules = scratch.take(32*n), scratch.take(64*n)
		}
		local := c.AllocLocal(scratch.size + 16)
		streams := make([]shaStream, n)
		next := 3
		for i := range streams {
			s := &streams[i]
			s.abef, s.cdgh = vec(next).AsX(), vec(next+1).AsX()
			next += 2
			s.load = func(word int, x Register) {
				switch {
				case word >= 2:
					c.MOVOU(Mem{Base: padding, Disp: 16 * (word - 2)}, x)
				case !inRegisters:
					c.MOVOA(us.Offset(32*i+16*word), x)
				}
			}
		}
		if inRegisters {
			schedulesInRegisters(streams, next)
		} else {
			schedulesInMemory(streams, schedules)
		}
		// u is where words 4j to 4j+3 of U of chain i are, from one block to the next.
		u := func(i, j int) Op {
			if inRegisters {
				return streams[i].msg[j]
			}
			return us.Offset(32*i + 16*j)
		}
		at := func(i, value int) Mem { return Mem{Base: args, Disp: 32 * (chainValues*i + value)} }

		clearUpperHalves(c)
		loadChainArgs(c, args, count)
		c.Load(c.Param("padding"), padding)
		c.LEAQ(local.Offset(15), RDX)
		c.ANDQ(I8(-16), RDX)
		c.LEAQ(kTable(c, name, false), k)
		for i := range streams {
			s := &streams[i]
			for value := range 2 {
				c.LEAQ(at(i, value), state)
				loadState(c, *s, state)
				s.saved = keys.Offset(64*i + 32*value)
				s.save(c)
			}
			for j := range 2 {
				c.MOVOU(at(i, chainU).Offset(16*j), shaTmp)
				c.MOVOA(shaTmp, u(i, j))
			}
		}

		c.Label("iteration")
		for value := range 2 {
			for i := range streams {
				s := &streams[i]
				s.saved = keys.Offset(64*i + 32*value)
				c.MOVOU(s.saved, s.abef)
				c.MOVOU(s.saved.Offset(16), s.cdgh)
			}
			blockRounds(c, streams, k, Mem{}) // load needs no order
			for i := range streams {
				s := &streams[i]
				s.addSaved(c)
				for j, x := range s.words(c) {
					c.MOVOA(x, u(i, j))
					if value == chainOuter {
						c.MOVOU(at(i, chainSum).Offset(16*j), s.cdgh)
						c.PXOR(x, s.cdgh)
						c.MOVOU(s.cdgh, at(i, chainSum).Offset(16*j))
					}
				}
			}
		}
		c.DECQ(count)
		c.JNZ(LabelRef("iteration"))

		for i := range streams {
			for j := range 2 {
				c.MOVOA(u(i, j), shaTmp)
				c.MOVOU(shaTmp, at(i, chainU).Offset(16*j))
			}
		}
		c.Label("done")
		c.RET()
	}
}

// sha2ChainKernel generates a kernel that iterates n chains, interleaved, with the SHA2
// instructions of arm64: n = 1, 2 or 4.
func sha2ChainKernel(n int) func(f *armFunc) {
	return func(f *armFunc) {
		f.doc = []string{
			fmt.Sprintf("%s does n iterations of HMAC, %d chains interleaved, with the SHA2 instructions:", f.name, n),
			"see ChainKernel.Advance.",
		}
		f.signature, f.args = strings.TrimPrefix(chainSignature, "func"), 24
		s := newSHA2Streams(f, n)
		const padding = "R8"
		value := func(i, value int) string { return at(32*(chainValues*i+value), armH) }

		f.do("MOVD", "c+0(FP)", armH)
		f.do("MOVD", "n+8(FP)", armN)
		f.branch("CBZ", armN, "done")
		s.loadConstants()
		f.do("MOVD", "padding+16(FP)", padding)
		for i, st := range s.streams {
			f.do("FLDPQ", value(i, chainU), pair(st.msg[0], st.msg[1]))
		}
		f.label("iteration")
		for _, key := range []int{chainInner, chainOuter} {
			for i, st := range s.streams {
				f.do("FLDPQ", value(i, key), pair(st.abcd, st.efgh))
				f.do("FLDPQ", at(0, padding), pair(st.msg[2], st.msg[3]))
			}
			s.compress()
			for i, st := range s.streams {
				saved := st.msg[2:] // free by now
				f.do("FLDPQ", value(i, key), pair(saved[0], saved[1]))
				s.add(st, saved)
				f.do("VMOV", st.abcd.b16(), st.msg[0].b16())
				f.do("VMOV", st.efgh.b16(), st.msg[1].b16())
			}
		}
		for i, st := range s.streams {
			sum := st.msg[2:]
			f.do("FLDPQ", value(i, chainSum), pair(sum[0], sum[1]))
			f.do("VEOR", st.abcd.b16(), sum[0].b16(), sum[0].b16())
			f.do("VEOR", st.efgh.b16(), sum[1].b16(), sum[1].b16())
			f.do("FSTPQ", pair(sum[0], sum[1]), value(i, chainSum))
		}
		f.do("SUB", imm(1), armN)
		f.branch("CBNZ", armN, "iteration")

		for i, st := range s.streams {
			f.do("FSTPQ", pair(st.msg[0], st.msg[1]), value(i, chainU))
		}
		f.label("done")
		f.branch("RET")
	}
}
