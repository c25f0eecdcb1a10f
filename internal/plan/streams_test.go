package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// maxTestLanes is more than twice the number of lanes of any kernel.
const maxTestLanes = 70

// A specification says how 1, 2, … live lanes advance by a block, up to the
// number that is kept alive: by which kernels, for which numbers from from on.
type specification []struct {
	from    int
	kernels string
}

// of returns what the specification says of n live lanes, of which it keeps
// width alive at a time.
func (s specification) of(n, width int) []string {
	var kernels []string
	for ; n > width; n -= width {
		kernels = append(kernels, s[len(s)-1].kernels)
	}
	for i := len(s) - 1; i >= 0; i-- {
		if n >= s[i].from {
			return append(kernels, strings.Fields(s[i].kernels)...)
		}
	}
	return kernels
}

func TestPlans(t *testing.T) {
	var (
		sha     = specification{{1, "x1_shani"}, {2, "x2_shani"}, {3, "x2_shani x1_shani"}, {4, "x4_shani"}}
		pairs   = specification{{1, "x1_shani"}, {2, "x2_shani"}}
		zen     = specification{{1, "x1_shani"}, {2, "x2_shani"}, {3, "x4_shani"}} // 3 of 4 lanes are no loss
		ssse3   = specification{{1, "x1_ssse3"}, {2, "x1_ssse3 x1_ssse3"}, {3, "x4_ssse3"}}
		avx     = specification{{1, "x1_avx"}, {2, "x1_avx x1_avx"}, {3, "x4_avx"}}
		avx512  = specification{{1, "x1_avx2"}, {2, "x1_avx2 x1_avx2"}, {3, "x16_avx512"}}
		vectors = specification{{1, "x1_avx2"}, {2, "x8_avx512"}, {9, "x16_avx512"}}
		avx2    = specification{{1, "x1_avx2"}, {2, "x1_avx2 x1_avx2"}, {3, "x4_avx"}, {5, "x8_avx2"}}
		sha2    = specification{{1, "x1_sha2"}, {2, "x2_sha2"}, {3, "x2_sha2 x1_sha2"}, {4, "x4_sha2"}}
		neon    = specification{{1, "generic"}, {2, "x4_neon"}}
		generic = specification{{1, "generic"}}
	)
	for _, tt := range []struct {
		row      Row
		disabled string
		width    int
		plan     specification
	}{
		{zen5, "", 32, specification{
			{1, "x1_shani"}, {2, "x2_shani"}, {3, "x4_shani"}, {5, "x4_shani x1_shani"}, {6, "x4_shani x2_shani"},
			{7, "x4_shani x4_shani"}, {9, "x16_avx512"},
			{17, "x16_avx512 x1_shani"}, {18, "x16_avx512 x2_shani"},
			{19, "x16_avx512 x4_shani"}, {21, "x32_avx512"},
		}},
		{zen5, "avx512", 4, zen},
		{zen5, "shani", 32, specification{
			{1, "x1_avx2"}, {2, "x16_avx512"}, {17, "x16_avx512 x1_avx2"}, {18, "x32_avx512"},
		}},
		{zen5, "avx512 shani", 8, avx2},
		{zen5, "avx512 shani avx2", 4, avx},
		{zen5, "avx512 shani avx2 avx", 4, ssse3},
		{zen5, "avx512 shani avx2 avx ssse3", 1, generic},
		{zen4, "", 4, zen},
		{zen4, "avx512", 4, zen},
		{zen4, "shani", 16, avx512},
		{zen3, "", 4, zen},
		{zen3, "shani", 8, avx2},
		{zen1, "", 4, sha},
		{zen1, "shani", 8, avx2},
		{iceLake, "", 16, specification{
			{1, "x1_avx512shani"}, {2, "x2_avx512shani"}, {3, "x2_avx512shani x1_avx512shani"}, {4, "x2_avx512shani x2_avx512shani"},
			{5, "x2_avx512shani x2_avx512shani x1_avx512shani"}, {6, "x8_avx512"}, {9, "x8_avx512 x1_avx512shani"},
			{10, "x8_avx512 x2_avx512shani"}, {11, "x16_avx512"},
		}},
		{iceLake, "avx512", 8, specification{
			{1, "x1_shani"}, {2, "x2_shani"}, {3, "x2_shani x1_shani"}, {4, "x2_shani x2_shani"},
			{5, "x2_shani x2_shani x1_shani"}, {6, "x2_shani x2_shani x2_shani"}, {7, "x8_avx2"},
		}},
		{intelAVX512SHA, "", 16, specification{
			{1, "x1_shani"}, {2, "x2_avx512shani"}, {3, "x2_avx512shani x1_shani"}, {4, "x4_shani"}, {5, "x4_shani x1_shani"},
			{6, "x4_shani x2_avx512shani"}, {7, "x8_avx512"}, {9, "x8_avx512 x1_shani"}, {10, "x8_avx512 x2_avx512shani"},
			{11, "x16_avx512"},
		}},
		{intelAVX512SHA, "avx512", 4, sha},
		{intelAVX512SHA, "shani", 16, vectors},
		{intelAVX512, "", 16, vectors},
		{intelAVX512, "avx512", 8, avx2},
		{shaOnly, "", 2, pairs},
		{shaOnly, "avx2 avx", 2, pairs},
		{shaOnly, "shani", 8, avx2},
		{avx2Only, "", 8, specification{
			{1, "x1_avx2"}, {2, "x1_avx2 x1_avx2"}, {3, "x1_avx2 x1_avx2 x1_avx2"}, {4, "x4_avx"}, {5, "x8_avx2"},
		}},
		{avx2Only, "avx2", 4, avx},
		{older, "", 4, avx},
		{older, "avx", 4, ssse3},
		{older, "avx ssse3", 1, generic},
		{armSHA2, "", 4, sha2},
		{armSHA2, "sha2", 4, neon},
		{armSHA2v80, "", 4, sha2},
		{armSHA2v80, "sha2", 4, neon},
		{armNEON, "", 4, neon},
		{armNEON, "neon", 1, generic},
		{anyCPU, "", 16, specification{
			{1, "x1_shani"}, {2, "x2_shani"}, {3, "x2_shani x1_shani"}, {4, "x2_shani x2_shani"},
			{5, "x2_shani x2_shani x1_shani"}, {6, "x2_shani x2_shani x2_shani"}, {7, "x2_shani x2_shani x2_shani x1_shani"},
			{8, "x2_shani x2_shani x2_shani x2_shani"}, {9, "x2_shani x2_shani x2_shani x2_shani x1_shani"}, {10, "x16_avx512"},
		}},
		{anyCPU, "avx512", 2, pairs},
		{anyCPU, "shani", 16, avx512},
	} {
		p := planOf(tt.row, strings.Fields(tt.disabled)...)
		if p.Width != tt.width {
			t.Errorf("%s without %q: %d lanes are kept alive, want %d", tt.row.Microarch, tt.disabled, p.Width, tt.width)
			continue
		}
		for live := range maxTestLanes + 1 {
			var got []string
			for n := live; n > 0; {
				k := p.Kernels[min(n, p.Width)]
				got = append(got, k)
				n -= lanesOf(k)
			}
			if want := tt.plan.of(live, tt.width); !slices.Equal(got, want) {
				t.Errorf("%s without %q, %d live lanes: %q, want %q", tt.row.Microarch, tt.disabled, live, got, want)
			}
		}
	}
}

// TestEven tests which plans have a kernel of more lanes than Width for even lists.
func TestEven(t *testing.T) {
	for _, tt := range []struct {
		microarch   cpu.Microarch
		disabled    string
		width, even int
	}{
		{cpu.GoldenCove, "", 16, 32},
		{cpu.GoldenCove, "x16_avx512 chain_x16_avx512", 32, 32}, // x8_avx512 costs 38% more per lane
		{cpu.GoldenCove, "x32_avx512 chain_x32_avx512", 16, 16},
		{cpu.GoldenCove, "avx512", 4, 4},
		{cpu.IntelAVX512SHA, "", 16, 16},
		{cpu.IceLake, "", 16, 32},
		{cpu.Zen5, "", 32, 32}, // x16_avx512 costs 22% more per lane
		{cpu.Zen4, "", 4, 4},
		{cpu.Unknown, "", 16, 16},
	} {
		p := processOn(tt.microarch, strings.Fields(tt.disabled)...)
		row, selection := RowOf(tt.microarch), p.Selection()
		streams := NewStreams(row, p.enabled(selection), selection.Single)
		if streams.Width != tt.width || streams.Even != tt.even {
			t.Errorf("%#v without %q: %d and %d lanes, want %d and %d", tt.microarch, tt.disabled, streams.Width, streams.Even, tt.width, tt.even)
		}
		if lanes := lanesOf(streams.EvenKernel); lanes != tt.even {
			t.Errorf("%#v without %q: %s has %d lanes, want %d", tt.microarch, tt.disabled, streams.EvenKernel, lanes, tt.even)
		}
		chains := NewChains(row, p.enabled(selection), selection.Single)
		if chains.Width != tt.width || chains.Even != tt.even || !strings.Contains(chains.EvenKernel, fmt.Sprintf("x%d_", tt.even)) {
			t.Errorf("%#v without %q: %d chains, %d on %s, want %d and %d", tt.microarch, tt.disabled, chains.Width, chains.Even, chains.EvenKernel, tt.width, tt.even)
		}
	}
}

// TestPlansCostLessThanOneAtATime tests, for every microarchitecture and whatever
// is disabled, that no number of live lanes costs more, by its own row, than
// they would one at a time, that another lane never makes it cheaper, that as
// many are kept alive as cost least each, and that no kernel has lanes beyond
// MaxLanes.
func TestPlansCostLessThanOneAtATime(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		for set := range 1 << len(instructionSets) {
			var disabled []string
			for i, isa := range instructionSets {
				if set>>i&1 == 1 {
					disabled = append(disabled, isa)
				}
			}
			r, p := RowOf(m), processOn(m, disabled...)
			s := p.Selection()
			choice := r.Streams(p.enabled(s), s.Single)
			cost := func(steps []int) (total int) {
				for _, i := range steps {
					total += choice[i].Cycles
				}
				return total
			}
			one := cost(Steps(choice, 1))
			plan := NewStreams(r, p.enabled(s), s.Single)
			width := plan.Width
			for live := 1; live <= width; live++ {
				for slot := 0; slot < live; slot += lanesOf(plan.Kernels[live-slot]) {
					if k := plan.Kernels[live-slot]; slot+lanesOf(k) > block.MaxLanes {
						t.Errorf("%#v without %q: of %d live lanes %s has those from %d", m, disabled, live, k, slot)
					}
				}
			}
			share := cost(Steps(choice, width))
			last := 0
			for n := 1; n <= maxTestLanes; n++ {
				total := cost(Steps(choice, n))
				if total > n*one {
					t.Errorf("%#v without %q: %d lanes cost %d, one at a time %d", m, disabled, n, total, n*one)
				}
				if total < last {
					t.Errorf("%#v without %q: %d lanes cost %d, one less %d", m, disabled, n, total, last)
				}
				if total*width < share*n {
					t.Errorf("%#v without %q: %d lanes cost less each than %d", m, disabled, n, width)
				}
				last = total
			}
		}
	}
}

// TestOneByOne has lists right before and right behind the point from which lanes pay, by
// the costs of Granite Rapids: 131 cycles for a block alone, 193 for two, 593 for eight.
func TestOneByOne(t *testing.T) {
	p := planOf(intelAVX512SHA)
	for _, tt := range []struct {
		n, blocks, shortest, longest, each int
		want                               bool
	}{
		{0, 0, 0, 0, 0, true},
		{1, 1 << 20, 1 << 20, 1 << 20, 0, true},
		{2, 2, 1, 1, 0, true},
		{2, 14, 7, 7, 0, true}, // 1,834 cycles alone, and side by side some more
		{2, 18, 9, 9, 0, true}, // side by side 3% less: too little to rely on
		{2, 24, 12, 12, 0, false},
		{8, 8, 1, 1, 0, true},
		{8, 16, 2, 2, 0, false},
		{8, 16, 2, 2, 100, true},
		{4, 12, 2, 4, 0, true},
		{4, 40, 10, 10, 0, false},
		{2, 68, 25, 43, 0, false},
		{2, 55, 12, 43, 0, true}, // one of the two is alone most of the time
		{20, 80, 4, 4, 0, false},
		{20, 600, 4, 524, 0, true}, // one takes nearly all of the time
		{20, 600, 20, 220, 0, false},
		{8, 21, 2, 5, 0, true}, // long ones among others cost more
		{4, 44, 8, 11, 0, true},
		{8, 21, 2, 4, 0, false},
		{16, 115, 1, 13, 0, false}, // measured: 20% less time side by side
		{32, 32, 1, 1, 0, false},
		{33, 33, 1, 1, 0, false},
		{33, 33, 1, 1, 100, true},
		{1000, 1300, 1, 3, 0, false},
		{1000, 1300, 1, 3, 170, true},
		{1000, 4000, 4, 4, 170, false},
		{1 << 20, 1 << 20, 1, 1, 0, false},
		{1 << 24, 1 << 29, 1 << 5, 1 << 5, 0, false}, // more cycles than 32 bits hold
	} {
		if got := p.OneByOne(Jobs, tt.n, tt.blocks, tt.shortest, tt.longest, 0, tt.each); got != tt.want {
			t.Errorf("%d messages of %d to %d blocks, %d in all: %t, want %t", tt.n, tt.shortest, tt.longest, tt.blocks, got, tt.want)
		}
	}
	if one := planOf(Row{Microarch: cpu.ArmNEON, overhead: defaultOverhead}, instructionSets...); !one.OneByOne(Jobs, 100, 6400, 64, 64, 0, 0) {
		t.Error("without a kernel of several lanes, messages go side by side")
	}
}

// TestNesting has the numbers of nested messages of one length, from 2 to 15, for which lanes
// pay. On Granite Rapids, and on Zen 3 up to 12 messages, these lists took less time side by side, and
// the others more. One exception on Granite Rapids: 6 messages with prefixes of their own.
func TestNesting(t *testing.T) {
	few := func(n ...int) []int { return n }
	from := func(first int, before ...int) []int {
		for n := first; n < 16; n++ {
			before = append(before, n)
		}
		return before
	}
	for _, tt := range []struct {
		microarch cpu.Microarch
		nesting   Nesting
		blocks    int // without that behind the outer prefix
		want      []int
	}{
		{cpu.IntelAVX512SHA, Nested, 1, from(7)},
		{cpu.IntelAVX512SHA, Nested, 2, from(6)},
		{cpu.IntelAVX512SHA, Nested, 4, from(4)},
		{cpu.IntelAVX512SHA, Nested, 5, from(4)}, // too long to be copied
		{cpu.IntelAVX512SHA, NestedEach, 1, from(7)},
		{cpu.IntelAVX512SHA, NestedEach, 4, from(4)},
		{cpu.Zen3, Nested, 1, from(12)},
		{cpu.Zen3, Nested, 2, from(8)},
		{cpu.Zen3, Nested, 3, from(6, 4)},
		{cpu.Zen3, NestedEach, 1, few(12, 14, 15)},
		{cpu.Zen3, NestedEach, 4, from(6, 4)},
	} {
		p := planOf(RowOf(tt.microarch))
		var got []int
		for n := 2; n < 16; n++ {
			each := p.NestingCycles(tt.nesting, n)
			if !p.OneByOne(Messages, n, n*tt.blocks, tt.blocks, tt.blocks, tt.nesting.Blocks(), each) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, nesting %d, %d blocks: %v go side by side, want %v", tt.microarch, tt.nesting, tt.blocks, got, tt.want)
		}
	}
}

// TestBehindCycles tests that a prefix costs something only where messages are too long to be
// copied, and only where that was measured.
func TestBehindCycles(t *testing.T) {
	for _, tt := range []struct {
		microarch       cpu.Microarch
		before, longest int
		want            bool
	}{
		{cpu.IntelAVX512SHA, 1, block.MaxShort, false},
		{cpu.IntelAVX512SHA, 1, block.MaxShort + 1, true},
		{cpu.IntelAVX512SHA, 0, block.MaxShort + 1, false},
		{cpu.Zen3, 1, block.MaxShort + 1, false},
	} {
		p := planOf(RowOf(tt.microarch))
		if got := p.BehindCycles(tt.before, tt.longest); (got > 0) != tt.want {
			t.Errorf("%s, behind %d bytes, up to %d blocks: %d cycles", tt.microarch, tt.before, tt.longest, got)
		}
	}
}

// TestAlwaysNestedOneByOne tests that AlwaysNestedOneByOne knows many lists, and none that pays.
func TestAlwaysNestedOneByOne(t *testing.T) {
	known := 0
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}, {"avx512", "shani"}} {
			p := planOf(r, disabled...)
			for k := Nested; k <= NestedEach; k++ {
				for n := 2; n <= block.MaxLanes; n++ {
					each := p.NestingCycles(k, n)
					for blocks := n; blocks < 20*n; blocks++ {
						always := p.AlwaysNestedOneByOne(k, n, blocks)
						if always {
							known++
						}
						if always && !p.OneByOne(Messages, n, blocks, blocks/n, (blocks+n-1)/n, k.Blocks(), each) {
							t.Fatalf("%s without %q, nesting %d: %d messages of %d blocks always go one by one, but pay", r.Microarch, disabled, k, n, blocks)
						}
					}
				}
			}
		}
	}
	if known < 1000 {
		t.Errorf("%d lists always go one by one, want a thousand or more", known)
	}
}

// TestCopiedWhole has lists for which lanes pay if short messages are copied whole: with
// four lanes and more messages, waves share calls.
func TestCopiedWhole(t *testing.T) {
	p := planOf(rows[slices.IndexFunc(rows, func(r Row) bool { return r.Microarch == cpu.Zen3 })])
	for _, tt := range []struct {
		n, blocks, shortest, longest int
		want, copied                 bool
	}{
		{16, 36, 1, 4, true, false},
		{24, 24, 1, 1, true, false},
		{8, 8, 1, 1, true, true},
		{16, 66, 1, 5, true, true},  // some are too long to be copied
		{4, 16, 4, 4, false, false}, // one wave
	} {
		for kind, want := range map[Kind]bool{Jobs: tt.want, Messages: tt.copied} {
			if got := p.OneByOne(kind, tt.n, tt.blocks, tt.shortest, tt.longest, 0, 0); got != want {
				t.Errorf("%d of %d to %d blocks, %d in all, kind %d: %t, want %t", tt.n, tt.shortest, tt.longest, tt.blocks, kind, got, want)
			}
		}
	}
}

// TestByBlocks has lists that were measured on Zen 3. Those that run by blocks took 5 to 35%
// less time that way; OneByOne has most of them hashed one by one.
func TestByBlocks(t *testing.T) {
	p := planOf(rows[slices.IndexFunc(rows, func(r Row) bool { return r.Microarch == cpu.Zen3 })])
	for _, tt := range []struct {
		counts      map[int]int // messages by blocks
		outer, each int
		want        bool // one by one
	}{
		{map[int]int{1: 26, 54: 2}, 0, 0, false},
		{map[int]int{1: 26, 54: 2}, 0, 300, true},
		{map[int]int{1: 12, 14: 4}, 0, 0, false},
		{map[int]int{1: 29, 19: 3}, 0, 0, false},
		{map[int]int{2: 22, 17: 2}, 0, 0, false},
		{map[int]int{3: 11, 12: 3}, 0, 0, false},
		{map[int]int{2: 16, 5: 2}, 0, 0, false},
		{map[int]int{1: 18, 9: 4}, 0, 0, false},
		{map[int]int{2: 4, 14: 2}, 0, 0, false},
		{map[int]int{3: 20, 40: 12}, 0, 0, false},
		{map[int]int{5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1}, 0, 0, false},
		{map[int]int{1: 8, 2: 7, 3: 8, 4: 6, 171: 1}, 0, 0, true},
		{map[int]int{1: 15, 11: 1}, 0, 0, true},
		{map[int]int{2: 7, 5: 1}, 0, 0, true},
		{map[int]int{2: 6, 16: 1}, 0, 0, true},
	} {
		counts, n, blocks, longest := make([]uint8, 256), 0, 0, 0
		for b, c := range tt.counts {
			counts[b] = uint8(c)
			n, blocks, longest = n+c, blocks+b*c, max(longest, b)
		}
		if got := p.OneByOneByBlocks(counts[:longest+1], tt.outer, tt.each); got != tt.want {
			t.Errorf("messages %v, by blocks: one by one %t, want %t", tt.counts, got, tt.want)
		}
		if !tt.want && !p.MayPayByBlocks(n, blocks, longest, tt.each) {
			t.Errorf("messages %v, by blocks: never pay, want that they pay", tt.counts)
		}
	}
	if p.MayPayByBlocks(8, 8+99, 100, 0) {
		t.Error("one long message and seven of one block may pay")
	}
	if p.MayPayByBlocks(20, 20, 1, 100) {
		t.Error("20 messages of one block may pay, though each costs 100 cycles more")
	}
	if one := planOf(Row{Microarch: cpu.ArmNEON, overhead: defaultOverhead}, instructionSets...); one.MayPayByBlocks(64, 6400, 100, 0) {
		t.Error("without a kernel of several lanes, messages may pay")
	}
}

// TestCostsByBlocks names, for lists on four lanes, the most cycles that each message may cost
// its caller if the list is to run by blocks.
func TestCostsByBlocks(t *testing.T) {
	p := planOf(zen3)
	lanes, call := p.cycles, p.overhead.callOf
	for _, tt := range []struct {
		counts   map[int]int
		outer    int
		together int
	}{
		{map[int]int{1: 8}, 0, waveCycles + call(4) + 2*lanes[4]},
		{map[int]int{4: 20}, 0, 2*(waveCycles+call(4)) + 20*lanes[4]},   // 80 blocks take two waves
		{map[int]int{6: 20}, 0, 3*(waveCycles+3*call(4)) + 30*lanes[4]}, // 8, 8 and 4 messages
		{map[int]int{7: 12}, 0, 2*(waveCycles+3*call(4)) + 21*lanes[4]},
		{map[int]int{8: 12}, 0, 3*(waveCycles+3*call(4)) + 24*lanes[4]}, // long: a wave for each turn
		{map[int]int{4: 4}, 1, waveCycles + 2*call(4) + 5*lanes[4]},
		{map[int]int{5: 4}, 1, waveCycles + 4*call(4) + 6*lanes[4]},
		{map[int]int{1: 1, 2: 2, 3: 2}, 0, 2*waveCycles + call(2) + call(4) + call(1) + 3*lanes[2] + 2*(lanes[4]-lanes[2]) + lanes[1]},
	} {
		counts, n, blocks := make([]uint8, 20), 0, 0
		for b, c := range tt.counts {
			counts[b] = uint8(c)
			n, blocks = n+c, blocks+(b+tt.outer)*c
		}
		alone := blocks * lanes[1]
		if tt.outer == 0 {
			alone += int(counts[1]) * p.lists[Messages].oneBlock
		}
		left := alone - alone/14 - p.lists[Messages].list - tt.together - n*p.lists[Messages].message
		most := int(math.Ceil(float64(left)/float64(n))) - 1
		if p.OneByOneByBlocks(counts, tt.outer, most) || !p.OneByOneByBlocks(counts, tt.outer, most+1) {
			t.Errorf("messages %v, %d more blocks each: %d cycles for each do not decide", tt.counts, tt.outer, most)
		}
	}
}

// TestMayPayByBlocks tests that MayPayByBlocks leaves out no list that pays, on any CPU.
func TestMayPayByBlocks(t *testing.T) {
	random, pay := rand.New(rand.NewPCG(1, 2)), 0
	for _, r := range rows {
		p := planOf(r)
		for range 2000 {
			n, most, outer, each := 2+random.IntN(block.MaxLanes-1), 1+random.IntN(20), random.IntN(2), random.IntN(100)
			if random.IntN(3) == 0 {
				most = 255
			}
			counts, blocks, longest := make([]uint8, most+1), n*outer, 0
			for range n {
				b := 1 + random.IntN(1+random.IntN(most))
				counts[b]++
				blocks, longest = blocks+b, max(longest, b)
			}
			if p.Width > 1 && !p.OneByOneByBlocks(counts, outer, each) {
				if pay++; !p.MayPayByBlocks(n, blocks, longest+outer, each) {
					t.Fatalf("%s: messages by blocks %v, %d cycles each, pay, but may not", r.Microarch, counts, each)
				}
			}
		}
	}
	if pay < 1000 {
		t.Errorf("%d lists pay, want a thousand or more", pay)
	}
}

// TestLeast tests that lists of Least blocks are the first ones that go side by side, of
// those whose lengths differ by one block at most.
func TestLeast(t *testing.T) {
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}, {"shani"}, {"avx512", "shani"}, instructionSets} {
			p := planOf(r, disabled...)
			for n := 1; n < len(p.Least); n++ {
				least := p.Least[n]
				if least == math.MaxInt {
					if n > 1 && p.Width > 1 && !p.OneByOne(Messages, n, n<<9, 1<<9, 1<<9, 0, 0) {
						t.Errorf("%s without %q: %d messages have no least list", r.Microarch, disabled, n)
					}
					continue
				}
				pays := func(blocks int) bool { return !p.OneByOne(Messages, n, blocks, blocks/n, (blocks+n-1)/n, 0, 0) }
				if !pays(least) {
					t.Errorf("%s without %q: %d messages of %d blocks do not pay", r.Microarch, disabled, n, least)
				}
				for blocks := n; blocks < least; blocks++ {
					if pays(blocks) {
						t.Fatalf("%s without %q: %d messages of %d blocks pay, fewer than %d", r.Microarch, disabled, n, blocks, least)
					}
				}
			}
		}
	}
}

// TestAlwaysOneByOne tests that no list pays of which AlwaysOneByOne says that it never does,
// that no kind of write pays earlier than EqualWrites, and that a list of long messages may pay.
func TestAlwaysOneByOne(t *testing.T) {
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}} {
			p := planOf(r, disabled...)
			for kind := EqualWrites; kind <= MixedWrites; kind++ {
				t.Run(fmt.Sprintf("%s without %q, kind %d", r.Microarch, disabled, kind), func(t *testing.T) { testAlwaysOneByOne(t, p, kind) })
			}
		}
	}
}

func testAlwaysOneByOne(t *testing.T, p *Streams, kind Kind) {
	for n := 2; n < 100; n++ {
		for b := range 100 {
			for _, each := range []int{0, 130, 800} {
				// Most messages have b blocks, some one more.
				more := n/2 + 1
				for _, bound := range []Kind{EqualWrites, kind} {
					mayRun := kind != ClassedWrites || p.HasClasses(n, 2)
					if mayRun && p.AlwaysOneByOne(bound, n, n, n*b+more, each) && !p.OneByOne(kind, n, n*b+more, b, b+1, 0, each) {
						t.Fatalf("%d jobs of %d blocks, some of one more, %d cycles each, pay", n, b, each)
					}
					isEqual := kind == ClassedWrites && bound == ClassedWrites // EqualWrites bound these
					if !isEqual && p.AlwaysOneByOne(bound, n, n, n*b, each) && !p.OneByOne(kind, n, n*b, b, b, 0, each) {
						t.Fatalf("%d jobs of %d blocks, %d cycles each, pay", n, b, each)
					}
				}
			}
		}
		if !p.AlwaysOneByOne(kind, n, n, n<<10, 1<<30) {
			t.Errorf("what each of %d jobs costs does not count", n)
		}
		if p.mostGain(min(n, p.Width)) > 0 && p.AlwaysOneByOne(kind, n, n, n<<10, 0) {
			t.Errorf("%d long jobs never pay", n)
		}
	}
}

// TestWritesOfOneBlock tests that writes of at most one block each never pay where, alone, Write puts the
// block together in registers, but that longer ones do, and so do many to hashes that hold nothing.
// Elsewhere, writes of one block may pay.
func TestWritesOfOneBlock(t *testing.T) {
	with := planOf(RowOf(cpu.IntelAVX512SHA))
	for _, kind := range []Kind{EqualWrites, ClassedWrites, MixedWrites} {
		for _, n := range []int{2, 16, 1000, 100_000} {
			if !with.OneByOne(kind, n, n, 1, 1, 0, 0) || !with.OneByOne(kind, n, n/2, 0, 1, 0, 0) {
				t.Errorf("kind %d: %d writes of at most one block pay", kind, n)
			}
		}
		if with.OneByOne(kind, 1000, 10_000, 10, 10, 0, 0) {
			t.Errorf("kind %d: writes of ten blocks do not pay", kind)
		}
	}
	if with.OneByOne(EqualWrites, 1000, 1000, 1, 1, 0, -with.FreshCycles()) || with.AlwaysOneByOne(EqualWrites, 1000, 1000, 1000, 0) {
		t.Error("1,000 writes of one block, to hashes that hold nothing, do not pay")
	}
	if planOf(RowOf(cpu.IntelAVX512)).OneByOne(EqualWrites, 1000, 1000, 1, 1, 0, 0) {
		t.Error("without SHA extensions, writes of one block do not pay")
	}
}

// TestLeastWrites tests that EqualWrites pay exactly from LeastWrites blocks on.
func TestLeastWrites(t *testing.T) {
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}, {"avx512", "shani"}} {
			p := planOf(r, disabled...)
			for n := range p.LeastWrites {
				for b := 1; b < 300; b++ {
					if pays := !p.OneByOne(EqualWrites, n, n*b, b, b, 0, 0); pays != (b >= p.LeastWrites[n]) {
						t.Fatalf("%s without %q: %d writes of %d blocks: pays %t, from %d", r.Microarch, disabled, n, b, pays, p.LeastWrites[n])
					}
				}
			}
		}
	}
}

// TestLeastLongest tests that no n writes pay if none completes LeastLongest[n] blocks, whichever of
// them complete a block.
func TestLeastLongest(t *testing.T) {
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}, {"avx512", "shani"}} {
			p := planOf(r, disabled...)
			for n := 2; n < len(p.LeastLongest); n++ {
				least := p.LeastLongest[n]
				if least < p.LeastLongest[block.MaxLanes] || least > p.LeastWrites[n] {
					t.Errorf("%s without %q: LeastLongest[%d] is %d", r.Microarch, disabled, n, least)
				}
				for longest := 1; longest < min(least, mostUnequal); longest++ {
					for jobs := 2; jobs <= n; jobs++ {
						if writesPay(p, jobs, longest) {
							t.Fatalf("%s without %q: LeastLongest[%d] is %d, but %d writes of up to %d blocks pay", r.Microarch, disabled, n, least, jobs, longest)
						}
					}
				}
			}
		}
	}
}

// writesPay reports whether n writes of up to `longest` blocks may pay.
func writesPay(p *Streams, n, longest int) bool {
	for _, kind := range []Kind{EqualWrites, ClassedWrites} { // in classes, beside writes that complete no block
		if !p.OneByOne(kind, n, n*longest, longest, longest, 0, 0) {
			return true
		}
	}
	for shortest := range longest {
		for _, blocks := range []int{n*shortest + longest - shortest, n * (shortest + longest) / 2, n*longest - 1} {
			inClasses := p.HasClasses(n, longest-shortest+1) && !p.OneByOne(ClassedWrites, n, blocks, shortest, longest, 0, 0)
			if inClasses || !p.OneByOne(MixedWrites, n, blocks, shortest, longest, 0, 0) {
				return true
			}
		}
	}
	return false
}

// TestManyAreKnown tests that LeastLongest and AlwaysOneByOne know four in five lists of equal
// writes that do not pay: they take less time than OneByOne.
func TestManyAreKnown(t *testing.T) {
	p := planOf(RowOf(cpu.IntelAVX512SHA))
	known, all := 0, 0
	for n := 2; n <= 8; n++ {
		for b := 1; b < p.LeastWrites[n]; b++ {
			all++
			if b < p.LeastLongest[n] || p.AlwaysOneByOne(EqualWrites, n, n, n*b, 0) {
				known++
			}
		}
	}
	if 5*known < 4*all {
		t.Errorf("of %d lists that do not pay, %d are known", all, known)
	}
}

// TestOneBlock tests that writes of one block cost oneBlock more alone, and others do not.
func TestOneBlock(t *testing.T) {
	p := planOf(RowOf(cpu.IntelAVX512SHA))
	costs := *p.lists
	p.lists = &costs
	lists := &costs[EqualWrites]
	lists.oneBlock = 13
	const n = 32
	for blocks := 1; blocks <= 2; blocks++ {
		alone := n * blocks * p.cycles[1]
		if blocks == 1 {
			alone += n * lists.oneBlock
		}
		left := alone - alone/margin - lists.list - n*lists.message - 4*p.overhead.callOf(16) - n*blocks*p.cycles[16]/16
		most := int(math.Ceil(float64(left)/n)) - 1
		if p.OneByOne(EqualWrites, n, n*blocks, blocks, blocks, 0, most) || !p.OneByOne(EqualWrites, n, n*blocks, blocks, blocks, 0, most+1) {
			t.Errorf("%d writes of %d blocks: %d cycles for each do not decide", n, blocks, most)
		}
	}
}

// TestHasClasses names the fewest jobs that RunByClasses does faster than Run.
func TestHasClasses(t *testing.T) {
	for _, tt := range []struct {
		row            Row
		classes, least int
	}{
		{zen3, 2, 5}, // more jobs than lanes
		{zen3, 9, 5},
		{zen1, 2, 8}, // those that fill the lanes, for each class
		{zen1, 9, 36},
		{intelAVX512, 3, 48},
		{RowOf(cpu.IntelAVX512SHA), 2, 8}, // measured
		{RowOf(cpu.IntelAVX512SHA), 9, 36},
	} {
		if p := planOf(tt.row); !p.HasClasses(tt.least, tt.classes) || p.HasClasses(tt.least-1, tt.classes) {
			t.Errorf("%s: %d jobs are not the fewest in %d classes", tt.row.Microarch, tt.least, tt.classes)
		}
	}
}

// TestClassedWrites tests what ClassedWrites cost where a row has classJobs: those of one class as
// much as EqualWrites and oneClass, and others a pair of calls for each class and each full wave.
func TestClassedWrites(t *testing.T) {
	p := planOf(RowOf(cpu.IntelAVX512SHA))
	lists := &p.lists[ClassedWrites]
	if lists.classJobs == 0 || lists.oneClass == 0 {
		t.Fatal("the row has no classJobs or no oneClass")
	}
	for n := 2; n < 80; n++ {
		for b := 1; b < 9; b++ {
			if got, want := p.OneByOne(ClassedWrites, n, n*b, b, b, 0, 5), p.OneByOne(EqualWrites, n, n*b, b, b, 0, 5+lists.oneClass); got != want {
				t.Errorf("%d writes of %d blocks, beside others: one by one %t, want %t", n, b, got, want)
			}
		}
	}
	call, turn := p.overhead.callOf(16), p.cycles[16]
	for _, tt := range []struct{ n, classes, calls int }{
		{48, 2, 3 * 3}, // as many as in Run
		{160, 3, 2 * (10 + 3)},
		{1600, 5, 2 * (100 + 5)},
	} {
		blocks := tt.n * (tt.classes + 1) / 2 // of 1 to `classes` blocks
		alone := blocks * p.cycles[1]
		full := tt.n*turn/16 + (blocks-tt.n)*(turn/16)
		left := alone - alone/margin - lists.list - tt.n*lists.message - tt.calls*call - full
		each := int(math.Ceil(float64(left)/float64(tt.n))) - 1
		if p.OneByOne(ClassedWrites, tt.n, blocks, 1, tt.classes, 0, each) || !p.OneByOne(ClassedWrites, tt.n, blocks, 1, tt.classes, 0, each+1) {
			t.Errorf("%d writes in %d classes: %d cycles for each do not decide", tt.n, tt.classes, each)
		}
	}
}

// TestLeastEnds tests that ends of hashes pay exactly from LeastEnds blocks on, unless ends of one
// block pay, and that more ends than a table holds are weighed alike.
func TestLeastEnds(t *testing.T) {
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}, {"avx512", "shani"}} {
			p := planOf(r, disabled...)
			for n := range 100 {
				least := p.LeastEnds(n)
				if pays := !p.OneByOne(Messages, n, n, 1, 1, 0, endCycles); pays != (least <= n) {
					t.Errorf("%s without %q: %d ends of one block: pays %t, from %d blocks on", r.Microarch, disabled, n, pays, least)
				}
				for blocks := n + 1; blocks <= 2*n && least != n; blocks++ {
					if pays := !p.OneByOne(Jobs, n, blocks, blocks/n, 2, 0, endCycles); pays != (blocks >= least) {
						t.Errorf("%s without %q: %d ends of %d blocks: pays %t, from %d on", r.Microarch, disabled, n, blocks, pays, least)
					}
				}
				if got, want := p.StdEndsOneByOne(n), p.OneByOne(Messages, n, n, 1, 1, 0, stdEndCycles); got != want {
					t.Errorf("%s without %q: %d ends of hashes of crypto/sha256: one by one %t, want %t", r.Microarch, disabled, n, got, want)
				}
			}
		}
	}
}

// TestLeastUnequal tests that no list of unequal writes pays with fewer blocks than LeastUnequal or
// LeastOfFew says, and that some list pays with as many.
func TestLeastUnequal(t *testing.T) {
	for _, r := range rows {
		for _, disabled := range [][]string{nil, {"avx512"}, {"avx512", "shani"}} {
			p := planOf(r, disabled...)
			pays := func(n, blocks, shortest, longest int) bool {
				return !p.OneByOne(MixedWrites, n, blocks, shortest, longest, 0, 0) ||
					p.HasClasses(n, longest-shortest+1) && !p.OneByOne(ClassedWrites, n, blocks, shortest, longest, 0, 0)
			}
			for n := 2; n < len(p.LeastUnequal); n++ {
				least := p.LeastUnequal[n]
				if (least == math.MaxInt) != (p.Width == 1) {
					t.Errorf("%s without %q: %d unequal writes pay with %d blocks", r.Microarch, disabled, n, least)
				}
				for blocks := 1; blocks < min(least, 100*n); blocks++ {
					if pays(n, blocks, 0, (blocks+n-2)/(n-1)) {
						t.Fatalf("%s without %q: %d writes of %d blocks, one of none, pay, though the least are %d", r.Microarch, disabled, n, blocks, least)
					}
					shortest := (blocks - 1) / n
					for longest := blocks/n + 1; longest < shortest+4; longest++ {
						if pays(n, blocks, shortest, longest) {
							t.Fatalf("%s without %q: %d writes of %d to %d blocks, %d in all, pay, though the least are %d", r.Microarch, disabled, n, shortest, longest, blocks, least)
						}
					}
				}
				if least < n*mostUnequal && !pays(n, least, (least-1)/n, least/n+1) && !pays(n, least, 0, (least+n-2)/(n-1)) {
					t.Errorf("%s without %q: %d unequal writes of %d blocks in all do not pay", r.Microarch, disabled, n, least)
				}
				for jobs := 2; jobs <= n; jobs++ {
					few := p.LeastOfFew[n]
					for b := 1; b*jobs < min(few, 100*n); b++ {
						if !p.OneByOne(EqualWrites, jobs, b*jobs, b, b, 0, 0) {
							t.Fatalf("%s without %q: of %d writes, %d of %d blocks pay, though the least are %d in all", r.Microarch, disabled, n, jobs, b, few)
						}
					}
					if few > p.LeastUnequal[jobs] {
						t.Fatalf("%s without %q: of %d writes, %d pay with fewer blocks than %d", r.Microarch, disabled, n, jobs, few)
					}
				}
			}
		}
	}
}

// TestClassesCost tests that more numbers of blocks never make messages pay that do not pay
// with fewer, and that apart from what a row says of each, one of a long list costs little more
// than one of a list of equal messages.
func TestClassesCost(t *testing.T) {
	for _, r := range rows {
		p := planOf(r)
		if p.lists[ClassedWrites].classJobs > 0 {
			continue // oneByOneInClasses does not weigh by this row
		}
		for _, n := range []int{2, 33, 1000} {
			for b := 1; b <= 16; b++ {
				for classes := 1; classes < 16; classes++ {
					for _, each := range []int{0, 60, 800} {
						if p.oneByOneInClasses(n, n*b, classes, each) && !p.oneByOneInClasses(n, n*b, classes+1, each) {
							t.Errorf("%s: %d messages of %d blocks pay in %d classes, and not in one less", r.Microarch, n, b, classes+1)
						}
					}
				}
			}
		}
		each := p.lists[ClassedWrites].message - p.lists[EqualWrites].message
		for b := 1; b <= 16; b++ {
			if few := p.oneByOneInClasses(1e6, 1e6*b, 4, 0); few && !p.OneByOne(EqualWrites, 1e6, 1e6*b, b, b, 0, each) {
				t.Errorf("%s: a million messages of %d blocks pay if they are equal, and not in 4 classes", r.Microarch, b)
			}
		}
		if n := 16 * p.Width; p.Width > 1 && p.oneByOneInClasses(n, 16*n, 4, 0) {
			t.Errorf("%s: %d messages of 16 blocks do not pay", r.Microarch, n)
		}
	}
	// On four lanes, 8 messages of 8 blocks waste half a turn for each class. There are two calls
	// for each wave, and as many for those left over.
	p := planOf(zen3)
	full, alone := 16*p.cycles[4], 64*p.cycles[1]
	left := alone - alone/margin - defaultLists[ClassedWrites].list - 8*defaultLists[ClassedWrites].message - 6*p.overhead.callOf(4) - full
	for classes, waste := range map[int]int{1: 8 * p.cycles[4] / 3, 9: 9*p.cycles[4]/2 + full/4} {
		if each := (left - waste - 1) / 8; p.oneByOneInClasses(8, 64, classes, each) || !p.oneByOneInClasses(8, 64, classes, each+1) {
			t.Errorf("8 messages of 8 blocks in %d classes: %d cycles for each do not decide", classes, each)
		}
	}
}

// TestPairsPay names the CPUs on which two lanes cost little more than their share.
func TestPairsPay(t *testing.T) {
	for _, tt := range []struct {
		row      Row
		disabled []string
		want     bool
	}{
		{row: zen4, want: true},
		{row: zen3, want: true},
		{row: zen5},
		{row: intelAVX512SHA},
		{row: intelAVX512SHA, disabled: []string{"avx512"}, want: true},
		{row: zen4, disabled: []string{"avx512", "shani"}},
	} {
		if got := planOf(tt.row, tt.disabled...).PairsPay; got != tt.want {
			t.Errorf("%s without %q: %t, want %t", tt.row.Microarch, tt.disabled, got, tt.want)
		}
	}
}
