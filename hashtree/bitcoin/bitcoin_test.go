package bitcoin_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// double returns the double SHA-256 of parts, by crypto/sha256.
func double(parts ...[32]byte) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p[:])
	}
	return sha256.Sum256(h.Sum(nil))
}

// levels returns all levels of a tree, as the definition says, and whether two
// siblings are equal.
func levels(ids [][32]byte) (levels [][][32]byte, mutated bool) {
	for {
		levels = append(levels, ids)
		if len(ids) <= 1 {
			return levels, mutated
		}
		var above [][32]byte
		for pair := range slices.Chunk(ids, 2) {
			left, right := pair[0], pair[len(pair)-1]
			mutated = mutated || len(pair) == 2 && left == right
			above = append(above, double(left, right))
		}
		ids = above
	}
}

// makeIDs returns n different hashes.
func makeIDs(n int) [][32]byte {
	data, ids := hashtest.Data(32*n), make([][32]byte, n)
	for i := range ids {
		ids[i] = [32]byte(data[32*i:])
	}
	return ids
}

// shown returns the hash that is shown as s.
func shown(t *testing.T, s string) [32]byte {
	t.Helper()
	b := hashtest.Unhex(t, s)
	slices.Reverse(b)
	return [32]byte(b)
}

// Block 100,000, and the first one.
func TestKnownBlocks(t *testing.T) {
	root, mutated := bitcoin.Root([][32]byte{
		shown(t, "8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87"),
		shown(t, "fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4"),
		shown(t, "6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4"),
		shown(t, "e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d"),
	})
	if want := shown(t, "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766"); root != want || mutated {
		t.Errorf("root of block 100,000: %x, mutated %v, want %x", root, mutated, want)
	}
	genesis := hashtest.Unhex(t, "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c")
	want := shown(t, "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f")
	if got := bitcoin.HeaderHash([80]byte(genesis)); got != want {
		t.Errorf("hash of the first block: %x, want %x", got, want)
	}
}

func TestTreesMatchTheDefinition(t *testing.T) {
	counts := []int{127, 128, 129, 255, 1000, 2047, 2048, 2049, 2050, 2112, 4097, 5000}
	for n := range 40 {
		counts = append(counts, n)
	}
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range counts {
			if testing.Short() && n > 2100 {
				continue
			}
			ids := makeIDs(n)
			all, _ := levels(ids)
			var want [32]byte
			if n > 0 {
				want = all[len(all)-1][0]
			}
			if root, mutated := bitcoin.Root(ids); root != want || mutated {
				t.Fatalf("%d transactions: root %x, mutated %v, want %x", n, root, mutated, want)
			}
			for i := 0; i < n; i += max(1, n/5) {
				branch, err := bitcoin.Branch(ids, i)
				if err != nil || len(branch) != len(all)-1 {
					t.Fatalf("transaction %d of %d: %d hashes, error %v", i, n, len(branch), err)
				}
				for l, got := range branch {
					if want := all[l][min(i>>l^1, len(all[l])-1)]; got != want {
						t.Fatalf("transaction %d of %d, level %d: %x, want %x", i, n, l, got, want)
					}
				}
				if root, err := bitcoin.RootFromBranch(n, i, ids[i], branch); root != want || err != nil {
					t.Fatalf("transaction %d of %d: the branch leads to %x, error %v, want %x", i, n, root, err, want)
				}
			}
			if !slices.Equal(ids, makeIDs(n)) {
				t.Fatalf("%d transactions: they changed", n)
			}
		}
	})
}

// TestWrongBranches changes what a receiver gets: each hash, the length, the index, the number of
// transactions. Either the branch is refused, or it leads to another root.
func TestWrongBranches(t *testing.T) {
	for n := 1; n < 36; n++ {
		ids := makeIDs(n)
		root, _ := bitcoin.Root(ids)
		for i, id := range ids {
			branch, err := bitcoin.Branch(ids, i)
			if err != nil {
				t.Fatal(err)
			}
			check := func(what string, n, i int, id [32]byte, branch [][32]byte, refused bool) {
				t.Helper()
				got, err := bitcoin.RootFromBranch(n, i, id, branch)
				switch {
				case err == nil && (refused || got == root):
					t.Errorf("transaction %d of %d, %s: root %x, no error", i, n, what, got)
				case err != nil && got != [32]byte{}:
					t.Errorf("transaction %d of %d, %s: root %x beside error %v", i, n, what, got, err)
				}
			}
			for l := range branch {
				changed := slices.Clone(branch)
				changed[l][31] ^= 1
				check("a hash changed", n, i, id, changed, (i>>l^1)<<l >= n)
			}
			check("one hash more", n, i, id, append(slices.Clone(branch), id), true)
			if len(branch) > 0 {
				check("one hash less", n, i, id, branch[:len(branch)-1], true)
				other := id
				other[0] ^= 1
				check("another transaction", n, i, other, branch, false)
				inner := double(id, branch[0])
				if i&1 == 1 {
					inner = double(branch[0], id)
				}
				check("an inner node", n, i/2, inner, branch[1:], true)
			}
			check("negative", n, -1, id, branch, true)
			check("the number of transactions", n, n, id, branch, true)
			check("high bits", n, i+1<<len(branch), id, branch, true)
			check("no transactions", 0, i, id, branch, true)
		}
	}
	// Equal siblings, as in a list with repetitions.
	ids := makeIDs(3)
	ids = append(ids, ids[2])
	branch, err := bitcoin.Branch(ids, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bitcoin.RootFromBranch(4, 2, ids[2], branch); err == nil {
		t.Error("equal siblings: no error")
	}
	if root, err := bitcoin.RootFromBranch(1, 0, ids[0], nil); root != ids[0] || err != nil {
		t.Errorf("one transaction: root %x, error %v", root, err)
	}
}

func TestMutatedListsAreReported(t *testing.T) {
	for n := 1; n < 70; n++ {
		for end := 1; end <= n; end++ { // repeat so many at the end
			ids := makeIDs(n)
			ids = append(ids, ids[n-end:]...)
			all, want := levels(ids)
			if root, mutated := bitcoin.Root(ids); mutated != want || root != all[len(all)-1][0] {
				t.Errorf("%d and the last %d again: mutated %v, want %v", n, end, mutated, want)
			}
		}
	}
	// The attack: another list of the same root.
	for _, tt := range []struct{ n, again int }{{3, 1}, {5, 1}, {6, 2}, {7, 1}, {12, 4}, {2047, 1}, {4095, 1}, {3072, 1024}} {
		ids := makeIDs(tt.n)
		longer := append(slices.Clone(ids), ids[tt.n-tt.again:]...)
		root, mutated := bitcoin.Root(ids)
		rootOfLonger, mutatedLonger := bitcoin.Root(longer)
		if root != rootOfLonger || mutated || !mutatedLonger {
			t.Errorf("%d, and %d again: roots %x and %x, mutated %v and %v", tt.n, tt.again, root, rootOfLonger, mutated, mutatedLonger)
		}
	}
}

func TestNodes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 15, 33, 255, 256, 257, 600} {
			src := makeIDs(2 * n)
			want := make([][32]byte, n)
			for i := range want {
				want[i] = double(src[2*i], src[2*i+1])
			}
			dst := makeIDs(n + 1)
			if err := bitcoin.Nodes(dst, src); err != nil || !slices.Equal(dst[:n], want) {
				t.Fatalf("%d nodes: wrong digests, error %v", n, err)
			}
			if dst[n] != makeIDs(n + 1)[n] || !slices.Equal(src, makeIDs(2*n)) {
				t.Fatalf("%d nodes: wrote elsewhere", n)
			}
			if err := bitcoin.Nodes(src, src); err != nil || !slices.Equal(src[:n], want) {
				t.Fatalf("%d nodes in place: wrong digests, error %v", n, err)
			}
			if !slices.Equal(src[n:], makeIDs(2 * n)[n:]) {
				t.Fatalf("%d nodes in place: wrote behind the digests", n)
			}
		}
	})
}

func TestSums(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 33, 600} {
			msgs := make([][]byte, n)
			for i := range msgs {
				msgs[i] = hashtest.Data(i * 37 % 900)
			}
			dst := make([]txid, n+1)
			bitcoin.Sums(dst[:n], msgs)
			for i, m := range msgs {
				first := sha256.Sum256(m)
				if want := sha256.Sum256(first[:]); dst[i] != want {
					t.Fatalf("message %d of %d: %x, want %x", i, n, dst[i], want)
				}
			}
			if dst[n] != (txid{}) {
				t.Fatalf("%d messages: wrote behind the digests", n)
			}
		}
	})
}

func TestHeaderHashes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 31, 256, 257, 1000} {
			data, headers := hashtest.Data(80*n), make([][80]byte, n)
			for i := range headers {
				headers[i] = [80]byte(data[80*i:])
			}
			dst := make([][32]byte, n)
			bitcoin.HeaderHashes(dst, headers)
			for i, h := range headers {
				first := sha256.Sum256(h[:])
				if want, alone := sha256.Sum256(first[:]), bitcoin.HeaderHash(h); dst[i] != want || alone != want {
					t.Fatalf("header %d of %d: %x, alone %x, want %x", i, n, dst[i], alone, want)
				}
			}
		}
	})
}

func TestNothingIsRetained(t *testing.T) {
	for _, n := range []int{300, 5} { // the short list finds the scratch as the long one left it
		hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
			headers, dst := make([][80]byte, n), make([][32]byte, n)
			bitcoin.HeaderHashes(dst, headers)
			return map[string]weak.Pointer[byte]{"a header": weak.Make(&headers[n-1][0]), "the hashes": weak.Make(&dst[0][0])}
		})
	}
}

func TestNonsenseIsAnErrorAndWritesNothing(t *testing.T) {
	for _, tt := range []struct {
		dst, src int
		want     error
		text     string
	}{
		{5, 7, hashtree.ErrOddChunks, "bitcoin: Nodes: odd"},
		{1, 4, hashtree.ErrNotEnoughDigests, "bitcoin: Nodes: not enough digest length, need at least 2, got 1"},
	} {
		dst := makeIDs(tt.dst)
		if err := bitcoin.Nodes(dst, makeIDs(tt.src)); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%d digests of %d: error %v", tt.dst, tt.src, err)
		}
		if !slices.Equal(dst, makeIDs(tt.dst)) {
			t.Errorf("%d digests of %d: wrote some", tt.dst, tt.src)
		}
	}
	for _, tt := range []struct{ n, index int }{{0, 0}, {3, 3}, {3, -1}} {
		branch, err := bitcoin.Branch(makeIDs(tt.n), tt.index)
		if want := fmt.Sprintf("bitcoin: no transaction %d in a tree of %d", tt.index, tt.n); branch != nil || err == nil || err.Error() != want {
			t.Errorf("branch %x, error %v, want %s", branch, err, want)
		}
	}
}

// TestMisusePanics tests fewer and more digests than there are messages or headers, few and
// many of them. Nothing is written.
func TestMisusePanics(t *testing.T) {
	for _, n := range []struct{ dst, src int }{{1, 2}, {3, 2}, {0, 1}, {1, 0}, {999, 1000}, {1001, 1000}} {
		for _, tt := range []struct {
			want string
			call func(dst [][32]byte)
		}{
			{"bitcoin: Sums: %d digests for %d messages", func(dst [][32]byte) { bitcoin.Sums(dst, make([][]byte, n.src)) }},
			{"bitcoin: HeaderHashes: %d digests for %d headers", func(dst [][32]byte) { bitcoin.HeaderHashes(dst, make([][80]byte, n.src)) }},
		} {
			want, dst := fmt.Sprintf(tt.want, n.dst, n.src), makeIDs(n.dst)
			func() {
				defer func() {
					if r := recover(); r != want {
						t.Errorf("panic %v, want %s", r, want)
					}
				}()
				tt.call(dst)
			}()
			if !slices.Equal(dst, makeIDs(n.dst)) {
				t.Errorf("%s: wrote some", want)
			}
		}
	}
}

// A txid is a hash of a named type, as btcd's chainhash.Hash.
type txid [32]byte

func TestHashesOfANamedType(t *testing.T) {
	for _, n := range []int{1, 2, 7, 600} {
		plain, named := makeIDs(n), make([]txid, n)
		for i, id := range plain {
			named[i] = id
		}
		all, _ := levels(plain)
		if root, mutated := bitcoin.Root(named); root != all[len(all)-1][0] || mutated {
			t.Errorf("root of %d: %x, mutated %v, want %x", n, root, mutated, all[len(all)-1][0])
		}
		branch, err := bitcoin.Branch(named, n/2)
		if err != nil || len(branch) != len(all)-1 {
			t.Fatalf("branch in a tree of %d: %d hashes, error %v", n, len(branch), err)
		}
		for l, got := range branch {
			if want := all[l][min((n/2)>>l^1, len(all[l])-1)]; got != want {
				t.Errorf("branch in a tree of %d, level %d: %x, want %x", n, l, got, want)
			}
		}
		if root, err := bitcoin.RootFromBranch(n, n/2, named[n/2], branch); root != all[len(all)-1][0] || err != nil {
			t.Errorf("root from a branch in a tree of %d: %x, error %v", n, root, err)
		}
		headers := make([][80]byte, n)
		hashes := make([]txid, n)
		bitcoin.HeaderHashes(hashes, headers)
		first := sha256.Sum256(headers[0][:])
		if want := sha256.Sum256(first[:]); hashes[n-1] != want {
			t.Errorf("hash of header %d: %x, want %x", n-1, hashes[n-1], want)
		}
		if err := bitcoin.Nodes(named, named[:n&^1]); err != nil {
			t.Fatal(err)
		}
		for i := range n / 2 {
			if want := double(plain[2*i], plain[2*i+1]); named[i] != want {
				t.Errorf("node %d of %d hashes: %x, want %x", i, n, named[i], want)
			}
		}
	}
	if branch, err := bitcoin.Branch([]txid{}, 0); branch != nil || err == nil {
		t.Errorf("branch in a tree of none: %x, error %v", branch, err)
	}
}

func TestNodesAllocateNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	ids, headers := makeIDs(1000), make([][80]byte, 500)
	dst, named, msgs := make([][32]byte, 500), make([]txid, 1000), make([][]byte, 500)
	for i := range msgs {
		msgs[i] = hashtest.Data(i)
	}
	for name, f := range map[string]func(){
		"Sums":                         func() { bitcoin.Sums(dst, msgs) },
		"Nodes":                        func() { bitcoin.Nodes(dst, ids) },
		"HeaderHash":                   func() { bitcoin.HeaderHash(headers[7]) },
		"HeaderHashes":                 func() { bitcoin.HeaderHashes(dst, headers) },
		"Nodes of a named type":        func() { bitcoin.Nodes(named, named) },
		"HeaderHashes of a named type": func() { bitcoin.HeaderHashes(named[:500], headers) },
	} {
		if n := testing.AllocsPerRun(20, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
