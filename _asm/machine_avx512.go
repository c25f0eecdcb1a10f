package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// avx512 is AVX512F with BW for the byte shuffle: rotations, ternary logic and
// operands broadcast from memory.
type avx512 struct{ e *emitter }

func newAVX512(e *emitter) machine { return avx512{e} }

func (m avx512) emitter() *emitter  { return m.e }
func (m avx512) bits() int          { return 512 }
func (m avx512) reg(i int) Register { return vec(i).AsZ() }

// avx512Half is AVX-512 at 256 bits. Intel's cores start three of these instructions in a
// cycle, but two of 512 bits.
type avx512Half struct{ avx512 }

func newAVX512Half(e *emitter) machine { return avx512Half{avx512{e}} }

func (m avx512Half) bits() int          { return 256 }
func (m avx512Half) reg(i int) Register { return vec(i).AsY() }

func (m avx512) load(d Register, a Mem)  { m.e.emit(func() { m.e.c.VMOVDQU32(a, d) }) }
func (m avx512) store(a Mem, s Register) { m.e.emit(func() { m.e.c.VMOVDQU32(s, a) }) }
func (m avx512) move(d, s Register)      { m.e.emit(func() { m.e.c.VMOVDQA32(s, d) }) }

func (m avx512) insert(d Register, q int, a Mem) {
	m.e.emit(func() {
		if q == 0 {
			m.e.c.VMOVDQU32(a, quarter(d))
		} else {
			m.e.c.VINSERTI32X4(Imm(uint64(q)), a, d, d)
		}
	})
}

// insertHalf loads 256-bit half h of d. Half 0 comes first and clears the other.
func (m avx512) insertHalf(d Register, h int, a Mem) {
	m.e.emit(func() {
		if h == 0 {
			m.e.c.VMOVDQU32(a, d.(VecPhysical).AsY())
		} else {
			m.e.c.VINSERTI64X4(Imm(1), a, d, d)
		}
	})
}

func (m avx512) extractHalf(a Mem, h int, s Register) {
	m.e.emit(func() {
		if h == 0 {
			m.e.c.VMOVDQU32(s.(VecPhysical).AsY(), a)
		} else {
			m.e.c.VEXTRACTI64X4(Imm(1), s, a)
		}
	})
}

// quarters sets the low quarters of d to two of x, the high ones to two of y.
func (m avx512) quarters(d, x Register, y Op, from [4]uint64) {
	m.e.emit(func() { m.e.c.VSHUFI32X4(Imm(from[0]|from[1]<<2|from[2]<<4|from[3]<<6), y, x, d) })
}

// pairing is two tables for pair, on a machine that has it.
func pairing(c *Context, name string, on machine) Mem {
	if _, ok := on.(avx512); !ok {
		return Mem{}
	}
	m := c.StaticGlobal(name + "_pairs")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for quarter := range 4 {
		for _, of := range [2]int{0, 8} {
			for word := range 2 {
				c.AppendDatum(U64(of + 2*quarter + word))
			}
		}
	}
	return m
}

// pair sets x to quarters of x and y in turn: 0 and 1 of both by the first table
// of pairing, 2 and 3 by the second.
func (m avx512) pair(x, y, table Register) { m.e.emit(func() { m.e.c.VPERMT2Q(y, table, x) }) }

func (m avx512) extract(a Mem, q int, s Register) {
	m.e.emit(func() {
		if q == 0 {
			m.e.c.VMOVDQU32(quarter(s), a)
		} else {
			m.e.c.VEXTRACTI32X4(Imm(uint64(q)), s, a)
		}
	})
}

func (m avx512) broadcastQuarter(d Register, a Mem) {
	m.e.emit(func() { m.e.c.VBROADCASTI32X4(a, d) })
}

func (m avx512) shuffleBytes(d Register, mask Op) { m.e.emit(func() { m.e.c.VPSHUFB(mask, d, d) }) }

func (m avx512) unpackLow32(d, x, y Register)  { m.e.emit(func() { m.e.c.VPUNPCKLDQ(y, x, d) }) }
func (m avx512) unpackHigh32(d, x, y Register) { m.e.emit(func() { m.e.c.VPUNPCKHDQ(y, x, d) }) }
func (m avx512) unpackLow64(d, x, y Register)  { m.e.emit(func() { m.e.c.VPUNPCKLQDQ(y, x, d) }) }
func (m avx512) unpackHigh64(d, x, y Register) { m.e.emit(func() { m.e.c.VPUNPCKHQDQ(y, x, d) }) }

func (m avx512) add(d, x Register, y Op) { m.e.emit(func() { m.e.c.VPADDD(y, x, d) }) }

func (m avx512) subtract(d, x, y Register) { m.e.emit(func() { m.e.c.VPSUBD(y, x, d) }) }

func (m avx512) xor(d, x Register, y Op) { m.e.emit(func() { m.e.c.VPXORD(y, x, d) }) }

func (m avx512) broadcastConstant(d Register, k constants, i int) {
	m.e.emit(func() { m.e.c.VPBROADCASTD(k.word(i), d) })
}

func (m avx512) addConstant(d Register, k constants, i int, _ Register) {
	m.e.emit(func() { m.e.c.VPADDD_BCST(k.word(i), d, d) })
}

func (m avx512) sigma(d, tmp, tmp2, x Register, s sigma) {
	for i, r := range [3]Register{d, tmp, tmp2} {
		m.e.emit(func() {
			if s.shift && i == 2 {
				m.e.c.VPSRLD(Imm(s.rot[i]), x, r)
			} else {
				m.e.c.VPRORD(Imm(s.rot[i]), x, r)
			}
		})
	}
	m.ternary(d, tmp, tmp2, func(x, y, z bool) bool { return x != y != z })
}

func (m avx512) choose(d, x, y, z Register) {
	m.move(d, x)
	m.ternary(d, y, z, func(x, y, z bool) bool { return x && y || !x && z })
}

func (m avx512) majority(r, _, a, b, c Register) {
	m.move(r, a)
	m.ternary(r, b, c, func(x, y, z bool) bool { return x && y || x && z || y && z })
}

func (m avx512) prepareMajority(r, b, c Register) {}

// ternary sets x = f(x, y, z) bit by bit. The immediate of VPTERNLOGD is the
// truth table of f.
func (m avx512) ternary(x, y, z Register, f func(x, y, z bool) bool) {
	var table uint64
	for i := range uint(8) {
		if f(i&4 != 0, i&2 != 0, i&1 != 0) {
			table |= 1 << i
		}
	}
	m.e.emit(func() { m.e.c.VPTERNLOGD(Imm(table), z, y, x) })
}

func (m avx512) leave() { m.e.emit(func() { m.e.c.VZEROUPPER() }) }

func (m avx512) notAbove(mask GPPhysical, x Register, limit Mem) {
	m.e.emit(func() { m.e.c.VPCMPGTD(limit, x, K1) })
	m.e.emit(func() { m.e.c.KNOTW(K1, K1) })
	m.e.emit(func() { m.e.c.KMOVW(K1, mask.As32()) })
}
