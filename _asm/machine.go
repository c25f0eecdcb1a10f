package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// operations are what a round needs of an instruction set: registers of 32-bit
// words, one word of every lane in each. What differs between kernels is their
// machine, not the algorithm. Destinations come first. A destination differs
// from the sources unless a method says otherwise.
type operations interface {
	add(d, x Register, y Op) // d may be x
	sigma(d, tmp, tmp2, x Register, s sigma)
	choose(d, x, y, z Register)
	// majority leaves Maj(a,b,c) in r. Machines without ternary logic expect
	// b^c in r and leave a^b in next, which is b^c of the following round.
	majority(r, next, a, b, c Register)
	// prepareMajority prepares r of the first round.
	prepareMajority(r, b, c Register)
}

// A machine is a vector instruction set: operations on words, and what brings
// them to their lanes.
type machine interface {
	operations

	// emitter is where instructions go.
	emitter() *emitter
	// bits is the width of a register; a lane takes 32 of them.
	bits() int
	// reg is vector register i.
	reg(i int) Register

	load(d Register, m Mem)  // any alignment
	store(m Mem, s Register) // any alignment
	// insert loads 128-bit quarter q of d. Quarter 0 comes first and may clear
	// the others.
	insert(d Register, q int, m Mem)
	// extract stores 128-bit quarter q of s, and may destroy s.
	extract(m Mem, q int, s Register)
	// shuffleBytes applies a mask of PSHUFB: a register, or aligned memory, that
	// holds one for each quarter.
	shuffleBytes(d Register, mask Op)
	broadcastQuarter(d Register, m Mem)
	// broadcastConstant sets every lane to the 32-bit word at index i of table k.
	broadcastConstant(d Register, k constants, i int)
	unpackLow32(d, x, y Register) // d may be x, likewise below
	unpackHigh32(d, x, y Register)
	unpackLow64(d, x, y Register)
	unpackHigh64(d, x, y Register)

	xor(d, x Register, y Op) // d may be x

	// addConstant adds the 32-bit word at index i of table k to every lane.
	addConstant(d Register, k constants, i int, tmp Register)

	// notAbove sets bit i of mask where word i of x is at most word i of limit,
	// as signed numbers, and clears the others. It may destroy x.
	notAbove(mask GPPhysical, x Register, limit Mem)

	// leave ends the use of vector registers before RET.
	leave()
}

// A streamMachine also computes one stream's message schedule: four words of it
// in each quarter.
type streamMachine interface {
	machine
	shiftRight(d, x Register, n uint64)   // 32-bit words
	shiftRight64(d, x Register, n uint64) // 64-bit words
	// align sets d to words 1 to 3 of low and word 0 of high.
	align(d, high, low Register)
	// pick sets word j of d to word from[j] of x.
	pick(d, x Register, from [4]uint64)
}

// constants is a table of 32-bit words in memory, at disp from base. For a
// machine that cannot broadcast from memory it can be broadcast already.
type constants struct {
	base Register
	// spread says that the table holds each word four times, aligned.
	spread bool
	disp   int
}

// word is where word i is.
func (k constants) word(i int) Mem {
	size := 4
	if k.spread {
		size = 16
	}
	return Mem{Base: k.base, Disp: k.disp + size*i}
}

// An emitter passes instructions to avo, at once or, between record and the
// return of its argument, to a list.
type emitter struct {
	c     *Context
	queue *[]func()
}

func (e *emitter) emit(f func()) {
	if e.queue == nil {
		f()
		return
	}
	*e.queue = append(*e.queue, f)
}

// interleave emits what the parts emit, an instruction of each in turn, so that
// independent chains run side by side. Shorter parts are spread evenly.
func (e *emitter) interleave(parts ...func()) {
	queues := make([][]func(), len(parts))
	longest := 0
	for i, part := range parts {
		outer := e.queue
		e.queue = &queues[i]
		part()
		e.queue = outer
		longest = max(longest, len(queues[i]))
	}
	for step := range longest {
		for _, q := range queues {
			for j := step * len(q) / longest; j < (step+1)*len(q)/longest; j++ {
				e.emit(q[j])
			}
		}
	}
}

// transpose turns the 4×4 words in each quarter of r around, so that word j of
// register i becomes word i of register j. It returns the registers of the
// result, and the two that are free then.
func transpose(m machine, r [4]Register, t [2]Register) (out [4]Register, free [2]Register) {
	m.unpackLow32(t[0], r[0], r[1])  // r00 r10 r01 r11
	m.unpackHigh32(r[0], r[0], r[1]) // r02 r12 r03 r13
	m.unpackLow32(t[1], r[2], r[3])  // r20 r30 r21 r31
	m.unpackHigh32(r[2], r[2], r[3]) // r22 r32 r23 r33
	m.unpackHigh64(r[1], t[0], t[1]) // r01 r11 r21 r31
	m.unpackLow64(t[0], t[0], t[1])  // r00 r10 r20 r30
	m.unpackHigh64(r[3], r[0], r[2]) // r03 r13 r23 r33
	m.unpackLow64(r[0], r[0], r[2])  // r02 r12 r22 r32
	return [4]Register{t[0], r[1], r[0], r[3]}, [2]Register{t[1], r[2]}
}

// vec returns vector register i, at its full width.
func vec(i int) VecPhysical {
	return [...]VecPhysical{
		Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
	}[i]
}
