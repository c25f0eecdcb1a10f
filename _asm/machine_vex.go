package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vex is AVX at 128 bits and AVX2 at 256: three operands, no rotation.
type vex struct {
	e     *emitter
	width int
}

func newAVX(e *emitter) machine  { return vex{e, 128} }
func newAVX2(e *emitter) machine { return vex{e, 256} }

func (m vex) emitter() *emitter { return m.e }
func (m vex) bits() int         { return m.width }

func (m vex) reg(i int) Register {
	if m.width == 256 {
		return vec(i).AsY()
	}
	return vec(i).AsX()
}

func (m vex) load(d Register, a Mem)  { m.e.emit(func() { m.e.c.VMOVDQU(a, d) }) }
func (m vex) store(a Mem, s Register) { m.e.emit(func() { m.e.c.VMOVDQU(s, a) }) }

func (m vex) insert(d Register, q int, a Mem) {
	m.e.emit(func() {
		if q == 0 {
			m.e.c.VMOVDQU(a, quarter(d))
		} else {
			m.e.c.VINSERTI128(Imm(uint64(q)), a, d, d)
		}
	})
}

func (m vex) extract(a Mem, q int, s Register) {
	m.e.emit(func() {
		if q == 0 {
			m.e.c.VMOVDQU(quarter(s), a)
		} else {
			m.e.c.VEXTRACTI128(Imm(uint64(q)), s, a)
		}
	})
}

func (m vex) broadcastQuarter(d Register, a Mem) {
	m.e.emit(func() {
		if m.width == 256 {
			m.e.c.VBROADCASTI128(a, d)
		} else {
			m.e.c.VMOVDQU(a, d)
		}
	})
}

func (m vex) shuffleBytes(d Register, mask Op) { m.e.emit(func() { m.e.c.VPSHUFB(mask, d, d) }) }

func (m vex) unpackLow32(d, x, y Register)  { m.e.emit(func() { m.e.c.VPUNPCKLDQ(y, x, d) }) }
func (m vex) unpackHigh32(d, x, y Register) { m.e.emit(func() { m.e.c.VPUNPCKHDQ(y, x, d) }) }
func (m vex) unpackLow64(d, x, y Register)  { m.e.emit(func() { m.e.c.VPUNPCKLQDQ(y, x, d) }) }
func (m vex) unpackHigh64(d, x, y Register) { m.e.emit(func() { m.e.c.VPUNPCKHQDQ(y, x, d) }) }

func (m vex) add(d, x Register, y Op) { m.e.emit(func() { m.e.c.VPADDD(y, x, d) }) }
func (m vex) xor(d, x Register, y Op) { m.e.emit(func() { m.e.c.VPXOR(y, x, d) }) }
func (m vex) and(d, x Register, y Op) { m.e.emit(func() { m.e.c.VPAND(y, x, d) }) }

func (m vex) broadcastConstant(d Register, k constants, i int) {
	m.e.emit(func() {
		if m.width == 256 {
			m.e.c.VPBROADCASTD(k.word(i), d)
		} else {
			m.e.c.VBROADCASTSS(k.word(i), d)
		}
	})
}

func (m vex) addConstant(d Register, k constants, i int, tmp Register) {
	m.broadcastConstant(tmp, k, i)
	m.add(d, d, tmp)
}

func (m vex) notAbove(mask GPPhysical, x Register, limit Mem) {
	m.e.emit(func() { m.e.c.VPCMPGTD(limit, x, x) })
	m.e.emit(func() { m.e.c.VMOVMSKPS(x, mask.As32()) })
	m.e.emit(func() { m.e.c.XORL(U32(1<<(m.width/32)-1), mask.As32()) })
}

// sigma is the exclusive or of the shifts that its rotations are made of,
// taken in pairs: that keeps the chain from x to the result short.
func (m vex) sigma(d, tmp, tmp2, x Register, s sigma) {
	type shift struct {
		emit func(ops ...Op)
		n    uint64
	}
	var shifts []shift
	for _, n := range s.right() {
		shifts = append(shifts, shift{m.e.c.VPSRLD, n})
	}
	for _, n := range s.left() {
		shifts = append(shifts, shift{m.e.c.VPSLLD, n})
	}
	part := func(i int, r Register) { m.e.emit(func() { shifts[i].emit(Imm(shifts[i].n), x, r) }) }

	part(0, d)
	part(1, tmp)
	m.xor(d, d, tmp)
	for i := 2; i < len(shifts); i += 2 {
		part(i, tmp)
		if i+1 < len(shifts) {
			part(i+1, tmp2)
			m.xor(tmp, tmp, tmp2)
		}
		m.xor(d, d, tmp)
	}
}

func (m vex) choose(d, x, y, z Register)         { chooseBitwise(m, d, x, y, z) }
func (m vex) majority(r, next, a, b, c Register) { majorityBitwise(m, r, next, a, b) }
func (m vex) prepareMajority(r, b, c Register)   { m.xor(r, b, c) }

func (m vex) leave() {
	if m.width == 256 {
		m.e.emit(func() { m.e.c.VZEROUPPER() })
	}
}

func (m vex) shiftRight(d, x Register, n uint64)   { m.e.emit(func() { m.e.c.VPSRLD(Imm(n), x, d) }) }
func (m vex) shiftRight64(d, x Register, n uint64) { m.e.emit(func() { m.e.c.VPSRLQ(Imm(n), x, d) }) }

func (m vex) align(d, high, low Register) {
	m.e.emit(func() { m.e.c.VPALIGNR(Imm(4), low, high, d) })
}

func (m vex) pick(d, x Register, from [4]uint64) {
	m.e.emit(func() { m.e.c.VPSHUFD(pickOrder(from), x, d) })
}

// quarter is the lowest 128 bits of r.
func quarter(r Register) Register { return r.(VecPhysical).AsX() }

// bitwise are the operations from which Ch and Maj are made without ternary
// logic. d may be x.
type bitwise interface {
	xor(d, x Register, y Op)
	and(d, x Register, y Op)
}

// chooseBitwise: Ch(x,y,z) = ((y ^ z) & x) ^ z.
func chooseBitwise(m bitwise, d, x, y, z Register) {
	m.xor(d, y, z)
	m.and(d, d, x)
	m.xor(d, d, z)
}

// majorityBitwise: Maj(a,b,c) = ((a ^ b) & (b ^ c)) ^ b, where r is b ^ c,
// and next, a ^ b, is b ^ c of the following round.
func majorityBitwise(m bitwise, r, next, a, b Register) {
	m.xor(next, a, b)
	m.and(r, r, next)
	m.xor(r, r, b)
}

// pickOrder is the immediate of PSHUFD.
func pickOrder(from [4]uint64) Constant {
	var order uint64
	for j, i := range from {
		order |= i << (2 * j)
	}
	return Imm(order)
}
