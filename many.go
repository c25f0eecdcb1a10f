package sha256

import (
	"fmt"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumMany sets dst[i] to Sum256(msgs[i]) for every i. It hashes the messages side by side
// on the calling goroutine. It starts no other goroutine. Once its pools are filled, it
// allocates nothing. A nil message is an empty message. dst must not overlap any message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func SumMany[D ~[Size]byte](dst []D, msgs [][]byte) {
	sumMany(convert.Digests[[Size]byte](dst), msgs)
}

func sumMany(dst [][Size]byte, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	switch {
	case block.UsesStd():
		for i, m := range msgs {
			dst[i] = Sum256(m)
		}
	case len(msgs) == 1: // lanes.SumMany would take 3 ns longer (Granite Rapids)
		lanes.Sum(&dst[0], msgs[0])
	default:
		lanes.SumMany(dst, msgs)
	}
}

// SumMany224 is [SumMany] for SHA-224: it sets dst[i] to Sum224(msgs[i]) for every i.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func SumMany224[D ~[Size224]byte](dst []D, msgs [][]byte) {
	checkLengths("SumMany224", len(dst), len(msgs))
	if block.UsesStd() {
		for i, m := range msgs {
			dst[i] = Sum224(m)
		}
		return
	}
	if lanes.OneByOne(msgs, 0, lanes.NotNested) {
		p := lanes.Prefix{H: block.IV224}
		var sum [Size]byte
		for i, m := range msgs {
			p.Sum(&sum, m)
			dst[i] = D([Size224]byte(sum[:]))
		}
		return
	}
	sums := lists224.Get().(*list224)
	for len(msgs) > 0 {
		n := min(len(sums), len(msgs))
		lanes.SumManyAfter(sums[:n], &lanes.Prefix{H: block.IV224}, msgs[:n])
		for i := range n {
			dst[i] = D([Size224]byte(sums[i][:]))
		}
		dst, msgs = dst[n:], msgs[n:]
	}
	lists224.Put(sums)
}

// list224 holds digests of SHA-224 before they are truncated to 28 bytes.
type list224 [1024][Size]byte

var lists224 = sync.Pool{New: func() any { return new(list224) }}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("sha256: %s: slices of different lengths, %d and %d", function, a, b))
	}
}
