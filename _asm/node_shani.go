package main

import (
	"fmt"

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
		dst, src, count, k, nodeK := RDI, RSI, RCX, RAX, RBX
		order, reverse := byteOrder(c, name), byteReverse(c, name)
		iv := shaInitialState(c, name)
		inRegisters := n <= 2
		frame, align := 32*n, 0
		switch {
		case vector:
			frame, align = frame+256*n, 32
		case !inRegisters:
			frame, align = frame+64*n, 16
		}
		scratch := Mem{Base: RDX}
		local := c.AllocLocal(frame + align)
		if align == 0 {
			c.LEAQ(local, RDX)
		} else {
			c.LEAQ(local.Offset(align-1), RDX)
			c.ANDQ(I8(-align), RDX)
		}
		streams := make([]shaStream, n)
		next := 3
		for i := range streams {
			streams[i] = shaStream{
				p:         Mem{Base: src, Disp: 64 * i},
				abef:      vec(next).AsX(),
				cdgh:      vec(next + 1).AsX(),
				saved:     scratch.Offset(32 * i),
				minCopies: n == 1,
			}
			next += 2
		}
		if inRegisters {
			schedulesInRegisters(streams, next)
		} else {
			schedulesInMemory(streams, next, scratch.Offset(32*n))
		}

		if vector {
			c.VZEROUPPER() // as in clearUpperHalves
		} else {
			clearUpperHalves(c)
		}
		c.Load(c.Param("dst"), dst)
		c.Load(c.Param("src"), src)
		c.Load(c.Param("n"), count)
		c.LEAQ(Mem{Symbol: Symbol{Name: "·tableK"}, Base: StaticBase}, k)
		c.LEAQ(Mem{Symbol: Symbol{Name: "·tableNodeK"}, Base: StaticBase}, nodeK)
		schedule := vectorSchedule{c: c, k: k, wk: scratch.Offset(32 * n)}
		if vector {
			vectorConstants(c, order, R8)
			schedule.blocks = [2]Mem{streams[0].p, streams[1].p}
		}
		c.SUBQ(Imm(uint64(n)), count)
		c.JL(LabelRef("done"))

		c.Label("group")
		for _, s := range streams {
			c.MOVOU(iv, s.abef)
			c.MOVOU(iv.Offset(16), s.cdgh)
		}
		if vector {
			schedule.rounds(2, streams...)
		} else if n == 4 {
			roundsInOrder(c, streams, k, order, []Register{X15, X14, X13, X12, X11, X2, X1}, fourStreams)
		} else {
			for i := range 16 {
				for j := range streams {
					streams[j].fourRounds(c, i, k, order)
				}
			}
		}
		for _, s := range streams {
			c.PADDD(iv, s.abef)
			c.PADDD(iv.Offset(16), s.cdgh)
			s.save(c)
		}
		for i := range 16 {
			for _, s := range streams {
				s.roundsOf(c, Mem{Base: nodeK, Disp: 16 * i})
			}
		}
		for i, s := range streams {
			s.addSaved(c)
			// Turned around byte by byte, abef and cdgh are big-endian words in
			// the order of the digest.
			c.PSHUFB(reverse, s.abef)
			c.PSHUFB(reverse, s.cdgh)
			c.MOVOA(s.abef, shaTmp)
			c.PUNPCKLQDQ(s.cdgh, s.abef) // a b c d
			c.PUNPCKHQDQ(s.cdgh, shaTmp) // e f g h
			c.MOVOU(s.abef, Mem{Base: dst, Disp: 32 * i})
			c.MOVOU(shaTmp, Mem{Base: dst, Disp: 32*i + 16})
		}
		c.ADDQ(I32(64*n), src)
		c.ADDQ(I32(32*n), dst)
		c.SUBQ(Imm(uint64(n)), count)
		c.JGE(LabelRef("group"))

		c.Label("done")
		if vector {
			c.VZEROUPPER()
		}
		c.RET()
	}
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
