package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Everything below is FIPS 180-4, section 6.2.2, on words of all lanes at once.

// working is the working variables of one block in each lane.
type working struct {
	ops operations
	// v are a, b, … h. A round renames them.
	v [8]Register
	// t are temporaries: 0 and 1 for majority, from one round to the next; 2 and
	// 3 within a round, 2 to 6 within a step of the schedule.
	t    [8]Register
	form roundForm
}

// A roundForm is how a round adds up e = d + T1 and a = T1 + T2. The chain from one
// round's e to the next bounds what has nothing beside it to fill the latency.
type roundForm int

const (
	// T1 grows in h's register and is added to d: seven additions, the longest chain.
	fewest roundForm = iota
	// As well, d + T1 is ((d + h + K + W) + Ch) + Σ1: nine additions.
	splitAdd
	// The same sum, e, grows in h's register, and T1 is e - d: eight, and as short a chain.
	difference
)

// A group is as many lanes as a register has words, with the state of their
// hash computation.
type group struct {
	working
	m machine
	// w are the last 16 words of the message schedule, registers or memory.
	w [16]Op
}

// newGroup returns a group that has no registers yet.
func newGroup(m machine, form roundForm) *group {
	return &group{working: working{ops: m, form: form}, m: m}
}

// lanes is how many lanes the group has.
func (g *group) lanes() int { return g.m.bits() / 32 }

// begin prepares the first round of a block.
func (g *working) begin() { g.ops.prepareMajority(g.t[0], g.v[1], g.v[2]) }

// round does round t, K[t] being word i of k:
//
//	T1 = h + Σ1(e) + Ch(e,f,g) + K[t] + W[t]
//	T2 = Σ0(a) + Maj(a,b,c)
//	h, g, f, e, d, c, b, a = g, f, e, d+T1, c, b, a, T1+T2
func (g *group) round(t int, k constants, i int) {
	h := g.v[7]
	g.m.add(h, h, g.w[t%16])
	g.m.addConstant(h, k, i, g.t[2])
	g.mix()
}

// constantRound does a round whose K[t] + W[t] is word i of k.
func (g *group) constantRound(k constants, i int) {
	g.m.addConstant(g.v[7], k, i, g.t[2])
	g.mix()
}

// mix does the part of a round that is left when h holds h + K[t] + W[t].
func (g *working) mix() {
	m, x, y := g.ops, g.t[2], g.t[3]
	a, b, c, d, e, f, gg, h := g.v[0], g.v[1], g.v[2], g.v[3], g.v[4], g.v[5], g.v[6], g.v[7]

	newA, newE := h, d
	switch g.form {
	case splitAdd:
		m.add(d, d, h)
	case difference:
		newA, newE = d, h
		m.add(h, h, d)
	}
	m.choose(x, e, f, gg)
	m.add(h, h, x)
	if g.form == splitAdd {
		m.add(d, d, x)
	}
	m.sigma(x, g.t[1], y, e, bigSigma1)
	m.add(h, h, x)
	switch g.form {
	case fewest:
		m.add(d, d, h)
	case splitAdd:
		m.add(d, d, x)
	case difference:
		m.(interface{ subtract(d, x, y Register) }).subtract(d, h, d)
	}

	// Now newA holds T1.
	m.majority(g.t[0], g.t[1], a, b, c)
	m.add(newA, newA, g.t[0])
	m.sigma(x, g.t[0], y, a, bigSigma0)
	m.add(newA, newA, x)

	g.t[0], g.t[1] = g.t[1], g.t[0]
	g.v = [8]Register{newA, a, b, c, newE, e, f, gg}
}

// schedule replaces W[t-16] by
//
//	W[t] = σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16]
func (g *group) schedule(t int) {
	m := g.m
	w := func(t int) Op { return g.w[t%16] }

	// The sum grows in W[t-16]'s register, or in a temporary if W is memory.
	sum, inRegisters := w(t).(Register)
	if !inRegisters {
		sum = g.t[2]
		m.load(sum, w(t).(Mem))
	}
	m.add(sum, sum, w(t-7))
	for _, term := range []struct {
		t int
		s sigma
	}{{t - 15, smallSigma0}, {t - 2, smallSigma1}} {
		x, ok := w(term.t).(Register)
		if !ok {
			x = g.t[3]
			m.load(x, w(term.t).(Mem))
		}
		m.sigma(g.t[4], g.t[5], g.t[6], x, term.s)
		m.add(sum, sum, g.t[4])
	}
	if !inRegisters {
		m.store(w(t).(Mem), sum)
	}
}
