package main

import (
	"maps"
	"slices"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// Routines for pieces of a message, which have no loop: they run for every length.

// returns goes all ways from the entry to the end. There is at least one.
func (c *code) returns(m *machine) []*machine {
	ends := c.run(m, 0, -1)
	if len(ends) == 0 {
		refuse("it only wants more stack")
	}
	return ends
}

// hasReadFirst checks that nothing was written to a region before all was read from others.
func (m *machine) hasReadFirst(written string, read ...string) {
	w := m.mem[written]
	for _, name := range read {
		if w.firstWrite > 0 && w.firstWrite < m.mem[name].lastRead {
			refuse("%s is written before all of %s is read", written, name)
		}
	}
}

// A joinProof is the proof of a routine that appends a piece to the bytes held.
type joinProof struct {
	code *code
	held []int // the numbers of bytes held
	runs int
}

func (d *joinProof) progressed() int { return d.runs }

// entry is a machine at the entry, with n bytes held and a piece of some length.
func (d *joinProof) entry(n, length int) *machine {
	mem := &machine{mem: map[string]*region{}}
	x := mem.region("x", linear{}, number(int64((n+length)/blocks.Size*blocks.Size)), false, true)
	x.bytes = true
	held := mem.region("held", linear{}, number(blocks.Size), true, true)
	held.hasOctets()
	p := mem.region("p", linear{}, number(int64(length)), true, false)
	p.hasOctets()
	m := d.code.entry([]argument{{"x", address(x, linear{})}, {"held", address(held, linear{})},
		{"n", numeric(int64(n))}, {"p", address(p, linear{})}, {"length", numeric(int64(length))}})
	maps.Copy(m.mem, mem.mem)
	return m
}

func (d *joinProof) prove() {
	for _, n := range d.held {
		forget()
		for all := blocks.Size; all < 3*blocks.Size; all++ {
			d.joined(n, all-n)
		}
	}
}

func (d *joinProof) joined(n, length int) {
	all := append(octets("held", n), octets("p", length)...)
	filled := len(all) / blocks.Size * blocks.Size
	want := map[int64]word{}
	for i, w := range inMemory(all[:filled]) {
		want[int64(4*i)] = w
	}
	left := map[int64]word{}
	if len(all) > filled {
		left = full(all[filled:]).from(0)
	}
	for _, m := range d.code.returns(d.entry(n, length)) {
		m.hasReadFirst("held", "held", "p")
		m.mem["x"].hasWords(want)
		// What is only read is as it was.
		maps.DeleteFunc(m.mem["held"].words, func(off int64, w word) bool { return len(left) == 0 && w == messageWord("held", off/4) })
		m.mem["held"].hasWords(left)
		d.runs++
	}
}

// An appendProof is the proof of a routine that appends a piece to a block that is not full.
type appendProof struct {
	code *code
	held []int // the numbers of bytes held
	runs int
}

func (d *appendProof) progressed() int { return d.runs }

// entry is a machine at the entry, with n bytes held and a piece of some length.
func (d *appendProof) entry(n, length int) *machine {
	mem := &machine{mem: map[string]*region{}}
	held := mem.region("held", linear{}, number(blocks.Size), true, true)
	held.hasOctets()
	p := mem.region("p", linear{}, number(int64(length)), true, false)
	p.hasOctets()
	m := d.code.entry([]argument{{"held", address(held, linear{})}, {"n", numeric(int64(n))},
		{"p", address(p, linear{})}, {"length", numeric(int64(length))}})
	maps.Copy(m.mem, mem.mem)
	return m
}

func (d *appendProof) prove() {
	for _, n := range d.held {
		forget()
		for all := n; all <= blocks.Size; all++ {
			d.appended(n, all-n)
		}
	}
}

func (d *appendProof) appended(n, length int) {
	held := octets("held", blocks.Size)
	want := full(slices.Concat(held[:n], octets("p", length), held[n+length:])).from(0)
	for _, m := range d.code.returns(d.entry(n, length)) {
		m.hasReadFirst("held", "held", "p")
		m.mem["held"].hasWords(want)
		d.runs++
	}
}
