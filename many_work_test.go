package sha256

import (
	stdsha256 "crypto/sha256"
	"hash"
	"os"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// TestFaultLeavesNoHashWaiting tests that WriteHashes hashes side by side again
// what it wrote to when memory could not be read.
func TestFaultLeavesNoHashWaiting(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	for _, length := range []int{len(broken), 3000} { // of the others, alike or not
		hs, data := make([]hash.Hash, 40), make([][]byte, 40)
		for i := range hs {
			hs[i], data[i] = New(), make([]byte, length)
		}
		data[17] = broken
		if guard.Faults(func() { WriteHashes(hs, data) }) == nil {
			t.Error("reading what cannot be read did not fault")
		}
		for i, h := range hs {
			if flushedDigest(h).waiting {
				t.Errorf("hash %d is still waiting", i)
			}
		}
		w := works.Get().(*work) // the one that was used, unless the pool dropped it
		if w.hs != nil || w.data != nil {
			t.Errorf("%d hashes and %d writes are kept", len(w.hs), len(w.data))
		}
		works.Put(w)
	}
}

// TestTakenStatesAreCleared tests that nothing of a prefix stays in the pool: it may be a
// key.
func TestTakenStatesAreCleared(t *testing.T) {
	h := stdsha256.New()
	h.Write([]byte("a key"))
	s := take(h)
	if s == nil {
		t.Skip("crypto/sha256 does the work")
	}
	form := s.form
	s.release()
	if s.digest != (digest{}) {
		t.Errorf("the state is still there: %+v", s.digest)
	}
	if slices.ContainsFunc(form, func(b byte) bool { return b != 0 }) {
		t.Errorf("the marshalled state is still there: %x", form)
	}
}

// TestNoHashIsLeftWaiting tests that what lists of hashes leave behind can go side
// by side the next time. A hash that is still waiting goes alone: that is right,
// but slow.
func TestNoHashIsLeftWaiting(t *testing.T) {
	s := NewServer()
	for _, tt := range []struct {
		name   string
		held   int // bytes that each hash holds back before
		length func(i int) int
	}{
		{"nothing to compress", 0, func(int) int { return 7 }},
		{"whole blocks alike", 0, func(int) int { return 4 * BlockSize }},
		{"alike", 0, func(int) int { return 100 }},
		{"unlike", 0, func(i int) int { return 100 * i }},
		{"held data", 5000, func(int) int { return 300 }},
		{"held data, and little more", 5000, func(int) int { return 200 }},
		{"held data, and unlike", 5000, func(i int) int { return 100 * i }},
	} {
		hs, data := make([]hash.Hash, 40), make([][]byte, 40)
		for i := range hs {
			hs[i], data[i] = s.New(), make([]byte, tt.length(i))
			hs[i].Write(make([]byte, tt.held/2))
			hs[i].Write(make([]byte, tt.held-tt.held/2))
		}
		for _, call := range []struct {
			name string
			call func()
		}{
			{"WriteHashes", func() { WriteHashes(hs, data) }},
			{"SumHashes", func() { SumHashes(make([][Size]byte, len(hs)), hs) }},
		} {
			call.call()
			for i, h := range hs {
				if flushedDigest(h).waiting {
					t.Fatalf("%s, %s: hash %d is still waiting", tt.name, call.name, i)
				}
				h.Write(make([]byte, tt.held)) // for the next call
			}
		}
	}
}

// TestChainsAreCleared tests that no digest of a chain stays in the pool: it may be secret.
func TestChainsAreCleared(t *testing.T) {
	digests, steps := make([][Size]byte, 40), make([]int, 40)
	for i := range steps {
		digests[i], steps[i] = [Size]byte{1, byte(i)}, 2*i+1
	}
	SumChains(digests, steps)
	odd := oddDigests.Get() // the one that was used, unless the pool dropped it
	defer oddDigests.Put(odd)
	if !reflect.ValueOf(odd).Elem().IsZero() {
		t.Errorf("digests of chains are left: %x", odd)
	}
}

// TestWeighWrites has lists of which runs are long or short, by what lies between hashes
// of this package.
func TestWeighWrites(t *testing.T) {
	many := Selected().Lanes > 1
	for _, tt := range []struct {
		name       string
		other      func() hash.Hash // every second hash; nil for this package's
		size       int
		few, taken bool
	}{
		{"long", nil, 4000, !many, false},
		{"short", nil, 5, true, false},
		{"long, beside a Server's", NewServer().New, 4000, !many, false},
		{"among hashes of crypto/sha256, with little to write", stdsha256.New, minTaken - 1, true, false},
		{"among hashes of crypto/sha256", stdsha256.New, 8000, !many, !block.UsesStd()},
		{"among hashes of another package", func() hash.Hash { return struct{ hash.Hash }{New()} }, 8000, true, false},
	} {
		hs, data := make([]hash.Hash, 60), make([][]byte, 60)
		for i := range hs {
			hs[i], data[i] = New(), make([]byte, tt.size)
			if i%2 == 1 && tt.other != nil {
				hs[i] = tt.other()
			}
		}
		if few, taken := weighWrites(hs, data); few != tt.few || taken != tt.taken {
			t.Errorf("%s: few %t and taken %t, want %t and %t", tt.name, few, taken, tt.few, tt.taken)
		}
	}
}

// TestEqualHashesAreWeighedAsSuch tests that the hashes of equalWork, and no others, are
// weighed by its costs.
func TestEqualHashesAreWeighedAsSuch(t *testing.T) {
	const n = 60
	differ := false
	for blocks := 1; blocks < 40; blocks++ {
		for _, tt := range []struct {
			name    string
			begun   int // bytes of a block that the last hash has
			more    int // blocks that the first hash has more
			foreign bool
			equal   bool
		}{
			{name: "equal", equal: true},
			{name: "the last has begun a block", begun: 20},
			{name: "the first has more blocks", more: 1},
			{name: "equal, before a hash of another package", foreign: true, equal: true},
			{name: "one has begun a block, before a hash of another package", foreign: true, begun: 20},
		} {
			hs, data := make([]hash.Hash, n), make([][]byte, n)
			var tally lanes.Tally
			for i := range hs {
				hs[i], data[i] = New(), make([]byte, blocks*BlockSize)
				if i == 0 {
					data[i] = make([]byte, (blocks+tt.more)*BlockSize)
				}
				tally = tally.With(len(data[i]) / BlockSize)
			}
			hs[n-1].Write(make([]byte, tt.begun))
			if tt.foreign {
				hs, data = append(hs, struct{ hash.Hash }{New()}), append(data, nil)
			}
			want := tally.AreFew(writeCyclesOf(len(hs), tt.equal))
			if few, taken := weighWrites(hs, data); few != want || taken {
				t.Errorf("%s: %d hashes of %d blocks: few %t and taken %t, want %t", tt.name, n, blocks, few, taken, want)
			}
			differ = differ || want != tally.AreFew(writeCyclesOf(len(hs), !tt.equal))
		}
	}
	if !differ {
		t.Skip("on this CPU the two cost the same")
	}
}
