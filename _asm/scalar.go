package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// One stream without SHA extensions: the rounds run in the general registers,
// while the vector unit computes the message schedule beside them, four words
// at a time. See Guilford, Yap and Gopal, "Fast SHA-256 Implementations on
// Intel Architecture Processors", 2012.
//
// The sums W+K go from one to the other through scratch. The halves of 256-bit
// vectors hold the schedules of two blocks: the second block's rounds then find
// all of their sums there, and run alone. The last of an odd number of blocks
// is in both halves, since nothing behind it may be read; that takes no longer
// than one block in vectors of 128 bits.

// scalarShape says how a one-stream kernel without SHA extensions is made.
type scalarShape struct {
	vectors func(*emitter) machine // for the message schedule; a streamMachine
	rorx    bool                   // for the rounds
	// To split pays where nested rotations make a round's chain long: 14% on
	// Zen 5. With RORX it gains 3% there, and loses as much, says llvm-mca, on
	// Skylake, which issues 4 instructions a cycle and needs this kernel.
	form roundForm
}

// scalarFrame names the registers that carry the message schedule.
type scalarFrame struct {
	m streamMachine
	// wk points to W+K of the next 16 rounds, k to K of the 16 after those. When
	// no more schedule is left, k is where wk ends.
	wk, k Register
	// w are the last 16 words of the schedule, four to each quarter.
	w [4]Register
	t [4]Register // temporaries
	// Masks of PSHUFB: order is byteOrder; low brings words 0 and 2 to words 0
	// and 1 and clears the others, high brings them to words 2 and 3.
	order, low, high Register
}

// scalarKernel generates a kernel of one stream:
//
//	load 16 words of a block, or of each of two, and store W+K
//	3 times: 16 rounds, beside the schedule of the 16 after them
//	16 rounds
//	add the state, which is still at h
//	for the second of two blocks: 4 times those 16 rounds, add the state
//
// The general registers hold the working variables and the temporaries of the
// rounds, which serve as pointers between blocks; the rest is on the stack.
func scalarKernel(shape scalarShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		e := &emitter{c: c}
		m := shape.vectors(e).(streamMachine)
		blocks := m.bits() / 128
		width := m.bits() / 8 // of four rounds' W+K

		c.Function(name)
		c.Pragma("noescape")
		c.Doc(name+" compresses n blocks at p into h, with the message schedule in vector",
			"registers and the rounds in general ones.")
		c.SignatureExpr("func(h *[8]uint32, p *byte, n int)")

		f := scalarFrame{
			m: m, wk: RSI, k: RDI,
			w:     [4]Register{m.reg(0), m.reg(1), m.reg(2), m.reg(3)},
			t:     [4]Register{m.reg(4), m.reg(5), m.reg(6), m.reg(7)},
			order: m.reg(8), low: m.reg(9), high: m.reg(10),
		}
		g := working{
			ops:  general{e: e, rorx: shape.rorx},
			v:    [8]Register{EAX, EBX, ECX, EDX, R8L, R9L, R10L, R11L},
			t:    [8]Register{R12L, R13L, R14L},
			form: shape.form,
		}
		start := g
		// Between blocks: this block, the one beside it in the vectors, the last.
		p, second, last := R12, R13, R14
		local := c.AllocLocal(16 + 16*width + width - 8)
		savedP, savedLast, scratch := local, local.Offset(8), local.Offset(16)
		k := kTable(c, name, false)

		c.Load(c.Param("p"), p)
		c.Load(c.Param("n"), last)
		c.SHLQ(Imm(6), last)
		c.JZ(LabelRef("done"))
		c.LEAQ(Mem{Base: p, Index: last, Scale: 1, Disp: -64}, last)
		c.MOVQ(last, savedLast)
		c.Load(c.Param("h"), RDI)
		for i, v := range g.v {
			c.MOVL(Mem{Base: RDI, Disp: 4 * i}, v)
		}
		c.LEAQ(scratch.Offset(width-8), f.wk)
		c.ANDQ(I8(-width), f.wk)
		f.loadMasks(c, name)

		c.Label("block")
		c.MOVQ(p, savedP)
		c.LEAQ(k, f.k)
		if blocks == 2 {
			c.LEAQ(Mem{Base: p, Disp: 64}, second)
			c.CMPQ(p, last)
			c.CMOVQEQ(p, second)
		}
		for i, w := range f.w {
			m.insert(w, 0, Mem{Base: p, Disp: 16 * i})
			if blocks == 2 {
				m.insert(w, 1, Mem{Base: second, Disp: 16 * i})
			}
			m.shuffleBytes(w, f.order)
			f.send(i, Mem{Base: f.wk, Disp: width * i})
		}
		c.ADDQ(Imm(64), f.k)
		g.begin()

		c.Label("schedule")
		for i := range 4 {
			e.interleave(
				func() { f.rounds(&g, i) },
				func() {
					f.schedule(i)
					f.send(i, Mem{Base: f.wk, Disp: width * (4 + i)})
				})
		}
		c.ADDQ(Imm(uint64(4*width)), f.wk)
		c.ADDQ(Imm(64), f.k)
		end := g.t[2].(GPPhysical).As64()
		c.LEAQ(k.Offset(4*64), end)
		c.CMPQ(f.k, end)
		c.JNE(LabelRef("schedule"))
		if blocks == 2 {
			c.LEAQ(Mem{Base: f.wk, Disp: 4 * width}, f.k)
		}

		c.Label("rounds")
		for i := range 4 {
			f.rounds(&g, i)
		}
		if blocks == 2 {
			c.ADDQ(Imm(uint64(4*width)), f.wk)
			c.CMPQ(f.wk, f.k)
			c.JNE(LabelRef("rounds"))
			c.SUBQ(U32(16*width), f.wk)
		} else {
			c.SUBQ(U32(12*width), f.wk)
		}
		c.Load(c.Param("h"), RDI)
		for i, v := range g.v {
			c.ADDL(Mem{Base: RDI, Disp: 4 * i}, v)
			c.MOVL(v, Mem{Base: RDI, Disp: 4 * i})
		}
		if g != start {
			panic("the working variables are not where the loops expect them")
		}

		c.MOVQ(savedP, p)
		c.MOVQ(savedLast, last)
		c.CMPQ(p, last)
		c.JEQ(LabelRef("end"))
		c.ADDQ(Imm(64), p)
		if blocks == 2 {
			// Bit 4 of wk says which half of a vector it was: go on with the
			// second after the first.
			c.BTCQ(Imm(4), f.wk)
			c.JCS(LabelRef("block"))
			c.MOVQ(p, savedP)
			c.LEAQ(Mem{Base: f.wk, Disp: 16 * width}, f.k)
			g.begin()
			c.JMP(LabelRef("rounds"))
		} else {
			c.JMP(LabelRef("block"))
		}
		c.Label("end")
		m.leave()
		c.Label("done")
		c.RET()
	}
}

// rounds does four rounds, group i of 16.
func (f *scalarFrame) rounds(g *working, i int) {
	for j := range 4 {
		h := g.v[7]
		g.ops.add(h, h, Mem{Base: f.wk, Disp: f.m.bits()/8*i + 4*j})
		g.mix()
	}
}

// schedule replaces W[t-16] to W[t-13], where t mod 16 is 4i, by W[t] to W[t+3]:
//
//	W[t] = σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16]
//
// σ1 comes in two steps, because W[t+2] needs W[t].
func (f *scalarFrame) schedule(i int) {
	m, x, y := f.m, f.t[0], f.t[1]
	sum, w12, w8, w4 := f.w[i], f.w[(i+1)%4], f.w[(i+2)%4], f.w[(i+3)%4] // from W[t-16], W[t-12], …

	m.align(x, w12, sum)
	m.align(y, w4, w8)
	m.add(sum, sum, y)
	m.sigma(y, f.t[2], f.t[3], x, smallSigma0)
	m.add(sum, sum, y)
	m.pick(x, w4, [4]uint64{2, 2, 3, 3})
	f.sigma1(x, y)
	m.shuffleBytes(y, f.low)
	m.add(sum, sum, y)
	m.pick(x, sum, [4]uint64{0, 0, 1, 1})
	f.sigma1(x, y)
	m.shuffleBytes(y, f.high)
	m.add(sum, sum, y)
}

// sigma1 sets words 0 and 2 of d to σ1 of the words of x, which come in pairs of
// equals: a shift of 64 bits rotates their low word. It destroys x.
func (f *scalarFrame) sigma1(x, d Register) {
	first, second, third := smallSigma1.rot[0], smallSigma1.rot[1], smallSigma1.rot[2]
	f.m.shiftRight(d, x, third)
	f.m.shiftRight64(x, x, first)
	f.m.xor(d, d, x)
	f.m.shiftRight64(x, x, second-first)
	f.m.xor(d, d, x)
}

// send stores W+K for group i of the next rounds.
func (f *scalarFrame) send(i int, wk Mem) {
	f.m.broadcastQuarter(f.t[0], Mem{Base: f.k, Disp: 16 * i})
	f.m.add(f.t[0], f.t[0], f.w[i])
	f.m.store(wk, f.t[0])
}

// loadMasks loads the masks of PSHUFB.
func (f *scalarFrame) loadMasks(c *Context, name string) {
	const words02, clear = 0x0b0a0908_03020100, 0xffffffff_ffffffff
	halves := c.StaticGlobal(name + "_halves")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, half := range []uint64{words02, clear, words02} {
		c.AddDatum(8*i, U64(half))
	}
	f.m.broadcastQuarter(f.order, byteOrder(c, name))
	f.m.broadcastQuarter(f.low, halves)
	f.m.broadcastQuarter(f.high, halves.Offset(8))
}
