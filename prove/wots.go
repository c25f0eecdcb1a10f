package main

import (
	"fmt"
	"strings"
)

// WOTS kernels, for any number of groups of chains, by induction over the loop of
// groups: F of FIPS 205, section 11.2, is one block behind a midstate, of which the
// digest goes into the next block. A group's memory is its own.

// A wotsProof is the proof of a WOTS kernel.
type wotsProof struct {
	code  *code
	lanes int
	head  int64
	// progress is how far it came, in rounds of the induction.
	progress int
}

// The words of a lane, in the order in which memory has them.
const (
	wotsState = 0
	wotsBlock = wotsState + 8
	wotsU     = wotsBlock + 16
	wotsMask  = wotsU + 8
	wotsWords = wotsMask + 4
)

// wotsCount is the word of the block of which the high half counts the steps.
const wotsCount = wotsBlock + 5

// wotsOrder is the order of the words of a midstate.
var wotsOrder = [8]int{5, 4, 1, 0, 7, 6, 3, 2}

// word names a word of a lane of the group.
func (d *wotsProof) word(lane, i int) word { return d.at(int64(4 * (lane*wotsWords + i))) }

// at names the word at an offset from the group.
func (d *wotsProof) at(off int64) word { return messageWord("c", off/4) }

// size is what a group takes in memory.
func (d *wotsProof) size() int64 { return int64(4 * wotsWords * d.lanes) }

// next is the digest and the count of a lane after a step.
func (d *wotsProof) next(lane int) (u state, count word) {
	var h state
	for i, j := range wotsOrder {
		h[j] = d.word(lane, wotsState+i)
	}
	for i := range u {
		if u[i] = d.word(lane, wotsU+i); i >= 4 {
			u[i] = and(u[i], d.word(lane, wotsMask+i-4))
		}
	}
	var m block
	for i := range m {
		m[i] = d.word(lane, wotsBlock+i)
	}
	// The digest begins at byte 22, which is in word 5. The block has zeros there.
	for i := 5; i <= 13; i++ {
		part := constant(0)
		if i > 5 {
			part = shiftLeft(u[i-6], 16)
		}
		if i < 13 {
			part = or(part, shiftRight(u[i-5], 16))
		}
		m[i] = add(m[i], part)
	}
	return compress(h, m), add(d.word(lane, wotsCount), constant(1<<16))
}

// entry is a machine at the kernel's entry, with n groups.
func (d *wotsProof) entry(n linear) *machine {
	mem := &machine{mem: map[string]*region{}}
	// What dst has is not carried from one group to the next.
	c := mem.region("dst", linear{}, n.times(d.size()), true, true)
	c.lazy = func(off int64) (word, bool) { return d.at(off), true }
	m := d.code.entry([]argument{{"c", address(c, linear{})}, {"n", counted(n)}})
	m.mem["dst"] = c
	return m
}

// stored checks what is in memory, with the step of the group done or without.
func (d *wotsProof) stored(m *machine, done bool) {
	words := m.mem["dst"].words
	want := make(map[int64]word)
	if done {
		for lane := range d.lanes {
			u, count := d.next(lane)
			for i, w := range u {
				want[int64(4*(lane*wotsWords+wotsU+i))] = w
			}
			want[int64(4*(lane*wotsWords+wotsCount))] = count
		}
	}
	for off, w := range want {
		expect(fmt.Sprintf("word %d", off/4), words[off], w)
	}
	for off, w := range words {
		if want[off] == 0 {
			expect(fmt.Sprintf("word %d, which is not to change,", off/4), w, d.at(off))
		}
	}
}

// renaming is to the next group, with done groups between: none or one.
func (d *wotsProof) renaming(done int64) *renaming {
	return &renaming{
		words: map[word]word{}, known: map[word]word{},
		region:  func(name string) string { return name },
		numbers: func(l linear) linear { return l.plus(number((l.c[symR] - l.c[symJ]) * done)) }, // J is J'-1, R is R'+1
		input: func(name string) string {
			if strings.Contains(name, "pointer, ") || strings.Contains(name, "address, ") {
				return name
			}
			return ""
		},
	}
}

func (d *wotsProof) progressed() int { return d.progress }

func (d *wotsProof) prove() {
	for _, m := range d.code.run(d.entry(number(0)), 0, -1) {
		d.stored(m, false)
	}
	// An address in dst is as many groups further as are done.
	further := func(v value) value {
		if v.kind == anAddress && v.region.name == "dst" {
			v.at.c[symJ] += d.size()
		}
		return v
	}
	var known *snapshot
	var like *machine
	same := func(l linear) linear { return l }
	for _, m := range d.code.run(d.entry(of(symR, 1)), 0, d.head) {
		if m.ended {
			refuse("the loop is not reached")
		}
		d.stored(m, false)
		t := take(m, d.renaming(0))
		for i := range t.gp {
			t.gp[i] = further(t.gp[i])
		}
		for _, cells := range t.cells {
			for o, v := range cells {
				cells[o] = further(v)
			}
		}
		if known == nil {
			known, like = t, m
		} else {
			known.meet(t, same)
		}
	}
	from := func(least int64, only bool) []*machine {
		m := known.start(like)
		c := m.mem["dst"]
		c.lo, c.hi = of(symJ, d.size()), of(symJ, d.size()).plus(of(symR, d.size()))
		m.least[symR] = least
		if only {
			m.everywhere(func(l linear) linear { return l.with(symR, number(least)) })
		}
		return d.code.run(m, d.head, d.head)
	}
	for again := true; again; {
		again = false
		d.progress++
		for _, m := range from(1, true) {
			if !m.ended {
				refuse("it goes on with no group left")
			}
			d.stored(m, true)
		}
		for _, m := range from(2, false) {
			if m.ended {
				refuse("it ends with groups left")
			}
			d.stored(m, true)
			if lost := known.meet(take(m, d.renaming(1)), same); len(lost) > 0 {
				again = true
			}
		}
	}
}
