package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Cores of Ice Lake, Tiger Lake and Rocket Lake start a SHA256MSG1 or
// SHA256MSG2 every five to six cycles, and a SHA256RNDS2 every three, one after
// the other. So two interleaved streams take as long as two in sequence. These
// kernels compute the message schedules of two blocks at once with AVX-512, and
// leave nothing but the rounds to the SHA extensions. For a single block
// AVX-512 takes the place of SHA256MSG1 alone (shaStream.vector).

// vectorSchedule computes the message schedules of two blocks, four words of each
// at a time, and leaves W+K in memory.
//
// Only vector registers from 16 on are used at more than 128 bits: the SHA
// extensions are SSE instructions, which are slow while an upper half of the
// other registers is in use.
type vectorSchedule struct {
	c      *Context
	blocks [2]Mem   // the second has the upper quarters
	k      Register // the round constants
	wk     Mem      // 512 bytes: words t to t+3 of both blocks side by side
	// halves loads blocks 8 bytes at a time, as in shaStream.
	halves bool
}

// The last 16 words of the schedule are in registers 16 to 19, t/4 modulo 4.
// The masks have the low and the high two words of each quarter.
const (
	vectorW     = 16
	vectorTmp   = 20
	vectorOrder = 31
)

var lowWords, highWords = K1, K2

// vectorConstants loads what all schedules of a kernel need.
func vectorConstants(c *Context, order Mem, tmp GPPhysical) {
	c.VBROADCASTI32X4(order, vec(vectorOrder).AsY())
	c.MOVL(U32(0x33), tmp.As32())
	c.KMOVW(tmp.As32(), lowWords)
	c.MOVL(U32(0xcc), tmp.As32())
	c.KMOVW(tmp.As32(), highWords)
}

// wkAt is where W+K of words 4i to 4i+3 of a block are.
func (v vectorSchedule) wkAt(i, block int) Mem { return v.wk.Offset(32*i + 16*block) }

// step does words 4i to 4i+3: they are loaded, or
//
//	W(t) = σ1(W(t-2)) + W(t-7) + σ0(W(t-15)) + W(t-16)
//
// of which the last two words need σ1 of the first two.
func (v vectorSchedule) step(i int) {
	c, m := v.c, newAVX512(&emitter{c: v.c}).(avx512)
	w := func(back int) Register { return vec(vectorW + (i-back/4+4)%4).AsY() } // W(4i-back), …
	t := func(n int) Register { return vec(vectorTmp + n).AsY() }
	w0 := w(0)
	if i < 4 {
		v.load(i, w0)
		c.VPSHUFB(vec(vectorOrder).AsY(), w0, w0)
	} else {
		c.VPALIGNR(Imm(4), w0, w(12), t(0)) // W(t-15), …
		m.sigma(t(1), t(2), t(3), t(0), smallSigma0)
		c.VPALIGNR(Imm(4), w(8), w(4), t(0)) // W(t-7), …
		m.add(w0, w0, t(0))
		m.add(w0, w0, t(1))
		c.VPSHUFD_Z(Imm(0x0e), w(4), lowWords, t(0)) // W(t-2), W(t-1), 0, 0
		m.sigma(t(1), t(2), t(3), t(0), smallSigma1)
		m.add(w0, w0, t(1))
		c.VPSHUFD_Z(Imm(0x40), w0, highWords, t(0)) // 0, 0, W(t), W(t+1)
		m.sigma(t(1), t(2), t(3), t(0), smallSigma1)
		m.add(w0, w0, t(1))
	}
	m.broadcastQuarter(t(0), Mem{Base: v.k, Disp: 16 * i})
	m.add(t(0), t(0), w0)
	m.store(v.wkAt(i, 0), t(0))
}

// load loads words 4i to 4i+3 of the blocks into w.
func (v vectorSchedule) load(i int, w Register) {
	c := v.c
	for j, b := range v.blocks {
		words := Op(b.Offset(16 * i))
		if v.halves {
			c.MOVQ(b.Offset(16*i), shaTmp)
			c.MOVHPS(b.Offset(16*i+8), shaTmp)
			words = shaTmp
		}
		if j == 0 {
			c.VMOVDQU32(words, quarter(w))
		} else {
			c.VINSERTI32X4(Imm(uint64(j)), words, w, w)
		}
	}
}

// rounds does the 64 rounds of a block in each stream, and computes the schedules
// of all blocks, by a few steps of four words ahead of the rounds.
func (v vectorSchedule) rounds(ahead int, streams ...shaStream) {
	for i := range ahead {
		v.step(i)
	}
	for i := range 16 {
		if i+ahead < 16 {
			v.step(i + ahead)
		}
		for j, s := range streams {
			v.fourRounds(i, j, s)
		}
	}
}

// fourRounds does rounds 4i to 4i+3 of a block.
func (v vectorSchedule) fourRounds(i, block int, s shaStream) {
	v.c.MOVOU(v.wkAt(i, block), shaWK)
	s.roundsOfWK(v.c)
}

// vectorScratch allocates the local memory of a kernel with n streams, at RDX, and
// returns its schedules, without blocks, and its streams.
func vectorScratch(c *Context, k Register, n int) (vectorSchedule, []shaStream) {
	const align = 32 // the stores'
	v := vectorSchedule{c: c, k: k, wk: Mem{Base: RDX}}
	saved := v.wk.Offset(2 * 256)
	c.LEAQ(c.AllocLocal(2*256+32*n+align).Offset(align-1), RDX)
	c.ANDQ(I8(-align), RDX)
	streams := make([]shaStream, n)
	for i := range streams {
		streams[i] = shaStream{abef: vec(3 + 2*i).AsX(), cdgh: vec(4 + 2*i).AsX(), saved: saved.Offset(32 * i)}
	}
	return v, streams
}

// vectorShaKernel generates the kernel of one stream. It takes two blocks at a
// time, as far as there are two.
func vectorShaKernel(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(name+" compresses n blocks at p into h with the SHA extensions, and AVX-512 for the",
		"message schedule.")
	c.SignatureExpr("func(h *[8]uint32, p *byte, n int)")

	k, h, p, count, ahead := RAX, RDI, Mem{Base: RSI}, RCX, R9
	v, streams := vectorScratch(c, k, 1)
	v.halves = true
	s := streams[0]
	s.p, s.halves, s.vector = p, true, true
	for i := range s.msg {
		s.msg[i] = vec(5 + i).AsX()
	}
	c.VZEROUPPER() // as in clearUpperHalves
	c.Load(c.Param("h"), h)
	c.Load(c.Param("p"), p.Base)
	c.Load(c.Param("n"), count)
	c.MOVQ(count, ahead)
	c.LEAQ(kTable(c, name, false), k)
	loadState(c, s, h)
	order := byteOrder(c, name)
	c.SUBQ(Imm(2), count)
	c.JL(LabelRef("last"))
	vectorConstants(c, order, R8)

	c.Label("pair")
	v.blocks = [2]Mem{p, p.Offset(64)}
	for _, b := range v.blocks {
		c.PREFETCHT0(b.Idx(ahead, 1))
	}
	s.save(c)
	v.rounds(3, s)
	s.addSaved(c)
	s.save(c)
	for i := range 16 {
		v.fourRounds(i, 1, s)
	}
	s.addSaved(c)
	c.ADDQ(U32(128), p.Base)
	c.SUBQ(Imm(2), count)
	c.JGE(LabelRef("pair"))
	c.VZEROUPPER()

	c.Label("last")
	c.ADDQ(Imm(2), count)
	c.JZ(LabelRef("done"))
	s.save(c)
	for i := range 16 {
		s.fourRounds(c, i, k, order)
	}
	s.addSaved(c)

	c.Label("done")
	storeState(c, s, h)
	c.RET()
}

// vectorShaKernel2 generates the kernel of two interleaved streams.
func vectorShaKernel2(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(name+" compresses blocks of each of 2 streams, interleaved, with the SHA",
		"extensions, and AVX-512 for the message schedules, in turns: see Kernel.Blocks.")
	c.SignatureExpr(streamsSignature)

	k, hs, ps, count, offset := RAX, RDI, RSI, RCX, R12
	states, blocks := [2]Register{R8, R9}, [2]Mem{{Base: R10}, {Base: R11}}
	v, streams := vectorScratch(c, k, 2)
	v.blocks = blocks
	turns := streamTurns{c, 2, hs, ps, offset, count, [2]Register{R13, RBX}}
	c.VZEROUPPER() // as in clearUpperHalves
	turns.begin("done")
	vectorConstants(c, byteOrder(c, name), RAX)
	c.LEAQ(kTable(c, name, false), k)
	c.Label("turn")
	for i, s := range streams {
		c.MOVQ(Mem{Base: hs, Disp: 8 * i}, states[i])
		c.MOVQ(Mem{Base: ps, Disp: 8 * i}, blocks[i].Base)
		c.ADDQ(offset, blocks[i].Base)
		loadState(c, s, states[i])
	}

	c.Label("block")
	for i, s := range streams {
		s.save(c)
		c.PREFETCHT0(blocks[i].Offset(streamAhead))
	}
	v.rounds(2, streams...)
	for i, s := range streams {
		s.addSaved(c)
		c.ADDQ(Imm(64), blocks[i].Base)
	}
	c.DECQ(count)
	c.JNZ(LabelRef("block"))

	for i, s := range streams {
		storeState(c, s, states[i])
	}
	turns.over("leave")
	turns.through()
	turns.nextBlocks()
	turns.nextStates()
	turns.again("turn")
	c.Label("leave")
	c.VZEROUPPER()
	c.Label("done")
	c.RET()
}
