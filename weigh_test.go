package sha256

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/written"
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
	const equal, classed, mixed = lanes.EqualWrites, lanes.ClassedWrites, lanes.MixedWrites
	for _, tt := range []struct {
		name    string
		begun   int        // bytes of a block that each hash has
		spread  int        // the largest number of blocks that a hash has more than others
		foreign bool       // a hash of another package follows
		want    lanes.Kind // if equal or mixed; otherwise, the plan decides
		unlike  lanes.Kind // by the costs of another function
	}{
		{name: "equal", want: equal, unlike: mixed},
		{name: "equal, begun", begun: 20, want: equal, unlike: mixed},
		{name: "equal, before a hash of another package", foreign: true, want: equal, unlike: mixed},
		{name: "in two classes", spread: 1, unlike: mixed},
		{name: "in two classes, begun", spread: 1, begun: 20, unlike: mixed},
		{name: "in many classes", spread: 15, unlike: equal},
		{name: "too long for classes", spread: 40, want: mixed, unlike: equal},
	} {
		differ := false
		for _, n := range []int{4, 6, 8, 11, 16, 24, 60} {
			for _, blocks := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30} {
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
				kind := tt.want
				switch {
				case kind == mixed && tally.HasClasses():
					continue // too short
				case kind != equal && tally.HasClasses():
					kind = classed
				case kind != equal:
					kind = mixed
				}
				want := tally.OneByOne(kind, 0)
				if oneByOne, taken := weighWrites(hs, data); oneByOne != want || taken {
					t.Errorf("%s: %d hashes of %d blocks and more: one by one %t and taken %t, want %t", tt.name, n, blocks, oneByOne, taken, want)
				}
				differ = differ || want != tally.OneByOne(tt.unlike, 0)
			}
		}
		if !differ {
			t.Logf("%s: on this CPU, all costs lead to the same choice", tt.name)
		}
	}
}

// TestHeldAbout tests what hashes are assumed to hold.
func TestHeldAbout(t *testing.T) {
	const anyNumber = -1
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
	wrapped := func(hs []hash.Hash) []hash.Hash {
		w := make([]hash.Hash, len(hs))
		for i, h := range hs {
			w[i] = &wrapper{h}
		}
		return w
	}
	for _, tt := range []struct {
		name string
		hs   []hash.Hash
		want int // or anyNumber
	}{
		{"one", equal[:1], 16},
		{"two", equal[:2], 16},
		{"many", equal, 16},
		{"a whole block and 5 bytes", []hash.Hash{holding(69), holding(5)}, 5},
		{"others hold more", unequal, anyNumber},
		{"the second holds more", []hash.Hash{holding(1), holding(2), holding(1)}, anyNumber},
		{"written to by others", wrapped(equal), 16},
		{"written to by others, of which one holds more", wrapped(unequal), anyNumber},
		{"written to by others, beside one of this package", append(wrapped(equal[:1]), equal[1]), anyNumber},
		{"beside others that write to such", append(equal[:1:1], wrapped(equal[:2])...), anyNumber},
		{"of crypto/sha256", []hash.Hash{stdsha256.New(), holding(3)}, anyNumber},
		{"beside one of crypto/sha256", []hash.Hash{holding(3), stdsha256.New()}, anyNumber},
	} {
		least, most := tt.want, tt.want
		if tt.want == anyNumber {
			least, most = 0, BlockSize-1
		}
		if gotLeast, gotMost := heldAbout(tt.hs); gotLeast != least || gotMost != most {
			t.Errorf("%s: %d to %d bytes, want %d to %d", tt.name, gotLeast, gotMost, least, most)
		}
	}
}

// TestTallyAbout tests which blocks the lengths of writes are assumed to complete.
func TestTallyAbout(t *testing.T) {
	const anyNumber = -1
	between := lanes.TallyBetween
	counted := func(blocks ...int) (tally lanes.Tally) {
		for _, b := range blocks {
			tally = tally.With(b)
		}
		return tally
	}
	for _, tt := range []struct {
		name    string
		held    int // what each hash holds, or anyNumber
		lengths []int
		want    lanes.Tally
	}{
		{"of one length", 0, []int{640, 640, 640}, counted(10, 10, 10)},
		{"of one length, begun", 40, []int{88, 88, 88}, counted(2, 2, 2)},
		{"of one length, unequal hashes", anyNumber, []int{640, 640, 640, 640}, between(4, 40, 10, 10)},
		{"no whole blocks, unequal hashes", anyNumber, []int{100, 100, 100, 100}, between(4, 6, 1, 2)},
		{"less than a block, unequal hashes", anyNumber, []int{63, 63}, between(2, 1, 0, 1)},
		{"of several lengths", 0, []int{256, 320, 640}, between(3, 17, 4, 10)},
		{"of several lengths, begun", 60, []int{68, 260, 320}, between(3, 11, 2, 5)},
		{"a few bytes, not to count as blocks of others", 32, []int{40, 40, 100, 100}, between(4, 4, 1, 2)},
		{"one long, beside short ones", 32, []int{10, 20, 31, 1000}, counted(0, 0, 0, 16)},
		{"each second long, begun", 60, []int{3, 1000, 4, 964}, counted(0, 16, 1, 16)},
		{"one long, unequal hashes", anyNumber, []int{10, 20, 1, 1000}, between(1, 16, 1, 16)},
		{"one long, others half a block, unequal hashes", anyNumber, []int{30, 34, 1000}, between(2, 16, 1, 16)},
		{"one long, others more than half a block, unequal hashes", anyNumber, []int{10, 30, 63, 1000}, between(3, 17, 1, 16)},
		{"each second long, others empty, unequal hashes", anyNumber, []int{0, 961, 0, 961}, between(2, 30, 1, 16)},
		{"each second long, unequal hashes", anyNumber, []int{16, 960, 16, 960}, between(3, 30, 1, 15)},
	} {
		data, bytes := make([][]byte, len(tt.lengths)), 0
		for i, n := range tt.lengths {
			data[i] = make([]byte, n)
			bytes += n
		}
		least, most := tt.held, tt.held
		if tt.held == anyNumber {
			least, most = 0, BlockSize-1
		}
		if got := tallyAbout(data, bytes, slices.Min(tt.lengths), slices.Max(tt.lengths), least, most); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestWeighLengths tests that writes are weighed by the blocks that they complete.
func TestWeighLengths(t *testing.T) {
	for _, tt := range []struct {
		name              string
		held              int
		shortest, longest int // by turns
		blocks            int
	}{
		{"whole blocks", 0, 64, 64, 1},
		{"begun", 60, 64, 64, 1},
		{"less than a block", 48, 20, 20, 1},
		{"of two lengths", 32, 32, 40, 1},
		{"two blocks", 0, 128, 128, 2},
		{"three blocks of two lengths, begun", 60, 140, 150, 3},
		{"a block and a rest", 0, 100, 100, 1},
		{"a block and a rest, begun", 20, 100, 100, 1},
	} {
		for n := 2; n < 80; n += 2 {
			hs, data := make([]hash.Hash, n), make([][]byte, n)
			for i := range hs {
				hs[i], data[i] = New(), make([]byte, tt.shortest+(tt.longest-tt.shortest)*(i%2))
				hs[i].Write(make([]byte, tt.held))
			}
			tally := lanes.TallyBetween(n, n*tt.blocks, tt.blocks, tt.blocks)
			for _, other := range []int{0, wrapCycles} {
				got := weighLengths(hs, data, n*(tt.shortest+tt.longest)/2, tt.shortest, tt.longest, other)
				more := other
				if tt.held == 0 && tt.longest%BlockSize > 0 && n > block.MaxLanes {
					more -= lanes.FreshCycles()
				}
				if want := tally.OneByOne(lanes.EqualWrites, more); got != want {
					t.Errorf("%s: %d writes, %d cycles more: one by one %t, want %t", tt.name, n, other, got, want)
				}
			}
		}
	}
}

// TestFreshHashesAreWeighed tests that alwaysOneByOne leaves writes to hashes that hold nothing to
// weighLengths, where they pay.
func TestFreshHashesAreWeighed(t *testing.T) {
	for n := 2; n < 300; n++ {
		hs, data := make([]hash.Hash, n), make([][]byte, n)
		for i := range hs {
			hs[i], data[i] = New(), make([]byte, 100)
		}
		if !weighLengths(hs, data, 100*n, 100, 100, 0) && alwaysOneByOne(n, 100*n, 100, 100, 0, false) {
			t.Errorf("%d writes pay, but always go one by one", n)
		}
	}
}

// TestWeighRuns tests that lengths are weighed as the blocks that they complete on average, and
// that short writes to hashes of crypto/sha256 separate the others.
func TestWeighRuns(t *testing.T) {
	for blocks := 1; blocks*BlockSize-BlockSize/2 < minTaken; blocks++ {
		hs, data := make([]hash.Hash, 65), make([][]byte, 65)
		for i := range hs {
			hs[i], data[i] = New(), make([]byte, blocks*BlockSize-BlockSize/2)
		}
		hs[32] = stdsha256.New()
		data[64] = make([]byte, (blocks+9)*BlockSize)
		half := lanes.TallyBetween(32, 32*blocks, blocks, blocks)
		longer := lanes.TallyBetween(31, 31*blocks, blocks, blocks).With(blocks + 9)
		for _, more := range []int{0, wrapCycles, takeCycles} {
			want := writesOneByOne(half, 32, more) && writesOneByOne(longer, 32, more)
			if got := weighRuns(hs, data, false, more); got != want {
				t.Errorf("65 of %d blocks, one of crypto/sha256, %d more cycles: %t, want %t", blocks, more, got, want)
			}
			all := half.Plus(longer)
			if got, want := weighRuns(hs, data, true, more), writesOneByOne(all, 65, more); got != want {
				t.Errorf("65 of %d blocks, one of crypto/sha256, beside wrappers, %d more cycles: %t, want %t", blocks, more, got, want)
			}
		}
		for n := 2; n < 5; n++ { // as a run, these are equal; among others, they would be mixed
			hs, data := append(slices.Repeat([]hash.Hash{New()}, n), hs[32]), append(slices.Repeat([][]byte{make([]byte, 30*BlockSize)}, n), data[32])
			if got, want := weighRuns(hs, data, false, 0), writesOneByOne(lanes.TallyBetween(n, n*30, 30, 30), n, 0); got != want {
				t.Errorf("%d of 30 blocks, before one of crypto/sha256: %t, want %t", n, got, want)
			}
		}
		for i := range hs {
			if i%2 == 1 {
				hs[i] = stdsha256.New()
			}
		}
		if !weighRuns(hs, data, false, 0) {
			t.Errorf("65 of %d blocks, each second of crypto/sha256, pay", blocks)
		}
	}
}

// TestNextRun tests that nextRun finds the runs of random lists.
func TestNextRun(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	own, std := New(), stdsha256.New()
	short, long := make([]byte, minTaken-1), make([]byte, minTaken)
	for range 3000 {
		n := random.IntN(12)
		hs, data := make([]hash.Hash, n), make([][]byte, n)
		var want [][2]int
		start := 0
		for i := range n + 1 {
			ends := i == n
			if i < n {
				hs[i], data[i] = own, short
				if random.IntN(2) == 0 {
					hs[i] = std
				}
				if random.IntN(4) == 0 {
					data[i] = long
				}
				ends = hs[i] == std && len(data[i]) < minTaken
			}
			if ends {
				if i-start > 1 {
					want = append(want, [2]int{start, i})
				}
				start = i + 1
			}
		}
		var got [][2]int
		for start, end := nextRun(hs, data, 0); start < end; start, end = nextRun(hs, data, end) {
			got = append(got, [2]int{start, end})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d writes, to %v: runs %v, want %v", n, typesOf(hs), got, want)
		}
	}
}

// TestSurveyWrites tests what is learnt of random lists of all kinds of hashes, wherever a kind
// begins.
func TestSurveyWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	kinds := []hash.Hash{New(), New224(), stdsha256.New(), &wrapper{New()}, &other{New()}, NewServer().New(), nil}
	for range 5000 {
		n := random.IntN(7)
		hs, data := make([]hash.Hash, n), make([][]byte, n)
		foreign, alone, bytes, shortest, longest, servers := 0, 0, 0, math.MaxInt, 0, false
		of, first := 1+random.IntN(2), random.IntN(len(kinds)) // how many kinds, and which
		for i := range hs {
			hs[i] = kinds[(first+random.IntN(of))%len(kinds)]
			if random.IntN(5) == 0 {
				hs[i] = kinds[random.IntN(len(kinds))]
			}
			data[i] = make([]byte, random.IntN(2*minTaken))
			switch hs[i].(type) {
			case *digest:
			case nil, *serverHash:
				servers = true
			default:
				foreign++
				if isStd(hs[i]) && len(data[i]) < minTaken {
					alone++
					continue
				}
			}
			bytes += len(data[i])
			shortest, longest = min(shortest, len(data[i])), max(longest, len(data[i]))
		}
		f, a, b, s, l, srv := surveyWrites(hs, data)
		if f != foreign || a != alone || b != bytes || s != shortest || l != longest || srv != servers {
			t.Fatalf("%v: %d foreign, %d alone, %d bytes, %d to %d, servers %t; want %d, %d, %d, %d to %d, %t",
				typesOf(hs), f, a, b, s, l, srv, foreign, alone, bytes, shortest, longest, servers)
		}
	}
}

func typesOf(hs []hash.Hash) (types []string) {
	for _, h := range hs {
		types = append(types, fmt.Sprintf("%T", h))
	}
	return types
}

// TestAllWrap tests which lists need no closer look: all of their hashes write to others.
func TestAllWrap(t *testing.T) {
	wrap, std := func() hash.Hash { return &wrapper{New()} }, stdsha256.New()
	for _, tt := range []struct {
		name string
		hs   []hash.Hash
		want bool
	}{
		{"one", []hash.Hash{wrap()}, true},
		{"three", []hash.Hash{wrap(), wrap(), wrap()}, true},
		{"the last of this package", []hash.Hash{wrap(), wrap(), New()}, false},
		{"the last of crypto/sha256", []hash.Hash{wrap(), wrap(), std}, false},
		{"the first of crypto/sha256", []hash.Hash{std, wrap()}, false},
		{"the second of this package", []hash.Hash{wrap(), New(), wrap()}, false},
		{"of two types", []hash.Hash{wrap(), &wrapper2{New()}}, false},
		{"of this package", []hash.Hash{New(), New()}, false},
		{"of another package", []hash.Hash{&other{New()}, &other{New()}}, false},
	} {
		if got := allWrap(tt.hs); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// An other is a hash of another package. A wrapper and a wrapper2 write to the hash within.
type (
	other    struct{ hash.Hash }
	wrapper  struct{ hash.Hash }
	wrapper2 struct{ hash.Hash }
)

func (w *wrapper) WritesTo(written.Here) hash.Hash  { return w.Hash }
func (w *wrapper2) WritesTo(written.Here) hash.Hash { return w.Hash }

// TestFewWritesCost tests that more cycles for each hash never make writes pay, that each of more
// than nearHashes costs as much more as the plan says, and that writes without blocks are charged
// beside writes of equally many.
func TestFewWritesCost(t *testing.T) {
	for _, blocks := range [][]int{{4}, {0, 4}, {0, 50}, {3, 4, 5}, {1, 50}} {
		for _, n := range []int{0, 1, 2, 40, 400} {
			var tally lanes.Tally
			for i := range n {
				tally = tally.With(blocks[i%len(blocks)])
			}
			for _, more := range []int{0, wrapCycles, takeCycles, 1 << 20} {
				if writesOneByOne(tally, n, more) && !writesOneByOne(tally, n, more+1) {
					t.Errorf("%d writes of %v blocks pay only with more than %d cycles each", n, blocks, more)
				}
			}
			kind := kindOf(tally, nearHashes+1)
			extra := lanes.FarCycles(kind)
			if tally.Jobs() > 1 && tally.IsEqual() {
				extra += (apartCycles + idleCycles*(nearHashes+1-tally.Jobs())) / tally.Jobs()
			}
			for more := 0; more < 4000 && tally.Jobs() > 1; more += 5 {
				if got, want := writesOneByOne(tally, nearHashes+1, more), tally.OneByOne(kind, more+extra); got != want {
					t.Errorf("%d writes of %v blocks among many, %d more cycles: one by one %t, want %t", n, blocks, more, got, want)
				}
			}
			if !writesOneByOne(tally, n, 1<<20) {
				t.Errorf("%d writes of %v blocks pay at any cost", n, blocks)
			}
		}
	}
}

// TestAlwaysOneByOne tests by which costs few writes go one by one without further weighing.
func TestAlwaysOneByOne(t *testing.T) {
	equal := func(n, least, blocks, more int) bool {
		return lanes.AlwaysOneByOne(lanes.EqualWrites, n, least, blocks, more)
	}
	unequal := func(n, _, blocks, _ int) bool { return lanes.UnequalOneByOne(n, blocks, false) }
	few := func(n, _, blocks, _ int) bool { return lanes.UnequalOneByOne(n, blocks, true) }
	short := func(longest int) func(n, least, blocks, more int) bool {
		return func(n, least, blocks, more int) bool {
			return lanes.ShortOneByOne(n, longest) || equal(n, least, blocks, more)
		}
	}
	for _, tt := range []struct {
		name              string
		shortest, longest int // in bytes
		apart             bool
		want              func(n, least, blocks, more int) bool
	}{
		{"of one length", 640, 640, false, short(10)},
		{"of one length, of which some may complete one block more", 129, 129, false, short(3)},
		{"of nearly one length, all of one or two blocks", 64, 65, false, short(2)},
		{"of nearly one length, so that all may complete as many blocks", 640, 703, false, short(11)},
		{"of unequal lengths", 640, 704, false, unequal},
		{"short, of which some may complete no block", 63, 70, false, unequal},
		{"few long", 63, 256, false, few},
		{"in runs", 640, 704, true, few},
	} {
		for n := 2; n <= block.MaxLanes; n++ {
			for blocks := range 40 * n {
				bytes := blocks*BlockSize + 63
				for _, more := range []int{0, wrapCycles} {
					want := tt.want(n, leastJobs(n, bytes, tt.shortest, tt.longest), blocks, more)
					if got := alwaysOneByOne(n, bytes, tt.shortest, tt.longest, more, tt.apart); got != want {
						t.Fatalf("%d writes %s, of %d blocks in all, %d more cycles: %t, want %t", n, tt.name, blocks, more, got, want)
					}
				}
			}
		}
	}
	for _, blocks := range []int{1 << 5, 1 << 20} {
		got := alwaysOneByOne(1000, blocks*BlockSize, 0, 1<<20, 0, false)
		tally := lanes.TallyBetween(1000, blocks, 0, 1<<14)
		if want := lanes.AlwaysOneByOne(kindOf(tally, 1000), 1000, leastJobs(1000, blocks*BlockSize, 0, 1<<20), blocks, 0); got != want {
			t.Errorf("1000 writes of %d blocks in all: %t, want %t", blocks, got, want)
		}
	}
}

// TestAlwaysOneByOneIsTrue tests that lists which always go one by one do so too if their blocks are
// counted. The hashes hold nothing, since alwaysOneByOne ignores partial blocks.
func TestAlwaysOneByOneIsTrue(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	always, not := 0, 0
	for range 200_000 {
		n := 2 + random.IntN(block.MaxLanes+8)
		least := random.IntN(1 << random.IntN(11))
		most := least + random.IntN(1<<random.IntN(11))
		bytes, shortest, longest := 0, math.MaxInt, 0
		var tally lanes.Tally
		for range n {
			length := least + random.IntN(most-least+1)
			bytes += length
			shortest, longest = min(shortest, length), max(longest, length)
			tally = tally.With(blocksOf(length, 0))
		}
		if !alwaysOneByOne(n, bytes, shortest, longest, 0, false) {
			not++
			continue
		}
		always++
		if shortest < BlockSize && !isFewLong(shortest, longest) { // all count as jobs: see leastJobs
			tally = lanes.TallyBetween(n, bytes/BlockSize, 0, blocksOf(longest, 0))
		}
		if !writesOneByOne(tally, n, 0) {
			t.Errorf("%d writes of %d to %d bytes, %d in all, pay: %+v", n, shortest, longest, bytes, tally)
		}
	}
	if always == 0 || not == 0 && Selected().Lanes > 1 {
		t.Errorf("%d lists always go one by one, %d may not", always, not)
	}
}

// TestEndsOneByOne tests that the blocks of ends decide, but only if they matter and all hashes
// have ends.
func TestEndsOneByOne(t *testing.T) {
	for n := 2; n < 70; n++ {
		hs := make([]hash.Hash, n)
		for i := range hs {
			hs[i] = New()
			hs[i].Write(make([]byte, 20))
		}
		least := lanes.LeastEnds(n)
		for two := 0; ; two++ { // ends of two blocks
			if got, want := endsOneByOne(hs, n), n+two < least; got != want {
				t.Errorf("%d hashes, %d of two blocks: one by one %t, want %t", n, two, got, want)
			}
			if got, want := endsOneByOne(append(hs, New()), n), n < least; got != want {
				t.Errorf("%d of %d hashes have ends, %d of two blocks: one by one %t, want %t", n, n+1, two, got, want)
			}
			if two == n {
				break
			}
			hs[two].Write(make([]byte, 40))
		}
		std := slices.Clone(hs)
		for i := range std {
			std[i] = stdsha256.New()
			std[i].Write(make([]byte, 60))
		}
		if got, want := runOneByOne(std), lanes.StdEndsOneByOne(n); got != want {
			t.Errorf("%d hashes of crypto/sha256: one by one %t, want %t", n, got, want)
		}
		std[n-1] = hs[n-1]
		if got, want := runOneByOne(std), n+1 < least; got != want {
			t.Errorf("%d hashes of crypto/sha256, and one of two blocks: one by one %t, want %t", n-1, got, want)
		}
	}
}

// TestRunsAreWeighedApart tests that a run which pays decides, whatever else is written apart.
func TestRunsAreWeighedApart(t *testing.T) {
	pay := 0
	for n := 2; n < 9; n++ {
		for blocks := 1; blocks < 40; blocks++ {
			var hs []hash.Hash
			var data [][]byte
			for range n {
				hs, data = append(hs, New()), append(data, make([]byte, blocks*BlockSize))
			}
			if oneByOne, _ := weighWrites(hs, data); oneByOne {
				continue
			}
			pay++
			hs = append(hs, stdsha256.New(), New())
			data = append(data, make([]byte, 100), make([]byte, BlockSize))
			foreign, alone, bytes, shortest, longest, _ := surveyWrites(hs, data)
			if foreign != 1 || alone != 1 {
				t.Fatalf("%d foreign hashes, %d alone, want 1 and 1", foreign, alone)
			}
			if alwaysOneByOne(len(hs)-alone, bytes, shortest, longest, 0, true) {
				t.Errorf("a run of %d writes of %d blocks pays, but always goes one by one", n, blocks)
			}
		}
	}
	if pay == 0 && Selected().Lanes > 1 {
		t.Error("no run pays")
	}
}

func TestLeastJobs(t *testing.T) {
	for _, tt := range []struct{ n, bytes, shortest, longest, want int }{
		{40, 8 * 1024, 0, 1024, 8},
		{40, 8*1024 + 1, 0, 1024, 9},
		{40, 8 * 1024, 63, 1024, 8},
		{40, 40 * 100, 64, 1024, 40}, // all complete a block
		{40, 40 * 100, 0, 255, 40},   // all are short
		{40, 8 * 256, 0, 256, 8},
		{2, 1024, 0, 1024, 1},
		{40, 40 * 64, 64, 64, 40},
		{40, 40 * 20, 20, 20, 12}, // 28 of 40 complete no block
		{40, 40 * 300, 300, 300, 40},
	} {
		if got := leastJobs(tt.n, tt.bytes, tt.shortest, tt.longest); got != tt.want {
			t.Errorf("%d writes of %d to %d bytes, %d in all: %d jobs, want %d", tt.n, tt.shortest, tt.longest, tt.bytes, got, tt.want)
		}
	}
}
