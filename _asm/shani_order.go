package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Four streams whose schedules are in memory leave the processor's scheduler more
// to reorder than it can hold: the order in which their operations are emitted
// decides what the kernel costs. It was found by search, which times loops of
// rounds in one order after the other.

// A shaOp is an operation of four rounds of one stream.
type shaOp int

const (
	shaLoad    shaOp = iota // four words of the block
	shaShift                // W(t-7)
	shaMsg1                 // W(t-16) + σ0(W(t-15))
	shaAdd                  // the sum of both
	shaMsg2                 // plus σ1(W(t-2))
	shaStore                // into the schedule in memory
	shaAddK                 // W+K
	shaRounds1              // the first two rounds
	shaRounds2              // the other two
	shaOps
)

// A shaOrder says in which order operations are emitted. Operation op of rounds 4i
// to 4i+3 of stream s has the key 32·i + offset[op] + skew[s]. Of the operations
// whose operands are there, the one with the smallest key comes first.
type shaOrder struct {
	offset [shaOps]float64
	skew   [4]float64
}

// fourStreams was found on Zen 4 (family 0x19, model 0x11), where it takes x4_shani
// from 221 cycles to 197, which is what the operations need. On Zen 3 (family 0x19,
// model 0x01) it is 226 to 213. On Zen 5 it was not measured.
var fourStreams = shaOrder{
	offset: [shaOps]float64{
		shaAdd: -45.7, shaMsg2: 4.7, shaMsg1: 6.4, shaShift: 20.8, shaLoad: 32.8,
		shaRounds1: 33.4, shaRounds2: 35.1, shaStore: 59.2, shaAddK: 69.7,
	},
	skew: [4]float64{0, -18.6, 0.9, -17.7},
}

// besideSecond is for two streams with a schedule and two without one. It was found on
// Zen 4 (family 0x19, model 0x11): four nodes in a long call of node_x4_shani take 282
// cycles, in the order of fourStreams 319, one block after the other 345. Other CPUs were
// not measured.
var besideSecond = shaOrder{
	offset: [shaOps]float64{
		shaShift: -7.4, shaLoad: -6.8, shaAdd: -4.8, shaMsg1: 2.5, shaMsg2: 7.1,
		shaAddK: 15.9, shaRounds1: 29.1, shaStore: 31.6, shaRounds2: 49.4,
	},
	skew: [4]float64{0, 1.7, 0.2, 6.9},
}

// A value is what an operation reads or writes: words of a stream in a register
// or in memory.
type value struct {
	of     string
	stream int
	i      int
}

// An orderedOp is a shaOp of a stream's rounds 4i to 4i+3.
type orderedOp struct {
	op            shaOp
	stream, i     int
	key           float64
	reads, writes []value
	// takes is the value for which the operation takes a register of the pool, or nil.
	takes *value
	emit  func()

	waits int   // how many operations it waits for
	after []int // the operations that wait for it
}

// A shaSchedule emits the 64 rounds of a block of several streams, the schedules of
// which are in memory, in a given order.
type shaSchedule struct {
	c       *Context
	streams []shaStream
	k       Register
	order   Mem // the mask that turns words around
	pool    []Register
	in      map[value]Register // of the pool
	uses    map[value]int      // that are to come
	ops     []*orderedOp
}

// roundsInOrder emits the rounds of a block of each stream. It uses the
// registers of the pool, X0, and the registers of the states.
func roundsInOrder(c *Context, streams []shaStream, k Register, order Mem, by shaOrder) {
	s := &shaSchedule{
		c: c, streams: streams, k: k, order: order, pool: []Register{X15, X14, X13, X12, X11, X2, X1},
		in: make(map[value]Register), uses: make(map[value]int),
	}
	for i := range 16 {
		for j := range streams {
			s.fourRounds(j, i)
		}
	}
	for _, op := range s.ops {
		op.key = float64(32*op.i) + by.offset[op.op] + by.skew[op.stream]
	}
	s.depend()
	s.emit()
}

// fourRounds lists the operations of rounds 4i to 4i+3 of stream j, one after the
// other.
func (s *shaSchedule) fourRounds(j, i int) {
	c, stream := s.c, s.streams[j]
	var (
		words   = func(i int) value { return value{"words", j, i} } // in a register
		msg     = func(i int) value { return value{"msg", j, i % 4} }
		shifted = value{"shifted", j, i}
		wk      = value{"W+K", j, i}
		abef    = value{"abef", j, 0}
		cdgh    = value{"cdgh", j, 0}
		x       = func(i int) Register { return s.in[words(i)] }
		add     = func(op shaOp, takes *value, reads, writes []value, emit func()) {
			s.ops = append(s.ops, &orderedOp{op: op, stream: j, i: i, takes: takes, reads: reads, writes: writes, emit: emit})
		}
		rounds = func(reads []value, low, high func()) {
			add(shaRounds1, nil, append(reads, abef, cdgh), []value{cdgh}, func() {
				low()
				c.SHA256RNDS2(shaWK, stream.abef, stream.cdgh)
			})
			add(shaRounds2, nil, append(reads, abef, cdgh), []value{abef}, func() {
				high()
				c.SHA256RNDS2(shaWK, stream.cdgh, stream.abef)
			})
		}
		now = words(i)
		// An operation that finishes four new words also counts as writing the four words
		// before them, so it waits for all uses of those. So a stream never has more in
		// registers than four finished words and four that are being computed.
		last []value
	)
	if i > 0 {
		last = []value{words(i - 1)}
	}
	if stream.table != nil {
		wk := Mem{Base: stream.table, Disp: 16 * i}
		rounds(nil, func() { c.MOVOU(wk, shaWK) }, func() { c.MOVQ(wk.Offset(8), shaWK) })
		return
	}
	if i < 4 {
		add(shaLoad, &now, nil, append(last, now), func() {
			stream.blockWords(c, i, x(i), s.order)
		})
	} else {
		add(shaShift, &shifted, []value{words(i - 1), msg(i + 2)}, []value{shifted}, func() {
			c.MOVOA(x(i-1), s.in[shifted])
			c.PALIGNR(Imm(4), stream.msg[(i+2)%4], s.in[shifted])
		})
		add(shaMsg1, &now, []value{msg(i), msg(i + 1)}, []value{now}, func() {
			c.MOVOA(stream.msg[i%4], x(i))
			c.SHA256MSG1(stream.msg[(i+1)%4], x(i))
		})
		add(shaAdd, nil, []value{shifted, now}, []value{now}, func() { c.PADDD(s.in[shifted], x(i)) })
		add(shaMsg2, nil, []value{words(i - 1), now}, append(last, now), func() { c.SHA256MSG2(x(i-1), x(i)) })
	}
	if i < 14 { // the last eight words of the schedule are not read from memory
		add(shaStore, nil, []value{now}, []value{msg(i)}, func() { c.MOVOA(x(i), stream.msg[i%4]) })
	}
	add(shaAddK, &wk, []value{now}, []value{wk}, func() {
		c.MOVOU(Mem{Base: s.k, Disp: 16 * i}, s.in[wk])
		c.PADDD(x(i), s.in[wk])
	})
	rounds([]value{wk}, func() { c.MOVOA(s.in[wk], shaWK) }, func() { c.PSHUFD(Imm(0x0e), s.in[wk], shaWK) })
}

// depend derives which operations wait for which earlier ones: a read waits for
// the write of its value, a write for earlier reads and writes.
func (s *shaSchedule) depend() {
	var (
		writer  = make(map[value]int)
		readers = make(map[value][]int)
	)
	for n, op := range s.ops {
		follow := func(m int) {
			if m != n && !slices.Contains(s.ops[m].after, n) {
				s.ops[m].after = append(s.ops[m].after, n)
				op.waits++
			}
		}
		for _, v := range op.reads {
			if m, ok := writer[v]; ok {
				follow(m)
			}
			s.uses[v]++
		}
		for _, v := range op.writes {
			for _, m := range readers[v] {
				follow(m)
			}
			if m, ok := writer[v]; ok {
				follow(m)
			}
			s.uses[v]++
		}
		for _, v := range op.reads {
			readers[v] = append(readers[v], n)
		}
		for _, v := range op.writes {
			writer[v], readers[v] = n, nil
		}
	}
}

// emit emits the operations, smallest key first. An operation for which the pool has
// too few registers waits while others go first.
func (s *shaSchedule) emit() {
	var ready []int
	for n, op := range s.ops {
		if op.waits == 0 {
			ready = append(ready, n)
		}
	}
	for range s.ops {
		next := -1
		for at, n := range ready {
			op := s.ops[n]
			// To finish a word takes a second register.
			need := 0
			switch {
			case op.takes == nil:
			case op.op == shaShift && s.in[value{"words", op.stream, op.i}] == nil,
				op.op == shaMsg1 && s.in[value{"shifted", op.stream, op.i}] == nil:
				need = 2
			default:
				need = 1
			}
			if len(s.pool) >= need && (next < 0 || op.key < s.ops[ready[next]].key || op.key == s.ops[ready[next]].key && n < ready[next]) {
				next = at
			}
		}
		if next < 0 {
			panic(fmt.Sprintf("%d operations wait for registers", len(ready)))
		}
		n := ready[next]
		op := s.ops[n]
		ready = slices.Delete(ready, next, next+1)
		if op.takes != nil {
			last := len(s.pool) - 1
			s.in[*op.takes], s.pool = s.pool[last], s.pool[:last]
		}
		op.emit()
		s.release(op.reads)
		s.release(op.writes)
		for _, m := range op.after {
			if s.ops[m].waits--; s.ops[m].waits == 0 {
				ready = append(ready, m)
			}
		}
	}
}

// release counts down the uses that values have left. The registers of values without
// further uses go back to the front of the pool; registers are taken from its end.
func (s *shaSchedule) release(values []value) {
	for _, v := range values {
		s.uses[v]--
		if r := s.in[v]; r != nil && s.uses[v] == 0 {
			s.pool = slices.Insert(s.pool, 0, r)
			delete(s.in, v)
		}
	}
}
