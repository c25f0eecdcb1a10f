package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// finishMessage generates the routine finish: the end of a message, with its padding, goes through
// the SHA extensions, and its digest to memory. The padding is assembled in the registers of the
// message schedule. On its way through memory, it would be stored by pieces and loaded by others:
// such loads take longer, and so do stores that cross the end of a page. Of the frame, nothing is
// used. The digest is stored by 16 bytes, so what loads 16 of them does not wait, either.
//
// The upper halves of the vector registers are clear, since no instruction here sets them.
func finishMessage(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(
		name+" hashes n bytes at p, the end of a message of length bytes, into a copy of h, which",
		"they follow at a block boundary, and stores the digest at sum. sum may overlap p or h.",
	)
	c.SignatureExpr("func(sum *[32]byte, h *[8]uint32, p *byte, n int, length int)")

	sum, h, p, left, length, k := RDI, RSI, R8, RCX, RDX, RAX
	mask, marker := RBX, R9
	inMessage := [quarters]Register{K1, K2, K3, K4}
	saved, lengthOf := [2]VecPhysical{X9, X10}, X11
	s := shaStream{p: Mem{Base: p}, abef: X3, cdgh: X4, halves: true}
	for i := range s.msg {
		s.msg[i] = vec(5 + i).AsX()
	}
	order := byteOrder(c, name)
	markers := markerTable(c, name)
	words := func(i int) Register { return s.msg[i].(Register) }
	last := words(quarters - 1)

	c.VZEROUPPER() // as in clearUpperHalves
	c.Load(c.Param("sum"), sum)
	c.Load(c.Param("h"), h)
	c.Load(c.Param("p"), p)
	c.Load(c.Param("n"), left)
	c.Load(c.Param("length"), length)
	c.LEAQ(kTable(c, name, false), k)
	loadState(c, s, h)
	c.SHLQ(Imm(3), length)
	c.BSWAPQ(length)
	c.MOVQ(length, lengthOf)

	c.Label("block")
	c.CMPQ(left, Imm(64))
	c.JLT(LabelRef("end"))
	for i := range s.msg {
		s.blockWords(c, i, words(i), order)
	}
	c.ADDQ(Imm(64), p)
	c.SUBQ(Imm(64), left)
	c.JMP(LabelRef("rounds"))

	// The bytes that are left, with 0x80 behind them. A masked load reads no byte that the mask
	// leaves out. Without a byte, the address may be invalid, which takes long, or memory that was
	// just written: an address in the table takes its place.
	c.Label("end")
	c.LEAQ(markers, marker)
	c.TESTQ(left, left)
	c.CMOVQEQ(marker, p)
	c.SUBQ(left, marker)
	c.MOVQ(U64(1<<64-1), mask)
	c.BZHIQ(left, mask, mask)
	for i, in := range inMessage {
		if i > 0 {
			c.SHRQ(Imm(16), mask)
		}
		c.KMOVW(mask.As32(), in)
		c.MOVOU(Mem{Base: marker, Disp: 16 * i}, words(i))
		c.VMOVDQU8(Mem{Base: p, Disp: 16 * i}, in, words(i))
	}
	for _, x := range s.msg[:quarters-1] {
		c.PSHUFB(order, x)
	}
	// `left` is -2 if one more block follows, for the length alone, else -1.
	c.CMPQ(left, Imm(oneBlock))
	c.MOVQ(I32(-1), left)
	c.JLT(LabelRef("length"))
	c.MOVQ(I32(-2), left)
	c.PSHUFB(order, last)
	c.JMP(LabelRef("rounds"))

	c.Label("padding")
	for i := range s.msg {
		c.PXOR(words(i), words(i))
	}
	c.Label("length")
	c.PUNPCKLQDQ(lengthOf, last)
	c.PSHUFB(order, last)

	c.Label("rounds")
	c.MOVOA(s.abef, saved[0])
	c.MOVOA(s.cdgh, saved[1])
	s.load = func(int, Register) {}
	for i := range 16 {
		s.fourRounds(c, i, k, order)
	}
	c.PADDD(saved[0], s.abef)
	c.PADDD(saved[1], s.cdgh)
	c.CMPQ(left, Imm(0))
	c.JGE(LabelRef("block"))
	c.INCQ(left)
	c.JNZ(LabelRef("padding"))

	for i, x := range s.words(c) {
		c.PSHUFB(order, x)
		c.MOVOU(x, Mem{Base: sum, Disp: 16 * i})
	}
	c.RET()
}

// markerTable returns where 0x80 is in memory, with 63 zeros in front of it and 64 behind it. So the 64
// bytes that begin n bytes in front of it are zeros but for 0x80 at n.
func markerTable(c *Context, name string) Mem {
	m := c.StaticGlobal(name + "_markers")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		word := uint64(0)
		if i == 7 {
			word = 0x80 << 56
		}
		c.AddDatum(8*i, U64(word))
	}
	return m.Offset(63)
}
