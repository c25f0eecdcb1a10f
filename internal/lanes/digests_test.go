package lanes_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestSumDigests tests up to four digests behind prefixes of up to two blocks,
// into memory of their own and over the digests.
func TestSumDigests(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, length := range []int{0, 1, 7, 31, 32, 55, 63, 64, 65, 128} {
			begin := hashtest.Data(length)
			whole := length &^ (block.Size - 1)
			prefix := lanes.Prefix{H: block.IV256, Rest: begin[whole:], Len: uint64(length)}
			block.Compress(&prefix.H, begin[:whole])
			for k := 1; k <= 4; k++ {
				for _, n := range []int{0, 1, 2, 5, 31, 32, 33, 70} {
					src, want := make([][32]byte, k*n), make([][32]byte, n)
					for i := range src {
						src[i] = sha256.Sum256([]byte{byte(i), byte(k)})
					}
					for i := range want {
						message := bytes.Clone(begin)
						for _, d := range src[k*i:][:k] {
							message = append(message, d[:]...)
						}
						want[i] = sha256.Sum256(message)
					}
					apart := make([][32]byte, n)
					lanes.SumDigests(apart, prefix, src)
					lanes.SumDigests(src[:n], prefix, src)
					for i := range want {
						if apart[i] != want[i] || src[i] != want[i] {
							t.Fatalf("%d of %d times %d digests behind %d bytes: %x, in place %x, want %x", i, n, k, length, apart[i], src[i], want[i])
						}
					}
				}
			}
		}
	})
}
