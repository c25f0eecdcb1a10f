package hashtree_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree"
)

// chunk returns the chunk that begins with the bytes of s, in hexadecimal.
func chunk(s string) (c [32]byte) {
	if _, err := hex.Decode(c[:], []byte(s)); err != nil {
		panic(err)
	}
	return c
}

// The values are those of Ethereum's consensus layer, mainnet.
func TestRootOfKnownTrees(t *testing.T) {
	validators := chunk("4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95")
	for _, test := range []struct {
		name   string
		leaves [][32]byte
		limit  uint64
		prefix string
	}{
		{"two zeros", nil, 2, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
		{"four zeros", make([][32]byte, 1), 4, "db56114e00fdd4c1f85c892bf35ac9a89289aaecb1ebd0a96cde606a748b5d71"},
		{"fork digest of phase 0", [][32]byte{chunk("00"), validators}, 0, "b5303f2a"},
		{"fork digest of altair", [][32]byte{chunk("01"), validators}, 0, "afcaaba0"},
		{"fork digest of bellatrix", [][32]byte{chunk("02"), validators}, 2, "4a26c58b"},
		{"fork digest of capella", [][32]byte{chunk("03"), validators}, 2, "bba4da96"},
		{"genesis block header", [][32]byte{
			chunk("00"), chunk("00"), chunk("00"),
			chunk("7e76880eb67bbdc86250aa578958e9d0675e64e714337855204fb5abaaf82c2b"),
			chunk("ccb62460692be0ec813b56be97f68a82cf57abc102e27bf49ebf4190ff22eedd"),
		}, 0, "4d611d5b93fdab69013a7f0a2f961caca0c853f87cfe9595fe50038163079360"},
	} {
		root, err := hashtree.Root(test.leaves, test.limit)
		if got := hex.EncodeToString(root[:]); err != nil || !strings.HasPrefix(got, test.prefix) {
			t.Errorf("%s: root %s, error %v, want %s", test.name, got, err, test.prefix)
		}
	}

	// The deposit contract's root before the first deposit: a tree of depth 32,
	// and the number of its leaves mixed in.
	empty, err := hashtree.Root([][32]byte(nil), 1<<32)
	if err != nil {
		t.Fatal(err)
	}
	root, err := hashtree.Root([][32]byte{empty, {}}, 0)
	if err != nil || root != chunk("d70a234731285c6804c2a4f56711ddb8c82c99740f207854891028af34e27e5e") {
		t.Errorf("empty deposit tree: root %x, error %v", root, err)
	}
}

// merkleize is SSZ's, as its specification defines it: recursively, on a tree
// of 2^depth leaves.
func merkleize(leaves [][32]byte, depth int) [32]byte {
	if depth == 0 {
		if len(leaves) == 0 {
			return [32]byte{}
		}
		return leaves[0]
	}
	half := len(leaves)
	if depth < 32 {
		half = min(half, 1<<(depth-1))
	}
	left, right := merkleize(leaves[:half], depth-1), [32]byte{}
	if half == len(leaves) {
		right = zeros(depth - 1)
	} else {
		right = merkleize(leaves[half:], depth-1)
	}
	return sha256.Sum256(slices.Concat(left[:], right[:]))
}

// zeros returns the root of 2^depth zero leaves.
func zeros(depth int) (root [32]byte) {
	for range depth {
		root = sha256.Sum256(slices.Concat(root[:], root[:]))
	}
	return root
}

func TestRootMatchesTheDefinition(t *testing.T) {
	all := chunks(1<<17 + 3)
	counts := []int{0, 255, 256, 257, 1000, 2047, 2048, 2049, 2050, 2111, 2112, 2113, 4095, 4096, 4097, 5000, 1<<17 + 3}
	for n := range 130 {
		counts = append(counts, n)
	}
	for _, n := range counts {
		leaves := slices.Clone(all[:n])
		want := uint64(max(n, 1))
		for _, limit := range []uint64{0, want, want + 1, 2 * want, 1<<20 - 1, 1 << 40, 1<<63 + 1, math.MaxUint64} {
			depth := bits.Len64(max(limit, 1) - 1)
			if limit == 0 {
				depth = bits.Len64(want - 1)
			}
			root, err := hashtree.Root(leaves, limit)
			if err != nil || root != merkleize(leaves, depth) {
				t.Fatalf("%d leaves, limit %d: root %x, error %v", n, limit, root, err)
			}
		}
		if !slices.Equal(leaves, all[:n]) {
			t.Fatalf("Root of %d leaves changed them", n)
		}
	}
}

// TestRootsAtTheSameTime has goroutines take turns in the middle of a tree, on
// one P and so with one pool of scratch memory.
func TestRootsAtTheSameTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	n := 400_000 // more than fit between two turns
	if testing.Short() {
		n = 50_000
	}
	all := chunks(n)
	var want [4][32]byte
	for i := range want {
		want[i] = merkleize(all[i:], bits.Len(uint(n-1)))
	}
	var wg sync.WaitGroup
	for i := range want {
		wg.Go(func() {
			for range 3 {
				if root, err := hashtree.Root(all[i:], uint64(n)); err != nil || root != want[i] {
					t.Errorf("goroutine %d: root %x, error %v", i, root, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestRootRefusesMoreLeavesThanTheLimit(t *testing.T) {
	for _, test := range []struct {
		leaves int
		limit  uint64
	}{{2, 1}, {5, 4}, {3000, 2999}} {
		root, err := hashtree.Root(make([][32]byte, test.leaves), test.limit)
		if !errors.Is(err, hashtree.ErrTooManyLeaves) || root != [32]byte{} {
			t.Errorf("%d leaves, limit %d: root %x, error %v", test.leaves, test.limit, root, err)
		}
	}
}
