package hashtree_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// randomBytes returns n bytes, the same for every run.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{6}).Read(b)
	return b
}

func chunks(n int) [][32]byte {
	cs, b := make([][32]byte, n), randomBytes(32*n)
	for i := range cs {
		cs[i] = [32]byte(b[32*i:])
	}
	return cs
}

// plainly returns what Hash should, by crypto/sha256.
func plainly(chunks []byte) []byte {
	var digests []byte
	for ; len(chunks) > 0; chunks = chunks[64:] {
		sum := sha256.Sum256(chunks[:64])
		digests = append(digests, sum[:]...)
	}
	return digests
}

func TestHashEveryCount(t *testing.T) {
	all := chunks(2 * 200)
	hashtest.ForEachNode(t, func(t *testing.T) {
		for n := range 201 {
			digests := chunks(n + 3)
			if err := hashtree.Hash(digests, all[:2*n]); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if want := sha256.Sum256(append(all[2*i][:], all[2*i+1][:]...)); digests[i] != want {
					t.Fatalf("%d nodes: digest %d is %x, want %x", n, i, digests[i], want)
				}
			}
			for i, rest := range chunks(n + 3)[n:] {
				if digests[n+i] != rest {
					t.Fatalf("%d nodes: wrote digest %d", n, n+i)
				}
			}
		}
	})
}

func TestHashInPlace(t *testing.T) {
	hashtest.ForEachNode(t, func(t *testing.T) {
		for n := range 201 {
			got := randomBytes(64 * n)
			want := append(plainly(got), got[32*n:]...)
			if err := hashtree.HashByteSlice(got, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%d nodes in place: wrong bytes", n)
			}
		}
	})
}

func TestHashByteSliceUnaligned(t *testing.T) {
	hashtest.ForEachNode(t, func(t *testing.T) {
		for offset := range 64 {
			n := 32 + offset
			src := randomBytes(64 + 64*n)[offset:][:64*n]
			dst := make([]byte, 64+32*n)[63-offset:][:32*n]
			if err := hashtree.HashByteSlice(dst, src); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(dst, plainly(src)) {
				t.Fatalf("source at %d, digests at %d: wrong digests", offset, 63-offset)
			}
		}
	})
}

// TestHashStaysWithinItsSlices has pages that may not be touched right before
// or right after both slices.
func TestHashStaysWithinItsSlices(t *testing.T) {
	const most = 200
	chunks, digests := guard.New(t, 64*most), guard.New(t, 32*most)
	hashtest.ForEachNode(t, func(t *testing.T) {
		for n := range most + 1 {
			for _, place := range []func(b *guard.Buffer, n int) []byte{(*guard.Buffer).Head, (*guard.Buffer).Tail} {
				src, dst := place(chunks, 64*n), place(digests, 32*n)
				copy(src, randomBytes(64*n))
				if err := hashtree.HashByteSlice(dst, src); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst, plainly(src)) {
					t.Fatalf("%d nodes: wrong digests", n)
				}
			}
		}
	})
}

func TestBadLengthsTouchNothing(t *testing.T) {
	for _, test := range []struct {
		digests, chunks int
		want            error
		text            string
	}{
		{1, 1, hashtree.ErrOddChunks, "odd number of chunks"},
		{9, 7, hashtree.ErrOddChunks, "odd number of chunks"},
		{1, 4, hashtree.ErrNotEnoughDigests, "not enough digest length, need at least 2, got 1"},
		{0, 2, hashtree.ErrNotEnoughDigests, "not enough digest length, need at least 1, got 0"},
	} {
		digests := chunks(test.digests)
		checkError(t, hashtree.Hash(digests, chunks(test.chunks)), test.want, test.text)
		if fmt.Sprint(digests) != fmt.Sprint(chunks(test.digests)) {
			t.Errorf("%v: digests were written", test.want)
		}
	}
	for _, test := range []struct {
		digests, chunks int
		want            error
		text            string
	}{
		{64, 63, hashtree.ErrChunksNotMultipleOf64, "chunks not multiple of 64 bytes"},
		{64, 32, hashtree.ErrChunksNotMultipleOf64, "chunks not multiple of 64 bytes"},
		{33, 64, hashtree.ErrDigestsNotMultipleOf32, "digests not multiple of 32 bytes"},
		{32, 128, hashtree.ErrNotEnoughDigests, "not enough digest length, need at least 64, got 32"},
		{0, 64, hashtree.ErrNotEnoughDigests, "not enough digest length, need at least 32, got 0"},
	} {
		digests := randomBytes(test.digests)
		checkError(t, hashtree.HashByteSlice(digests, randomBytes(test.chunks)), test.want, test.text)
		if !bytes.Equal(digests, randomBytes(test.digests)) {
			t.Errorf("%v: digests were written", test.want)
		}
	}
}

func checkError(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || err.Error() != text {
		t.Errorf("error %q, want %q that is %q", err, text, want)
	}
}

func TestNothingToHash(t *testing.T) {
	if err := hashtree.Hash[[32]byte](nil, nil); err != nil {
		t.Error(err)
	}
	for _, digests := range []int{0, 32, 33} {
		if err := hashtree.HashByteSlice(make([]byte, digests), nil); err != nil {
			t.Errorf("%d bytes for digests: %v", digests, err)
		}
	}
}

func FuzzHashByteSlice(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add(randomBytes(64*37), true)
	f.Fuzz(func(t *testing.T, data []byte, inPlace bool) {
		data = data[:len(data)&^63]
		want := plainly(data)
		digests := make([]byte, len(want))
		if inPlace {
			digests = data
		}
		if err := hashtree.HashByteSlice(digests, data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(digests[:len(want)], want) {
			t.Errorf("%d nodes: wrong digests", len(want)/32)
		}
	})
}

// A root is a digest of a named type.
type root [32]byte

func TestDigestsOfANamedType(t *testing.T) {
	for _, n := range []int{0, 2, 6, 70} {
		plain := chunks(n)
		named := make([]root, n)
		for i, c := range plain {
			named[i] = c
		}
		nodes := make([]root, n/2)
		if err := hashtree.Hash(nodes, named); err != nil {
			t.Fatal(err)
		}
		for i, got := range nodes {
			if want := sha256.Sum256(slices.Concat(plain[2*i][:], plain[2*i+1][:])); got != want {
				t.Errorf("node %d of %d chunks: %x, want %x", i, n, got, want)
			}
		}
		want, wantErr := hashtree.Root(plain, 128)
		if got, err := hashtree.Root(named, 128); got != want || err != wantErr {
			t.Errorf("root of %d leaves: %x, error %v, want %x, error %v", n, got, err, want, wantErr)
		}
	}
	if _, err := hashtree.Root(make([]root, 3), 2); !errors.Is(err, hashtree.ErrTooManyLeaves) {
		t.Errorf("3 leaves under a limit of 2: error %v", err)
	}
}
