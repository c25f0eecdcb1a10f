package main

import (
	"encoding/binary"
	"math/rand"
	"testing"
	"unsafe"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// What proofs of search kernels start from is what Nonces.Reset makes, for every
// place of the last digit: layoutOf, on numbers, gives the same bytes.
func TestLayoutIsThatOfReset(t *testing.T) {
	if size := unsafe.Sizeof(blocks.Nonces{}); size != nonceSize {
		t.Fatalf("Nonces takes %d bytes, not %d", size, nonceSize)
	}
	rng := rand.New(rand.NewSource(1))
	for last := range 64 {
		for _, follows := range []bool{false, true} {
			forget()
			var h blocks.State
			var p, more [64]byte
			rng.Read(p[:])
			rng.Read(more[:])
			for i := range h {
				h[i] = rng.Uint32()
			}
			limit := rng.Uint32()
			words := func(b [64]byte) (r block) {
				for i := range r {
					r[i] = constant(binary.BigEndian.Uint32(b[4*i:]))
				}
				return r
			}
			var hs state
			for i := range hs {
				hs[i] = constant(h[i])
			}
			var n blocks.Nonces
			b, ms := (*block)(nil), (*[64]byte)(nil)
			if follows {
				m := words(more)
				b, ms = &m, &more
			}
			n.Reset(&h, &p, last, ms, limit)
			layout := layoutOf(hs, words(p), last, b, constant(limit))
			got := unsafe.Slice((*byte)(unsafe.Pointer(&n)), nonceSize)
			for off, w := range layout.words {
				if c, ok := isConstant(w); !ok || c != binary.NativeEndian.Uint32(got[off:]) {
					t.Fatalf("last digit at %d, offset %d: %s, Reset has %#x", last, off, show(w, 1), binary.NativeEndian.Uint32(got[off:]))
				}
			}
			if want := (nonceSize-4)/4 - map[bool]int{false: 64, true: 0}[follows]; len(layout.words) != want {
				t.Fatalf("%d words, Nonces has %d", len(layout.words), want)
			}
		}
	}
}

// A search kernel is proved at one place of the last digit, and refused when a
// digest is compared with something else.
func TestSearchOfOnePlace(t *testing.T) {
	k := kernelNamed(t, "search_x4_sha2")
	c := codeOf(t, k.Name)
	at := func() error {
		return atOneOf(c.heads(), func(head int64) proof {
			forget()
			precise = true
			return &search{code: c, lanes: k.Lanes, last: 26, head: head}
		})
	}
	if err := at(); err != nil {
		t.Fatal(err)
	}
	for _, in := range c.ins {
		if in.op == "cmeq" {
			in.args[1].reg ^= 1
		}
	}
	if at() == nil {
		t.Error("a broken kernel is accepted")
	}
}
