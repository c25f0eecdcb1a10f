package crosscheck_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	comet "github.com/cometbft/cometbft/crypto/merkle"
	"github.com/transparency-dev/merkle"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	transparency "github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/sha256-simd/sha256-simd/hashtree/crosscheck"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// The hasher replaces transparency-dev's.
var _ merkle.LogHasher = crosscheck.Hasher{}

var hasher = transparency.DefaultHasher

// list returns hashes as transparency-dev and cometbft have them.
func list(hashes [][32]byte) [][]byte {
	l := make([][]byte, len(hashes))
	for i := range hashes {
		l[i] = hashes[i][:]
	}
	return l
}

func tlogHashes(hashes [][32]byte) []tlog.Hash {
	l := make([]tlog.Hash, len(hashes))
	for i, h := range hashes {
		l[i] = h
	}
	return l
}

// A stored is the storage of a log that tlog reads.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = s[index]
	}
	return hashes, nil
}

func TestRFC6962AgainstThreeOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(6962, 1))
	for _, n := range sizes(t, r) {
		leaves := make([][]byte, n)
		pool := random(r, 600)
		for i := range leaves {
			from := r.IntN(300)
			leaves[i] = pool[from : from+r.IntN(300)]
		}
		hashes := make([][32]byte, n)
		rfc6962.LeafHashes(hashes, leaves)
		root := rfc6962.Root(leaves)

		// Leaves and root.
		factory := compact.RangeFactory{Hash: hasher.HashChildren}
		theirs := factory.NewEmptyRange(0)
		tree := testonly.New(hasher)
		var store stored
		for i, leaf := range leaves {
			hash := hasher.HashLeaf(leaf)
			if !bytes.Equal(hash, hashes[i][:]) || tlog.RecordHash(leaf) != hashes[i] {
				t.Fatalf("leaf %x: hash %x, theirs %x and %x", leaf, hashes[i], hash, tlog.RecordHash(leaf))
			}
			if err := theirs.Append(hash, nil); err != nil {
				t.Fatal(err)
			}
			tree.Append(hash)
			more, err := tlog.StoredHashesForRecordHash(int64(i), hashes[i], store)
			if err != nil {
				t.Fatal(err)
			}
			store = append(store, more...)
		}
		if got := comet.HashFromByteSlices(leaves); !bytes.Equal(got, root[:]) {
			t.Fatalf("%d leaves: root %x, cometbft's %x", n, root, got)
		}
		if n > 0 { // a compact range has no root then
			if got, err := theirs.GetRootHash(nil); err != nil || !bytes.Equal(got, root[:]) {
				t.Fatalf("%d leaves: root %x, transparency-dev's %x, error %v", n, root, got, err)
			}
			if got, err := tlog.TreeHash(int64(n), store); err != nil || got != root {
				t.Fatalf("%d leaves: root %x, tlog's %x, error %v", n, root, got, err)
			}
		} else if !bytes.Equal(hasher.EmptyRoot(), root[:]) {
			t.Fatalf("no leaves: root %x, transparency-dev's %x", root, hasher.EmptyRoot())
		}

		// A range that grows by pieces.
		var grown rfc6962.Range
		for rest := leaves; len(rest) > 0; {
			piece := rest[:1+r.IntN(len(rest))]
			rest = rest[len(piece):]
			if got := crosscheck.AppendAll(&grown, piece); !bytes.Equal(got, comet.HashFromByteSlices(leaves[:grown.Size()])) {
				t.Fatalf("%d leaves: the range has the root %x", grown.Size(), got)
			}
		}
		if grown.Root() != root || rfc6962.RootOfHashes(hashes) != root {
			t.Fatalf("%d leaves: root %x, of the range %x, of the hashes %x", n, root, grown.Root(), rfc6962.RootOfHashes(hashes))
		}
		if n == 0 {
			continue
		}

		// Proofs.
		index, old := r.IntN(n), 1+r.IntN(n)
		inclusion, err := rfc6962.InclusionProof(hashes, index)
		if err != nil {
			t.Fatal(err)
		}
		want, err := tree.InclusionProof(uint64(index), uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		record, err := tlog.ProveRecord(int64(n), int64(index), store)
		if err != nil {
			t.Fatal(err)
		}
		_, aunts := comet.ProofsFromByteSlices(leaves)
		all := rfc6962.InclusionProofs(hashes)
		what := fmt.Sprintf("leaf %d of %d", index, n)
		same(t, what, inclusion, want)
		same(t, what, inclusion, aunts[index].Aunts)
		same(t, what, inclusion, list(all[index]))
		if fmt.Sprint(tlogHashes(inclusion)) != fmt.Sprint([]tlog.Hash(record)) {
			t.Fatalf("%s: proof %x, tlog's %v", what, inclusion, record)
		}
		for i := 0; i < n; i += 1 + n/20 {
			same(t, fmt.Sprintf("leaf %d of %d", i, n), all[i], aunts[i].Aunts)
		}
		consistency, err := rfc6962.ConsistencyProof(hashes, old)
		if err != nil {
			t.Fatal(err)
		}
		want, err = tree.ConsistencyProof(uint64(old), uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		growth, err := tlog.ProveTree(int64(n), int64(old), store)
		if err != nil {
			t.Fatal(err)
		}
		what = fmt.Sprintf("from %d to %d", old, n)
		same(t, what, consistency, want)
		if fmt.Sprint(tlogHashes(consistency)) != fmt.Sprint([]tlog.Hash(growth)) {
			t.Fatalf("%s: proof %x, tlog's %v", what, consistency, growth)
		}
		if err := rfc6962.VerifyInclusion(root, uint64(n), uint64(index), hashes[index], inclusion); err != nil {
			t.Fatalf("leaf %d of %d: %v", index, n, err)
		}
		if err := rfc6962.VerifyConsistency(rfc6962.RootOfHashes(hashes[:old]), uint64(old), root, uint64(n), consistency); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

func same(t *testing.T, what string, got [][32]byte, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: a proof of %d hashes, theirs has %d", what, len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i][:], want[i]) {
			t.Fatalf("%s: hash %d of the proof is %x, theirs %x", what, i, got[i], want[i])
		}
	}
}

// The trees that transparency-dev tests with.
func TestRFC6962OfTransparencyDevsData(t *testing.T) {
	leaves := testonly.LeafInputs()
	roots := testonly.RootHashes()
	if len(roots) != len(leaves)+1 {
		t.Fatalf("%d roots of %d leaves", len(roots), len(leaves))
	}
	for n, want := range roots {
		if root := rfc6962.Root(leaves[:n]); !bytes.Equal(root[:], want) {
			t.Errorf("%d leaves: %x, want %x", n, root, want)
		}
		var h crosscheck.Hasher
		if n > 0 && !bytes.Equal(h.HashLeaf(leaves[n-1]), hasher.HashLeaf(leaves[n-1])) {
			t.Errorf("leaf %d: %x", n-1, h.HashLeaf(leaves[n-1]))
		}
	}
}

func TestHasher(t *testing.T) {
	var h crosscheck.Hasher
	l, r := hasher.HashLeaf([]byte("l")), hasher.HashLeaf([]byte("r"))
	if !bytes.Equal(h.HashChildren(l, r), hasher.HashChildren(l, r)) || !bytes.Equal(h.EmptyRoot(), hasher.EmptyRoot()) || h.Size() != hasher.Size() {
		t.Errorf("children %x, empty root %x, size %d", h.HashChildren(l, r), h.EmptyRoot(), h.Size())
	}
}

// TestRangeIsACompactRange compares what is stored of both.
func TestRangeIsACompactRange(t *testing.T) {
	compacts := &compact.RangeFactory{Hash: hasher.HashChildren}
	theirs := compacts.NewEmptyRange(0)
	var ours rfc6962.Range
	for n := range 200 {
		leaf := []byte{byte(n)}
		if err := theirs.Append(hasher.HashLeaf(leaf), nil); err != nil {
			t.Fatal(err)
		}
		ours.Append([][]byte{leaf})
		if !slices.EqualFunc(ours.Hashes(), theirs.Hashes(), func(a [32]byte, b []byte) bool { return bytes.Equal(a[:], b) }) {
			t.Fatalf("%d leaves: %x, want %x", n+1, ours.Hashes(), theirs.Hashes())
		}
	}
}

// input is what a fuzzer has written, read as numbers and hashes.
type input []byte

func (in *input) number() uint64 {
	var n uint64
	// Small numbers and those around powers of two are more interesting than others.
	for range 9 {
		if len(*in) == 0 {
			return n
		}
		b := (*in)[0]
		*in = (*in)[1:]
		n = n<<7 | uint64(b&0x7f)
		if b < 0x80 {
			break
		}
	}
	return n
}

func (in *input) hash() (h [32]byte) {
	n := copy(h[:], (*in)[:min(len(*in), 2)])
	*in = (*in)[n:]
	return h
}

// fold returns what a proof leads to if its hashes stand where the bits of sides
// say, and the bits of skip leave some out.
func fold(hash [32]byte, proof [][32]byte, sides, skip uint64) [32]byte {
	for i, p := range proof {
		switch {
		case skip>>i&1 == 1:
		case sides>>i&1 == 1:
			hash = [32]byte(hasher.HashChildren(p[:], hash[:]))
		default:
			hash = [32]byte(hasher.HashChildren(hash[:], p[:]))
		}
	}
	return hash
}

func (in *input) proof() [][32]byte {
	proof := make([][32]byte, in.number()%66)
	for i := range proof {
		proof[i] = in.hash()
	}
	return proof
}

// FuzzVerifyInclusion has proofs of any length that lead to their root in some
// way, the right one or another.
func FuzzVerifyInclusion(f *testing.F) {
	f.Add([]byte{})
	for _, seed := range [][]byte{{1, 0, 0, 0}, {2, 1, 1, 9, 9, 1, 0}, {3, 2, 0, 1, 5, 5, 1, 0}, {7, 6, 0, 2, 1, 1, 2, 2, 3, 0}, {5, 4, 0, 1, 8, 8, 1, 0}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := input(data)
		size, index, leaf, path := in.number(), in.number(), in.hash(), in.proof()
		roots := [][32]byte{fold(leaf, path, in.number(), in.number())}
		if root, err := proof.RootFromInclusionProof(hasher, index, size, leaf[:], list(path)); err == nil {
			roots = append(roots, [32]byte(root))
		}
		for _, root := range roots {
			got := rfc6962.VerifyInclusion(root, size, index, leaf, path)
			want := proof.VerifyInclusion(hasher, index, size, leaf[:], list(path), root[:])
			if (got == nil) != (want == nil) {
				t.Fatalf("leaf %d of %d, %d hashes: %v, transparency-dev: %v", index, size, len(path), got, want)
			}
			if got != nil {
				continue
			}
			if size < 1<<62 {
				if err := tlog.CheckRecord(tlogHashes(path), int64(size), root, int64(index), leaf); err != nil {
					t.Fatalf("leaf %d of %d, %d hashes: accepted, tlog: %v", index, size, len(path), err)
				}
				p := comet.Proof{Total: int64(size), Index: int64(index), LeafHash: leaf[:], Aunts: list(path)}
				if got := p.ComputeRootHash(); !bytes.Equal(got, root[:]) {
					t.Fatalf("leaf %d of %d, %d hashes: accepted, cometbft comes to %x, not to %x", index, size, len(path), got, root)
				}
			}
		}
	})
}

// FuzzVerifyConsistency has proofs of any length that lead to their roots in some
// way, the right one or another.
func FuzzVerifyConsistency(f *testing.F) {
	f.Add([]byte{})
	for _, seed := range [][]byte{{1, 1, 0, 0}, {1, 2, 1, 9, 9}, {3, 4, 3, 5, 5, 6, 6, 7, 7, 1, 1, 2}, {6, 7, 3, 1, 1, 2, 2, 3, 3, 0, 0, 3}, {4, 7, 1, 8, 8, 0, 0, 1}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := input(data)
		oldSize, size, hashes := in.number(), in.number(), in.proof()
		seed, path := in.hash(), hashes
		if oldSize&(oldSize-1) != 0 && len(hashes) > 0 {
			seed, path = hashes[0], hashes[1:]
		}
		sides, skip := in.number(), in.number()
		pairs := [][2][32]byte{{fold(seed, path, sides, skip), fold(seed, path, sides, 0)}}
		// What the proof proves, if anything.
		if old, whole, ok := consistent(oldSize, size, seed, path); ok {
			pairs = append(pairs, [2][32]byte{old, whole})
		}
		for _, roots := range pairs {
			got := rfc6962.VerifyConsistency(roots[0], oldSize, roots[1], size, hashes)
			want := proof.VerifyConsistency(hasher, oldSize, size, list(hashes), roots[0][:], roots[1][:])
			if oldSize == 0 { // which RFC 6962 and tlog refuse
				want = fmt.Errorf("from nothing")
			}
			if (got == nil) != (want == nil) {
				t.Fatalf("from %d to %d, %d hashes: %v, transparency-dev: %v", oldSize, size, len(hashes), got, want)
			}
			if got == nil && size < 1<<62 {
				if err := tlog.CheckTree(tlogHashes(hashes), int64(size), roots[1], int64(oldSize), roots[0]); err != nil {
					t.Fatalf("from %d to %d, %d hashes: accepted, tlog: %v", oldSize, size, len(hashes), err)
				}
			}
		}
	})
}

// consistent returns the roots that a consistency proof of these hashes is for,
// recursively as tlog does it.
func consistent(oldSize, size uint64, seed [32]byte, path [][32]byte) (old, whole [32]byte, ok bool) {
	if oldSize == 0 || oldSize > size {
		return old, whole, false
	}
	if oldSize == size {
		return seed, seed, len(path) == 0
	}
	if len(path) == 0 {
		return old, whole, false
	}
	split := uint64(1)
	for split < size-split {
		split *= 2
	}
	last := path[len(path)-1]
	if oldSize <= split {
		old, whole, ok = consistent(oldSize, split, seed, path[:len(path)-1])
		return old, [32]byte(hasher.HashChildren(whole[:], last[:])), ok
	}
	old, whole, ok = consistent(oldSize-split, size-split, seed, path[:len(path)-1])
	return [32]byte(hasher.HashChildren(last[:], old[:])), [32]byte(hasher.HashChildren(last[:], whole[:])), ok
}

// TestREADMEShowsThis tests that what README.md of package rfc6962 shows is compiled and
// tested here.
func TestREADMEShowsThis(t *testing.T) { hashtest.PageShows(t, "../rfc6962/README.md", "trees.go") }
