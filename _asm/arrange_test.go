package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// TestArrange emits rounds in random orders, and compares what variables and schedules
// hold then with what they hold after the rounds as they are described.
func TestArrange(t *testing.T) {
	arranged := 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		shape := laneShape{groups: 1 + int(seed%2), scheduleInRegisters: seed%2 == 0}
		form := roundForm(seed % 3)
		// rounds returns what is held after eight rounds in the order, if its values find
		// registers: not all orders can be.
		rounds := func(keys []float64) (held map[any]uint64, instructions int) {
			defer func() {
				if text := fmt.Sprint(recover()); held == nil && text != "<nil>" {
					t.Logf("seed %d: %s", seed, text)
				}
			}()
			e := &emitter{c: NewContext()}
			gs := newGroups(newAVX512(e), shape, R10, R11)
			var by *roundOrder
			if keys != nil {
				by = &roundOrder{form: form, skew: 8, keys: keys}
			}
			var temps []Register
			for _, g := range gs {
				g.form = form
				temps = append(temps, g.t[:]...)
			}
			steps := e.record(func() {
				gs.rounds(by, 8, func(_ int, g *group, t int) {
					g.round(t, constants{base: RAX}, t)
					g.schedule(t + 16)
				})
			})
			held = hold(steps)
			for _, r := range temps {
				delete(held, r.ID())
			}
			return held, len(steps) / 8 / len(gs)
		}
		want, n := rounds(nil)
		keys := make([]float64, n)
		for i := range keys {
			keys[i] = 32*float64(i)/float64(n) + 40*random.NormFloat64()
		}
		got, _ := rounds(keys)
		if got != nil {
			arranged++
			if !maps.Equal(got, want) {
				t.Errorf("seed %d: an order changes what is computed", seed)
			}
		}
	}
	if arranged < 30 {
		t.Errorf("only %d of 60 orders could be arranged", arranged)
	}
}

// hold runs steps on numbers: sums and differences as they are, everything else as a
// mixture of what it reads. It returns what places hold in the end that steps write.
func hold(steps []*step) map[any]uint64 {
	written := make(map[any]uint64)
	value := func(op Op) uint64 {
		var place any = op
		if r, ok := op.(Register); ok {
			place = r.ID()
		}
		if v, ok := written[place]; ok {
			return v
		}
		return mixture(0, fmt.Sprint(place))
	}
	for _, s := range steps {
		last := len(s.Operands) - 1
		v := mixture(0, s.OpcodeWithSuffixes())
		switch s.Opcode {
		case "VPADDD":
			v = value(s.Operands[0]) + value(s.Operands[1])
		case "VPSUBD":
			v = value(s.Operands[1]) - value(s.Operands[0])
		case "VMOVDQA32", "VMOVDQU32":
			v = value(s.Operands[0])
		default:
			for i, op := range s.Operands {
				if i < last || slices.Contains(s.Inputs, op) {
					v = mixture(v, fmt.Sprint(value(op)))
				}
			}
		}
		switch d := s.Operands[last].(type) {
		case Register:
			written[d.ID()] = v
		default:
			written[d] = v
		}
	}
	return written
}

// mixture returns a number that depends on all of its arguments.
func mixture(v uint64, text string) uint64 {
	for _, b := range []byte(text) {
		v = (v ^ uint64(b)) * 0x9e3779b97f4a7c15
		v ^= v >> 29
	}
	return v
}
