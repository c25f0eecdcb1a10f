package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// laneShape says how a lane kernel is laid out on its machine.
type laneShape struct {
	machine func(*emitter) machine
	// groups is how many registers' worth of lanes run interleaved.
	groups int
	// scheduleInRegisters keeps W in registers 16 to 31, else it is in scratch.
	scheduleInRegisters bool
	// spreadConstants makes a table of K in which each word stands four times.
	spreadConstants bool
	splitAdd        bool
	isa             string // for the documentation
}

// laneFrame names the general registers of lane kernels and their scratch.
type laneFrame struct {
	states, pointers Register // the arguments h and p
	count            Register // blocks left
	offset           Register // of the block in each stream
	k                Register // the constants
	rounds           Register // counts within a block
	lane             [4]Register
	saved            func(group, word int) Mem // the state before the block
	schedule         func(group, word int) Mem
}

// laneKernel generates a kernel that compresses one stream in each lane:
//
//	save the state
//	load 16 words of each lane, byte-swapped and transposed, into W
//	3 times: 16 rounds, each with a step of the message schedule
//	16 rounds
//	add the saved state
//
// The loop over the rounds is rolled so that it stays in the cache of decoded
// instructions.
func laneKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		e := &emitter{c: c}
		m := shape.machine(e)
		width := m.bits() / 8
		lanes := shape.groups * m.bits() / 32

		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s compresses n blocks of each of %d streams, one 32-bit word of each in a", name, lanes),
			fmt.Sprintf("register. It needs %s.", shape.isa))
		c.SignatureExpr("func(h **[8]uint32, p **byte, n int)")

		f := laneFrame{
			states: RDI, pointers: RSI, count: RCX, offset: RBX, k: RAX, rounds: RDX,
			lane: [4]Register{R8, R9, R10, R11},
		}
		scratchWords := 8
		if !shape.scheduleInRegisters {
			scratchWords += 16
		}
		local := c.AllocLocal(shape.groups*scratchWords*width + 64)
		scratch := Mem{Base: R12}
		f.saved = func(group, word int) Mem { return scratch.Offset(width * (8*group + word)) }
		f.schedule = func(group, word int) Mem { return scratch.Offset(width * (8*shape.groups + 16*group + word)) }

		c.Load(c.Param("h"), f.states)
		c.Load(c.Param("p"), f.pointers)
		c.Load(c.Param("n"), f.count)
		c.TESTQ(f.count, f.count)
		c.JZ(LabelRef("done"))
		c.LEAQ(local.Offset(63), R12)
		c.ANDQ(I8(-64), R12)
		c.XORL(EBX, EBX)

		// Registers: the groups' states first, then their temporaries, then W.
		groups := make([]*group, shape.groups)
		next := 0
		take := func() Register { next++; return m.reg(next - 1) }
		for i := range groups {
			groups[i] = &group{m: m, splitAdd: shape.splitAdd}
			for j := range groups[i].v {
				groups[i].v[j] = take()
			}
		}
		for _, g := range groups {
			for j := range g.t {
				g.t[j] = take()
			}
		}
		for i, g := range groups {
			for j := range g.w {
				if shape.scheduleInRegisters {
					g.w[j] = take()
				} else {
					g.w[j] = f.schedule(i, j)
				}
			}
		}
		for i, g := range groups {
			f.loadStates(g, i)
		}
		start := groups[0].v
		table := kTable(c, name, shape.spreadConstants)

		c.Label("block")
		order := byteOrder(c, name)
		for i, g := range groups {
			for j, v := range g.v {
				m.store(f.saved(i, j), v)
			}
			f.loadBlock(g, i, order)
		}
		c.ADDQ(Imm(64), f.offset)
		c.LEAQ(table, f.k)
		k := constants{base: f.k, spread: shape.spreadConstants}
		c.MOVL(U32(3), f.rounds.(GPPhysical).As32())

		all := func(do func(g *group)) {
			parts := make([]func(), len(groups))
			for i, g := range groups {
				parts[i] = func() { do(g) }
			}
			e.interleave(parts...)
		}
		all((*group).begin)
		c.Label("rounds")
		for t := range 16 {
			all(func(g *group) {
				g.round(t, k, t)
				g.schedule(t + 16)
			})
		}
		c.ADDQ(U32(k.word(16).Disp), f.k)
		c.DECL(f.rounds.(GPPhysical).As32())
		c.JNZ(LabelRef("rounds"))
		for t := range 16 {
			all(func(g *group) { g.round(t, k, t) })
		}
		for i, g := range groups {
			for j, v := range g.v {
				m.add(v, v, f.saved(i, j))
			}
		}
		if groups[0].v != start {
			panic("the working variables are not where the loop expects them")
		}
		c.DECQ(f.count)
		c.JNZ(LabelRef("block"))

		for i, g := range groups {
			f.storeStates(g, i)
		}
		m.leave()
		c.Label("done")
		c.RET()
	}
}

// loadWords loads 4 words of each lane of a group, at disp from its pointer
// plus index, transposed: register j of the result holds word j of every lane.
// With order they are byte-swapped. It uses four rows and two temporaries.
func (f *laneFrame) loadWords(m machine, pointers Mem, index Register, disp int, order Register, rows [4]Register, t [2]Register) ([4]Register, [2]Register) {
	e := m.emitter()
	for q := range m.bits() / 128 {
		for j, row := range rows {
			lane := 4*q + j
			p := f.lane[j]
			e.emit(func() { e.c.MOVQ(pointers.Offset(8*lane), p) })
			words := Mem{Base: p, Disp: disp}
			if index != nil {
				words.Index, words.Scale = index, 1
			}
			m.insert(row, q, words)
		}
	}
	if order != nil {
		for _, row := range rows {
			m.reverseBytes(row, order)
		}
	}
	return transpose(m, rows, t)
}

// loadBlock fills W[0..15] of a group.
func (f *laneFrame) loadBlock(g *group, i int, order Mem) {
	mask := g.t[7]
	g.m.broadcastQuarter(mask, order)
	pointers := Mem{Base: f.pointers, Disp: 8 * g.lanes() * i}
	for c := range 4 {
		var rows [4]Register
		free := [2]Register{g.t[4], g.t[5]}
		_, inRegisters := g.w[0].(Register)
		for j := range rows {
			if inRegisters {
				rows[j] = g.w[4*c+j].(Register)
			} else {
				rows[j] = g.t[j]
			}
		}
		words, spare := f.loadWords(g.m, pointers, f.offset, 16*c, mask, rows, free)
		for j, word := range words {
			if inRegisters {
				g.w[4*c+j] = word
			} else {
				g.m.store(g.w[4*c+j].(Mem), word)
			}
		}
		if inRegisters {
			g.t[4], g.t[5] = spare[0], spare[1]
		}
	}
}

// loadStates transposes the states of a group's lanes into its variables.
func (f *laneFrame) loadStates(g *group, i int) {
	pointers := Mem{Base: f.states, Disp: 8 * g.lanes() * i}
	for c := range 2 {
		rows := [4]Register(g.v[4*c : 4*c+4])
		words, spare := f.loadWords(g.m, pointers, nil, 16*c, nil, rows, [2]Register(g.t[:2]))
		copy(g.v[4*c:], words[:])
		copy(g.t[:], spare[:])
	}
}

// storeStates is the inverse of loadStates.
func (f *laneFrame) storeStates(g *group, i int) {
	m, e := g.m, g.m.emitter()
	for c := range 2 {
		rows, spare := transpose(m, [4]Register(g.v[4*c:4*c+4]), [2]Register(g.t[:2]))
		copy(g.t[:], spare[:])
		for j, row := range rows {
			for q := range m.bits() / 128 {
				lane := 4*q + j
				e.emit(func() { e.c.MOVQ(Mem{Base: f.states, Disp: 8 * (g.lanes()*i + lane)}, f.lane[j]) })
				m.extract(Mem{Base: f.lane[j], Disp: 16 * c}, q, row)
			}
		}
	}
}
