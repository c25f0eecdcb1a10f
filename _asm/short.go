package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Routines around the kernels, for short messages. What they do costs Go more than a
// third of the time that the kernels take: it mispredicts branches on lengths. These
// branch on numbers of blocks alone, which a wave's messages have in common.

// The layout of a block.Slot.
const (
	slotScratch = 0
	slotState   = 5 * 64
)

const (
	// oneBlock is the length from which padding takes one more block.
	oneBlock = 64 - 8
	// lastWord is the mask of the last 8 bytes of a block, which hold the length.
	lastWord = 1 << 7
)

// padShort generates padShort_avx512. A block is put together in one register: the bytes
// of the message by a masked load, which reads no byte that the mask leaves out, what
// precedes them by an OR, the byte 0x80 and the length by masked moves.
//
// Of a message whose end, with what precedes it, has B blocks, the first B-2 are full.
// With v bytes left, all ones shifted out above bit v are the mask of what remains, and
// this mask plus 1 is the bit of the byte 0x80: 0 if the block is full.
func padShort(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(name+" puts n short messages together in slots: see PadShort. Message i is",
		"msgs[numbers[i]]. The first `before` bytes of a slot are rest, with the headSize bytes",
		"at heads+number·headSize at their end. Bytes of rest from before-headSize on are 0.",
		"length is the number of bytes in front of a message.")
	c.SignatureExpr("func(slots *byte, stride int, msgs *[]byte, numbers *uint16, n int, h *[8]uint32, rest *[64]byte, before int, heads *byte, headSize int, length int)")

	slots, stride, msgs, numbers, n := RDI, RSI, RBX, RCX, RDX
	tmp, number, p, left, to, length, ones, mask := RAX, R8, R9, R10, R11, R12, R13, R14
	front, state, restOf, end := Z18, Y16, Z19, Z17
	inMessage, inHead, marker, last := K1, K2, K3, K4
	argument := func(name string) Mem {
		at, err := c.Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return at.Addr
	}

	c.Load(c.Param("slots"), slots)
	c.Load(c.Param("stride"), stride)
	c.Load(c.Param("msgs"), msgs)
	c.Load(c.Param("numbers"), numbers)
	c.Load(c.Param("n"), n)
	c.TESTQ(n, n)
	c.JZ(LabelRef("done"))
	c.MOVQ(argument("h"), tmp)
	c.VMOVDQU64(Mem{Base: tmp}, state)
	c.MOVQ(argument("rest"), tmp)
	c.VMOVDQU64(Mem{Base: tmp}, restOf)
	c.MOVL(U32(0x80), tmp.As32())
	c.VPBROADCASTB(tmp.As32(), end)
	c.MOVL(U32(lastWord), tmp.As32())
	c.KMOVW(tmp.As32(), last)
	c.MOVQ(U64(1<<64-1), ones)
	// The head's bytes: headSize ones, shifted to where the head is.
	c.MOVQ(argument("headSize"), tmp)
	c.BZHIQ(tmp, ones, length)
	c.MOVQ(argument("before"), left)
	c.SUBQ(tmp, left)
	c.SHLXQ(left, length, length)
	c.KMOVQ(length, inHead)

	c.Label("message")
	c.MOVWLZX(Mem{Base: numbers}, number.As32())
	c.ADDQ(Imm(2), numbers)
	c.VMOVDQA64(restOf, front)
	c.MOVQ(argument("headSize"), tmp)
	c.TESTQ(tmp, tmp)
	c.JZ(LabelRef("headless"))
	// The head, at its place behind the rest.
	c.MOVQ(tmp, to)
	c.IMULQ(number, tmp)
	c.ADDQ(argument("heads"), tmp)
	c.ADDQ(to, tmp)
	c.SUBQ(argument("before"), tmp)
	c.VMOVDQU8_Z(Mem{Base: tmp}, inHead, front)
	c.VPORQ(restOf, front, front)
	c.Label("headless")
	c.LEAQ(Mem{Base: number, Index: number, Scale: 2}, number)
	c.MOVQ(Mem{Base: msgs, Index: number, Scale: 8}, p)
	c.MOVQ(Mem{Base: msgs, Index: number, Scale: 8, Disp: 8}, left)
	c.VMOVDQU64(state, Mem{Base: slots, Disp: slotState})
	c.MOVQ(slots, to)
	c.MOVQ(argument("length"), length)
	c.ADDQ(left, length)
	c.SHLQ(Imm(3), length)
	c.BSWAPQ(length)
	// An empty message may be nil, and no address.
	c.TESTQ(left, left)
	c.CMOVQEQ(slots, p)
	c.MOVQ(argument("before"), tmp)
	c.SUBQ(tmp, p)
	c.ADDQ(tmp, left)
	c.SHLXQ(tmp, ones, mask)
	c.CMPQ(left, Imm(oneBlock))
	c.JLT(LabelRef("one"))
	c.CMPQ(left, Imm(oneBlock+64))
	c.JLT(LabelRef("two"))

	put := func() {
		c.VPORQ(front, Z0, Z0)
		c.VMOVDQU8(end, marker, Z0)
		c.VMOVDQU64(Z0, Mem{Base: to})
	}
	advance := func() {
		c.MOVQ(ones, mask)
		c.VPXORQ(front, front, front)
		c.ADDQ(Imm(64), p)
		c.ADDQ(Imm(64), to)
		c.SUBQ(Imm(64), left)
	}
	c.Label("full")
	c.KMOVQ(mask, inMessage)
	c.VMOVDQU8_Z(Mem{Base: p}, inMessage, Z0)
	c.VPORQ(front, Z0, Z0)
	c.VMOVDQU64(Z0, Mem{Base: to})
	advance()
	c.CMPQ(left, Imm(oneBlock+64))
	c.JGE(LabelRef("full"))

	// The last block but one has oneBlock bytes or more.
	c.Label("two")
	c.BZHIQ(left, ones, tmp)
	c.LEAQ(Mem{Base: tmp, Disp: 1}, number)
	c.KMOVQ(number, marker)
	c.ANDQ(mask, tmp)
	c.KMOVQ(tmp, inMessage)
	c.VMOVDQU8_Z(Mem{Base: p}, inMessage, Z0)
	put()
	advance()

	// The last block has less. If left is negative, it has nothing, and the byte 0x80 is in
	// the block before: BZHI returns all ones then, for it takes left modulo 256.
	c.Label("one")
	c.BZHIQ(left, ones, tmp)
	c.MOVQ(tmp, number)
	c.INCQ(number)
	c.CMOVQEQ(number, tmp)
	c.KMOVQ(number, marker)
	c.ANDQ(mask, tmp)
	c.KMOVQ(tmp, inMessage)
	c.VMOVDQU8_Z(Mem{Base: p}, inMessage, Z0)
	c.VPORQ(front, Z0, Z0)
	c.VMOVDQU8(end, marker, Z0)
	c.VPBROADCASTQ(length, last, Z0)
	c.VMOVDQU64(Z0, Mem{Base: to})
	c.ADDQ(stride, slots)
	c.DECQ(n)
	c.JNZ(LabelRef("message"))
	c.VZEROUPPER()
	c.Label("done")
	c.RET()
}

// putDigests generates putDigests_avx512.
func putDigests(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(name+" stores the first size bytes of the digests of n slots at",
		"dst+stride·numbers[i]: see PutDigests. If h is not nil, it then sets their states to h.")
	c.SignatureExpr("func(dst *byte, size, stride int, numbers *uint16, n int, slots *byte, slotStride int, h *[8]uint32)")
	dst, size, stride, numbers, n, slots, slotStride, h := RDI, RAX, RSI, RCX, RDX, RBX, R8, R9
	number := R10
	for _, a := range []struct {
		name string
		to   Register
	}{{"dst", dst}, {"size", size}, {"stride", stride}, {"numbers", numbers}, {"n", n}, {"slots", slots}, {"slotStride", slotStride}, {"h", h}} {
		c.Load(c.Param(a.name), a.to)
	}
	c.TESTQ(n, n)
	c.JZ(LabelRef("done"))
	c.VBROADCASTI32X4(byteOrder(c, name), Y16)
	c.MOVL(I32(-1), number.As32())
	c.BZHIL(size.As32(), number.As32(), size.As32())
	c.KMOVD(size.As32(), K1)
	c.TESTQ(h, h)
	c.JZ(LabelRef("digest"))
	c.VMOVDQU64(Mem{Base: h}, Y18)

	c.Label("digest")
	c.MOVWLZX(Mem{Base: numbers}, number.As32())
	c.ADDQ(Imm(2), numbers)
	c.IMULQ(stride, number)
	c.VMOVDQU64(Mem{Base: slots, Disp: slotState}, Y17)
	c.VPSHUFB(Y16, Y17, Y17)
	c.VMOVDQU8(Y17, K1, Mem{Base: dst, Index: number, Scale: 1})
	c.TESTQ(h, h)
	c.JZ(LabelRef("next"))
	c.VMOVDQU64(Y18, Mem{Base: slots, Disp: slotState})
	c.Label("next")
	c.ADDQ(slotStride, slots)
	c.DECQ(n)
	c.JNZ(LabelRef("digest"))
	c.VZEROUPPER()
	c.Label("done")
	c.RET()
}
