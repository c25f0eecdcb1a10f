package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Routines around the kernels, for short messages. In Go, this work takes more than a third
// of the kernels' time: branches on lengths are mispredicted. With AVX-512, these routines
// branch only on the number of a message's blocks, which most messages of a wave have in
// common. With SSSE3 and NEON, they also branch on whether a length is 0, or below 4, 8,
// 16 or 64 bytes.

// The layout of a block.Slot.
const (
	slotScratch = 0
	slotState   = 5 * 64
)

const (
	padSignature = "(slots *byte, stride int, msgs *[]byte, numbers *uint16, n int, h *[8]uint32, rest *[64]byte, before int, heads *byte, headSize int, length int)"
	putSignature = "(dst *byte, size, stride int, numbers *uint16, n int, slots *byte, slotStride int, h *[8]uint32)"
)

// padDoc returns the documentation of the routine padShort of that name.
func padDoc(name string) []string {
	return []string{
		name + " assembles n short messages in slots: see PadShort. Message i is",
		"msgs[numbers[i]]. The first `before` bytes of a slot are rest, with the headSize bytes",
		"at heads+numbers[i]·headSize at their end. From before-headSize on, rest is 0. length",
		"is the number of bytes in front of a message.",
	}
}

// putDoc returns the documentation of the routine putDigests of that name.
func putDoc(name string) []string {
	return []string{
		name + " stores the first size bytes of the digests of n slots at",
		"dst+stride·numbers[i]: see PutDigests. If h is not nil, it then sets their states to h.",
	}
}

// padShort and putDigests each describe the loop over a list. A padder or a putter fills
// in the parts of the loop for an instruction set.

// A padder says what padShort does with a message.
type padder interface {
	prepare() // once
	// front runs before the message's address and length are loaded.
	front()
	// setState sets the slot's state, and message does the rest.
	setState()
	message()
	leave() // once, behind the last message
}

// A padList is the registers that a padder finds set, and registers that are free.
type padList struct {
	*Context
	slots, stride, msgs, numbers, n GPPhysical
	number                          GPPhysical // the message's, until p and left are loaded
	p, left                         GPPhysical // where the message is, and its length
	to                              GPPhysical // the slot
	length                          GPPhysical // the length that ends the padding: in bits, big-endian
	tmp, x, y                       GPPhysical
}

// argument is where an argument is in memory.
func argument(c *Context, name string) Mem {
	at, err := c.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return at.Addr
}

// padShort returns a generator of the routine padShort for an instruction set.
func padShort(of func(padList) padder) func(*Context, string) {
	return func(context *Context, name string) {
		c := padList{
			Context: context,
			slots:   RDI, stride: RSI, msgs: RBX, numbers: RCX, n: RDX,
			number: R8, p: R9, left: R10, to: R11, length: R12,
			tmp: RAX, x: R13, y: R14,
		}
		c.Function(name)
		c.Pragma("noescape")
		c.Doc(padDoc(name)...)
		c.SignatureExpr("func" + padSignature)
		m := of(c)

		c.Load(c.Param("slots"), c.slots)
		c.Load(c.Param("stride"), c.stride)
		c.Load(c.Param("msgs"), c.msgs)
		c.Load(c.Param("numbers"), c.numbers)
		c.Load(c.Param("n"), c.n)
		c.TESTQ(c.n, c.n)
		c.JZ(LabelRef("done"))
		m.prepare()

		c.Label("message")
		c.MOVWLZX(Mem{Base: c.numbers}, c.number.As32())
		c.ADDQ(Imm(2), c.numbers)
		m.front()
		c.LEAQ(Mem{Base: c.number, Index: c.number, Scale: 2}, c.number)
		c.MOVQ(Mem{Base: c.msgs, Index: c.number, Scale: 8}, c.p)
		c.MOVQ(Mem{Base: c.msgs, Index: c.number, Scale: 8, Disp: 8}, c.left)
		m.setState()
		c.MOVQ(c.slots, c.to)
		c.MOVQ(argument(context, "length"), c.length)
		c.ADDQ(c.left, c.length)
		c.SHLQ(Imm(3), c.length)
		c.BSWAPQ(c.length)
		m.message()
		c.ADDQ(c.stride, c.slots)
		c.DECQ(c.n)
		c.JNZ(LabelRef("message"))
		m.leave()
		c.Label("done")
		c.RET()
	}
}

const (
	// oneBlock is the length from which padding takes one more block.
	oneBlock = 64 - 8
	// lastWord is the mask of the last 8 bytes of a block, which hold the length.
	lastWord = 1 << 7
)

// A maskPadder pads with the masks of AVX-512. A block is assembled in one register. A
// masked load, which reads no byte that the mask leaves out, brings the bytes of the
// message. An OR adds what precedes them. Masked moves add the byte 0x80 and the length.
//
// If a message with what precedes it and its padding has B blocks, the first B-2 are full.
// With v bytes left, the low v bits are the mask of these bytes. This mask plus 1 is the
// bit of the byte 0x80, or 0 if the block is full.
type maskPadder struct {
	padList
	ones, mask                          GPPhysical
	inFront, state, restOf, end         VecPhysical
	inMessage, inHead, marker, lastWord Register // masks
}

func newMaskPadder(c padList) padder {
	return maskPadder{c, c.x, c.y, Z18, Y16, Z19, Z17, K1, K2, K3, K4}
}

func (c maskPadder) prepare() {
	c.MOVQ(argument(c.Context, "h"), c.tmp)
	c.VMOVDQU64(Mem{Base: c.tmp}, c.state)
	c.MOVQ(argument(c.Context, "rest"), c.tmp)
	c.VMOVDQU64(Mem{Base: c.tmp}, c.restOf)
	c.MOVL(U32(0x80), c.tmp.As32())
	c.VPBROADCASTB(c.tmp.As32(), c.end)
	c.MOVL(U32(lastWord), c.tmp.As32())
	c.KMOVW(c.tmp.As32(), c.lastWord)
	c.MOVQ(U64(1<<64-1), c.ones)
	// The mask of the head: headSize ones, shifted to where the head is.
	c.MOVQ(argument(c.Context, "headSize"), c.tmp)
	c.BZHIQ(c.tmp, c.ones, c.length)
	c.MOVQ(argument(c.Context, "before"), c.left)
	c.SUBQ(c.tmp, c.left)
	c.SHLXQ(c.left, c.length, c.length)
	c.KMOVQ(c.length, c.inHead)
}

func (c maskPadder) front() {
	c.VMOVDQA64(c.restOf, c.inFront)
	c.MOVQ(argument(c.Context, "headSize"), c.tmp)
	c.TESTQ(c.tmp, c.tmp)
	c.JZ(LabelRef("headless"))
	// The head, at the end of what precedes the message.
	c.MOVQ(c.tmp, c.to)
	c.IMULQ(c.number, c.tmp)
	c.ADDQ(argument(c.Context, "heads"), c.tmp)
	c.ADDQ(c.to, c.tmp)
	c.SUBQ(argument(c.Context, "before"), c.tmp)
	c.VMOVDQU8_Z(Mem{Base: c.tmp}, c.inHead, c.inFront)
	c.VPORQ(c.restOf, c.inFront, c.inFront)
	c.Label("headless")
}

func (c maskPadder) setState() { c.VMOVDQU64(c.state, Mem{Base: c.slots, Disp: slotState}) }

func (c maskPadder) message() {
	// The address of an empty message may be invalid: the slot's takes its place.
	c.TESTQ(c.left, c.left)
	c.CMOVQEQ(c.slots, c.p)
	c.MOVQ(argument(c.Context, "before"), c.tmp)
	c.SUBQ(c.tmp, c.p)
	c.ADDQ(c.tmp, c.left)
	c.SHLXQ(c.tmp, c.ones, c.mask)
	c.CMPQ(c.left, Imm(oneBlock))
	c.JLT(LabelRef("one"))
	c.CMPQ(c.left, Imm(oneBlock+64))
	c.JLT(LabelRef("two"))

	put := func() {
		c.VPORQ(c.inFront, Z0, Z0)
		c.VMOVDQU8(c.end, c.marker, Z0)
		c.VMOVDQU64(Z0, Mem{Base: c.to})
	}
	advance := func() {
		c.MOVQ(c.ones, c.mask)
		c.VPXORQ(c.inFront, c.inFront, c.inFront)
		c.ADDQ(Imm(64), c.p)
		c.ADDQ(Imm(64), c.to)
		c.SUBQ(Imm(64), c.left)
	}
	c.Label("full")
	c.KMOVQ(c.mask, c.inMessage)
	c.VMOVDQU8_Z(Mem{Base: c.p}, c.inMessage, Z0)
	c.VPORQ(c.inFront, Z0, Z0)
	c.VMOVDQU64(Z0, Mem{Base: c.to})
	advance()
	c.CMPQ(c.left, Imm(oneBlock+64))
	c.JGE(LabelRef("full"))

	// The last block but one has oneBlock bytes or more.
	c.Label("two")
	c.BZHIQ(c.left, c.ones, c.tmp)
	c.LEAQ(Mem{Base: c.tmp, Disp: 1}, c.number)
	c.KMOVQ(c.number, c.marker)
	c.ANDQ(c.mask, c.tmp)
	c.KMOVQ(c.tmp, c.inMessage)
	c.VMOVDQU8_Z(Mem{Base: c.p}, c.inMessage, Z0)
	put()
	advance()

	// The last block has fewer than oneBlock bytes. If left is negative, the last block has
	// no byte of the message, and the byte 0x80 is in the block before. BZHI takes left
	// modulo 256, so it returns all ones then.
	c.Label("one")
	c.BZHIQ(c.left, c.ones, c.tmp)
	c.MOVQ(c.tmp, c.number)
	c.INCQ(c.number)
	c.CMOVQEQ(c.number, c.tmp)
	c.KMOVQ(c.number, c.marker)
	c.ANDQ(c.mask, c.tmp)
	c.KMOVQ(c.tmp, c.inMessage)
	c.VMOVDQU8_Z(Mem{Base: c.p}, c.inMessage, Z0)
	c.VPORQ(c.inFront, Z0, Z0)
	c.VMOVDQU8(c.end, c.marker, Z0)
	c.VPBROADCASTQ(c.length, c.lastWord, Z0)
	c.VMOVDQU64(Z0, Mem{Base: c.to})
}

func (c maskPadder) leave() { c.VZEROUPPER() }

// A copyPadder pads with SSE2, by copies that overlap within the message. What precedes
// the message is stored in the slot first, with zeros behind it. If there is more than one
// block, zeros go into the last one. Then come the message, the byte 0x80 with 7 zeros, and
// the length. 9 to 72 bytes follow the message. At most 64 of them are in the last block,
// which has zeros; the 8 bytes from 0x80 on cover the others.
//
// Copies of 32 bytes, with AVX2, gain nothing on Zen 3. Masked loads of AVX2 may fault on
// bytes that they leave out: AMD's manual allows VPMASKMOV to do so, and emulators do.
type copyPadder struct {
	padList
	text, state, rest []VecPhysical
	zeros             VecPhysical
}

func newCopyPadder(c padList) padder {
	return copyPadder{c, []VecPhysical{X0, X1, X2, X3}, []VecPhysical{X4, X5}, []VecPhysical{X6, X7, X8, X9}, X10}
}

func (c copyPadder) prepare() {
	c.MOVQ(argument(c.Context, "h"), c.tmp)
	loadQuarters(c.Context, Mem{Base: c.tmp}, c.state)
	c.MOVQ(argument(c.Context, "rest"), c.tmp)
	loadQuarters(c.Context, Mem{Base: c.tmp}, c.rest)
	c.PXOR(c.zeros, c.zeros)
}

func (c copyPadder) front() {
	storeQuarters(c.Context, Mem{Base: c.slots}, c.rest)
	c.MOVQ(argument(c.Context, "headSize"), c.left)
	c.TESTQ(c.left, c.left)
	c.JZ(LabelRef("headless"))
	c.MOVQ(c.left, c.p)
	c.IMULQ(c.number, c.p)
	c.ADDQ(argument(c.Context, "heads"), c.p)
	c.MOVQ(c.slots, c.to)
	c.ADDQ(argument(c.Context, "before"), c.to)
	c.SUBQ(c.left, c.to)
	c.copyBytes("head", "headless")
	c.Label("headless")
}

func (c copyPadder) setState() {
	storeQuarters(c.Context, Mem{Base: c.slots, Disp: slotState}, c.state)
}

func (c copyPadder) message() {
	end, room, at, last := c.number, c.y, c.tmp, c.x
	c.MOVQ(argument(c.Context, "before"), c.tmp)
	c.ADDQ(c.tmp, c.to)
	c.LEAQ(Mem{Base: c.left, Index: c.tmp, Scale: 1, Disp: 8 + 64}, end)
	c.ANDQ(I32(-64), end)
	c.MOVQ(end, room)
	c.SUBQ(c.tmp, room)
	c.ADDQ(c.slots, end)
	c.CMPQ(room, Imm(64))
	c.JLE(LabelRef("short"))
	storeQuarters(c.Context, Mem{Base: end, Disp: -64}, []VecPhysical{c.zeros, c.zeros, c.zeros, c.zeros})
	c.CMPQ(c.left, Imm(64))
	c.JLT(LabelRef("short"))

	// The message is copied in pieces of 64 bytes. Pieces that would go beyond its end are
	// moved back to it. Their number depends on the room for the message, not on its length.
	c.LEAQ(Mem{Base: c.left, Disp: -64}, last)
	c.SUBQ(Imm(9+1), room) // the message's last index at most: 9 bytes or more are padding
	c.XORL(at.As32(), at.As32())
	c.Label("piece")
	loadQuarters(c.Context, Mem{Base: c.p, Index: at, Scale: 1}, c.text)
	storeQuarters(c.Context, Mem{Base: c.to, Index: at, Scale: 1}, c.text)
	c.ADDQ(Imm(64), at)
	c.CMPQ(at, last)
	c.CMOVQCC(last, at)
	c.SUBQ(Imm(64), room)
	c.JGE(LabelRef("piece"))
	c.JMP(LabelRef("padding"))

	c.Label("short")
	c.copyBytes("message", "padding")

	c.Label("padding")
	c.MOVL(U32(0x80), c.tmp.As32())
	c.MOVQ(c.tmp, Mem{Base: c.to, Index: c.left, Scale: 1})
	c.MOVQ(c.length, Mem{Base: end, Disp: -8})
}

func (c copyPadder) leave() {}

// copyBytes copies c.left bytes, 64 at most, from c.p to c.to. From 16 bytes on, it makes
// four copies of 16 bytes; from 8 or 4 on, two of 8 or 4; below, three of one. Copies may
// overlap. It goes on at the label done, which must follow. Its labels begin with `what`.
func (c copyPadder) copyBytes(what, done string) {
	x, y, last := c.tmp, c.y, c.x
	less := func(width int) string { return fmt.Sprintf("%s_less_than_%d", what, width) }
	piece := func(at GPPhysical, r VecPhysical) {
		from, to := Mem{Base: c.p}, Mem{Base: c.to}
		if at != nil {
			from, to = from.Idx(at, 1), to.Idx(at, 1)
		}
		c.MOVOU(from, r)
		c.MOVOU(r, to)
	}
	c.LEAQ(Mem{Base: c.left, Disp: -16}, last)
	c.TESTQ(last, last)
	c.JLT(LabelRef(less(16)))
	c.MOVL(U32(16), x.As32())
	c.CMPQ(last, x)
	c.CMOVQCS(last, x)
	c.MOVL(U32(32), y.As32())
	c.CMPQ(last, y)
	c.CMOVQCS(last, y)
	piece(nil, c.text[0])
	piece(x, c.text[1])
	piece(y, c.text[2])
	piece(last, c.text[3])
	c.JMP(LabelRef(done))
	c.Label(less(16))

	ends := func(width int, move func(from, to Mem)) {
		move(Mem{Base: c.p}, Mem{Base: c.to})
		move(Mem{Base: c.p, Index: c.left, Scale: 1, Disp: -width}, Mem{Base: c.to, Index: c.left, Scale: 1, Disp: -width})
	}
	for _, w := range []struct {
		width int
		move  func(from, to Mem)
	}{
		{8, func(from, to Mem) { c.MOVQ(from, x); c.MOVQ(x, to) }},
		{4, func(from, to Mem) { c.MOVL(from, x.As32()); c.MOVL(x.As32(), to) }},
	} {
		c.CMPQ(c.left, Imm(uint64(w.width)))
		c.JLT(LabelRef(less(w.width)))
		ends(w.width, w.move)
		c.JMP(LabelRef(done))
		c.Label(less(w.width))
	}
	c.TESTQ(c.left, c.left)
	c.JZ(LabelRef(done))
	move := func(from, to Mem) { c.MOVBLZX(from, x.As32()); c.MOVB(x.As8(), to) }
	ends(1, move)
	c.MOVQ(c.left, y)
	c.SHRQ(Imm(1), y)
	move(Mem{Base: c.p, Index: y, Scale: 1}, Mem{Base: c.to, Index: y, Scale: 1})
}

// loadQuarters loads registers from memory, 16 bytes each.
func loadQuarters(c *Context, from Mem, to []VecPhysical) {
	for i, r := range to {
		c.MOVOU(from.Offset(16*i), r)
	}
}

// storeQuarters stores registers, 16 bytes each.
func storeQuarters(c *Context, to Mem, from []VecPhysical) {
	for i, r := range from {
		c.MOVOU(r, to.Offset(16*i))
	}
}

// A putter says what putDigests does with a slot.
type putter interface {
	prepare() // once
	put()
	setState()
	leave() // once, behind the last slot
}

// A putList is the registers that a putter finds set.
type putList struct {
	*Context
	name                                                        string
	dst, size, stride, numbers, n, slots, slotStride, h, number GPPhysical
}

// putDigests returns a generator of the routine putDigests for an instruction set.
func putDigests(of func(putList) putter) func(*Context, string) {
	return func(context *Context, name string) {
		c := putList{
			Context: context, name: name,
			dst: RDI, size: RAX, stride: RSI, numbers: RCX, n: RDX, slots: RBX, slotStride: R8, h: R9, number: R10,
		}
		c.Function(name)
		c.Pragma("noescape")
		c.Doc(putDoc(name)...)
		c.SignatureExpr("func" + putSignature)
		m := of(c)
		for _, a := range []struct {
			name string
			to   Register
		}{{"dst", c.dst}, {"size", c.size}, {"stride", c.stride}, {"numbers", c.numbers}, {"n", c.n}, {"slots", c.slots}, {"slotStride", c.slotStride}, {"h", c.h}} {
			c.Load(c.Param(a.name), a.to)
		}
		c.TESTQ(c.n, c.n)
		c.JZ(LabelRef("done"))
		m.prepare()

		c.Label("digest")
		c.MOVWLZX(Mem{Base: c.numbers}, c.number.As32())
		c.ADDQ(Imm(2), c.numbers)
		c.IMULQ(c.stride, c.number)
		m.put()
		c.TESTQ(c.h, c.h)
		c.JZ(LabelRef("next"))
		m.setState()
		c.Label("next")
		c.ADDQ(c.slotStride, c.slots)
		c.DECQ(c.n)
		c.JNZ(LabelRef("digest"))
		m.leave()
		c.Label("done")
		c.RET()
	}
}

// state is the slot's state.
func (c putList) state() Mem { return Mem{Base: c.slots, Disp: slotState} }

// A maskPutter stores with a mask of AVX-512.
type maskPutter struct {
	putList
	order, digest, next VecPhysical
}

func newMaskPutter(c putList) putter { return maskPutter{c, Y16, Y17, Y18} }

func (c maskPutter) prepare() {
	c.VBROADCASTI32X4(byteOrder(c.Context, c.name), c.order)
	c.MOVL(I32(-1), c.number.As32())
	c.BZHIL(c.size.As32(), c.number.As32(), c.size.As32())
	c.KMOVD(c.size.As32(), K1)
	c.TESTQ(c.h, c.h)
	c.JZ(LabelRef("digest"))
	c.VMOVDQU64(Mem{Base: c.h}, c.next)
}

func (c maskPutter) put() {
	c.VMOVDQU64(c.state(), c.digest)
	c.VPSHUFB(c.order, c.digest, c.digest)
	c.VMOVDQU8(c.digest, K1, Mem{Base: c.dst, Index: c.number, Scale: 1})
}

func (c maskPutter) setState() { c.VMOVDQU64(c.next, c.state()) }

func (c maskPutter) leave() { c.VZEROUPPER() }

// A bytePutter stores whole digests with SSSE3, or parts of them in pieces of 16, 8, 4, 2
// and 1 bytes.
type bytePutter struct {
	putList
	order        VecPhysical
	digest, next []VecPhysical
	x            GPPhysical
}

func newBytePutter(c putList) putter {
	return bytePutter{c, X0, []VecPhysical{X1, X2}, []VecPhysical{X3, X4}, R11}
}

func (c bytePutter) prepare() {
	c.MOVOU(byteOrder(c.Context, c.name), c.order)
	c.TESTQ(c.h, c.h)
	c.JZ(LabelRef("digest"))
	loadQuarters(c.Context, Mem{Base: c.h}, c.next)
}

func (c bytePutter) put() {
	loadQuarters(c.Context, c.state(), c.digest)
	for _, r := range c.digest {
		c.PSHUFB(c.order, r)
	}
	c.ADDQ(c.dst, c.number)
	to := Mem{Base: c.number}
	c.CMPQ(c.size, Imm(32))
	c.JLT(LabelRef("part"))
	storeQuarters(c.Context, to, c.digest)
	c.JMP(LabelRef("put"))

	// left holds the next bytes to store, lowest first. Pieces of 8 bytes or less come from
	// x, a copy of its low half.
	c.Label("part")
	left := c.digest[0]
	piece := func(width int, store func()) {
		without := fmt.Sprintf("without_%d", width)
		c.TESTL(U32(uint32(width)), c.size.As32())
		c.JZ(LabelRef(without))
		store()
		c.ADDQ(Imm(uint64(width)), c.number)
		c.Label(without)
	}
	piece(16, func() { c.MOVOU(left, to); c.MOVOA(c.digest[1], left) })
	c.MOVQ(left, c.x)
	piece(8, func() { c.MOVQ(c.x, to); c.PSHUFD(Imm(0xee), left, left); c.MOVQ(left, c.x) })
	piece(4, func() { c.MOVL(c.x.As32(), to); c.SHRQ(Imm(32), c.x) })
	piece(2, func() { c.MOVW(c.x.As16(), to); c.SHRQ(Imm(16), c.x) })
	c.TESTL(U32(1), c.size.As32())
	c.JZ(LabelRef("put"))
	c.MOVB(c.x.As8(), to)
	c.Label("put")
}

func (c bytePutter) setState() { storeQuarters(c.Context, c.state(), c.next) }

func (c bytePutter) leave() {}
