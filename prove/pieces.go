package main

import (
	"maps"
	"slices"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// Routines for pieces of a message. They have no loop, or a loop of few turns. So the prover runs them
// for every length.

// returns goes all ways from the entry to the end. There is at least one (see atMoreStack).
func (c *code) returns(m *machine) []*machine { return c.run(m, 0, -1) }

// hasReadFirst checks that nothing was written to a region before all was read from others.
func (m *machine) hasReadFirst(written string, read ...string) {
	w := m.mem[written]
	for _, name := range read {
		if w.firstWrite > 0 && w.firstWrite < m.mem[name].lastRead {
			refuse("%s is written before all of %s is read", written, name)
		}
	}
}

// stateAfter is the state after blocks behind state h. Their words are as they are in memory.
func stateAfter(text []word) state {
	v := hashValue("h")
	for b := range slices.Chunk(text, blocks.Size/4) {
		var m block
		for i, w := range b {
			m[i] = swapBytes(w)
		}
		v = compress(v, m)
	}
	return v
}

// A writeProof is the proof of a routine that compresses the blocks that a piece completes behind the
// bytes held. The routine has a loop of few turns.
type writeProof struct {
	code *code
	held []int // the numbers of bytes held
	runs int
}

func (d *writeProof) progressed() int { return d.runs }

// entry is a machine at the entry, with n bytes held of `all` bytes. The others are the piece.
func (d *writeProof) entry(n, all int) *machine {
	mem := &machine{mem: map[string]*region{}}
	bytes := octets("message", all)
	h := mem.region("h", linear{}, number(32), true, true)
	h.hasState()
	held := mem.region("held", linear{}, number(blocks.Size), true, true)
	held.hasBytes(slices.Concat(bytes[:n], octets("held", blocks.Size)[n:]))
	p := mem.region("p", linear{}, number(int64(all-n)), true, false)
	p.hasBytes(bytes[n:])
	m := d.code.entry([]argument{{"h", address(h, linear{})}, {"held", address(held, linear{})},
		{"n", numeric(int64(n))}, {"p", address(p, linear{})}, {"length", numeric(int64(all - n))}})
	maps.Copy(m.mem, mem.mem)
	return m
}

func (d *writeProof) prove() {
	for all := blocks.Size; all <= blocks.MaxOneCall; all++ {
		forget()
		after := map[int64]word{}
		for i, w := range stateAfter(inMemory(octets("message", all/blocks.Size*blocks.Size))) {
			after[int64(4*i)] = w
		}
		for _, n := range d.held {
			d.written(n, all, after)
		}
	}
}

// written proves the routine for `all` bytes, of which n are held.
func (d *writeProof) written(n, all int, after map[int64]word) {
	left := map[int64]word{}
	if whole := all / blocks.Size * blocks.Size; all > whole {
		left = full(octets("message", all)[whole:]).from(0)
	}
	for _, m := range d.code.returns(d.entry(n, all)) {
		for _, written := range []string{"h", "held"} {
			m.hasReadFirst(written, "h", "held", "p")
		}
		m.mem["h"].hasWords(after)
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
