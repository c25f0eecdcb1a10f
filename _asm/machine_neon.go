package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// neon is Advanced SIMD, written to f. avo's vector register of index i means
// Vi; of its general registers only R8 to R15 may be used, which have the same
// names on arm64.
//
// A rotation is VSHL and VUSRA, which adds the bits that VSHL pushed out. The
// inserting shifts do the same, but LLVM has them a cycle slower on Cortex-A57
// and A72, the larger ones of the cores without SHA2.
type neon struct {
	// What amd64's frames alone use is missing.
	machine
	f *armFunc
}

func (m neon) bits() int          { return 128 }
func (m neon) reg(i int) Register { return vec(i) }

// v is the register that r means.
func (m neon) v(r Op) vreg { return vreg(r.(VecPhysical).PhysicalIndex()) }

// words and bitwise emit d = x op y.
func (m neon) words(op string, d, x Register, y Op) {
	m.f.do(op, m.v(y).s4(), m.v(x).s4(), m.v(d).s4())
}

func (m neon) bitwise(op string, d, x, y Register) {
	m.f.do(op, m.v(y).b16(), m.v(x).b16(), m.v(d).b16())
}

func (m neon) load(d Register, a Mem)          { m.f.do("FMOVQ", a.Asm(), m.v(d).f()) }
func (m neon) store(a Mem, s Register)         { m.f.do("FMOVQ", m.v(s).f(), a.Asm()) }
func (m neon) insert(d Register, _ int, a Mem) { m.load(d, a) }

func (m neon) unpackLow32(d, x, y Register)  { m.words("VZIP1", d, x, y) }
func (m neon) unpackHigh32(d, x, y Register) { m.words("VZIP2", d, x, y) }
func (m neon) unpackLow64(d, x, y Register)  { m.f.do("VZIP1", m.v(y).d2(), m.v(x).d2(), m.v(d).d2()) }
func (m neon) unpackHigh64(d, x, y Register) { m.f.do("VZIP2", m.v(y).d2(), m.v(x).d2(), m.v(d).d2()) }

// reverseBytes turns the bytes of each word around.
func (m neon) reverseBytes(d Register) { m.f.do("VREV32", m.v(d).b16(), m.v(d).b16()) }

func (m neon) add(d, x Register, y Op) { m.words("VADD", d, x, y) }

func (m neon) broadcastConstant(d Register, k constants, i int) { m.load(d, k.word(i)) } // spread

func (m neon) addConstant(d Register, k constants, i int, tmp Register) {
	m.broadcastConstant(tmp, k, i)
	m.add(d, d, tmp)
}

func (m neon) sigma(d, tmp, tmp2, x Register, s sigma) {
	for i, r := range []Register{d, tmp, tmp2} {
		n := int(s.rot[i])
		if s.shift && i == 2 {
			m.f.do("VUSHR", imm(n), m.v(x).s4(), m.v(r).s4())
		} else {
			m.f.do("VSHL", imm(32-n), m.v(x).s4(), m.v(r).s4())
			m.f.do("VUSRA", imm(n), m.v(x).s4(), m.v(r).s4())
		}
		if i > 0 {
			m.bitwise("VEOR", d, d, r)
		}
	}
}

// choose puts the bits of y where x is set into a copy of z.
func (m neon) choose(d, x, y, z Register) {
	m.f.do("VMOV", m.v(z).b16(), m.v(d).b16())
	m.bitwise("VBIT", d, y, x)
}

// majority: where a and b differ, c decides.
func (m neon) majority(r, _, a, b, c Register) {
	m.bitwise("VEOR", r, a, b)
	m.bitwise("VBSL", r, c, b)
}

func (m neon) prepareMajority(Register, Register, Register) {}
