package main

import (
	"fmt"
	"strings"
)

// The routines for short messages by Advanced SIMD. They do what copyPadder and bytePutter
// do. Go's assembler knows no loads and stores of 16 bytes with an index, so the address of
// each piece is added up first.

// General registers of neonPadShort. The first ones are arguments.
const (
	padSlots    = "R0"
	padStride   = "R1"
	padMsgs     = "R2"
	padNumbers  = "R3"
	padN        = "R4"
	padBefore   = "R5"
	padHeads    = "R6"
	padHeadSize = "R7"
	padInFront  = "R8" // length
	padNumber   = "R9"
	padP        = "R10" // where the message is
	padLeft     = "R11" // its length
	padTo       = "R12" // where it goes
	padBits     = "R13" // the length that ends the padding: in bits, big-endian
	padEnd      = "R14" // of the last block

	pad16   = "R22" // constants
	pad32   = "R23"
	padMark = "R24" // the byte 0x80, and zeros
)

// neonPadShort generates padShort.
func neonPadShort(f *armFunc) {
	text, state, rest, zeros := vregs(0, 4), vregs(4, 2), vregs(6, 4), vreg(10)
	f.doc, f.signature, f.args = padDoc(f.name), padSignature, 88
	f.do("MOVD", f.argument("n"), padN)
	f.branch("CBZ", padN, "done")
	f.do("MOVD", f.argument("h"), padNumber)
	f.do("FLDPQ", at(0, padNumber), pair(state[0], state[1]))
	f.do("MOVD", f.argument("rest"), padNumber)
	f.do("FLDPQ", at(0, padNumber), pair(rest[0], rest[1]))
	f.do("FLDPQ", at(32, padNumber), pair(rest[2], rest[3]))
	f.do("VEOR", zeros.b16(), zeros.b16(), zeros.b16())
	for _, a := range []struct{ name, to string }{
		{"slots", padSlots}, {"stride", padStride}, {"msgs", padMsgs}, {"numbers", padNumbers},
		{"before", padBefore}, {"heads", padHeads}, {"headSize", padHeadSize}, {"length", padInFront},
	} {
		f.do("MOVD", f.argument(a.name), a.to)
	}
	f.do("MOVD", imm(16), pad16)
	f.do("MOVD", imm(32), pad32)
	f.do("MOVD", imm(0x80), padMark)

	f.label("message")
	f.do("MOVHU", at(0, padNumbers), padNumber)
	f.do("ADD", imm(2), padNumbers)
	f.do("FSTPQ", pair(rest[0], rest[1]), at(0, padSlots))
	f.do("FSTPQ", pair(rest[2], rest[3]), at(32, padSlots))
	f.branch("CBZ", padHeadSize, "headless")
	f.do("MADD", padHeadSize, padHeads, padNumber, padP)
	f.do("MOVD", padHeadSize, padLeft)
	f.do("ADD", padBefore, padSlots, padTo)
	f.do("SUB", padHeadSize, padTo)
	f.copyBytes("head", "headless", text)

	f.label("headless")
	f.do("ADD", padNumber+"<<1", padNumber, padNumber)
	f.do("ADD", padNumber+"<<3", padMsgs, padNumber)
	f.do("MOVD", at(0, padNumber), padP)
	f.do("MOVD", at(8, padNumber), padLeft)
	f.do("FSTPQ", pair(state[0], state[1]), at(slotState, padSlots))
	f.do("ADD", padLeft, padInFront, padBits)
	f.do("LSL", imm(3), padBits, padBits)
	f.do("REV", padBits, padBits)
	const room, index, last, from, to = "R15", "R19", "R20", "R21", "R25"
	f.do("ADD", padBefore, padSlots, padTo)
	f.do("ADD", padBefore, padLeft, padEnd)
	f.do("ADD", imm(8+64), padEnd, padEnd)
	f.do("AND", imm(-64), padEnd, padEnd)
	f.do("SUB", padBefore, padEnd, room)
	f.do("ADD", padSlots, padEnd, padEnd)
	f.do("CMP", imm(64), room)
	f.branch("BLE", "short")
	f.do("FSTPQ", pair(zeros, zeros), at(-64, padEnd))
	f.do("FSTPQ", pair(zeros, zeros), at(-32, padEnd))
	f.do("CMP", imm(64), padLeft)
	f.branch("BLT", "short")
	f.do("SUB", imm(64), padLeft, last)
	f.do("SUB", imm(9+1), room)
	f.do("MOVD", imm(0), index)

	f.label("piece")
	f.do("ADD", index, padP, from)
	f.do("ADD", index, padTo, to)
	f.do("FLDPQ", at(0, from), pair(text[0], text[1]))
	f.do("FLDPQ", at(32, from), pair(text[2], text[3]))
	f.do("FSTPQ", pair(text[0], text[1]), at(0, to))
	f.do("FSTPQ", pair(text[2], text[3]), at(32, to))
	f.do("ADD", imm(64), index)
	f.do("CMP", last, index)
	f.do("CSEL", "LT", index, last, index)
	f.do("SUB", imm(64), room)
	f.branch("TBZ", imm(63), room, "piece")
	f.branch("JMP", "padding")

	f.label("short")
	f.copyBytes("message", "padding", text)

	f.label("padding")
	f.do("ADD", padLeft, padTo, to)
	f.do("MOVD", padMark, at(0, to))
	f.do("MOVD", padBits, at(-8, padEnd))
	f.do("ADD", padStride, padSlots)
	f.do("SUB", imm(1), padN)
	f.branch("CBNZ", padN, "message")
	f.label("done")
	f.branch("RET")
}

// argument is where an argument is in memory. All arguments have 8 bytes.
func (f *armFunc) argument(name string) string {
	for i, a := range strings.Split(strings.Trim(f.signature, "()"), ", ") {
		if n, _, _ := strings.Cut(a, " "); n == name {
			return fmt.Sprintf("%s+%d(FP)", name, 8*i)
		}
	}
	panic(f.name + " has no argument " + name)
}

// copyBytes is copyPadder's.
func (f *armFunc) copyBytes(what, done string, text []vreg) {
	less := func(width int) string { return fmt.Sprintf("%s_less_than_%d", what, width) }
	const x, y, last, from, to = "R15", "R19", "R20", "R21", "R25"
	f.do("SUB", imm(16), padLeft, last)
	f.branch("TBNZ", imm(63), last, less(16))
	f.do("CMP", pad16, last)
	f.do("CSEL", "LT", last, pad16, x)
	f.do("CMP", pad32, last)
	f.do("CSEL", "LT", last, pad32, y)
	f.do("FMOVQ", at(0, padP), text[0].f())
	for i, index := range []string{x, y, last} {
		f.do("ADD", index, padP, from)
		f.do("FMOVQ", at(0, from), text[1+i].f())
	}
	f.do("FMOVQ", text[0].f(), at(0, padTo))
	for i, index := range []string{x, y, last} {
		f.do("ADD", index, padTo, to)
		f.do("FMOVQ", text[1+i].f(), at(0, to))
	}
	f.branch("JMP", done)

	f.label(less(16))
	f.do("ADD", padLeft, padP, from) // the ends
	f.do("ADD", padLeft, padTo, to)
	for _, w := range []struct {
		bit         int
		load, store string
	}{{3, "MOVD", "MOVD"}, {2, "MOVWU", "MOVW"}} {
		width := 1 << w.bit
		f.branch("TBZ", imm(w.bit), padLeft, less(width))
		f.do(w.load, at(0, padP), x)
		f.do(w.load, at(-width, from), y)
		f.do(w.store, x, at(0, padTo))
		f.do(w.store, y, at(-width, to))
		f.branch("JMP", done)
		f.label(less(width))
	}
	f.branch("CBZ", padLeft, done)
	f.do("LSR", imm(1), padLeft, last)
	f.do("MOVBU", at(0, padP), x)
	f.do("MOVBU", at(0, padP)+at(0, last), y)
	f.do("MOVBU", at(-1, from), from)
	f.do("MOVB", x, at(0, padTo))
	f.do("MOVB", y, at(0, padTo)+at(0, last))
	f.do("MOVB", from, at(-1, to))
}

// General registers of neonPutDigests. All but the last two are arguments.
const (
	putDst        = "R0"
	putSize       = "R1"
	putStride     = "R2"
	putNumbers    = "R3"
	putN          = "R4"
	putSlots      = "R5"
	putSlotStride = "R6"
	putH          = "R7"
	putTo         = "R8"
	putX          = "R9" // the next bytes to be stored
)

// neonPutDigests generates putDigests.
func neonPutDigests(f *armFunc) {
	digest, next := vregs(0, 2), vregs(2, 2)
	f.doc, f.signature, f.args = putDoc(f.name), putSignature, 64
	f.do("MOVD", f.argument("n"), putN)
	f.branch("CBZ", putN, "done")
	for _, a := range []struct{ name, to string }{
		{"dst", putDst}, {"size", putSize}, {"stride", putStride}, {"numbers", putNumbers},
		{"slots", putSlots}, {"slotStride", putSlotStride}, {"h", putH},
	} {
		f.do("MOVD", f.argument(a.name), a.to)
	}
	f.branch("CBZ", putH, "digest")
	f.do("FLDPQ", at(0, putH), pair(next[0], next[1]))

	f.label("digest")
	f.do("MOVHU", at(0, putNumbers), putTo)
	f.do("ADD", imm(2), putNumbers)
	f.do("MADD", putStride, putDst, putTo, putTo)
	f.do("FLDPQ", at(slotState, putSlots), pair(digest[0], digest[1]))
	for _, v := range digest {
		f.do("VREV32", v.b16(), v.b16())
	}
	f.branch("TBZ", imm(5), putSize, "part")
	f.do("FSTPQ", pair(digest[0], digest[1]), at(0, putTo))
	f.branch("JMP", "put")

	f.label("part")
	piece := func(bit int, store func()) {
		width := 1 << bit
		without := fmt.Sprintf("without_%d", width)
		f.branch("TBZ", imm(bit), putSize, without)
		store()
		f.do("ADD", imm(width), putTo)
		f.label(without)
	}
	low, high := digest[0].String()+".D[0]", digest[0].String()+".D[1]"
	piece(4, func() {
		f.do("FMOVQ", digest[0].f(), at(0, putTo))
		f.do("VMOV", digest[1].b16(), digest[0].b16())
	})
	f.do("VMOV", low, putX)
	piece(3, func() { f.do("MOVD", putX, at(0, putTo)); f.do("VMOV", high, putX) })
	piece(2, func() { f.do("MOVW", putX, at(0, putTo)); f.do("LSR", imm(32), putX, putX) })
	piece(1, func() { f.do("MOVH", putX, at(0, putTo)); f.do("LSR", imm(16), putX, putX) })
	f.branch("TBZ", imm(0), putSize, "put")
	f.do("MOVB", putX, at(0, putTo))

	f.label("put")
	f.branch("CBZ", putH, "next")
	f.do("FSTPQ", pair(next[0], next[1]), at(slotState, putSlots))
	f.label("next")
	f.do("ADD", putSlotStride, putSlots)
	f.do("SUB", imm(1), putN)
	f.branch("CBNZ", putN, "digest")
	f.label("done")
	f.branch("RET")
}
