package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// streamsSignature is the signature of kernels of several streams:
// block.Kernel.Blocks.
const streamsSignature = "func(states **[8]uint32, data **byte, ring, first, at, slice, turns int)"

// A streamTurns is where a kernel of several streams has what its turns need.
type streamTurns struct {
	c      *Context
	lanes  int
	states Register    // pointers to the lanes' states
	blocks Register    // pointers to the blocks of the lanes' streams
	offset Register    // of the block at hand in each stream
	count  Register    // blocks left of the slice
	tmp    [2]Register // free between turns
}

// begin loads the arguments, and goes to done if a slice has no blocks.
func (t streamTurns) begin(done string) {
	c := t.c
	c.Load(c.Param("slice"), t.count.(GPPhysical))
	c.TESTQ(t.count, t.count)
	c.JZ(LabelRef(done))
	c.Load(c.Param("states"), t.states.(GPPhysical))
	c.Load(c.Param("data"), t.blocks.(GPPhysical))
	c.Load(c.Param("first"), t.tmp[0].(GPPhysical))
	c.LEAQ(Mem{Base: t.states, Index: t.tmp[0], Scale: 8}, t.states)
	c.LEAQ(Mem{Base: t.blocks, Index: t.tmp[0], Scale: 8}, t.blocks)
	c.Load(c.Param("at"), t.offset.(GPPhysical))
	c.SHLQ(Imm(6), t.offset)
}

// arg returns where an argument is.
func (t streamTurns) arg(name string) Mem {
	b, err := t.c.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// over counts a turn, and goes to label after the last one.
func (t streamTurns) over(label string) {
	t.c.DECQ(t.arg("turns"))
	t.c.JZ(LabelRef(label))
}

// nextStates goes on to the states of the lanes' next streams.
func (t streamTurns) nextStates() { t.next(t.states, "states") }

// through moves offset from the first block of a slice to behind the last.
func (t streamTurns) through() {
	t.c.MOVQ(t.arg("slice"), t.tmp[0])
	t.c.SHLQ(Imm(6), t.tmp[0])
	t.c.ADDQ(t.tmp[0], t.offset)
}

// nextBlocks goes on to the blocks of the lanes' next streams. Offset is behind the
// slice by then. It goes back to its beginning, unless the ring begins again.
func (t streamTurns) nextBlocks() {
	back := t.tmp[1]
	t.c.MOVQ(t.arg("slice"), back)
	t.c.SHLQ(Imm(6), back)
	t.c.NEGQ(back)
	t.c.ADDQ(t.offset, back)
	t.next(t.blocks, "data")
	t.c.CMOVQCS(back, t.offset)
}

// next moves pointers, which began at an argument, on by the lanes, and back by the
// ring if they are then behind its last stream. If they are not, it leaves the carry
// flag set.
func (t streamTurns) next(pointers Register, arg string) {
	back := t.tmp[0]
	t.c.ADDQ(U32(8*t.lanes), pointers)
	t.c.MOVQ(t.arg("ring"), back)
	t.c.NEGQ(back)
	t.c.LEAQ(Mem{Base: pointers, Index: back, Scale: 8}, back)
	t.c.CMPQ(back, t.arg(arg))
	t.c.CMOVQCC(back, pointers)
}

// again goes to label with the count of another slice.
func (t streamTurns) again(label string) {
	t.c.MOVQ(t.arg("slice"), t.count)
	t.c.JMP(LabelRef(label))
}
