package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// nodeSignature is the signature of all kernels that hash Merkle nodes.
const nodeSignature = "func(dst, src *byte, n int)"

// shaNodeKernel generates a kernel of n nodes of 64 bytes side by side: n = 1,
// 2 or 4. Of a node's two blocks, the second costs no schedule and no addition
// of K: W+K comes from a table. vector lets AVX-512 compute the schedules of the
// first, for n = 2.
//
// First blocks are bound by what the core can issue, second ones by the unit of
// SHA256RNDS2. So with n = 4, second blocks of nodes i and i+1 run beside first
// blocks of nodes i+4 and i+5:
//
//	first blocks of nodes 0 to 3
//	while four more nodes are left:
//	    second blocks of nodes 0 and 1, first blocks of nodes 4 and 5
//	    second blocks of nodes 2 and 3, first blocks of nodes 6 and 7
//	    go on by four nodes
//	second blocks of nodes 0 to 3
func shaNodeKernel(n int, vector bool) func(c *Context, name string) {
	return func(c *Context, name string) {
		c.Function(name)
		c.Pragma("noescape")
		if n == 1 {
			c.Doc(name+" hashes n nodes of 64 bytes at src into dst with the SHA extensions. dst",
				"may be src.")
		} else {
			c.Doc(fmt.Sprintf("%s hashes n nodes of 64 bytes at src into dst, %d interleaved, with the", name, n),
				fmt.Sprintf("SHA extensions. n is a multiple of %d; dst may be src.", n))
		}
		c.SignatureExpr(nodeSignature)

		// Registers as in shaKernel: X0 W+K, X1 and X2 temporary, from X3 the
		// states, then, if they fit, the schedules.
		dst, src, count := RDI, RSI, RCX
		f := &shaNodes{
			c: c, dst: dst, src: src, k: RAX, nodeK: RBX,
			order: byteOrder(c, name), reverse: byteReverse(c, name), iv: shaInitialState(c, name),
		}
		inRegisters := n <= 2
		frame, align := 32*n, 16 // aligned as in shaKernel
		switch {
		case vector:
			frame, align = frame+256*n, 32
		case !inRegisters:
			frame += 64 * n
		}
		scratch := Mem{Base: RDX}
		c.LEAQ(c.AllocLocal(frame+align).Offset(align-1), RDX)
		c.ANDQ(I8(-align), RDX)
		streams := make([]shaStream, n)
		next := 3
		for i := range streams {
			streams[i] = shaStream{
				p:         Mem{Base: src, Disp: 64 * i},
				abef:      vec(next).AsX(),
				cdgh:      vec(next + 1).AsX(),
				saved:     scratch.Offset(32 * i),
				asOperand: vector || !inRegisters,
			}
			next += 2
		}
		if inRegisters {
			schedulesInRegisters(streams, next)
		} else {
			schedulesInMemory(streams, scratch.Offset(32*n))
		}

		if vector {
			c.VZEROUPPER() // as in clearUpperHalves
		} else {
			clearUpperHalves(c)
		}
		c.Load(c.Param("dst"), dst)
		c.Load(c.Param("src"), src)
		c.Load(c.Param("n"), count)
		c.LEAQ(Mem{Symbol: Symbol{Name: "·tableK"}, Base: StaticBase}, f.k)
		c.LEAQ(Mem{Symbol: Symbol{Name: "·tableNodeK"}, Base: StaticBase}, f.nodeK)
		if vector {
			vectorConstants(c, f.order, R8)
			f.vectors = &vectorSchedule{c: c, k: f.k, wk: scratch.Offset(32 * n), blocks: [2]Mem{streams[0].p, streams[1].p}}
		}
		goOn := func() {
			c.ADDQ(I32(64*n), src)
			c.ADDQ(I32(32*n), dst)
			c.SUBQ(Imm(uint64(n)), count)
			c.JGE(LabelRef("group"))
		}
		c.SUBQ(Imm(uint64(n)), count)
		c.JL(LabelRef("done"))
		if n == 4 {
			f.firstBlocks(streams)
			c.SUBQ(Imm(uint64(n)), count)
			c.JL(LabelRef("last"))
			c.Label("group")
			f.firstBesideSecond(streams, 0)
			f.firstBesideSecond(streams, 2)
			goOn()
			for _, s := range streams {
				s.restore(c)
			}
			c.Label("last")
			f.secondBlocks(streams)
		} else {
			c.Label("group")
			f.firstBlocks(streams)
			f.secondBlocks(streams)
			goOn()
		}

		c.Label("done")
		if vector {
			c.VZEROUPPER()
		}
		c.RET()
	}
}

// shaNodes emits the parts of a kernel of nodes.
type shaNodes struct {
	c                  *Context
	dst, src           Register
	k, nodeK           Register // K, and W+K of the second block
	order, reverse, iv Mem
	vectors            *vectorSchedule // or nil
}

// firstBlocks compresses the first blocks and saves the states.
func (f *shaNodes) firstBlocks(streams []shaStream) {
	for _, s := range streams {
		f.begin(s)
	}
	if f.vectors != nil {
		f.vectors.rounds(2, streams...)
	} else {
		blockRounds(f.c, streams, f.k, f.order)
	}
	for _, s := range streams {
		f.endFirst(s)
	}
}

// secondBlocks compresses the second blocks and stores the digests.
func (f *shaNodes) secondBlocks(streams []shaStream) {
	for i := range 16 {
		wk := Mem{Base: f.nodeK, Disp: 16 * i}
		if len(streams) == 2 {
			roundsOfBoth(f.c, streams, wk)
			continue
		}
		for _, s := range streams {
			s.roundsOf(f.c, wk)
		}
	}
	for i, s := range streams {
		f.digest(s, i)
	}
}

// firstBesideSecond compresses the second blocks of nodes i and i+1, stores their
// digests, compresses the first blocks of nodes i+4 and i+5, and saves their states
// over the states of nodes i and i+1.
func (f *shaNodes) firstBesideSecond(streams []shaStream, i int) {
	beside := slices.Clone(streams)
	first, second := beside[:2], beside[2:]
	for j := range 2 {
		first[j].p = streams[i+j].p.Offset(64 * len(streams))
		first[j].saved, second[j].saved = streams[i+j].saved, streams[i+j].saved
		second[j].table = f.nodeK
		f.begin(first[j])
		second[j].restore(f.c)
	}
	roundsInOrder(f.c, beside, f.k, f.order, besideSecond)
	for j, s := range second {
		f.digest(s, i+j)
	}
	for _, s := range first {
		f.endFirst(s)
	}
}

func (f *shaNodes) begin(s shaStream) {
	f.c.MOVOU(f.iv, s.abef)
	f.c.MOVOU(f.iv.Offset(16), s.cdgh)
}

func (f *shaNodes) endFirst(s shaStream) {
	f.c.PADDD(f.iv, s.abef)
	f.c.PADDD(f.iv.Offset(16), s.cdgh)
	s.save(f.c)
}

// digest ends the second block of node i and stores its digest.
func (f *shaNodes) digest(s shaStream, i int) {
	c := f.c
	s.addSaved(c)
	// Turned around byte by byte, abef and cdgh are big-endian words in
	// the order of the digest.
	c.PSHUFB(f.reverse, s.abef)
	c.PSHUFB(f.reverse, s.cdgh)
	c.MOVOA(s.abef, shaTmp)
	c.PUNPCKLQDQ(s.cdgh, s.abef) // a b c d
	c.PUNPCKHQDQ(s.cdgh, shaTmp) // e f g h
	c.MOVOU(s.abef, Mem{Base: f.dst, Disp: 32 * i})
	c.MOVOU(shaTmp, Mem{Base: f.dst, Disp: 32*i + 16})
}

// byteReverse defines the PSHUFB mask that turns 16 bytes around.
func byteReverse(c *Context, name string) Mem {
	m := c.StaticGlobal(name + "_reverse")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, U64(0x08090a0b0c0d0e0f))
	c.AddDatum(8, U64(0x0001020304050607))
	return m
}

// shaInitialState defines H(0) of SHA-256 as abef and cdgh.
func shaInitialState(c *Context, name string) Mem {
	h, _ := initialValues()
	m := c.StaticGlobal(name + "_iv")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	const a, b, cc, d, e, f, g, hh = 0, 1, 2, 3, 4, 5, 6, 7
	for i, word := range []int{f, e, b, a, hh, g, d, cc} {
		c.AddDatum(4*i, U32(h[word]))
	}
	return m
}
