package rfc6962_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// The definitions of RFC 6962, section 2.1, by crypto/sha256.

func leafHash(leaf []byte) [32]byte { return sha256.Sum256(append([]byte{0}, leaf...)) }

func treeHash(hashes [][32]byte) [32]byte {
	switch n := len(hashes); n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return hashes[0]
	default:
		left, right := treeHash(hashes[:split(n)]), treeHash(hashes[split(n):])
		return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
	}
}

// split returns the largest power of two below n.
func split(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }

func path(hashes [][32]byte, i int) [][32]byte {
	n := len(hashes)
	if n == 1 {
		return nil
	}
	if k := split(n); i >= k {
		return append(path(hashes[k:], i-k), treeHash(hashes[:k]))
	} else {
		return append(path(hashes[:k], i), treeHash(hashes[k:]))
	}
}

func consistency(hashes [][32]byte, old int, whole bool) [][32]byte {
	n := len(hashes)
	if old == n && whole {
		return nil
	}
	if old == n {
		return [][32]byte{treeHash(hashes)}
	}
	if k := split(n); old > k {
		return append(consistency(hashes[k:], old-k, false), treeHash(hashes[:k]))
	} else {
		return append(consistency(hashes[:k], old, whole), treeHash(hashes[k:]))
	}
}

// makeLeaves returns n different leaves, the first of them empty, the others of 8
// to most bytes, and their hashes.
func makeLeaves(n, most int) (leaves [][]byte, hashes [][32]byte) {
	r := rand.New(rand.NewPCG(17, uint64(n)))
	data := hashtest.Data(most + n)
	for i := range n {
		leaf := data[i : i+min(i, 1)*(8+r.IntN(most-7))]
		leaves, hashes = append(leaves, leaf), append(hashes, leafHash(leaf))
	}
	return leaves, hashes
}

// sizes are of trees around powers of two and around what is climbed at a time.
func sizes() []int {
	s := []int{127, 128, 129, 255, 257, 1000, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 2080, 3000, 4096, 4097, 5000}
	for n := range 70 {
		s = append(s, n)
	}
	return s
}

// The leaves and roots that implementations of Certificate Transparency test
// with.
func TestKnownTrees(t *testing.T) {
	leaves := [][]byte{}
	for _, s := range []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"} {
		leaves = append(leaves, hashtest.Unhex(t, s))
	}
	for n, want := range []string{
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	} {
		if root := rfc6962.Root(leaves[:n]); hex.EncodeToString(root[:]) != want {
			t.Errorf("%d leaves: root %x, want %s", n, root, want)
		}
	}
}

func TestRootsMatchTheDefinition(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range sizes() {
			if testing.Short() && n > 2100 {
				continue
			}
			leaves, want := makeLeaves(n, 100)
			hashes := make([][32]byte, n)
			rfc6962.LeafHashes(hashes, leaves)
			if !slices.Equal(hashes, want) {
				t.Fatalf("%d leaves: wrong hashes", n)
			}
			if got := rfc6962.RootOfHashes(hashes); got != treeHash(want) {
				t.Fatalf("root of %d hashes: %x, want %x", n, got, treeHash(want))
			}
			if !slices.Equal(hashes, want) {
				t.Fatalf("RootOfHashes of %d changed them", n)
			}
			if got := rfc6962.Root(leaves); got != treeHash(want) {
				t.Fatalf("root of %d leaves: %x, want %x", n, got, treeHash(want))
			}
		}
	})
}

// TestLeafHash has leaves of all lengths of up to several blocks.
func TestLeafHash(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for n := range 700 {
			leaf := hashtest.Data(n)
			if got, want := rfc6962.LeafHash(leaf), leafHash(leaf); got != want {
				t.Fatalf("%d bytes: %x, want %x", n, got, want)
			}
		}
		if got, want := rfc6962.LeafHash(nil), leafHash(nil); got != want {
			t.Fatalf("nil: %x, want %x", got, want)
		}
	})
}

func TestRangeGrows(t *testing.T) {
	leaves, hashes := makeLeaves(12_000, 60)
	r := rand.New(rand.NewPCG(1, 17))
	for round := range 30 {
		var grown, copied rfc6962.Range
		for n := 0; ; {
			if grown.Size() != uint64(n) || grown.Root() != treeHash(hashes[:n]) {
				t.Fatalf("after %d leaves: size %d, root %x, want %x", n, grown.Size(), grown.Root(), treeHash(hashes[:n]))
			}
			if n == len(leaves) {
				break
			}
			more := min(r.IntN(1<<(1+r.IntN(13))), len(leaves)-n)
			if round == 0 {
				more = len(leaves)
			}
			copied = grown
			copied.Append(leaves[:3]) // which does not change what it was copied from
			grown.Append(leaves[n : n+more])
			n += more
		}
	}
}

// TestRangeOf stores a range after some leaves, makes it again and appends the others, as
// leaves and as hashes.
func TestRangeOf(t *testing.T) {
	leaves, hashes := makeLeaves(70_003, 20)
	for _, n := range []int{0, 1, 2, 3, 64, 1023, 1024, 1025, 4095, 65_535, 65_536, 65_537, len(leaves)} {
		var stored rfc6962.Range
		stored.Append(leaves[:n])
		again, err := rfc6962.RangeOf(stored.Size(), stored.Hashes())
		if err != nil || again.Size() != stored.Size() || !slices.Equal(again.Hashes(), stored.Hashes()) || again.Root() != stored.Root() {
			t.Fatalf("%d leaves: another range, %v", n, err)
		}
		byHashes := again
		for at, more := n, 1; at < len(leaves); at, more = at+more, 3*more {
			end := min(at+more, len(leaves))
			again.Append(leaves[at:end])
			byHashes.AppendHashes(hashes[at:end])
		}
		want := treeHash(hashes)
		if again.Root() != want || byHashes.Root() != want || byHashes.Size() != uint64(len(leaves)) {
			t.Errorf("behind %d leaves: roots %x and %x, want %x", n, again.Root(), byHashes.Root(), want)
		}
		if n < len(leaves) && stored.Root() != treeHash(hashes[:n]) {
			t.Errorf("the range of %d leaves has changed", n)
		}
	}

	// The hashes are from left to right: the first is over the most leaves.
	var five rfc6962.Range
	five.AppendHashes(hashes[:5])
	if want := [][32]byte{treeHash(hashes[:4]), hashes[4]}; !slices.Equal(five.Hashes(), want) {
		t.Errorf("hashes of 5 leaves: %x, want %x", five.Hashes(), want)
	}

	// No number of leaves is too large to be stored.
	const size = 1<<62 | 1<<40 | 1<<15 | 1
	top, err := rfc6962.RangeOf(size, hashes[:4])
	want := hashes[3]
	for _, left := range [][32]byte{hashes[2], hashes[1], hashes[0]} {
		want = treeHash([][32]byte{left, want})
	}
	if err != nil || top.Root() != want || !slices.Equal(top.Hashes(), hashes[:4]) {
		t.Errorf("%d leaves: root %x, want %x, %v", uint64(size), top.Root(), want, err)
	}

	for _, tt := range []struct {
		size   uint64
		hashes int
		want   string
	}{
		{0, 1, "rfc6962: 1 hashes for a range of 0 leaves, which takes 0"},
		{5, 1, "rfc6962: 1 hashes for a range of 5 leaves, which takes 2"},
		{1<<63 - 1, 64, "rfc6962: 64 hashes for a range of 9223372036854775807 leaves, which takes 63"},
		{1 << 63, 1, "rfc6962: a range of 9223372036854775808 leaves; expected less than 2^63"},
	} {
		if r, err := rfc6962.RangeOf(tt.size, hashes[:tt.hashes]); fmt.Sprint(err) != tt.want || r.Size() != 0 {
			t.Errorf("%d hashes for %d leaves: %d leaves, %v", tt.hashes, tt.size, r.Size(), err)
		}
	}
}

// TestLargeTree has one whose upper levels are climbed in parts, too.
func TestLargeTree(t *testing.T) {
	leaves, hashes := makeLeaves(70_003, 20)
	want := treeHash(hashes)
	if root := rfc6962.Root(leaves); root != want {
		t.Errorf("root %x, want %x", root, want)
	}
	var grown rfc6962.Range
	grown.Append(leaves[:77])
	grown.Append(leaves[77:])
	if root := grown.Root(); root != want {
		t.Errorf("root of a range %x, want %x", root, want)
	}
}

func TestProofsMatchTheDefinition(t *testing.T) {
	for _, n := range sizes() {
		_, hashes := makeLeaves(n, 10)
		step := max(1, n/15)
		all := rfc6962.InclusionProofs(hashes)
		if len(all) != n {
			t.Fatalf("%d proofs of %d leaves", len(all), n)
		}
		root := treeHash(hashes)
		gotRoot, proofs := rfc6962.RootAndProofs(hashes)
		if gotRoot != root || !slices.EqualFunc(proofs, all, slices.Equal[[][32]byte]) {
			t.Fatalf("%d leaves: RootAndProofs differs: root %x, want %x", n, gotRoot, root)
		}
		for i := 0; i < n; i += step {
			proof, err := rfc6962.InclusionProof(hashes, i)
			want := path(hashes, i)
			if err != nil || !slices.Equal(proof, want) || !slices.Equal(all[i], want) {
				t.Fatalf("leaf %d of %d: proofs %x and %x, error %v, want %x", i, n, proof, all[i], err, want)
			}
			if err := rfc6962.VerifyInclusion(root, uint64(n), uint64(i), hashes[i], proof); err != nil {
				t.Fatalf("leaf %d of %d: %v", i, n, err)
			}
			if got, err := rfc6962.RootFromInclusionProof(uint64(n), uint64(i), hashes[i], proof); got != root || err != nil {
				t.Fatalf("leaf %d of %d: the proof gives %x, error %v, want %x", i, n, got, err, root)
			}
		}
		for old := 1; old <= n; old += step {
			proof, err := rfc6962.ConsistencyProof(hashes, old)
			want := consistency(hashes, old, true)
			if err != nil || !slices.Equal(proof, want) {
				t.Fatalf("from %d to %d: proof %x, error %v, want %x", old, n, proof, err, want)
			}
			if err := rfc6962.VerifyConsistency(treeHash(hashes[:old]), uint64(old), root, uint64(n), proof); err != nil {
				t.Fatalf("from %d to %d: %v", old, n, err)
			}
		}
	}
}

// mutations calls f with proofs that differ a little from proof.
func mutations(proof [][32]byte, f func(what string, proof [][32]byte)) {
	for i := range proof {
		changed := slices.Clone(proof)
		changed[i][i%32] ^= 1
		f(fmt.Sprintf("hash %d changed", i), changed)
		f(fmt.Sprintf("hash %d missing", i), slices.Delete(slices.Clone(proof), i, i+1))
		f(fmt.Sprintf("hash %d twice", i), slices.Insert(slices.Clone(proof), i, proof[i]))
	}
	f("a hash more", append(slices.Clone(proof), [32]byte{}))
	f("another in front", append([][32]byte{{}}, proof...))
}

func TestNothingElseIsProven(t *testing.T) {
	for n := range 34 {
		_, hashes := makeLeaves(n, 10)
		root := treeHash(hashes)
		for i, proof := range rfc6962.InclusionProofs(hashes) {
			refused := func(what string, root [32]byte, size, index uint64, leaf [32]byte, proof [][32]byte) {
				t.Helper()
				if rfc6962.VerifyInclusion(root, size, index, leaf, proof) == nil {
					t.Errorf("leaf %d of %d is proven with %s", i, n, what)
				}
			}
			size, index := uint64(n), uint64(i)
			mutations(proof, func(what string, proof [][32]byte) { refused(what, root, size, index, hashes[i], proof) })
			refused("another root", [32]byte{1}, size, index, hashes[i], proof)
			refused("another leaf", root, size, index, [32]byte{1}, proof)
			refused("the index of the size", root, size, size, hashes[i], proof)
			refused("the largest index", root, size, math.MaxUint64, hashes[i], proof)
			for j := range uint64(n) {
				if j != index {
					refused(fmt.Sprint("index ", j), root, size, j, hashes[i], proof)
				}
			}
		}
		for old := 1; old <= n; old++ {
			oldRoot := treeHash(hashes[:old])
			proof, err := rfc6962.ConsistencyProof(hashes, old)
			if err != nil {
				t.Fatal(err)
			}
			refused := func(what string, oldRoot [32]byte, oldSize uint64, root [32]byte, size uint64, proof [][32]byte) {
				t.Helper()
				if rfc6962.VerifyConsistency(oldRoot, oldSize, root, size, proof) == nil {
					t.Errorf("growth from %d to %d is proven with %s", old, n, what)
				}
			}
			oldSize, size := uint64(old), uint64(n)
			mutations(proof, func(what string, proof [][32]byte) { refused(what, oldRoot, oldSize, root, size, proof) })
			refused("another old root", [32]byte{1}, oldSize, root, size, proof)
			refused("another root", oldRoot, oldSize, [32]byte{1}, size, proof)
			refused("an empty old tree", oldRoot, 0, root, size, proof)
			refused("an empty old tree and no proof", oldRoot, 0, root, size, nil)
			refused("a smaller tree", oldRoot, oldSize, root, oldSize-1, proof)
			for other := range uint64(n) {
				if other != oldSize {
					refused(fmt.Sprint("old size ", other), oldRoot, other, root, size, proof)
				}
			}
		}
	}
}

func TestProofsOfHugeTrees(t *testing.T) {
	// The last leaf of a tree of 2^64-1 has a sibling on each level but the first.
	proof := make([][32]byte, 63)
	hash := leafHash(nil)
	root := hash
	for i := range proof {
		proof[i][0] = byte(i)
		root = sha256.Sum256(slices.Concat([]byte{1}, proof[i][:], root[:]))
	}
	if err := rfc6962.VerifyInclusion(root, math.MaxUint64, math.MaxUint64-1, hash, proof); err != nil {
		t.Error(err)
	}
	if err := rfc6962.VerifyInclusion(root, math.MaxUint64, math.MaxUint64-1, hash, proof[1:]); err == nil {
		t.Error("a proof that is too short is accepted")
	}
}

func TestNonsenseIsAnErrorWithItsNumbers(t *testing.T) {
	_, hashes := makeLeaves(5, 10)
	for _, tt := range []struct {
		name string
		call func() error
		want []string
	}{
		{"negative index", func() error { _, err := rfc6962.InclusionProof(hashes, -1); return err }, []string{"-1", "5"}},
		{"index too high", func() error { _, err := rfc6962.InclusionProof(hashes, 5); return err }, []string{"leaf 5", "of 5"}},
		{"no leaves", func() error { _, err := rfc6962.InclusionProof([][32]byte(nil), 0); return err }, []string{"leaf 0", "of 0"}},
		{"from nothing", func() error { _, err := rfc6962.ConsistencyProof(hashes, 0); return err }, []string{"0", "5"}},
		{"from less than nothing", func() error { _, err := rfc6962.ConsistencyProof(hashes, -7); return err }, []string{"-7", "5"}},
		{"from a larger tree", func() error { _, err := rfc6962.ConsistencyProof(hashes, 6); return err }, []string{"6", "5"}},
		{"root of a proof in an empty tree", func() error {
			_, err := rfc6962.RootFromInclusionProof(0, 0, [32]byte{}, nil)
			return err
		}, []string{"leaf 0", "of 0"}},
		// In a larger tree, these proofs have the right length.
		{"root of a proof of the leaf behind the last", func() error {
			_, err := rfc6962.RootFromInclusionProof(1, 1, hashes[0], hashes[:1])
			return err
		}, []string{"no leaf 1", "of 1"}},
		{"proof of the leaf behind the last of 5", func() error {
			return rfc6962.VerifyInclusion(hashes[0], 5, 5, hashes[0], hashes[:2])
		}, []string{"no leaf 5", "of 5"}},
		{"root of a proof that is too long", func() error {
			_, err := rfc6962.RootFromInclusionProof(5, 4, hashes[4], hashes[:2])
			return err
		}, []string{"2 hashes", "takes 1"}},
		{"proof in an empty tree", func() error { return rfc6962.VerifyInclusion([32]byte{}, 0, 0, [32]byte{}, nil) }, []string{"leaf 0", "of 0"}},
		{"proof too short", func() error { return rfc6962.VerifyInclusion([32]byte{}, 5, 3, [32]byte{}, nil) }, []string{"of 0 hashes", "leaf 3 of 5", "takes 3"}},
		{"proof too long", func() error {
			return rfc6962.VerifyConsistency([32]byte{}, 5, [32]byte{}, 5, hashes)
		}, []string{"of 5 hashes", "takes 0"}},
		{"two roots of one size", func() error {
			return rfc6962.VerifyConsistency([32]byte{0xab}, 4, [32]byte{0xcd}, 4, nil)
		}, []string{"different roots of a tree of 4 leaves", "ab00", "cd00"}},
		{"proof that does not fit", func() error {
			return rfc6962.VerifyInclusion([32]byte{0xab}, 1, 0, [32]byte{0xcd}, nil)
		}, []string{"ab00", "cd00"}},
	} {
		err := tt.call()
		if err == nil || !strings.HasPrefix(err.Error(), "rfc6962: ") {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q does not say %q", tt.name, err, want)
			}
		}
	}
}

func TestLeafHashesPanicsBeforeItWrites(t *testing.T) {
	for _, leaves := range []int{0, 1, 3} {
		dst := make([][32]byte, 2)
		func() {
			want := fmt.Sprintf("rfc6962: LeafHashes: 2 digests for %d leaves", leaves)
			defer func() {
				if r := recover(); r != want {
					t.Errorf("panic %v, want %s", r, want)
				}
			}()
			rfc6962.LeafHashes(dst, make([][]byte, leaves))
		}()
		if dst[0] != [32]byte{} || dst[1] != [32]byte{} {
			t.Error("a digest was written")
		}
	}
}

func TestNothingIsRetained(t *testing.T) {
	for _, n := range []int{3000, 5} { // the small tree finds the scratch as the large one left it
		hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
			leaves, hashes := make([][]byte, n), make([][32]byte, n)
			for i := range leaves {
				leaves[i] = make([]byte, 100)
			}
			rfc6962.LeafHashes(hashes, leaves)
			new(rfc6962.Range).Append(leaves)
			rfc6962.RootOfHashes(hashes)
			return map[string]weak.Pointer[byte]{"a leaf": weak.Make(&leaves[n-1][0]), "the hashes": weak.Make(&hashes[0][0])}
		})
	}
}

func TestNodes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 15, 33, 300} {
			_, src := makeLeaves(2*n, 40)
			before, want := slices.Clone(src), make([][32]byte, n)
			for i := range want {
				want[i] = treeHash(src[2*i : 2*i+2])
			}
			dst := make([][32]byte, n+1)
			if err := rfc6962.Nodes(dst, src); err != nil || !slices.Equal(dst[:n], want) {
				t.Fatalf("%d nodes: wrong hashes, error %v", n, err)
			}
			if dst[n] != [32]byte{} || !slices.Equal(src, before) {
				t.Fatalf("%d nodes: wrote elsewhere", n)
			}
			if err := rfc6962.Nodes(src, src); err != nil || !slices.Equal(src[:n], want) || !slices.Equal(src[n:], before[n:]) {
				t.Fatalf("%d nodes in place: wrong hashes, error %v", n, err)
			}
		}
	})
	for _, tt := range []struct {
		dst, src int
		want     error
		text     string
	}{
		{5, 7, hashtree.ErrOddChunks, "rfc6962: Nodes: odd number of chunks"},
		{2, 6, hashtree.ErrNotEnoughDigests, "rfc6962: Nodes: not enough digest length, need at least 3, got 2"},
	} {
		dst := make([][32]byte, tt.dst)
		err := rfc6962.Nodes(dst, make([][32]byte, tt.src))
		if !errors.Is(err, tt.want) || err.Error() != tt.text || !slices.Equal(dst, make([][32]byte, tt.dst)) {
			t.Errorf("%d hashes of %d: error %v, hashes %x, want %s", tt.dst, tt.src, err, dst, tt.text)
		}
	}
}

// An id is a hash of a named type, as tlog.Hash of x/mod.
type id [32]byte

func TestHashesOfANamedType(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100} {
		leaves, hashes := makeLeaves(n, 40)
		ids := make([]id, n)
		rfc6962.LeafHashes(ids, leaves)
		if !slices.EqualFunc(ids, hashes, func(a id, b [32]byte) bool { return a == b }) {
			t.Fatalf("%d leaves: wrong hashes", n)
		}
		var root id = rfc6962.RootOfHashes(ids)
		same, proofs := rfc6962.RootAndProofs(ids)
		if want := treeHash(hashes); root != want || same != want {
			t.Errorf("%d leaves: roots %x and %x, want %x", n, root, same, want)
		}
		all := rfc6962.InclusionProofs(ids)
		for i := range ids {
			proof, err := rfc6962.InclusionProof(ids, i)
			if err != nil || !slices.Equal(proof, proofs[i]) || !slices.Equal(proof, all[i]) ||
				!slices.EqualFunc(proof, path(hashes, i), func(a id, b [32]byte) bool { return a == b }) {
				t.Fatalf("leaf %d of %d: proofs %x, %x and %x, error %v", i, n, proof, proofs[i], all[i], err)
			}
			if err := rfc6962.VerifyInclusion(root, uint64(n), uint64(i), rfc6962.LeafHash(leaves[i]), proof); err != nil {
				t.Errorf("leaf %d of %d: %v", i, n, err)
			}
			if got, err := rfc6962.RootFromInclusionProof(uint64(n), uint64(i), ids[i], proof); got != root || err != nil {
				t.Errorf("leaf %d of %d: root %x, error %v", i, n, got, err)
			}
			consistency, err := rfc6962.ConsistencyProof(ids, i+1)
			if err != nil {
				t.Fatal(err)
			}
			if err := rfc6962.VerifyConsistency(rfc6962.RootOfHashes(ids[:i+1]), uint64(i+1), root, uint64(n), consistency); err != nil {
				t.Errorf("from %d to %d: %v", i+1, n, err)
			}
		}
	}
	if root, proofs := rfc6962.RootAndProofs([]id(nil)); root != sha256.Sum256(nil) || proofs != nil {
		t.Errorf("no leaves: root %x, proofs %x", root, proofs)
	}
}

func TestSmallTreesAllocateNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	leaves, hashes := makeLeaves(1000, 250)
	dst, ids := make([][32]byte, len(leaves)), make([]id, len(leaves))
	var grown rfc6962.Range
	root := rfc6962.Root(leaves)
	proof, err := rfc6962.InclusionProof(hashes, 77)
	if err != nil {
		t.Fatal(err)
	}
	named := make([]id, len(proof))
	for i, sibling := range proof {
		named[i] = sibling
	}
	for _, tt := range []struct {
		name string
		f    func()
	}{
		{"LeafHashes", func() { rfc6962.LeafHashes(dst, leaves) }},
		{"LeafHash", func() { rfc6962.LeafHash(leaves[77]) }},
		{"Root", func() { rfc6962.Root(leaves) }},
		{"Nodes", func() { rfc6962.Nodes(dst, hashes) }},
		{"RootOfHashes", func() { rfc6962.RootOfHashes(hashes) }},
		{"LeafHashes of a named type", func() { rfc6962.LeafHashes(ids, leaves) }},
		{"RootOfHashes of a named type", func() { rfc6962.RootOfHashes(ids) }},
		{"Range", func() { grown.Append(leaves); grown.Root() }},
		{"VerifyInclusion of a named type", func() { rfc6962.VerifyInclusion(id(root), 1000, 77, id(hashes[77]), named) }},
		{"VerifyInclusion", func() { rfc6962.VerifyInclusion(root, 1000, 77, hashes[77], proof) }},
	} {
		// A collection meanwhile empties the pools.
		if n := testing.AllocsPerRun(20, tt.f); n > 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

// TestProofsHaveMemoryOfTheirOwn appends to each proof what is more than it has room
// for in a tree whose proofs differ in length.
func TestProofsHaveMemoryOfTheirOwn(t *testing.T) {
	proofs, want := rfc6962.InclusionProofs(make([][32]byte, 5)), rfc6962.InclusionProofs(make([][32]byte, 5))
	for _, p := range proofs {
		_ = append(p, [32]byte{1}, [32]byte{2}, [32]byte{3}, [32]byte{4})
	}
	for i, p := range proofs {
		if !slices.Equal(p, want[i]) {
			t.Errorf("appending to others changes proof %d", i)
		}
	}
}
