package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// The SHA extensions hold the state of one stream in two registers, abef and
// cdgh, high word first. SHA256RNDS2 does two rounds from the two low words of
// X0, which hold W+K; SHA256MSG1 and SHA256MSG2 compute the message schedule
// four words at a time.
//
// A SHA256RNDS2 has a latency of 4 cycles, and today's cores issue one every 2
// cycles. So one stream leaves half of the unit idle; interleaved kernels fill
// it.

// shaStream is one of the interleaved streams.
type shaStream struct {
	p          Mem      // the next block
	abef, cdgh Register // the state
	// load brings words 4i to 4i+3 of the block into x, where the block is not the 64
	// bytes at p.
	load  func(i int, x Register)
	saved Mem // 32 bytes: the state before the block
	// asOperand has addSaved add saved from memory, where it is aligned to 16 bytes. llvm-mca has up
	// to 4 cycles more for x1_shani so (Zen 4).
	asOperand bool
	// halves loads the block 8 bytes at a time. A block that padZeros has just
	// written, 8 bytes at a time, is then forwarded from the store buffer.
	// Wider loads would wait until these stores and all earlier instructions
	// are retired, and short messages would not overlap in the core.
	halves bool
	// vector has AVX-512 compute σ0, in place of SHA256MSG1.
	vector bool
	msg    [4]Op // the last 16 words of the schedule; registers, or aligned memory
	fetch  Mem   // what is fetched while a block is loaded, if anything
	// table, if it is not nil, is where W+K of the block is: nothing is to be computed.
	table Register
}

var (
	shaWK  = X0 // implicit operand of SHA256RNDS2
	shaTmp = X1
)

// shaKernel generates a kernel of n interleaved streams: n = 1, 2 or 4.
func shaKernel(n int) func(c *Context, name string) {
	return func(c *Context, name string) {
		c.Function(name)
		c.Pragma("noescape")
		if n == 1 {
			c.Doc(name + " compresses n blocks at p into h with the SHA extensions.")
			c.SignatureExpr("func(h *[8]uint32, p *byte, n int)")
		} else {
			c.Doc(fmt.Sprintf("%s compresses blocks of each of %d streams, interleaved, with the SHA", name, n),
				"extensions, in turns: see Kernel.Blocks.")
			c.SignatureExpr(streamsSignature)
		}

		// Registers: X0 W+K, X1 and X2 temporary; from X3 the streams' states, then their
		// schedules if they fit.
		k, count, offset := RAX, RCX, R13
		ahead := R9 // of one stream
		hs, ps := RDI, RSI
		blocks := [4]Register{R8, R9, R10, R11}
		order := byteOrder(c, name)
		frame := 32 * n
		inRegisters := n <= 2
		if !inRegisters {
			frame += 64 * n
		}
		// The scratch is aligned: a store of 16 bytes that crosses the end of a page takes long.
		// Unaligned, each block took 12 ns more at such a stack depth (x1_shani, Granite Rapids).
		scratch := Mem{Base: RDX}
		c.LEAQ(c.AllocLocal(frame+16).Offset(15), RDX)
		c.ANDQ(I8(-16), RDX)
		streams := make([]shaStream, n)
		next := 3
		for i := range streams {
			s := &streams[i]
			s.p = Mem{Base: blocks[i]}
			s.halves, s.fetch = n == 1, s.p.Offset(streamAhead)
			if n == 1 {
				s.fetch = s.p.Idx(ahead, 1)
			}
			s.abef, s.cdgh = vec(next).AsX(), vec(next+1).AsX()
			next += 2
			s.saved, s.asOperand = scratch.Offset(32*i), !inRegisters
		}
		if inRegisters {
			schedulesInRegisters(streams, next)
		} else {
			schedulesInMemory(streams, scratch.Offset(32*n))
		}

		clearUpperHalves(c)
		turns := streamTurns{c, n, hs, ps, offset, count, [2]Register{R12, RBX}}
		if n == 1 {
			c.Load(c.Param("h"), hs)
			c.Load(c.Param("p"), ps)
			c.Load(c.Param("n"), count)
			c.TESTQ(count, count)
			c.JZ(LabelRef("done"))
			c.MOVQ(count, ahead)
		} else {
			turns.begin("done")
		}
		c.LEAQ(kTable(c, name, false), k)
		c.Label("turn")
		for i, s := range streams {
			if n == 1 {
				c.MOVQ(ps, s.p.Base)
				loadState(c, s, hs)
			} else {
				c.MOVQ(Mem{Base: ps, Disp: 8 * i}, s.p.Base)
				c.ADDQ(offset, s.p.Base)
				c.MOVQ(Mem{Base: hs, Disp: 8 * i}, R12)
				loadState(c, s, R12)
			}
		}

		c.Label("block")
		for _, s := range streams {
			s.save(c)
		}
		blockRounds(c, streams, k, order)
		for _, s := range streams {
			s.addSaved(c)
			c.ADDQ(Imm(64), s.p.Base)
		}
		c.DECQ(count)
		c.JNZ(LabelRef("block"))

		for i, s := range streams {
			if n == 1 {
				storeState(c, s, hs)
			} else {
				c.MOVQ(Mem{Base: hs, Disp: 8 * i}, R12)
				storeState(c, s, R12)
			}
		}
		if n > 1 {
			turns.over("done")
			turns.through()
			turns.nextBlocks()
			turns.nextStates()
			turns.again("turn")
		}
		c.Label("done")
		c.RET()
	}
}

// clearUpperHalves begins a kernel with SHA instructions that runs on CPUs without
// AVX too. The upper halves of vector registers may be in use when the caller has
// vector code. On Intel each SHA instruction, as it has the legacy encoding, then
// waits for them or takes an assist: several times slower, up to a few hundred on
// Arrow Lake.
func clearUpperHalves(c *Context) {
	c.CMPB(Mem{Symbol: Symbol{Name: "·hasAVX"}, Base: StaticBase}, Imm(0))
	c.JEQ(LabelRef("clear"))
	i, err := x86.VZEROUPPER()
	if err != nil {
		panic(err)
	}
	i.ISA = nil // the kernel does not need AVX
	c.Instruction(i)
	c.Label("clear")
}

// schedulesInRegisters gives each stream four registers for its schedule, from
// vector register next on.
func schedulesInRegisters(streams []shaStream, next int) {
	for i := range streams {
		for j := range streams[i].msg {
			streams[i].msg[j] = vec(next).AsX()
			next++
		}
	}
}

// schedulesInMemory gives each stream 64 bytes at memory for its schedule.
func schedulesInMemory(streams []shaStream, memory Mem) {
	for i := range streams {
		for j := range streams[i].msg {
			streams[i].msg[j] = memory.Offset(64*i + 16*j)
		}
	}
}

// blockRounds does the 64 rounds of a block of each stream.
func blockRounds(c *Context, streams []shaStream, k Register, order Mem) {
	switch len(streams) {
	case 1:
		for i := range 16 {
			streams[0].fourRounds(c, i, k, order)
		}
	case 2:
		roundsAbreast(c, streams, k, order)
	default:
		roundsInOrder(c, streams, k, order, fourStreams)
	}
}

// roundsAbreast does the rounds of two streams whose schedules are in registers. For
// each four rounds it computes both schedules, then does the first two rounds of both
// streams, then the other two. The second stream goes first. On Zen 5 (family 0x1a,
// model 2) a prototype took 137 cycles for two blocks so, and 160 stream by stream. On
// Zen 4 x2_shani takes 130 so, and 131 stream by stream.
//
// As an operand in memory, K has to be aligned to 16 bytes. Go's linker aligns symbols of
// 32 bytes or more to 32.
func roundsAbreast(c *Context, streams []shaStream, k Register, order Mem) {
	tmp := [2]Register{X1, X2} // W(t-7), then W+K
	for i := range 16 {
		for j, s := range slices.Backward(streams) {
			x := s.msg[i%4].(Register)
			if i < 4 {
				s.blockWords(c, i, x, order)
			} else {
				c.SHA256MSG1(s.msg[(i+1)%4], x)
				c.PADDD(tmp[j], x)
				c.SHA256MSG2(s.msg[(i+3)%4], x)
			}
			c.MOVOA(x, tmp[j])
			c.PADDD(Mem{Base: k, Disp: 16 * i}, tmp[j])
		}
		for j, s := range slices.Backward(streams) {
			c.MOVOA(tmp[j], shaWK)
			c.SHA256RNDS2(shaWK, s.abef, s.cdgh)
		}
		for j, s := range slices.Backward(streams) {
			c.PSHUFD(Imm(0x0e), tmp[j], shaWK)
			c.SHA256RNDS2(shaWK, s.cdgh, s.abef)
		}
		if 3 <= i && i < 15 {
			for j, s := range slices.Backward(streams) {
				c.MOVOA(s.msg[i%4], tmp[j])
				c.PALIGNR(Imm(4), s.msg[(i+3)%4], tmp[j])
			}
		}
	}
}

// fourRounds does rounds 4i to 4i+3 of a stream that has the core to itself. It first
// computes words 4i to 4i+3 of the schedule. K comes first into W+K: that spares a copy.
// On Ice Lake these copies cost one stream up to 6%. For short messages they cost
// something everywhere: their calls overlap, and each instruction counts.
func (s *shaStream) fourRounds(c *Context, i int, k Register, order Mem) {
	x := s.msg[i%4].(Register)
	if i < 4 {
		s.blockWords(c, i, x, order)
	} else {
		s.schedule(c, x, x, s.msg[(i+1)%4], s.msg[(i+2)%4], s.msg[(i+3)%4])
	}
	c.MOVOU(Mem{Base: k, Disp: 16 * i}, shaWK)
	c.PADDD(x, shaWK)
	s.roundsOfWK(c)
}

// blockWords sets x to words 4i to 4i+3 of the block.
func (s *shaStream) blockWords(c *Context, i int, x Register, order Mem) {
	if s.load != nil {
		s.load(i, x)
		return
	}
	if i == 0 && s.fetch.Base != nil {
		c.PREFETCHT0(s.fetch)
	}
	if s.halves {
		c.MOVQ(s.p.Offset(16*i), x)
		c.MOVHPS(s.p.Offset(16*i+8), x)
	} else {
		c.MOVOU(s.p.Offset(16*i), x)
	}
	c.PSHUFB(order, x)
}

// schedule sets x to the next four words of the message schedule. The others are
// the four words that begin 16, 12, 8 and 4 words before; x may be w16.
//
// W(t) = σ1(W(t-2)) + W(t-7) + σ0(W(t-15)) + W(t-16): MSG1 adds σ0(W(t-15)) to
// W(t-16), MSG2 adds σ1(W(t-2)).
func (s *shaStream) schedule(c *Context, x Register, w16, w12, w8, w4 Op) {
	if x != w16 {
		c.MOVOA(w16, x)
	}
	if s.vector {
		t := func(n int) Register { return vec(vectorTmp + n).AsX() }
		c.VPALIGNR(Imm(4), x, w12, t(0)) // W(t-15), …
		m := newAVX512(&emitter{c: c})
		m.sigma(t(1), t(2), t(3), t(0), smallSigma0)
		m.add(x, x, t(1))
	} else {
		c.SHA256MSG1(w12, x)
	}
	c.MOVOA(w4, shaTmp)
	c.PALIGNR(Imm(4), w8, shaTmp)
	c.PADDD(shaTmp, x)
	c.SHA256MSG2(w4, x)
}

// roundsOfWK does the four rounds of the W+K in shaWK.
func (s *shaStream) roundsOfWK(c *Context) {
	c.SHA256RNDS2(shaWK, s.abef, s.cdgh)
	c.PSHUFD(Imm(0x0e), shaWK, shaWK)
	c.SHA256RNDS2(shaWK, s.cdgh, s.abef)
}

// roundsOf does the four rounds of the W+K at wk. A second load takes the place
// of the shuffle, which would compete with the rounds for the vector pipes.
func (s *shaStream) roundsOf(c *Context, wk Mem) {
	c.MOVOU(wk, shaWK)
	c.SHA256RNDS2(shaWK, s.abef, s.cdgh)
	c.MOVQ(wk.Offset(8), shaWK)
	c.SHA256RNDS2(shaWK, s.cdgh, s.abef)
}

// roundsOfBoth does the four rounds of the W+K at wk in two streams, as roundsOf does in
// one. In four streams at once they take 2% longer than one after the other (Zen 4).
func roundsOfBoth(c *Context, streams []shaStream, wk Mem) {
	c.MOVOU(wk, shaWK)
	for _, s := range streams {
		c.SHA256RNDS2(shaWK, s.abef, s.cdgh)
	}
	c.MOVQ(wk.Offset(8), shaWK)
	for _, s := range streams {
		c.SHA256RNDS2(shaWK, s.cdgh, s.abef)
	}
}

// save keeps the state.
func (s *shaStream) save(c *Context) {
	c.MOVOU(s.abef, s.saved)
	c.MOVOU(s.cdgh, s.saved.Offset(16))
}

// restore sets the state to what was kept.
func (s *shaStream) restore(c *Context) {
	c.MOVOU(s.saved, s.abef)
	c.MOVOU(s.saved.Offset(16), s.cdgh)
}

// addSaved adds what was kept to the state.
func (s *shaStream) addSaved(c *Context) {
	if s.asOperand {
		c.PADDD(s.saved, s.abef)
		c.PADDD(s.saved.Offset(16), s.cdgh)
		return
	}
	c.MOVOU(s.saved, shaTmp)
	c.PADDD(shaTmp, s.abef)
	c.MOVOU(s.saved.Offset(16), shaTmp)
	c.PADDD(shaTmp, s.cdgh)
}

// loadState brings the state at h from the order a, b, … h into abef and cdgh.
func loadState(c *Context, s shaStream, h Register) {
	c.MOVOU(Mem{Base: h}, s.abef)           // d c b a
	c.MOVOU(Mem{Base: h, Disp: 16}, s.cdgh) // h g f e
	c.MOVOA(s.abef, shaTmp)                 //
	c.PUNPCKLQDQ(s.cdgh, s.abef)            // f e b a
	c.PUNPCKHQDQ(s.cdgh, shaTmp)            // h g d c
	c.PSHUFD(Imm(0x1b), s.abef, s.abef)     // a b e f
	c.PSHUFD(Imm(0x1b), shaTmp, s.cdgh)     // c d g h
}

// storeState is the inverse of loadState.
func storeState(c *Context, s shaStream, h Register) {
	for i, x := range s.words(c) {
		c.MOVOU(x, Mem{Base: h, Disp: 16 * i})
	}
}

// words brings the state into the order a, b, … h, and returns its two registers: abef
// and shaTmp.
func (s *shaStream) words(c *Context) [2]Register {
	c.PSHUFD(Imm(0x1b), s.abef, s.abef) // f e b a
	c.PSHUFD(Imm(0x1b), s.cdgh, s.cdgh) // h g d c
	c.MOVOA(s.abef, shaTmp)             //
	c.PUNPCKLQDQ(s.cdgh, s.abef)        // d c b a
	c.PUNPCKHQDQ(s.cdgh, shaTmp)        // h g f e
	return [2]Register{s.abef, shaTmp}
}
