package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sse is SSE2 with SSSE3's PSHUFB: destructive operations, no rotation.
type sse struct{ e *emitter }

func newSSE(e *emitter) machine { return sse{e} }

func (m sse) emitter() *emitter  { return m.e }
func (m sse) bits() int          { return 128 }
func (m sse) reg(i int) Register { return vec(i).AsX() }

func (m sse) load(d Register, a Mem)             { m.e.emit(func() { m.e.c.MOVOU(a, d) }) }
func (m sse) store(a Mem, s Register)            { m.e.emit(func() { m.e.c.MOVOU(s, a) }) }
func (m sse) insert(d Register, _ int, a Mem)    { m.load(d, a) }
func (m sse) extract(a Mem, _ int, s Register)   { m.store(a, s) }
func (m sse) broadcastQuarter(d Register, a Mem) { m.load(d, a) }
func (m sse) leave()                             {}

func (m sse) move(d, s Register) {
	if d != s {
		m.e.emit(func() { m.e.c.MOVOA(s, d) })
	}
}

func (m sse) shuffleBytes(d Register, mask Op) { m.e.emit(func() { m.e.c.PSHUFB(mask, d) }) }

// two emits the destructive operation f on a copy of x in d.
func (m sse) two(f func(y, d Op), d, x Register, y Op) {
	m.move(d, x)
	m.e.emit(func() { f(y, d) })
}

func (m sse) unpackLow32(d, x, y Register)  { m.two(m.e.c.PUNPCKLLQ, d, x, y) }
func (m sse) unpackHigh32(d, x, y Register) { m.two(m.e.c.PUNPCKHLQ, d, x, y) }
func (m sse) unpackLow64(d, x, y Register)  { m.two(m.e.c.PUNPCKLQDQ, d, x, y) }
func (m sse) unpackHigh64(d, x, y Register) { m.two(m.e.c.PUNPCKHQDQ, d, x, y) }

func (m sse) add(d, x Register, y Op) { m.two(m.e.c.PADDL, d, x, y) }
func (m sse) xor(d, x Register, y Op) { m.two(m.e.c.PXOR, d, x, y) }
func (m sse) and(d, x Register, y Op) { m.two(m.e.c.PAND, d, x, y) }

func (m sse) broadcastConstant(d Register, k constants, i int) {
	if k.spread {
		m.load(d, k.word(i))
		return
	}
	m.e.emit(func() { m.e.c.MOVSS(k.word(i), d) })
	m.e.emit(func() { m.e.c.PSHUFD(Imm(0), d, d) })
}

func (m sse) addConstant(d Register, k constants, i int, tmp Register) {
	if k.spread {
		m.add(d, d, k.word(i))
		return
	}
	m.broadcastConstant(tmp, k, i)
	m.add(d, d, tmp)
}

func (m sse) notAbove(mask GPPhysical, x Register, limit Mem) {
	m.e.emit(func() { m.e.c.PCMPGTL(limit, x) })
	m.e.emit(func() { m.e.c.MOVMSKPS(x, mask.As32()) })
	m.e.emit(func() { m.e.c.XORL(Imm(0xf), mask.As32()) })
}

// sigma nests the shifts, since each step then overwrites what it read:
// x>>p ^ x>>q ^ x>>r = ((x>>(r-q) ^ x)>>(q-p) ^ x)>>p for p < q < r.
func (m sse) sigma(d, tmp, _, x Register, s sigma) {
	m.nest(m.e.c.PSRLL, d, x, s.right())
	m.nest(m.e.c.PSLLL, tmp, x, s.left())
	m.xor(d, d, tmp)
}

func (m sse) nest(shift func(imm, d Op), d, x Register, amounts []uint64) {
	m.move(d, x)
	for i := len(amounts) - 1; i >= 0; i-- {
		n := amounts[i]
		if i > 0 {
			n -= amounts[i-1]
		}
		m.e.emit(func() { shift(Imm(n), d) })
		if i > 0 {
			m.xor(d, d, x)
		}
	}
}

func (m sse) choose(d, x, y, z Register)         { chooseBitwise(m, d, x, y, z) }
func (m sse) majority(r, next, a, b, c Register) { majorityBitwise(m, r, next, a, b) }
func (m sse) prepareMajority(r, b, c Register)   { m.xor(r, b, c) }

func (m sse) shift(f func(n, d Op), d, x Register, n uint64) {
	m.move(d, x)
	m.e.emit(func() { f(Imm(n), d) })
}

func (m sse) shiftRight(d, x Register, n uint64)   { m.shift(m.e.c.PSRLL, d, x, n) }
func (m sse) shiftRight64(d, x Register, n uint64) { m.shift(m.e.c.PSRLQ, d, x, n) }

func (m sse) align(d, high, low Register) {
	m.move(d, high)
	m.e.emit(func() { m.e.c.PALIGNR(Imm(4), low, d) })
}

func (m sse) pick(d, x Register, from [4]uint64) {
	m.e.emit(func() { m.e.c.PSHUFD(pickOrder(from), x, d) })
}
