package gohashtree_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"testing"

	"github.com/prysmaticlabs/gohashtree"

	"github.com/sha256-simd/sha256-simd/hashtree"
)

func TestEveryFunctionHashes(t *testing.T) {
	chunks := make([][32]byte, 2*77)
	var bytes []byte
	want := make([][32]byte, 77)
	for i := range chunks {
		chunks[i][i%32] = byte(i)
		bytes = append(bytes, chunks[i][:]...)
	}
	for i := range want {
		want[i] = sha256.Sum256(bytes[64*i:][:64])
	}

	got := make([][32]byte, 77)
	if err := gohashtree.Hash(got, chunks); err != nil || !slices.Equal(got, want) {
		t.Errorf("Hash: wrong digests, error %v", err)
	}
	clear(got)
	gohashtree.HashChunks(got, chunks)
	if !slices.Equal(got, want) {
		t.Error("HashChunks: wrong digests")
	}
	digests := make([]byte, 32*77)
	if err := gohashtree.HashByteSlice(digests, bytes); err != nil || [32]byte(digests[32*76:]) != want[76] {
		t.Errorf("HashByteSlice: wrong digests, error %v", err)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		err, want error
		text      string
	}{
		{gohashtree.Hash(make([][32]byte, 1), make([][32]byte, 1)), hashtree.ErrOddChunks, "odd number of chunks"},
		{gohashtree.Hash(make([][32]byte, 1), make([][32]byte, 4)), hashtree.ErrNotEnoughDigests, "not enough digest length, need at least 2, got 1"},
		{gohashtree.HashByteSlice(make([]byte, 32), make([]byte, 65)), hashtree.ErrChunksNotMultipleOf64, "chunks not multiple of 64 bytes"},
		{gohashtree.HashByteSlice(make([]byte, 33), make([]byte, 64)), hashtree.ErrDigestsNotMultipleOf32, "digests not multiple of 32 bytes"},
		{gohashtree.HashByteSlice(make([]byte, 32), make([]byte, 128)), hashtree.ErrNotEnoughDigests, "not enough digest length, need at least 64, got 32"},
	} {
		if !errors.Is(test.err, test.want) || test.err.Error() != test.text {
			t.Errorf("error %q, want %q", test.err, test.text)
		}
	}
}

func TestHashChunks(t *testing.T) {
	digests := make([][32]byte, 2)
	gohashtree.HashChunks(digests, make([][32]byte, 3)) // the third is ignored
	if digests[0] == [32]byte{} || digests[1] != [32]byte{} {
		t.Errorf("digests %x", digests)
	}
	gohashtree.HashChunks(nil, nil)

	defer func() {
		if recover() == nil {
			t.Error("no panic for too few digests")
		}
	}()
	gohashtree.HashChunks(make([][32]byte, 1), make([][32]byte, 4))
}
