package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A processor reorders no more instructions than its scheduler holds. Where chains
// run side by side, the order of their instructions therefore decides what they cost.
// The generator describes chains one after the other, which is the easiest order to
// read. Here, what it emits for them is recorded, arranged and then emitted.

// A step is a recorded instruction.
type step struct {
	*ir.Instruction
	key   float64
	waits int     // how many steps it waits for
	after []*step // those that wait for it
}

// A temporary is a value that is in a register of a pool. Steps have it as an operand
// until they are emitted.
type temporary struct {
	Register      // nil until a step with the value is emitted
	uses     int  // that are to come
	sum      *sum // what it is part of
}

// A sum is a set of temporaries: those that one step uses are in the same sum, unless
// the step is an addition. A sum begins only when `room` registers are free: as many
// as are taken from its beginning to its end if steps come as recorded. Otherwise
// sums could wait for each other's registers.
type sum struct {
	room  int
	begun bool
}

// record returns the instructions that do emits, without branches.
func (e *emitter) record(do func()) []*step {
	outer := *e
	e.c, e.queue = NewContext(), nil
	e.c.Function("")
	do()
	file, err := e.c.Result()
	if err != nil {
		panic(err)
	}
	*e = outer
	var steps []*step
	for _, i := range file.Functions()[0].Instructions() {
		steps = append(steps, &step{Instruction: i})
	}
	return steps
}

// arrange emits steps: of those that wait for no other, the one with the smallest key
// comes next. The steps of beside are spread evenly among them, in their own order.
// Where a step of beside shares a register or memory with one of steps, it counts as
// the later of the two. Temporaries get the registers of the pool that no step of
// beside names.
func (e *emitter) arrange(steps, beside []*step, pool []Register) {
	pool = slices.DeleteFunc(slices.Clone(pool), func(r Register) bool {
		return slices.ContainsFunc(beside, func(s *step) bool {
			return slices.ContainsFunc(s.Registers(), func(other Register) bool { return other.ID() == r.ID() })
		})
	})
	nameTemporaries(steps, pool)
	depend(slices.Concat(steps, beside))

	for left, ahead := slices.Clone(steps), beside; len(left)+len(ahead) > 0; {
		next := -1
		for i, s := range left {
			if s.waits == 0 && s.room() <= len(pool) && (next < 0 || s.key < left[next].key) {
				next = i
			}
		}
		due := len(ahead)*len(steps) >= len(left)*len(beside)
		var s *step
		switch {
		case len(ahead) > 0 && ahead[0].waits == 0 && (due || next < 0):
			s, ahead = ahead[0], ahead[1:]
		case next >= 0:
			s = left[next]
			left = slices.Delete(left, next, next+1)
		default:
			panic(fmt.Sprintf("%d instructions wait for registers", len(left)))
		}
		pool = s.allocate(pool)
		e.emit(func() { e.c.Instruction(s.Instruction) })
		for _, other := range s.after {
			other.waits--
		}
	}
}

// nameTemporaries replaces the registers of the pool in the operands of steps by the
// temporaries that they hold. If a step writes such a register and does not read it,
// the register holds another temporary from there on.
func nameTemporaries(steps []*step, pool []Register) {
	var (
		now  = make(map[Op]*temporary)
		sums = make(map[*sum][]*temporary)
	)
	for _, s := range steps {
		for _, op := range s.Outputs {
			if r, ok := op.(Register); ok && slices.Contains(pool, r) && !slices.Contains(s.Inputs, op) {
				t := &temporary{sum: new(sum)}
				now[op], sums[t.sum] = t, []*temporary{t}
			}
		}
		for _, ops := range [][]Op{s.Operands, s.Inputs, s.Outputs} {
			for i, op := range ops {
				if t := now[op]; t != nil {
					ops[i] = t
				}
			}
		}
		temps := s.temporaries()
		for _, t := range temps {
			t.uses++
			if one, other := temps[0].sum, t.sum; other != one && !s.adds() {
				for _, t := range sums[other] {
					t.sum = one
				}
				sums[one] = append(sums[one], sums[other]...)
			}
		}
	}
	uses := make(map[*temporary]int)
	var taken []*temporary // in the order in which they began
	for _, s := range steps {
		for _, t := range s.temporaries() {
			if uses[t]++; uses[t] == 1 {
				taken = append(taken, t)
			}
		}
		for i, t := range taken {
			t.sum.room = max(t.sum.room, len(taken)-i)
		}
		taken = slices.DeleteFunc(taken, func(t *temporary) bool { return uses[t] == t.uses })
	}
}

// temporaries returns the temporaries of s, each once.
func (s *step) temporaries() (ts []*temporary) {
	for _, op := range s.Operands {
		if t, ok := op.(*temporary); ok && !slices.Contains(ts, t) {
			ts = append(ts, t)
		}
	}
	return ts
}

// adds reports whether s is an addition.
func (s *step) adds() bool { return s.Opcode == "VPADDD" }

// room returns how many registers have to be free for s.
func (s *step) room() int {
	for _, t := range s.temporaries() {
		if !t.sum.begun {
			return t.sum.room
		}
		if t.Register == nil {
			return 1
		}
	}
	return 0
}

// allocate gives registers to the temporaries of s. It takes the last of the pool, and
// puts those that are not used any more in front.
func (s *step) allocate(pool []Register) []Register {
	temps := s.temporaries()
	for _, t := range temps {
		if t.Register == nil {
			last := len(pool) - 1
			t.Register, pool, t.sum.begun = pool[last], pool[:last], true
		}
	}
	for _, ops := range [][]Op{s.Operands, s.Inputs, s.Outputs} {
		for i, op := range ops {
			if t, ok := op.(*temporary); ok {
				ops[i] = t.Register
			}
		}
	}
	for _, t := range temps {
		if t.uses--; t.uses == 0 {
			pool = slices.Insert(pool, 0, t.Register)
		}
	}
	return pool
}

// depend derives which steps wait for which earlier ones: a read waits for writes of its
// place, a write for reads and writes. Additions to one place do not wait for each other,
// if nothing is between them.
func depend(steps []*step) {
	type history struct {
		writers, readers []*step
		additions        bool    // whether the writers are additions
		before           []*step // what they wait for
	}
	places := make(map[any]*history)
	at := func(place any) *history {
		if places[place] == nil {
			places[place] = new(history)
		}
		return places[place]
	}
	for _, s := range steps {
		follow := func(others []*step) {
			for _, other := range others {
				if other != s && !slices.Contains(other.after, s) {
					other.after = append(other.after, s)
					s.waits++
				}
			}
		}
		reads, writes := s.places()
		adds := func(place any) bool {
			return s.adds() && slices.Contains(reads, place) && slices.Contains(writes, place)
		}
		for _, place := range reads {
			if h := at(place); !adds(place) {
				follow(h.writers)
				h.readers = append(h.readers, s)
			}
		}
		for _, place := range writes {
			h := at(place)
			if !adds(place) || !h.additions || len(h.readers) > 0 {
				*h = history{additions: adds(place), before: slices.Concat(h.writers, h.readers)}
			}
			follow(h.before)
			h.writers = append(h.writers, s)
		}
	}
}

// places returns what s reads and writes: temporaries, other registers at any width, and
// memory, of which each address that looks different is another place.
func (s *step) places() (reads, writes []any) {
	of := func(ops []Op) (places []any) {
		for _, op := range ops {
			switch op := op.(type) {
			case *temporary:
				places = append(places, op)
			case Register:
				places = append(places, op.ID())
			case Mem:
				places = append(places, op)
				for _, r := range Registers(op) {
					reads = append(reads, r.ID())
				}
			}
		}
		return places
	}
	writes = of(s.Outputs)
	return append(reads, of(s.Inputs)...), writes
}
