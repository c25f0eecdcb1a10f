package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of Advanced SIMD hold one 32-bit word of four lanes in a register:
// the state in V0 to V7, the message schedule in V8 to V23. Like the kernels of
// laneKernel they loop over 16 rounds at a time.

// General registers, besides the ones that every arm64 kernel uses.
var (
	neonLane   = [4]Register{R8, R9, R10, R11}      // what each lane points to
	neonK      = constants{base: R12, spread: true} // of the next 16 rounds
	neonSaved  = Mem{Base: R13}                     // the state before the block, in the frame
	neonRounds = "R4"                               // counts within a block
)

// A neonGroup is the group of a kernel.
type neonGroup struct {
	*group
	m neon
	f *armFunc
}

func newNEONGroup(f *armFunc) *neonGroup {
	m := neon{f: f}
	g := &neonGroup{newGroup(m, fewest), m, f}
	for i := range g.v {
		g.v[i] = m.reg(i)
	}
	for i := range g.w {
		g.w[i] = m.reg(8 + i)
	}
	for i := range g.t {
		g.t[i] = m.reg(24 + i)
	}
	return g
}

// loadBlock fills W[0..15] from where at says that each lane's part is.
func (g *neonGroup) loadBlock(at func(part, lane int) Mem) {
	for part := range 4 {
		words := func(lane int) Mem { return at(part, lane) }
		g.loadPart(part, words, nil, nil, [4]Register{}, [2]Register(g.t[6:]))
	}
	for _, w := range g.w {
		g.m.reverseBytes(w.(Register))
	}
}

// sixteen does 16 rounds passes times, round being one of them.
func (g *neonGroup) sixteen(label string, passes int, round func(t int)) {
	if passes > 1 {
		g.f.do("MOVD", imm(passes), neonRounds)
		g.f.label(label)
	}
	start := g.v
	for t := range 16 {
		// Of two rounds, one after the other, each has its own temporaries, so as
		// not to wait for the other.
		g.t = [8]Register{g.t[4], g.t[5], g.t[6], g.t[7], g.t[0], g.t[1], g.t[2], g.t[3]}
		round(t)
	}
	if g.v != start {
		panic("the working variables are not where the loop expects them")
	}
	g.f.do("ADD", imm(neonK.word(16).Disp), neonK.base.Asm())
	if passes > 1 {
		g.f.do("SUB", imm(1), neonRounds)
		g.f.branch("CBNZ", neonRounds, label)
	}
}

// compress does the rounds of a block, neonK being at its constants.
func (g *neonGroup) compress() {
	g.sixteen("rounds", 3, func(t int) {
		g.round(t, neonK, t)
		g.schedule(t + 16)
	})
	g.sixteen("", 1, func(t int) { g.round(t, neonK, t) })
}

// transposed returns registers of words 4·half to 4·half+3 of each lane's state.
func (g *neonGroup) transposed(half int) [4]Register {
	rows, free := transpose(g.m, [4]Register(g.v[4*half:4*half+4]), [2]Register(g.t[:2]))
	copy(g.t[:], free[:])
	return rows
}

// neonKernel generates the kernel of four streams.
func neonKernel(f *armFunc) {
	f.doc = []string{
		f.name + " compresses blocks of each of 4 streams, one 32-bit word of each in a",
		"register, in turns: see Kernel.Blocks.",
	}
	g := newNEONGroup(f)
	k := roundConstants()
	table := "R5"
	f.frame = 8 + 16*len(g.v)
	point := func(to string) {
		for lane, p := range neonLane {
			f.do("MOVD", at(8*lane, to), p.Asm())
		}
	}

	f.loadStreams()
	f.do("MOVD", f.spread(k[:]), table)
	f.do("ADD", imm(16), "RSP", neonSaved.Base.Asm())

	f.label("turn")
	point(armH)
	for half := range 2 {
		part := func(lane int) Mem { return Mem{Base: neonLane[lane], Disp: 16 * half} }
		words, free := loadWords(g.m, part, nil, [4]Register(g.v[4*half:4*half+4]), [2]Register(g.t[:2]))
		copy(g.v[4*half:], words[:])
		copy(g.t[:], free[:])
	}
	point(armP)
	for _, p := range neonLane {
		f.do("ADD", armAt+"<<6", p.Asm())
	}

	f.label("block")
	for i, v := range g.v {
		g.m.store(neonSaved.Offset(16*i), v)
	}
	g.loadBlock(func(part, lane int) Mem { return Mem{Base: neonLane[lane], Disp: 16 * part} })
	for _, p := range neonLane {
		f.fetch(p.Asm())
		f.do("ADD", imm(64), p.Asm())
	}
	f.do("MOVD", table, neonK.base.Asm())
	g.compress()
	for i, v := range g.v {
		w := g.w[i].(Register) // free by now
		g.m.load(w, neonSaved.Offset(16*i))
		g.m.add(v, v, w)
	}
	f.do("SUB", imm(1), armN)
	f.branch("CBNZ", armN, "block")

	point(armH)
	for half := range 2 {
		for lane, row := range g.transposed(half) {
			g.m.store(Mem{Base: neonLane[lane], Disp: 16 * half}, row)
		}
	}
	f.turnEnds(4)
	f.label("done")
	f.branch("RET")
}

// neonNodeKernel generates the kernel of four nodes of 64 bytes: one block that
// is compressed from the initial state, and one of which W+K is a table.
func neonNodeKernel(f *armFunc) {
	f.signature = nodesSignature
	f.doc = []string{
		f.name + " hashes n nodes of 64 bytes at src into dst, 4 at once, one",
		"32-bit word of each in a register. n is a multiple of 4; dst may be src.",
	}
	g := newNEONGroup(f)
	k, nodeK := roundConstants(), nodeConstants()
	iv, _ := initialValues()
	src, dst, table := Mem{Base: R8}, Mem{Base: R9}, constants{base: R10, spread: true}
	const ivAt = 128 // in the table

	f.loadArgs("dst", "src")
	f.do("MOVD", f.spread(slices.Concat(k[:], nodeK[:], iv[:])), table.base.Asm())
	f.do("MOVD", armP, src.Base.Asm())
	f.do("MOVD", armH, dst.Base.Asm())

	f.label("nodes")
	g.loadBlock(func(part, lane int) Mem { return src.Offset(64*lane + 16*part) })
	for i, v := range g.v {
		g.m.broadcastConstant(v, table, ivAt+i)
	}
	f.do("MOVD", table.base.Asm(), neonK.base.Asm())
	g.compress()
	for i, v := range g.v {
		g.m.addConstant(v, table, ivAt+i, g.w[i].(Register))
	}
	for i, v := range g.v {
		f.do("VMOV", g.m.v(v).b16(), g.m.v(g.w[i]).b16())
	}
	g.sixteen("padding", 4, func(t int) { g.constantRound(neonK, t) })
	for i, v := range g.v {
		g.m.add(v, v, g.w[i])
		g.m.reverseBytes(v)
	}
	for half := range 2 {
		for lane, row := range g.transposed(half) {
			g.m.store(dst.Offset(32*lane+16*half), row)
		}
	}
	f.do("ADD", imm(4*64), src.Base.Asm())
	f.do("ADD", imm(4*32), dst.Base.Asm())
	f.do("SUB", imm(4), armN)
	f.branch("CBNZ", armN, "nodes")

	f.label("done")
	f.branch("RET")
}
