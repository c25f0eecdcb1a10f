package sha256

import (
	stdsha256 "crypto/sha256"
	"hash"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// TestWeighWrites has lists of which runs are long or short, by what lies between hashes
// of this package.
func TestWeighWrites(t *testing.T) {
	many := Selected().Lanes > 1
	for _, tt := range []struct {
		name            string
		other           func() hash.Hash // every second hash; nil for this package's
		size            int
		oneByOne, taken bool
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
		if oneByOne, taken := weighWrites(hs, data); oneByOne != tt.oneByOne || taken != tt.taken {
			t.Errorf("%s: one by one %t and taken %t, want %t and %t", tt.name, oneByOne, taken, tt.oneByOne, tt.taken)
		}
	}
}

// TestWritesAreWeighedAsTheyRun tests that writes are weighed by the costs of the function
// of package lanes that does them.
func TestWritesAreWeighedAsTheyRun(t *testing.T) {
	type weighing func(t lanes.Tally, n int) bool
	equal := weighing(func(t lanes.Tally, n int) bool { return t.OneByOne(equalCycles + equalListCycles/n) })
	classed := weighing(func(t lanes.Tally, n int) bool { return t.OneByOneInClasses(classCycles + equalListCycles/n) })
	other := weighing(func(t lanes.Tally, n int) bool { return t.OneByOne(writeCycles + writeListCycles/n) })
	for _, tt := range []struct {
		name    string
		begun   int  // bytes of a block that each hash has
		spread  int  // the largest number of blocks that a hash has more than others
		foreign bool // a hash of another package follows
		want    weighing
		unlike  weighing // by the costs of another function
	}{
		{name: "equal", want: equal, unlike: other},
		{name: "equal, begun", begun: 20, want: equal, unlike: other},
		{name: "equal, before a hash of another package", foreign: true, want: equal, unlike: other},
		{name: "in two classes", spread: 1, unlike: equal}, // want: the plan decides
		{name: "in two classes, begun", spread: 1, begun: 20, unlike: equal},
		{name: "in many classes", spread: 15, unlike: equal},
		{name: "too long for classes", spread: 40, want: other, unlike: classed},
	} {
		differ := false
		for _, n := range []int{6, 8, 11, 16, 24, 60} {
			for blocks := 1; blocks <= 15; blocks++ {
				hs, data := make([]hash.Hash, n), make([][]byte, n)
				var tally lanes.Tally
				for i := range hs {
					hs[i], data[i] = New(), make([]byte, (blocks+i*(tt.spread+1)/n)*BlockSize)
					hs[i].Write(make([]byte, tt.begun))
					tally = tally.With(len(data[i]) / BlockSize)
				}
				n := n
				if tt.foreign {
					hs, data = append(hs, struct{ hash.Hash }{New()}), append(data, nil)
					n++
				}
				weigh := tt.want
				switch {
				case weigh == nil && tally.HasClasses():
					weigh = classed
				case weigh == nil:
					weigh = other
				case tt.spread > 0 && tally.HasClasses():
					continue // too short
				}
				want := weigh(tally, n)
				if oneByOne, taken := weighWrites(hs, data); oneByOne != want || taken {
					t.Errorf("%s: %d hashes of %d blocks and more: one by one %t and taken %t, want %t", tt.name, n, blocks, oneByOne, taken, want)
				}
				differ = differ || want != tt.unlike(tally, n)
			}
		}
		if !differ {
			t.Logf("%s: on this CPU, all costs lead to the same choice", tt.name)
		}
	}
}

// TestHeldAbout tests what hashes are assumed to hold.
func TestHeldAbout(t *testing.T) {
	holding := func(n int) hash.Hash {
		h := New()
		h.Write(make([]byte, n))
		return h
	}
	equal := make([]hash.Hash, 100)
	for i := range equal {
		equal[i] = holding(16)
	}
	unequal := slices.Clone(equal)
	for i := range unequal[1:] {
		unequal[1+i] = holding(17)
	}
	for _, tt := range []struct {
		name string
		hs   []hash.Hash
		want int
	}{
		{"one", equal[:1], 16},
		{"two", equal[:2], 16},
		{"many", equal, 16},
		{"a whole block and 5 bytes", []hash.Hash{holding(69), holding(5)}, 5},
		{"others hold more", unequal, BlockSize / 2},
		{"the second holds more", []hash.Hash{holding(1), holding(2), holding(1)}, BlockSize / 2},
		{"of crypto/sha256", []hash.Hash{stdsha256.New(), holding(3)}, BlockSize / 2},
		{"beside one of crypto/sha256", []hash.Hash{holding(3), stdsha256.New()}, BlockSize / 2},
	} {
		if got := heldAbout(tt.hs); got != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.name, got, tt.want)
		}
	}
}

// TestWeighLengths tests that lengths are weighed as the blocks that they complete on
// average, and that short writes to hashes of crypto/sha256 separate the others.
func TestWeighLengths(t *testing.T) {
	for blocks := 1; blocks < 20; blocks++ {
		own, data := make([]hash.Hash, 64), make([][]byte, 64)
		var all, half lanes.Tally
		for i := range own {
			own[i], data[i] = New(), make([]byte, blocks*BlockSize-BlockSize/2)
			own[i].Write(make([]byte, BlockSize/2+i%2)) // not all hold as much
			all = all.With(blocks)
			if i < len(own)/2 {
				half = half.With(blocks)
			}
		}
		if oneByOne, want := weighLengths(own, data, 0, false, 0), writesOneByOne(all, 64, 0); oneByOne != want {
			t.Errorf("64 of %d blocks: %t, want %t", blocks, oneByOne, want)
		}
		if oneByOne, want := weighLengths(own, data, 0, false, takeCycles), writesOneByOne(all, 64, takeCycles); oneByOne != want {
			t.Errorf("64 of %d blocks, with more cycles: %t, want %t", blocks, oneByOne, want)
		}
		for _, longer := range []int{1, 9, 300} { // the second half
			mixed, tally := slices.Clone(data), half
			for i := 32; i < 64; i++ {
				mixed[i], tally = make([]byte, (blocks+longer)*BlockSize), tally.With(blocks+longer)
			}
			if oneByOne, want := weighLengths(own, mixed, 0, false, 0), writesOneByOne(tally, 64, 0); oneByOne != want {
				t.Errorf("32 of %d blocks and 32 of %d: %t, want %t", blocks, blocks+longer, oneByOne, want)
			}
		}
		if blocks*BlockSize-BlockSize/2 >= minTaken {
			continue
		}
		one := slices.Clone(own)
		one[32] = stdsha256.New()
		if oneByOne, want := weighLengths(one, data, 1, false, 0), writesOneByOne(half, 64, 0); oneByOne != want {
			t.Errorf("64 of %d blocks, one of crypto/sha256: %t, want %t", blocks, oneByOne, want)
		}
		if oneByOne, want := weighLengths(one, data, 1, true, 0), weighLengths(own[1:], data[1:], 0, false, 0); oneByOne != want {
			t.Errorf("64 of %d blocks, one of crypto/sha256, beside wrappers: %t, want %t", blocks, oneByOne, want)
		}
		for i := range one {
			if i%2 == 1 {
				one[i] = stdsha256.New()
			}
		}
		if !weighLengths(one, data, 32, false, 0) {
			t.Errorf("64 of %d blocks, each second of crypto/sha256, pay", blocks)
		}
	}
}

// TestFewWritesCost tests that more cycles for each hash, and more than nearHashes, never
// make writes pay.
func TestFewWritesCost(t *testing.T) {
	for _, blocks := range [][]int{{4}, {0, 4}, {3, 4, 5}, {1, 50}} {
		for _, n := range []int{0, 1, 2, 40, 400} {
			var tally lanes.Tally
			for i := range n {
				tally = tally.With(blocks[i%len(blocks)])
			}
			for _, more := range []int{0, wrapCycles, takeCycles, 1 << 20} {
				// A list's share for each write is that of n writes, so only long lists compare.
				if n == 400 && writesOneByOne(tally, n, more) && !writesOneByOne(tally, nearHashes+1, more) {
					t.Errorf("%d writes of %v blocks pay only if they are far", n, blocks)
				}
				if writesOneByOne(tally, n, more) && !writesOneByOne(tally, n, more+1) {
					t.Errorf("%d writes of %v blocks pay only with more than %d cycles each", n, blocks, more)
				}
			}
			if !writesOneByOne(tally, n, 1<<20) {
				t.Errorf("%d writes of %v blocks pay at any cost", n, blocks)
			}
		}
	}
}

func TestLeastJobs(t *testing.T) {
	for _, tt := range []struct{ n, bytes, shortest, longest, want int }{
		{40, 8 * 1024, 0, 1024, 8},
		{40, 8*1024 + 1, 0, 1024, 9},
		{40, 8 * 1024, 31, 1024, 8},
		{40, 40 * 100, 32, 1024, 40}, // all may complete a block
		{40, 40 * 100, 0, 255, 40},   // all are short
		{40, 8 * 256, 0, 256, 8},
		{2, 1024, 0, 1024, 1},
	} {
		if got := leastJobs(tt.n, tt.bytes, tt.shortest, tt.longest); got != tt.want {
			t.Errorf("%d writes of %d to %d bytes, %d in all: %d jobs, want %d", tt.n, tt.shortest, tt.longest, tt.bytes, got, tt.want)
		}
	}
}
