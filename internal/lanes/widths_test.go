package lanes

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// TestByBlocksAtEveryWidth tests lists that go by blocks by the plan of every
// microarchitecture, whatever this machine can run: at every count up to three
// times the lanes, and beyond two full waves.
func TestByBlocksAtEveryWidth(t *testing.T) {
	data := randomBytes(1024)
	for _, m := range cpu.Microarchs() {
		r, random := newRecorder(m), rand.New(rand.NewPCG(1, 2))
		r.jobs = new(jobs)
		for n := 1; n <= max(3*r.plan.Width, 2*block.MaxLanes+3); n++ {
			begin, longest := data[:random.IntN(block.Size)], 40+random.IntN(900)
			if n%4 == 3 { // all messages have one block
				begin, longest = data[:random.IntN(20)], 36
			}
			s := sumMany{dst: make([][32]byte, n), msgs: make([][]byte, n), prefix: Prefix{H: block.IV256, Rest: begin, Len: uint64(len(begin))}}
			for i := range s.msgs {
				s.msgs[i] = data[:random.IntN(longest)]
			}
			s.lengths = lengthsOf(s.msgs, len(begin))
			g := acquire()
			g.plan = r.plan
			g.sums = s
			g.sumByBlocks(rowsOf(s.dst), block.PaddedBlocks(len(begin)), block.PaddedBlocks(len(begin)+longest), n%2 == 0)
			for i, state := range g.state {
				if state != &g.unused {
					t.Fatalf("%#v: lane %d is in use afterwards", m, i)
				}
			}
			g.release()
			for i, msg := range s.msgs {
				if want := sha256.Sum256(append(begin[:len(begin):len(begin)], msg...)); s.dst[i] != want {
					t.Fatalf("%#v: digest %d of %d, of %d bytes behind %d: %x, want %x", m, i, n, len(msg), len(begin), s.dst[i], want)
				}
			}
		}
	}
}

// TestWhatGoesByBlocks tests both sides of the limits of lists that go by blocks, and lists
// of messages that are too long for it.
func TestWhatGoesByBlocks(t *testing.T) {
	const width = 4
	data := randomBytes(260 * block.Size)
	for _, tt := range []struct {
		least, most int // blocks
		n           int
		pairsPay    bool
		want        bool
		two         bool // no numbers of blocks between occur
	}{
		{1, 2, 2, false, true, false},
		{1, block.MaxShort, 2, false, true, false},
		{1, block.MaxShort + 1, 2, false, false, false},
		{1, block.MaxShort + 1, (block.MaxShort+1)*width - 1, false, false, false},
		{1, block.MaxShort + 1, (block.MaxShort + 1) * width, false, true, false},
		{maxSeen, maxSeen, width - 1, false, false, false},
		{maxSeen, maxSeen, width, false, true, false},
		{maxSeen, maxSeen, width, true, true, false}, // equal: each lane has one
		{maxSeen - 1, maxSeen, 2*width - 1, false, false, false},
		{maxSeen - 1, maxSeen, 2 * width, false, true, false},
		{1, maxSeen, maxSeen*width - 1, false, false, false},
		{1, maxSeen, maxSeen * width, false, true, false},
		{maxSeen + 1, maxSeen + 1, 100, false, false, false},
		{maxSeen, maxSeen + 1, 2 * window, false, false, false},
		{255, 255, 300, false, false, false},
		{256, 256, 300, false, false, false},
		{1, maxSeen, 2*width - 1, false, false, true},
		{1, maxSeen, 2 * width, false, true, true},
		{1, maxSeen + 1, 2 * window, false, false, true},
		{1, block.MaxShort, 2, true, true, false},
		{1, block.MaxShort + 1, width, true, false, false},
		{1, block.MaxShort + 1, width + 1, true, true, false},
		{1, blocksPerMessage * 5, 5, true, true, true},
		{1, blocksPerMessage*5 + 1, 5, true, false, true},
		{1, maxByBlocks, 100, true, true, true},
		{1, maxByBlocks + 1, 100, true, false, true},
	} {
		for _, rest := range []int{0, 9} {
			msgs := make([][]byte, tt.n)
			for i := range msgs {
				blocks := tt.most
				if !tt.two {
					blocks -= (i + tt.most - tt.least) % (tt.most - tt.least + 1)
				}
				msgs[i] = data[:max(0, blocks*block.Size-9-rest)]
			}
			msgs[0] = data[:max(0, (tt.least-1)*block.Size-8-rest)]
			s := sumMany{msgs: msgs, prefix: Prefix{H: block.IV256, Rest: data[:rest], Len: uint64(rest)}}
			s.lengths = lengthsOf(msgs, rest)
			least, most, _, ok := s.goesByBlocks(&plan.Streams{Width: width, PairsPay: tt.pairsPay})
			if least != tt.least || most != tt.most || ok != tt.want {
				t.Errorf("%d messages of %d to %d blocks: %d to %d, by blocks: %t, want %t", tt.n, tt.least, tt.most, least, most, ok, tt.want)
			}
			if tt.n > 400 || rest > 0 {
				continue
			}
			dst := make([][32]byte, tt.n)
			SumMany(dst, msgs)
			for i, m := range msgs {
				if want := sha256.Sum256(m); dst[i] != want {
					t.Fatalf("%d messages of %d to %d blocks: digest %d is %x, want %x", tt.n, tt.least, tt.most, i, dst[i], want)
				}
			}
		}
	}
}

// usePlanOf has this package use the plan of a microarchitecture until the test ends.
func usePlanOf(t *testing.T, m cpu.Microarch) *streamPlan {
	streamPlans.current() // or the first choice of kernels would end the test's plan
	before := streamPlans.last.Load()
	t.Cleanup(func() { streamPlans.last.Store(before) })
	p := newRecorder(m).plan
	streamPlans.last.Store(&cached[streamPlan]{p, block.Epoch()})
	return p
}

// TestOneByOneOfFewLong has lists of few long messages among short ones, and of short messages
// alone, that were measured on Zen 3.
func TestOneByOneOfFewLong(t *testing.T) {
	usePlanOf(t, cpu.Zen3)
	data := randomBytes(maxByBlocks * block.Size)
	for _, tt := range []struct {
		counts map[int]int // messages by blocks
		want   bool        // one by one
	}{
		{map[int]int{1: 26, 54: 2}, false},
		{map[int]int{1: 12, 14: 4}, false},
		{map[int]int{1: 29, 19: 3}, false},
		{map[int]int{2: 4, 14: 2}, false},
		{map[int]int{1: 4, 2: 4, 3: 4, 4: 4}, false},
		{map[int]int{1: 5, 2: 5, 3: 5, 4: 5}, false},
		{map[int]int{1: 6, 2: 6, 3: 6, 4: 6}, false},
		{map[int]int{1: 7, 2: 7, 3: 7, 4: 7}, false},
		{map[int]int{1: 15, 11: 1}, true},
		{map[int]int{2: 7, 5: 1}, true},
		{map[int]int{2: 6, 16: 1}, true},
	} {
		for _, rest := range []int{0, 9} {
			var msgs [][]byte
			for b, n := range tt.counts {
				msgs = append(msgs, slices.Repeat([][]byte{data[:b*block.Size-9-rest]}, n)...)
			}
			if got := OneByOne(msgs, rest, NotNested); got != tt.want {
				t.Errorf("messages by blocks %v, behind %d bytes: one by one %t, want %t", tt.counts, rest, got, tt.want)
			}
		}
	}
}

// TestLooksUpWrites tests that writes are looked up as the plan weighs them.
func TestLooksUpWrites(t *testing.T) {
	for _, m := range []cpu.Microarch{cpu.Zen3, cpu.IntelAVX512SHA} {
		p := usePlanOf(t, m)
		for n := 2; n < 80; n++ {
			for blocks := range 40 {
				for _, each := range []int{0, 1, 80} {
					got := TallyBetween(n, n*blocks, blocks, blocks).OneByOne(EqualWrites, each)
					if want := p.OneByOne(EqualWrites, n, n*blocks, blocks, blocks, 0, each); got != want {
						t.Errorf("%#v: %d writes of %d blocks, %d cycles each: one by one %t, want %t", m, n, blocks, each, got, want)
					}
					for _, shortest := range []int{0, blocks / 2, blocks - 1} {
						for _, kind := range []Kind{ClassedWrites, MixedWrites} {
							if shortest >= blocks || shortest < 0 || kind == ClassedWrites && !p.HasClasses(n, blocks-shortest+1) {
								continue
							}
							all := n*shortest + max(blocks-shortest, n*(blocks-shortest)/2)
							got := TallyBetween(n, all, shortest, blocks).OneByOne(kind, each)
							if want := p.OneByOne(kind, n, all, shortest, blocks, 0, each); got != want {
								t.Errorf("%#v: %d writes of %d to %d blocks, %d cycles each: one by one %t, want %t", m, n, shortest, blocks, each, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestLooksUpUnequalWrites tests that unequal writes are looked up in the table that is for them.
func TestLooksUpUnequalWrites(t *testing.T) {
	p := usePlanOf(t, cpu.IntelAVX512SHA)
	differ := false
	for n := 2; n <= block.MaxLanes; n++ {
		for few, least := range map[bool]int{false: p.LeastUnequal[n], true: p.LeastOfFew[n]} {
			if UnequalOneByOne(n, least, few) || !UnequalOneByOne(n, least-1, few) {
				t.Errorf("%d writes, few that complete a block %t: %d blocks are not the fewest", n, few, least)
			}
		}
		differ = differ || p.LeastUnequal[n] != p.LeastOfFew[n]
	}
	if !differ {
		t.Error("both tables are the same")
	}
}

// TestTallyBetween tests that jobs of which only the number of bytes is known never have more or
// fewer blocks than their lengths allow.
func TestTallyBetween(t *testing.T) {
	for _, tt := range []struct {
		n, blocks, shortest, longest, want int
	}{
		{4, 10, 1, 5, 10},
		{4, 3, 1, 5, 4},
		{4, 21, 1, 5, 20},
		{4, 2, 0, 1, 2},
		{4, 1, 0, 0, 0},
	} {
		got := TallyBetween(tt.n, tt.blocks, tt.shortest, tt.longest)
		if want := (Tally{tt.n, tt.want, tt.longest, uint(-tt.shortest)}); got != want {
			t.Errorf("%d jobs of %d to %d blocks, about %d: %+v, want %+v", tt.n, tt.shortest, tt.longest, tt.blocks, got, want)
		}
	}
}

// TestWhatIsCounted tests for which lists OneByOne counts the messages by their blocks, and
// that it counts them as package plan expects.
func TestWhatIsCounted(t *testing.T) {
	p := usePlanOf(t, cpu.Zen3)
	data := randomBytes(maxByBlocks * block.Size)
	random := rand.New(rand.NewPCG(3, 1))
	together, alone, changed := 0, 0, 0
	for range 20_000 {
		n, short, long := 2+random.IntN(block.MaxLanes-1), 1+random.IntN(4), 1+random.IntN(50)
		if random.IntN(8) == 0 {
			long = maxByBlocks - random.IntN(50)
		}
		nesting, rest := Nesting(random.IntN(3)), random.IntN(2)*9
		msgs, counts := make([][]byte, n), make([]uint8, maxByBlocks+1)
		blocks, shortest, longest := 0, maxByBlocks, 0
		for i := range msgs {
			b := short
			if i == 0 || random.IntN(8) == 0 {
				b = long
			}
			msgs[i] = data[:max(0, b*block.Size-9-rest)]
			counts[b]++
			blocks, shortest, longest = blocks+b, min(shortest, b), max(longest, b)
		}
		outer, each := nesting.Blocks(), p.NestingCycles(nesting, n)
		if nesting == NotNested && blocks < p.Least[n] {
			continue
		}
		uncounted := p.OneByOne(plan.Messages, n, blocks, shortest, longest, outer, each)
		want := uncounted
		switch {
		case longest <= block.MaxShort || longest > 8*n || n <= p.Width || longest-shortest < 2:
		case n < leastCounted && (longest < n || longest*n < 2*blocks):
		default:
			want = p.OneByOneByBlocks(counts[:longest+1], outer, each)
		}
		if got := OneByOne(msgs, rest, nesting); got != want {
			t.Fatalf("%d messages, by blocks %v, nesting %d: one by one %t, want %t", n, counts[:longest+1], nesting, got, want)
		}
		if want {
			alone++
		} else {
			together++
		}
		if want != uncounted {
			changed++
		}
	}
	if together < 1000 || alone < 1000 || changed < 1000 {
		t.Errorf("%d lists run side by side, %d alone, and the counts decide for %d; want 1,000 of each", together, alone, changed)
	}
}
