package hashtree_test

import (
	"crypto/sha256"
	"math"
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestHashManyChunks hashes more chunks than Hash takes at a time, in place and not.
func TestHashManyChunks(t *testing.T) {
	chunks := make([][32]byte, 1<<20+6)
	copy(convert.Bytes(chunks), hashtest.Data(32*len(chunks)))
	want := make([][32]byte, len(chunks)/2)
	for i := range want {
		want[i] = sha256.Sum256(convert.Bytes(chunks[2*i : 2*i+2]))
	}
	apart := make([][32]byte, len(want)+1)
	for _, digests := range [][][32]byte{apart, chunks} { // the second replaces the chunks
		beyond := digests[len(want)]
		if err := hashtree.Hash(digests, chunks); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if digests[i] != want[i] {
				t.Fatalf("digest %d is %x, want %x", i, digests[i], want[i])
			}
		}
		if digests[len(want)] != beyond {
			t.Error("a digest beyond the last one was written")
		}
	}
}

// TestHashMoreBytesThanInt hashes a level of 2 GiB where no slice of bytes is that
// long: on 32-bit ports.
func TestHashMoreBytesThanInt(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		t.Skip("an int counts more bytes than memory has")
	}
	if testing.Short() {
		t.Skip("needs 2 GiB")
	}
	chunks := make([][32]byte, 1<<26)
	chunks[len(chunks)-1][0] = 1
	want := sha256.Sum256(convert.Bytes(chunks[len(chunks)-2:]))
	if err := hashtree.Hash(chunks, chunks); err != nil {
		t.Fatal(err)
	}
	if got := chunks[len(chunks)/2-1]; got != want {
		t.Errorf("the last digest is %x, want %x", got, want)
	}
}
