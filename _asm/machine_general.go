package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// general is the general registers: one lane, and no vector instruction. It
// does what a round needs; a message schedule is left to the vector unit.
type general struct {
	e *emitter
	// rorx says that BMI2 has rotations that leave their source alone.
	rorx bool
}

func (m general) move(d, x Register) {
	if d != x {
		m.e.emit(func() { m.e.c.MOVL(x, d) })
	}
}

// two emits the destructive operation f on a copy of x in d.
func (m general) two(f func(y, d Op), d, x Register, y Op) {
	m.move(d, x)
	m.e.emit(func() { f(y, d) })
}

func (m general) add(d, x Register, y Op) { m.two(m.e.c.ADDL, d, x, y) }
func (m general) xor(d, x Register, y Op) { m.two(m.e.c.XORL, d, x, y) }
func (m general) and(d, x Register, y Op) { m.two(m.e.c.ANDL, d, x, y) }

// sigma nests the rotations where they overwrite their source, which saves two
// moves: x>>>p ^ x>>>q ^ x>>>r = ((x>>>(r-q) ^ x)>>>(q-p) ^ x)>>>p.
func (m general) sigma(d, tmp, _, x Register, s sigma) {
	p, q, r := s.rot[0], s.rot[1], s.rot[2]
	if m.rorx {
		m.e.emit(func() { m.e.c.RORXL(Imm(r), x, d) })
		for _, n := range []uint64{q, p} {
			m.e.emit(func() { m.e.c.RORXL(Imm(n), x, tmp) })
			m.xor(d, d, tmp)
		}
		return
	}
	m.move(d, x)
	m.e.emit(func() { m.e.c.RORL(Imm(r-q), d) })
	m.xor(d, d, x)
	m.e.emit(func() { m.e.c.RORL(Imm(q-p), d) })
	m.xor(d, d, x)
	m.e.emit(func() { m.e.c.RORL(Imm(p), d) })
}

func (m general) choose(d, x, y, z Register)         { chooseBitwise(m, d, x, y, z) }
func (m general) majority(r, next, a, b, c Register) { majorityBitwise(m, r, next, a, b) }
func (m general) prepareMajority(r, b, c Register)   { m.xor(r, b, c) }
