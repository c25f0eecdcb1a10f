package main

import (
	"fmt"
	"strings"
)

// Chain kernels, for any number of iterations and any padding, by induction over the
// loop of iterations: HMAC of a digest is two blocks, from the two states of a key.

// A chainProof is the proof of a chain kernel.
type chainProof struct {
	code  *code
	lanes int
	// group is the number of lanes whose words are side by side in memory.
	group int
	head  int64
	// progress is how far it came, in rounds of the induction.
	progress int
}

// The values of a lane, in the order in which memory has them.
const (
	chainInner = iota
	chainOuter
	chainU
	chainSum
	chainValues
)

// at is the offset of word j of a value of a lane.
func (d *chainProof) at(lane, value, j int) int64 {
	return 4 * int64(((lane/d.group*chainValues+value)*8+j)*d.group+lane%d.group)
}

// value names the words of a value of a lane.
func (d *chainProof) value(lane, value int) state {
	return hashValue(fmt.Sprintf("%s%d", [chainValues]string{"inner", "outer", "u", "sum"}[value], lane))
}

// next is the digest and the sum of a lane after one more iteration.
func (d *chainProof) next(lane int) (u, sum state) {
	u, sum = d.value(lane, chainU), d.value(lane, chainSum)
	for value := chainInner; value <= chainOuter; value++ {
		var m block
		copy(m[:8], u[:])
		padding := hashValue("padding")
		copy(m[8:], padding[:])
		u = compress(d.value(lane, value), m)
	}
	for j := range sum {
		sum[j] = xor(sum[j], u[j])
	}
	return u, sum
}

// entry is a machine at the kernel's entry, with n iterations to do.
func (d *chainProof) entry(n linear) *machine {
	mem := &machine{mem: map[string]*region{}}
	c := mem.region("chains", linear{}, number(d.at(d.lanes, 0, 0)), true, true)
	for lane := range d.lanes {
		for value := range chainValues {
			for j, w := range d.value(lane, value) {
				c.words[d.at(lane, value, j)] = w
			}
		}
	}
	padding := mem.region("padding", linear{}, number(32), true, false)
	for j, w := range hashValue("padding") {
		padding.words[int64(4*j)] = w
	}
	m := d.code.entry([]argument{{"c", address(c, linear{})}, {"n", counted(n)}, {"padding", address(padding, linear{})}})
	m.mem["chains"], m.mem["padding"] = c, padding
	return m
}

// stored checks what is in memory at the end, with or without an iteration done.
func (d *chainProof) stored(m *machine, done bool) {
	words := m.mem["chains"].words
	for lane := range d.lanes {
		want := [chainValues]state{}
		for value := range want {
			want[value] = d.value(lane, value)
		}
		if done {
			want[chainU], want[chainSum] = d.next(lane)
		}
		for value := range want {
			for j, w := range want[value] {
				expect(fmt.Sprintf("word %d of value %d of lane %d", j, value, lane), words[d.at(lane, value, j)], w)
			}
		}
	}
}

// renaming is to the next iteration, or keeps everything.
func (d *chainProof) renaming(iteration bool) *renaming {
	r := &renaming{words: map[word]word{}, known: map[word]word{}, region: func(name string) string { return name }}
	r.numbers = func(l linear) linear { return l }
	r.input = func(name string) string {
		if iteration && (strings.HasPrefix(name, "u") || strings.HasPrefix(name, "sum")) {
			return ""
		}
		return name
	}
	if !iteration {
		return r
	}
	r.numbers = func(l linear) linear { return l.plus(number(l.c[symR])) } // R is R'+1
	for lane := range d.lanes {
		u, sum := d.next(lane)
		for j := range u {
			r.words[u[j]], r.words[sum[j]] = d.value(lane, chainU)[j], d.value(lane, chainSum)[j]
		}
	}
	return r
}

func (d *chainProof) progressed() int { return d.progress }

func (d *chainProof) prove() {
	identity := func(l linear) linear { return l }
	for _, m := range d.code.run(d.entry(number(0)), 0, -1) {
		d.stored(m, false)
	}
	var known *snapshot
	var like *machine
	for _, m := range d.code.run(d.entry(of(symR, 1)), 0, d.head) {
		if m.ended {
			refuse("the loop is not reached")
		}
		if t := take(m, d.renaming(false)); known == nil {
			known, like = t, m
		} else {
			known.meet(t, identity)
		}
	}
	for again := true; again; {
		again = false
		d.progress++
		last := known.start(like)
		last.everywhere(func(l linear) linear { return l.with(symR, number(1)) })
		for _, m := range d.code.run(last, d.head, d.head) {
			if !m.ended {
				refuse("it goes on with no iteration left")
			}
			d.stored(m, true)
		}
		more := known.start(like)
		more.least[symR] = 2
		for _, m := range d.code.run(more, d.head, d.head) {
			if m.ended {
				refuse("it ends with iterations left")
			}
			if lost := known.meet(take(m, d.renaming(true)), identity); len(lost) > 0 {
				again = true
			}
		}
	}
}
