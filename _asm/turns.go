package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// streamsSignature is that of the kernels of several streams: block.Kernel.Blocks.
const streamsSignature = "func(h **[8]uint32, p **byte, streams, first, at, n, turns int)"

// A streamTurns is where the turns of such a kernel are.
type streamTurns struct {
	c      *Context
	lanes  int
	states Register    // pointers to the lanes' states, from h on
	blocks Register    // and to their streams' blocks, from p on
	offset Register    // of the block at hand in each stream
	count  Register    // blocks left of the turn
	tmp    [2]Register // free between turns
}

// begin loads the arguments, and goes to done if there are no blocks.
func (t streamTurns) begin(done string) {
	c := t.c
	c.Load(c.Param("n"), t.count.(GPPhysical))
	c.TESTQ(t.count, t.count)
	c.JZ(LabelRef(done))
	c.Load(c.Param("h"), t.states.(GPPhysical))
	c.Load(c.Param("p"), t.blocks.(GPPhysical))
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

// over counts a turn, and goes to label if it was the last one.
func (t streamTurns) over(label string) {
	t.c.DECQ(t.arg("turns"))
	t.c.JZ(LabelRef(label))
}

// nextStates goes on to the states of the lanes' next streams.
func (t streamTurns) nextStates() { t.next(t.states, "h") }

// through leaves offset behind the blocks of a turn, where it has been at the
// first of them.
func (t streamTurns) through() {
	t.c.MOVQ(t.arg("n"), t.tmp[0])
	t.c.SHLQ(Imm(6), t.tmp[0])
	t.c.ADDQ(t.tmp[0], t.offset)
}

// nextBlocks goes on to the blocks of the lanes' next streams. Unless these begin
// with one of the first again, offset goes back by a turn's blocks, which it is
// behind by then.
func (t streamTurns) nextBlocks() {
	back := t.tmp[1]
	t.c.MOVQ(t.arg("n"), back)
	t.c.SHLQ(Imm(6), back)
	t.c.NEGQ(back)
	t.c.ADDQ(t.offset, back)
	t.next(t.blocks, "p")
	t.c.CMOVQCS(back, t.offset)
}

// next moves pointers, which began at an argument, on by the lanes, and back by
// the streams if they are behind the last one then. If not, it leaves the carry
// flag set.
func (t streamTurns) next(pointers Register, arg string) {
	back := t.tmp[0]
	t.c.ADDQ(U32(8*t.lanes), pointers)
	t.c.MOVQ(t.arg("streams"), back)
	t.c.NEGQ(back)
	t.c.LEAQ(Mem{Base: pointers, Index: back, Scale: 8}, back)
	t.c.CMPQ(back, t.arg(arg))
	t.c.CMOVQCC(back, pointers)
}

// again goes to label with the blocks of another turn.
func (t streamTurns) again(label string) {
	t.c.MOVQ(t.arg("n"), t.count)
	t.c.JMP(LabelRef(label))
}
