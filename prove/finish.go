package main

import (
	"maps"
	"slices"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// A finishProof is the proof of a routine that hashes the end of a message, with its padding. It
// has a loop of few turns, so it runs for every length.
type finishProof struct {
	code *code
	runs int
}

func (d *finishProof) progressed() int { return d.runs }

// entry is a machine at the entry, with an end of n bytes. The length of the message is any number.
func (d *finishProof) entry(n int) *machine {
	mem := &machine{mem: map[string]*region{}}
	to := mem.region("sum", linear{}, number(blocks.DigestSize), false, true)
	h := mem.region("h", linear{}, number(32), true, false)
	for i, w := range hashValue("h") {
		h.words[int64(4*i)] = w
	}
	p := mem.region("p", linear{}, number(int64(n)), true, false)
	p.hasOctets()
	at := address(p, linear{})
	if n == 0 { // it may be nowhere
		at = data(unknown(), unknown())
	}
	m := d.code.entry([]argument{{"sum", address(to, linear{})}, {"h", address(h, linear{})}, {"p", at},
		{"n", numeric(int64(n))}, {"length", counted(of(symD, 1))}})
	maps.Copy(m.mem, mem.mem)
	m.least[symD] = -1 << 50 // it may be large: nothing is compared with it
	return m
}

func (d *finishProof) prove() {
	for n := range blocks.MaxFinish {
		forget()
		d.finished(n)
	}
}

// finished proves the routine for an end of n bytes.
func (d *finishProof) finished(n int) {
	v := hashValue("h")
	for text := range slices.Chunk(paddedTo(octets("p", n), of(symD, 1)), blocks.Size/4) {
		var m block
		for i, w := range text {
			m[i] = swapBytes(w)
		}
		v = compress(v, m)
	}
	want := map[int64]word{}
	for i, w := range v {
		want[int64(4*i)] = swapBytes(w)
	}
	for _, m := range d.code.returns(d.entry(n)) {
		m.hasReadFirst("sum", "h", "p")
		m.mem["sum"].hasWords(want)
		d.runs++
	}
}
