package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Routines around the kernels, for short messages. In Go, this work takes more than a third
// of the kernels' time: branches on lengths are mispredicted. These branch on numbers of
// blocks alone, which a wave's messages have in common.

// The layout of a block.Slot.
const (
	slotScratch = 0
	slotState   = 5 * 64
)

// padShort and putDigests each describe the loop over a list. A padder or a putter fills in
// its parts for an instruction set.

// A padder says what padShort does with a message.
type padder interface {
	// prepare comes once. It returns an address for empty messages.
	prepare() (somewhere GPPhysical)
	// front comes before it is known where the message is, and how long.
	front()
	// setState sets the slot's state, and message does the rest.
	setState()
	message()
}

// A padList is the registers that a padder finds set, and others.
type padList struct {
	*Context
	name                            string
	slots, stride, msgs, numbers, n GPPhysical
	number                          GPPhysical // the message's, until it is looked up
	p, left                         GPPhysical // where the message is, and its length
	to                              GPPhysical // the slot
	length                          GPPhysical // what padding has, its bytes reversed
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

// padShort generates padShort of an instruction set.
func padShort(of func(padList) padder) func(*Context, string) {
	return func(context *Context, name string) {
		c := padList{
			Context: context, name: name,
			slots: RDI, stride: RSI, msgs: RBX, numbers: RCX, n: RDX,
			number: R8, p: R9, left: R10, to: R11, length: R12,
			tmp: RAX, x: R13, y: R14,
		}
		c.Function(name)
		c.Pragma("noescape")
		c.Doc(name+" puts n short messages together in slots: see PadShort. Message i is",
			"msgs[numbers[i]]. The first `before` bytes of a slot are rest, with the headSize bytes",
			"at heads+number·headSize at their end. Bytes of rest from before-headSize on are 0.",
			"length is the number of bytes in front of a message.")
		c.SignatureExpr("func(slots *byte, stride int, msgs *[]byte, numbers *uint16, n int, h *[8]uint32, rest *[64]byte, before int, heads *byte, headSize int, length int)")
		m := of(c)

		c.Load(c.Param("slots"), c.slots)
		c.Load(c.Param("stride"), c.stride)
		c.Load(c.Param("msgs"), c.msgs)
		c.Load(c.Param("numbers"), c.numbers)
		c.Load(c.Param("n"), c.n)
		c.TESTQ(c.n, c.n)
		c.JZ(LabelRef("done"))
		somewhere := m.prepare()

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
		// An empty message may be nil, and no address.
		c.TESTQ(c.left, c.left)
		c.CMOVQEQ(somewhere, c.p)
		m.message()
		c.ADDQ(c.stride, c.slots)
		c.DECQ(c.n)
		c.JNZ(LabelRef("message"))
		c.VZEROUPPER()
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

// A maskPadder pads with the masks of AVX-512. A block is put together in one register:
// the bytes of the message by a masked load, which reads no byte that the mask leaves out,
// what precedes them by an OR, the byte 0x80 and the length by masked moves.
//
// If a message with what precedes it and its padding has B blocks, the first B-2 are full.
// With v bytes left, the low v bits are the mask of what remains, and this mask plus 1 is
// the bit of the byte 0x80: 0 if the block is full.
type maskPadder struct {
	padList
	ones, mask                          GPPhysical
	inFront, state, restOf, end         VecPhysical
	inMessage, inHead, marker, lastWord Register // masks
}

func newMaskPadder(c padList) padder {
	return maskPadder{c, c.x, c.y, Z18, Y16, Z19, Z17, K1, K2, K3, K4}
}

func (c maskPadder) prepare() GPPhysical {
	c.MOVQ(argument(c.Context, "h"), c.tmp)
	c.VMOVDQU64(Mem{Base: c.tmp}, c.state)
	c.MOVQ(argument(c.Context, "rest"), c.tmp)
	c.VMOVDQU64(Mem{Base: c.tmp}, c.restOf)
	c.MOVL(U32(0x80), c.tmp.As32())
	c.VPBROADCASTB(c.tmp.As32(), c.end)
	c.MOVL(U32(lastWord), c.tmp.As32())
	c.KMOVW(c.tmp.As32(), c.lastWord)
	c.MOVQ(U64(1<<64-1), c.ones)
	// The head's bytes: headSize ones, shifted to where the head is.
	c.MOVQ(argument(c.Context, "headSize"), c.tmp)
	c.BZHIQ(c.tmp, c.ones, c.length)
	c.MOVQ(argument(c.Context, "before"), c.left)
	c.SUBQ(c.tmp, c.left)
	c.SHLXQ(c.left, c.length, c.length)
	c.KMOVQ(c.length, c.inHead)
	return c.slots
}

func (c maskPadder) front() {
	c.VMOVDQA64(c.restOf, c.inFront)
	c.MOVQ(argument(c.Context, "headSize"), c.tmp)
	c.TESTQ(c.tmp, c.tmp)
	c.JZ(LabelRef("headless"))
	// The head, at its place behind the rest.
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

	// The last block has less. If left is negative, it has nothing, and the byte 0x80 is in
	// the block before: BZHI returns all ones then, for it takes left modulo 256.
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

// In a table of ones with zeros behind them there is a mask for any number of words of a
// message, up to its end in its last block.
const (
	ones  = 4*64 - 8
	zeros = 64 + 16
)

// full is the least room left in a slot whose next 64 bytes must be the message's: at most
// 72 bytes follow it.
const full = 64 + 64 + 8

// A wordPadder pads with AVX2, whose masks are of whole words. What precedes the message
// is in the slot first, with zeros behind it. Then come the whole words of the message, by
// masked loads, with zeros up to the length at the end. Up to 3 bytes follow them: the
// first, the last and one between are read, and may be the same.
type wordPadder struct {
	padList
	state, first, second, mask, text VecPhysical
	zeros                            GPPhysical // in the table, behind the first 4
}

func newWordPadder(c padList) padder {
	return wordPadder{c, Y2, Y3, Y4, Y0, Y1, c.x}
}

func (c wordPadder) prepare() GPPhysical {
	table := c.StaticGlobal(c.name + "_words")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for range ones / 8 {
		c.AppendDatum(U64(1<<64 - 1))
	}
	for range zeros / 8 {
		c.AppendDatum(U64(0))
	}
	c.LEAQ(table.Offset(ones+4), c.zeros)
	c.MOVQ(argument(c.Context, "h"), c.tmp)
	c.VMOVDQU(Mem{Base: c.tmp}, c.state)
	c.MOVQ(argument(c.Context, "rest"), c.tmp)
	c.VMOVDQU(Mem{Base: c.tmp}, c.first)
	c.VMOVDQU(Mem{Base: c.tmp, Disp: 32}, c.second)
	return c.zeros // a masked load from the slot would wait for what is stored there
}

func (c wordPadder) front() {
	c.CMPQ(argument(c.Context, "before"), Imm(0))
	c.JEQ(LabelRef("headless"))
	c.VMOVDQU(c.first, Mem{Base: c.slots})
	c.VMOVDQU(c.second, Mem{Base: c.slots, Disp: 32})
	c.MOVQ(argument(c.Context, "headSize"), c.left)
	c.TESTQ(c.left, c.left)
	c.JZ(LabelRef("headless"))
	c.MOVQ(c.left, c.p)
	c.IMULQ(c.number, c.p)
	c.ADDQ(argument(c.Context, "heads"), c.p)
	c.MOVQ(c.slots, c.to)
	c.ADDQ(argument(c.Context, "before"), c.to)
	c.SUBQ(c.left, c.to)
	copyBytes(c.Context, c.to, c.p, c.left, 32, c.tmp, c.y, "headless")
	c.Label("headless")
}

func (c wordPadder) setState() { c.VMOVDQU(c.state, Mem{Base: c.slots, Disp: slotState}) }

func (c wordPadder) message() {
	end, room, at := c.number, c.y, c.tmp // at is counted from the last whole word on
	c.MOVQ(argument(c.Context, "before"), at)
	c.ADDQ(at, c.to)
	c.LEAQ(Mem{Base: c.left, Index: at, Scale: 1, Disp: 8 + 64}, end)
	c.ANDQ(I32(-64), end)
	c.MOVQ(end, room)
	c.SUBQ(at, room)
	c.ADDQ(c.slots, end)
	c.MOVQ(c.left, at)
	c.ANDQ(I32(-4), at)
	c.ADDQ(at, c.p)
	c.ADDQ(at, c.to)
	c.NEGQ(at)
	words := func(mask, text Register) {
		c.VMOVDQU(Mem{Base: c.zeros, Index: at, Scale: 1, Disp: -4}, mask)
		c.VPMASKMOVD(Mem{Base: c.p, Index: at, Scale: 1}, mask, text)
		c.VMOVDQU(text, Mem{Base: c.to, Index: at, Scale: 1})
	}
	lastWords := func(width int, mask, text Register) {
		c.LEAQ(Mem{Base: at, Index: room, Scale: 1, Disp: -width}, at)
		words(mask, text)
	}
	c.CMPQ(room, Imm(32))
	c.JGE(LabelRef("wide"))
	c.CMPQ(room, Imm(16))
	c.JGE(LabelRef("narrow"))
	// One word at most. If there is none, what is behind it overwrites this.
	from, to := c.tmp, c.y
	c.LEAQ(Mem{Base: c.p, Disp: -4}, from)
	c.LEAQ(Mem{Base: c.to, Disp: -4}, to)
	c.CMPQ(c.left, Imm(4))
	c.CMOVQCS(c.zeros, from)
	c.CMOVQCS(c.to, to)
	c.MOVL(Mem{Base: from}, from.As32())
	c.MOVL(from.As32(), Mem{Base: to})
	c.JMP(LabelRef("bytes"))

	c.Label("narrow")
	words(c.mask.AsX(), c.text.AsX())
	c.ANDQ(I32(-4), room)
	lastWords(16, c.mask.AsX(), c.text.AsX())
	c.JMP(LabelRef("bytes"))

	c.Label("wide")
	c.CMPQ(room, Imm(full))
	c.JLT(LabelRef("words"))
	c.Label("full")
	c.VMOVDQU(Mem{Base: c.p, Index: at, Scale: 1}, Y0)
	c.VMOVDQU(Mem{Base: c.p, Index: at, Scale: 1, Disp: 32}, Y1)
	c.VMOVDQU(Y0, Mem{Base: c.to, Index: at, Scale: 1})
	c.VMOVDQU(Y1, Mem{Base: c.to, Index: at, Scale: 1, Disp: 32})
	c.ADDQ(Imm(64), at)
	c.SUBQ(Imm(64), room)
	c.CMPQ(room, Imm(full))
	c.JGE(LabelRef("full"))
	c.Label("words")
	words(c.mask, c.text)
	c.ADDQ(Imm(32), at)
	c.SUBQ(Imm(32), room)
	c.CMPQ(room, Imm(32))
	c.JGE(LabelRef("words"))
	c.ANDQ(I32(-4), room)
	c.JEQ(LabelRef("bytes"))
	lastWords(32, c.mask, c.text)

	c.Label("bytes")
	// The bytes behind whole words, and the byte 0x80. Without any, zeros are read.
	bytes, last := c.tmp, c.y
	c.ANDQ(Imm(3), c.left)
	c.CMOVQEQ(c.zeros, c.p)
	c.MOVBLZX(Mem{Base: c.p}, bytes.As32())
	c.MOVBLZX(Mem{Base: c.p, Index: c.left, Scale: 1, Disp: -1}, last.As32())
	c.LEAQ(Mem{Base: last, Disp: 0x80 << 8}, last)
	c.SHLQ(Imm(3), c.left)
	c.SHLXQ(c.left, last, last)
	c.SHRQ(Imm(8), last)
	c.ORQ(last, bytes)
	c.SHRQ(Imm(4), c.left)
	c.MOVBLZX(Mem{Base: c.p, Index: c.left, Scale: 1}, last.As32())
	c.SHLQ(Imm(3), c.left)
	c.SHLXQ(c.left, last, last)
	c.ORQ(last, bytes)
	c.MOVL(bytes.As32(), Mem{Base: c.to})
	c.MOVQ(c.length, Mem{Base: end, Disp: -8})
}

// copyBytes copies size bytes, at least 1 and less than twice the widest, and goes to done:
// by two copies that may overlap, or byte by byte as above. It uses x and y.
func copyBytes(c *Context, to, from, size GPPhysical, widest int, x, y GPPhysical, done string) {
	ends := func(width int, move func(from, to Mem)) {
		move(Mem{Base: from}, Mem{Base: to})
		move(Mem{Base: from, Index: size, Scale: 1, Disp: -width}, Mem{Base: to, Index: size, Scale: 1, Disp: -width})
	}
	wide := func(r VecPhysical) func(from, to Mem) {
		return func(from, to Mem) {
			c.VMOVDQU(from, r)
			c.VMOVDQU(r, to)
		}
	}
	for _, w := range []struct {
		width int
		move  func(from, to Mem)
	}{
		{32, wide(Y0)},
		{16, wide(X0)},
		{8, func(from, to Mem) { c.MOVQ(from, x); c.MOVQ(x, to) }},
		{4, func(from, to Mem) { c.MOVL(from, x.As32()); c.MOVL(x.As32(), to) }},
	} {
		if w.width > widest {
			continue
		}
		less := fmt.Sprintf("less_than_%d", w.width)
		c.CMPQ(size, Imm(uint64(w.width)))
		c.JLT(LabelRef(less))
		ends(w.width, w.move)
		c.JMP(LabelRef(done))
		c.Label(less)
	}
	move := func(from, to Mem) { c.MOVBLZX(from, x.As32()); c.MOVB(x.As8(), to) }
	ends(1, move)
	c.MOVQ(size, y)
	c.SHRQ(Imm(1), y)
	move(Mem{Base: from, Index: y, Scale: 1}, Mem{Base: to, Index: y, Scale: 1})
}

// A putter says what putDigests does with a slot.
type putter interface {
	prepare() // once
	put()
	setState()
}

// A putList is the registers that a putter finds set.
type putList struct {
	*Context
	name                                                        string
	dst, size, stride, numbers, n, slots, slotStride, h, number GPPhysical
}

// putDigests generates putDigests of an instruction set.
func putDigests(of func(putList) putter) func(*Context, string) {
	return func(context *Context, name string) {
		c := putList{
			Context: context, name: name,
			dst: RDI, size: RAX, stride: RSI, numbers: RCX, n: RDX, slots: RBX, slotStride: R8, h: R9, number: R10,
		}
		c.Function(name)
		c.Pragma("noescape")
		c.Doc(name+" stores the first size bytes of the digests of n slots at",
			"dst+stride·numbers[i]: see PutDigests. If h is not nil, it then sets their states to h.")
		c.SignatureExpr("func(dst *byte, size, stride int, numbers *uint16, n int, slots *byte, slotStride int, h *[8]uint32)")
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
		c.VZEROUPPER()
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

// A bytePutter stores whole digests with AVX2. It copies parts of digests from the stack.
type bytePutter struct {
	putList
	order, digest, next VecPhysical
	from, x, y          GPPhysical
	local               Mem
}

func newBytePutter(c putList) putter {
	return bytePutter{c, Y1, Y2, Y3, R11, R12, R13, c.AllocLocal(32)}
}

func (c bytePutter) prepare() {
	c.VBROADCASTI128(byteOrder(c.Context, c.name), c.order)
	c.LEAQ(c.local, c.from)
	c.TESTQ(c.h, c.h)
	c.JZ(LabelRef("digest"))
	c.VMOVDQU(Mem{Base: c.h}, c.next)
}

func (c bytePutter) put() {
	c.VMOVDQU(c.state(), c.digest)
	c.VPSHUFB(c.order, c.digest, c.digest)
	c.ADDQ(c.dst, c.number)
	c.CMPQ(c.size, Imm(32))
	c.JLT(LabelRef("part"))
	c.VMOVDQU(c.digest, Mem{Base: c.number})
	c.JMP(LabelRef("put"))
	c.Label("part")
	c.TESTQ(c.size, c.size)
	c.JZ(LabelRef("put"))
	c.VMOVDQU(c.digest, c.local)
	copyBytes(c.Context, c.number, c.from, c.size, 16, c.x, c.y, "put")
	c.Label("put")
}

func (c bytePutter) setState() { c.VMOVDQU(c.next, c.state()) }
