package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// groups are the groups of a kernel, which run interleaved.
type groups []*group

// newGroups gives registers to the groups of a kernel: to the working variables of all
// groups first, then to their temporaries, then to W if the shape has it in registers.
// Else W is in memory, the first halves of the groups' W at w and the second at w8, or,
// if these are nil, with the kernel.
func newGroups(m machine, shape laneShape, w, w8 Register) groups {
	gs := make(groups, shape.groups)
	next := 0
	take := func() Register { next++; return m.reg(next - 1) }
	for i := range gs {
		gs[i] = newGroup(m, shape.form)
		for j := range gs[i].v {
			gs[i].v[j] = take()
		}
	}
	for _, g := range gs {
		for j := range g.t {
			g.t[j] = take()
		}
	}
	width := m.bits() / 8
	for i, g := range gs {
		for j := range g.w {
			switch {
			case shape.scheduleInRegisters:
				g.w[j] = take()
			case w == nil:
			case j < 8:
				g.w[j] = Mem{Base: w, Disp: width * (16*i + j)}
			default:
				g.w[j] = Mem{Base: w8, Disp: width * (16*i + j - 8)}
			}
		}
	}
	return gs
}

// all emits what do emits for each group, interleaved.
func (gs groups) all(do func(i int, g *group)) {
	parts := make([]func(), len(gs))
	for i, g := range gs {
		parts[i] = func() { do(i, g) }
	}
	gs[0].m.emitter().interleave(parts...)
}

// rounds emits n rounds of each group, as round does, in an order, and beside them what
// beside emits.
func (gs groups) rounds(by *roundOrder, n int, round func(i int, g *group, t int), beside ...func()) {
	e := gs[0].m.emitter()
	if by == nil {
		parts := beside
		for i, g := range gs {
			parts = append(parts, func() {
				for t := range n {
					round(i, g, t)
				}
			})
		}
		e.interleave(parts...)
		return
	}
	var steps []*step
	var pool []Register
	for i, g := range gs {
		form := g.form
		g.form = by.form
		for t := range n {
			of := e.record(func() { round(i, g, t) })
			if len(of) != len(by.keys) {
				panic(fmt.Sprintf("an order of %d instructions for %d", len(by.keys), len(of)))
			}
			for j, s := range of {
				s.key = float64(32*t) + by.keys[j] + by.skew*float64(i)
			}
			steps = append(steps, of...)
		}
		g.form = form
		pool = append(pool, g.t[:]...)
	}
	e.arrange(steps, e.record(func() { e.interleave(beside...) }), pool)
}

// loop emits a loop that runs body times times. After each time the working variables
// are in the registers that they were in before.
func (gs groups) loop(c *Context, label string, counter GPPhysical, times int, body func()) {
	start := gs[0].v
	c.MOVL(U32(times), counter.As32())
	c.Label(label)
	body()
	c.DECL(counter.As32())
	c.JNZ(LabelRef(label))
	gs.check(start)
}

// check panics unless the working variables of the first group are in these registers.
func (gs groups) check(start [8]Register) {
	if gs[0].v != start {
		panic("the working variables are not where the loop expects them")
	}
}

// names returns the registers of the working variables and of the temporaries, for
// rename.
func (gs groups) names() []working {
	var names []working
	for _, g := range gs {
		names = append(names, g.working)
	}
	return names
}

// rename gives the groups the registers that they had.
func (gs groups) rename(names []working) {
	for i, g := range gs {
		g.v, g.t = names[i].v, names[i].t
	}
}
