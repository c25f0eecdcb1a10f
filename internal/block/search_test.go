package block

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// differSearch compares a search kernel with the oracle: the lowest digit at
// every place of a block, with and without a block that follows, as many
// batches as one call takes, and a limit that is the word of one of the nonces,
// in every lane, so that it decides which batch is the first with a hit.
func differSearch(k SearchKernel) func(t *testing.T, r *rand.Rand, n int) {
	return func(t *testing.T, r *rand.Rand, n int) {
		memory := guard.New(t, int(unsafe.Sizeof(Nonces{})))
		for i := range n {
			c := (*Nonces)(unsafe.Pointer(&place(r, memory, int(unsafe.Sizeof(Nonces{})))[0]))
			m := searchMessage{h: randomState(r), last: i % Size, nonce: r.Uint64()}
			randomBytes(r, m.block[:])
			if r.IntN(2) == 0 {
				m.more = new([Size]byte)
				randomBytes(r, m.more[:])
			}
			batches := 1 + r.IntN(4)
			if i%101 == 0 {
				batches = k.Max
			}
			c.Reset(&m.h, &m.block, m.last, m.more, 0)
			batches = min(batches, max(1, 1<<(4*c.Digits())/k.Lanes))
			m.nonce &^= uint64(batches*k.Lanes - 1)
			if r.IntN(8) == 0 { // the last of their range
				m.nonce |= 1<<(4*c.Digits()) - 1
				m.nonce -= uint64(min(batches*k.Lanes, 1<<(4*c.Digits())) - 1)
			}
			m.nonce &^= uint64(k.Lanes - 1)

			words := make([]uint32, min(batches*k.Lanes, 1<<(4*c.Digits())))
			for j := range words {
				words[j] = m.word(m.nonce + uint64(j))
			}
			limit := words[i%len(words)]
			if r.IntN(4) == 0 {
				limit--
			}
			var wantHits uint32
			wantLeft := 0
			for j, w := range words {
				if w <= limit && (wantHits == 0 || batches-j/k.Lanes == wantLeft) {
					wantHits |= 1 << (j % k.Lanes)
					wantLeft = batches - j/k.Lanes
				}
			}

			c.Reset(&m.h, &m.block, m.last, m.more, limit)
			before := bytes.Clone(memory.Bytes())
			var hits uint32
			var left int
			if err := guard.Faults(func() { hits, left = k.Search(c, uint32(m.nonce), batches) }); err != nil {
				t.Fatalf("case %d, %v: %v", i, m, err)
			}

			if len(words) < k.Lanes {
				hits &= 1<<len(words) - 1
				if hits == 0 {
					left = 0
				}
			}
			if hits != wantHits || left != wantLeft {
				t.Fatalf("case %d, %v, %d batches: hits %#x with %d left, want %#x with %d", i, m, batches, hits, left, wantHits, wantLeft)
			}
			if !bytes.Equal(memory.Bytes(), before) {
				t.Fatalf("case %d, %v: memory changed", i, m)
			}
		}
	}
}

// A searchMessage is what Nonces.Reset is given, and a nonce.
type searchMessage struct {
	h     State
	block [Size]byte
	last  int
	more  *[Size]byte
	nonce uint64
}

func (m searchMessage) String() string {
	return fmt.Sprintf("last digit at %d, nonce %#x, second block %v", m.last, m.nonce, m.more != nil)
}

// word returns the first word of the digest for nonce n, by the oracle.
func (m searchMessage) word(n uint64) uint32 {
	digits := fmt.Sprintf("%016x", n)
	first := max(m.last-15, m.last&^3-4, 0)
	copy(m.block[first:m.last+1], digits[15-m.last+first:])
	generic(&m.h, &m.block[0], 1)
	if m.more != nil {
		generic(&m.h, &m.more[0], 1)
	}
	return m.h[0]
}
