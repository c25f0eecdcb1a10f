package lanes

import (
	"crypto/sha256"
	"math/rand/v2"
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
			g.sumByBlocks(rowsOf(s.dst), &s, block.PaddedBlocks(len(begin)), block.PaddedBlocks(len(begin)+longest), n%2 == 0)
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
		{maxClasses, maxClasses, width - 1, false, false, false},
		{maxClasses, maxClasses, width, false, true, false},
		{maxClasses - 1, maxClasses, 2*width - 1, false, false, false},
		{maxClasses - 1, maxClasses, 2 * width, false, true, false},
		{1, maxClasses, maxClasses*width - 1, false, false, false},
		{1, maxClasses, maxClasses * width, false, true, false},
		{maxClasses + 1, maxClasses + 1, 100, false, false, false},
		{maxClasses, maxClasses + 1, 2 * window, false, false, false},
		{255, 255, 300, false, false, false},
		{256, 256, 300, false, false, false},
		{1, maxClasses, 2*width - 1, false, false, true},
		{1, maxClasses, 2 * width, false, true, true},
		{1, maxClasses + 1, 2 * window, false, false, true},
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

// TestFewLongMessages tests that OneByOne counts the messages by their blocks where few long
// ones stand among short ones, by the plan of Zen 3.
func TestFewLongMessages(t *testing.T) {
	streamPlans.current() // or the first choice of kernels would end the test's plan
	before := streamPlans.last.Load()
	defer streamPlans.last.Store(before)
	p := newRecorder(cpu.Zen3).plan
	streamPlans.last.Store(&cached[streamPlan]{p, block.Epoch()})

	data := randomBytes(maxByBlocks * block.Size)
	random := rand.New(rand.NewPCG(3, 1))
	together, alone, changed := 0, 0, 0
	for range 20_000 {
		n, short, long := 5+random.IntN(block.MaxLanes-4), 1+random.IntN(4), 1+random.IntN(50)
		nesting := Nesting(random.IntN(3))
		if extra := nestings[nesting].blocks; long > blocksPerMessage*n || long+extra > maxByBlocks {
			continue
		}
		rest := random.IntN(2) * 9
		msgs, counts := make([][]byte, n), make([]uint8, maxByBlocks+1)
		blocks, shortest, longest := 0, maxByBlocks, 0
		for i := range msgs {
			b := short
			if i == 0 || random.IntN(8) == 0 {
				b = long
			}
			msgs[i] = data[:max(0, b*block.Size-9-rest)]
			b += nestings[nesting].blocks
			counts[b]++
			blocks, shortest, longest = blocks+b, min(shortest, b), max(longest, b)
		}
		if longest-shortest < 2 || blocks < p.Least[n] {
			continue
		}
		each := nestings[nesting].cycles(n)
		want := p.OneByOneByBlocks(counts[:longest+1], each)
		if most := longest - nestings[nesting].blocks; n < leastCounted && (most < n || most*n < 2*blocks) { // not counted
			want = p.OneByOne(n, blocks, shortest, longest, each, true)
		}
		if got := OneByOne(msgs, rest, nesting); got != want {
			t.Fatalf("%d messages, by blocks %v, nesting %d: one by one %t, want %t", n, counts[:longest+1], nesting, got, want)
		}
		if want {
			alone++
		} else {
			together++
		}
		if want != p.OneByOne(n, blocks, shortest, longest, each, true) {
			changed++
		}
	}
	if together < 1000 || alone < 1000 || changed < 1000 {
		t.Errorf("%d lists run side by side, %d alone, and the counts decide for %d; want 1,000 of each", together, alone, changed)
	}
}
