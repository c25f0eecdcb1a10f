package main

import (
	"maps"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// A finishProof is the proof of a routine that hashes the end of a message, with its padding. The
// end is in two pieces, the first of which has less than a block. The routine has a loop of few turns,
// so the prover runs it for every length.
type finishProof struct {
	code   *code
	before []int // the numbers of bytes in the first piece
	runs   int
}

func (d *finishProof) progressed() int { return d.runs }

// entry is a machine at the entry, with an end of n bytes, of which `before` are in the first piece.
// The length of the message is any number.
func (d *finishProof) entry(before, n int) *machine {
	mem := &machine{mem: map[string]*region{}}
	end := octets("end", n)
	piece := func(name string, octets []octet) value {
		r := mem.region(name, linear{}, number(int64(len(octets))), true, false)
		r.hasBytes(octets)
		if len(octets) == 0 { // it may be nowhere
			return data(unknown(), unknown())
		}
		return address(r, linear{})
	}
	to := mem.region("sum", linear{}, number(blocks.DigestSize), false, true)
	h := mem.region("h", linear{}, number(32), true, false)
	h.hasState()
	m := d.code.entry([]argument{
		{"sum", address(to, linear{})}, {"h", address(h, linear{})},
		{"first", piece("first", end[:before])}, {"before", numeric(int64(before))},
		{"p", piece("p", end[before:])}, {"n", numeric(int64(n - before))},
		{"length", counted(of(symD, 1))},
	})
	maps.Copy(m.mem, mem.mem)
	m.least[symD] = -1 << 50 // it may be large: nothing is compared with it
	return m
}

func (d *finishProof) prove() {
	for n := range blocks.MaxOneCall + 1 {
		forget()
		digest := map[int64]word{}
		for i, w := range stateAfter(paddedTo(octets("end", n), of(symD, 1))) {
			digest[int64(4*i)] = swapBytes(w)
		}
		for _, before := range d.before {
			if before <= n {
				d.finished(before, n, digest)
			}
		}
	}
}

// finished proves the routine for an end of n bytes, of which `before` are in the first piece.
func (d *finishProof) finished(before, n int, digest map[int64]word) {
	for _, m := range d.code.returns(d.entry(before, n)) {
		m.hasReadFirst("sum", "h", "first", "p")
		m.mem["sum"].hasWords(digest)
		d.runs++
	}
}
