package lanes

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/hashtest"
)

// mostLive is more than twice as many live lanes as any kernel has.
const mostLive = 70

// kernelNames are the kernels of streams and of nodes of every architecture, in
// the registry's order.
var (
	kernelNames = []string{
		"x1_avx512shani", "x1_shani", "x1_avx2", "x1_avx", "x1_ssse3", "x1_sha2",
		"x2_avx512shani", "x2_shani", "x2_sha2",
		"x4_shani", "x4_sha2", "x4_avx", "x4_ssse3", "x4_neon",
		"x8_avx2", "x16_avx512", "x32_avx512",
	}
	nodeKernelNames = []string{
		"node_x32_avx512", "node_x16_avx512", "node_x8_avx2", "node_x4_shani", "node_x4_sha2", "node_x4_neon",
		"node_x2_avx512shani", "node_x2_shani", "node_x2_sha2", "node_x1_shani", "node_x1_sha2",
	}
)

// isasOf are the instruction sets that CPUs of a class may have, for which
// there are kernels.
var isasOf = map[class][]string{
	zen5:           {"shani", "avx512", "avx2", "avx", "ssse3"},
	zen4:           {"shani", "avx512", "avx2", "avx", "ssse3"},
	zen1:           {"shani", "avx2", "avx", "ssse3"},
	iceLake:        {"shani", "avx512", "avx2", "avx", "ssse3"},
	intelAVX512SHA: {"shani", "avx512", "avx2", "avx", "ssse3"},
	intelAVX512:    {"avx512", "avx2", "avx", "ssse3"},
	shaOnly:        {"shani", "avx2", "avx", "ssse3"},
	avx2Only:       {"avx2", "avx", "ssse3"},
	older:          {"avx", "ssse3"},
	armSHA2:        {"sha2", "neon"},
	armSHA2v80:     {"sha2", "neon"},
	armNEON:        {"neon"},
	unknown:        {"shani", "avx512", "avx2", "avx", "ssse3"},
}

// nameParts takes the name of a kernel apart.
func nameParts(name string) (lanes int, isa string) {
	number, isa, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "node_"), "x"), "_")
	lanes, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	return lanes, isa
}

// chosenOn says whether a kernel is among those of a class's CPUs, and whether it
// is enabled there without the disabled instruction sets. Kernels that compute
// schedules by AVX-512 for the SHA extensions lose but on Ice Lake.
func chosenOn(c class, name string, disabled []string) (has, enabled bool) {
	isas := block.InstructionSets(name)
	if len(isas) > 1 && c != iceLake {
		return false, false
	}
	has, enabled = true, true
	for _, isa := range isas {
		has = has && slices.Contains(isasOf[c], isa)
		enabled = enabled && !slices.Contains(disabled, isa)
	}
	return has, enabled
}

// kernelsOf returns the kernels of a class's CPUs, those of the disabled
// instruction sets switched off. They compress by the kernel in use here.
func kernelsOf(c class, disabled ...string) []block.Kernel {
	var kernels []block.Kernel
	for _, name := range kernelNames {
		if has, enabled := chosenOn(c, name, disabled); has {
			lanes, _ := nameParts(name)
			kernels = append(kernels, block.Kernel{Name: name, Lanes: lanes, MaxBlocks: 100, Supported: true, Enabled: enabled})
		}
	}
	return kernels
}

func nodeKernelsOf(c class, disabled ...string) []block.NodeKernel {
	var kernels []block.NodeKernel
	for _, name := range nodeKernelNames {
		if has, enabled := chosenOn(c, name, disabled); has {
			lanes, _ := nameParts(name)
			kernels = append(kernels, block.NodeKernel{Name: name, Lanes: lanes, Supported: true, Enabled: enabled})
		}
	}
	return kernels
}

// TestKernelsOfThisArchitecture ties the names above to the registry.
func TestKernelsOfThisArchitecture(t *testing.T) {
	c := iceLake
	if len(block.Kernels()) > 0 && !slices.ContainsFunc(block.Kernels(), func(k block.Kernel) bool { return k.Name == "x1_shani" }) {
		c = armSHA2
	}
	var want, got []string
	for _, k := range block.Kernels() {
		got = append(got, k.Name)
		if lanes, _ := nameParts(k.Name); lanes != k.Lanes {
			t.Errorf("%s has %d lanes", k.Name, k.Lanes)
		}
	}
	for _, k := range kernelsOf(c) {
		want = append(want, k.Name)
	}
	if len(got) > 0 && !slices.Equal(got, want) {
		t.Errorf("the registry has %q, these tests %q", got, want)
	}
	got, want = nil, nil
	for _, k := range block.NodeKernels() {
		got = append(got, k.Name)
	}
	for _, k := range nodeKernelsOf(c) {
		want = append(want, k.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(got) > 0 && !slices.Equal(got, want) {
		t.Errorf("the registry has %q for nodes, these tests %q", got, want)
	}
}

// TestEveryClassListsItsKernels tests that each kernel that CPUs of a class may
// have can be chosen there, if others are disabled and it gains anything.
func TestEveryClassListsItsKernels(t *testing.T) {
	if len(costs) != len(isasOf) {
		t.Errorf("%d classes have costs, of %d", len(costs), len(isasOf))
	}
	for c := range isasOf {
		for _, k := range kernelsOf(c) {
			cycles, ok := costOf(costs, c, k.Name)
			if !ok || cycles <= 0 {
				t.Errorf("%s: no cost of %s", c, k.Name)
			}
			_, isa := nameParts(k.Name)
			single, ok := costOf(costs, c, "x1_"+isa)
			if !ok {
				single = genericCost
			}
			if cycles < k.Lanes*single {
				var others []string
				for _, other := range isasOf[c] {
					if !slices.Contains(block.InstructionSets(k.Name), other) {
						others = append(others, other)
					}
				}
				if p := newPlan(c, kernelsOf(c, others...)); p.width == 1 {
					t.Errorf("%s: with %s disabled, messages are hashed one at a time", c, others)
				}
			}
		}
		for _, k := range nodeKernelsOf(c) {
			if cycles, ok := costOf(nodeCosts, c, k.Name); !ok || cycles <= 0 {
				t.Errorf("%s: no cost of %s", c, k.Name)
			}
		}
	}
}

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
		avx2    = specification{{1, "x1_avx2"}, {2, "x1_avx2 x1_avx2"}, {3, "x4_avx"}, {5, "x8_avx2"}}
		sha2    = specification{{1, "x1_sha2"}, {2, "x2_sha2"}, {3, "x2_sha2 x1_sha2"}, {4, "x4_sha2"}}
		neon    = specification{{1, "generic"}, {2, "x4_neon"}}
		generic = specification{{1, "generic"}}
	)
	for _, tt := range []struct {
		class    class
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
		{zen1, "", 4, sha},
		{zen1, "shani", 8, avx2},
		{iceLake, "", 32, specification{
			{1, "x1_avx512shani"}, {2, "x2_avx512shani"}, {3, "x2_avx512shani x1_avx512shani"}, {4, "x2_avx512shani x2_avx512shani"},
			{5, "x2_avx512shani x2_avx512shani x1_avx512shani"}, {6, "x2_avx512shani x2_avx512shani x2_avx512shani"},
			{7, "x2_avx512shani x2_avx512shani x2_avx512shani x1_avx512shani"},
			{8, "x2_avx512shani x2_avx512shani x2_avx512shani x2_avx512shani"}, {9, "x16_avx512"},
			{17, "x16_avx512 x1_avx512shani"}, {18, "x16_avx512 x2_avx512shani"}, {19, "x16_avx512 x2_avx512shani x1_avx512shani"},
			{20, "x16_avx512 x2_avx512shani x2_avx512shani"}, {21, "x16_avx512 x2_avx512shani x2_avx512shani x1_avx512shani"},
			{22, "x16_avx512 x2_avx512shani x2_avx512shani x2_avx512shani"},
			{23, "x16_avx512 x2_avx512shani x2_avx512shani x2_avx512shani x1_avx512shani"}, {24, "x32_avx512"},
		}},
		{iceLake, "avx512", 8, specification{
			{1, "x1_shani"}, {2, "x2_shani"}, {3, "x2_shani x1_shani"}, {4, "x2_shani x2_shani"},
			{5, "x2_shani x2_shani x1_shani"}, {6, "x2_shani x2_shani x2_shani"}, {7, "x8_avx2"},
		}},
		{intelAVX512SHA, "", 32, specification{
			{1, "x1_shani"}, {2, "x2_shani"}, {3, "x2_shani x1_shani"}, {4, "x4_shani"}, {5, "x4_shani x1_shani"},
			{6, "x4_shani x2_shani"}, {7, "x4_shani x2_shani x1_shani"}, {8, "x4_shani x4_shani"}, {9, "x4_shani x4_shani x1_shani"},
			{10, "x4_shani x4_shani x2_shani"}, {11, "x4_shani x4_shani x2_shani x1_shani"}, {12, "x4_shani x4_shani x4_shani"},
			{13, "x16_avx512"}, {17, "x16_avx512 x1_shani"}, {18, "x16_avx512 x2_shani"}, {19, "x16_avx512 x2_shani x1_shani"},
			{20, "x16_avx512 x4_shani"}, {21, "x16_avx512 x4_shani x1_shani"}, {22, "x16_avx512 x4_shani x2_shani"},
			{23, "x16_avx512 x4_shani x2_shani x1_shani"}, {24, "x16_avx512 x4_shani x4_shani"},
			{25, "x16_avx512 x4_shani x4_shani x1_shani"}, {26, "x16_avx512 x4_shani x4_shani x2_shani"},
			{27, "x16_avx512 x4_shani x4_shani x2_shani x1_shani"}, {28, "x16_avx512 x4_shani x4_shani x4_shani"}, {29, "x32_avx512"},
		}},
		{intelAVX512SHA, "avx512", 4, sha},
		{intelAVX512SHA, "shani", 32, specification{
			{1, "x1_avx2"}, {2, "x16_avx512"}, {17, "x16_avx512 x1_avx2"}, {18, "x32_avx512"},
		}},
		{intelAVX512, "", 16, specification{{1, "x1_avx2"}, {2, "x16_avx512"}}},
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
		{unknown, "", 16, specification{
			{1, "x1_shani"}, {2, "x2_shani"}, {3, "x2_shani x1_shani"}, {4, "x2_shani x2_shani"},
			{5, "x2_shani x2_shani x1_shani"}, {6, "x2_shani x2_shani x2_shani"}, {7, "x2_shani x2_shani x2_shani x1_shani"},
			{8, "x2_shani x2_shani x2_shani x2_shani"}, {9, "x2_shani x2_shani x2_shani x2_shani x1_shani"}, {10, "x16_avx512"},
		}},
		{unknown, "avx512", 2, pairs},
		{unknown, "shani", 16, avx512},
	} {
		p := newPlan(tt.class, kernelsOf(tt.class, strings.Fields(tt.disabled)...))
		if p.width != tt.width {
			t.Errorf("%s without %q: %d lanes are kept alive, want %d", tt.class, tt.disabled, p.width, tt.width)
			continue
		}
		for live := range mostLive + 1 {
			var got []string
			for n := live; n > 0; {
				k := p.kernels[min(n, p.width)]
				got = append(got, k.Name)
				n -= k.Lanes
			}
			if want := tt.plan.of(live, tt.width); !slices.Equal(got, want) {
				t.Errorf("%s without %q, %d live lanes: %q, want %q", tt.class, tt.disabled, live, got, want)
			}
		}
	}
}

// TestPlansCostLessThanOneAtATime tests, for every class and whatever is
// disabled, that no number of live lanes costs more, by the class' own table,
// than they would one at a time, that another lane never makes it cheaper, that
// as many are kept alive as cost least each, and that no kernel has lanes beyond
// MaxLanes.
func TestPlansCostLessThanOneAtATime(t *testing.T) {
	for c, isas := range isasOf {
		for set := range 1 << len(isas) {
			var disabled []string
			for i, isa := range isas {
				if set>>i&1 == 1 {
					disabled = append(disabled, isa)
				}
			}
			choice, _ := candidates(c, kernelsOf(c, disabled...))
			cost := func(steps []int) (total int) {
				for _, i := range steps {
					total += choice[i].Cycles
				}
				return total
			}
			one := cost(Steps(choice, 1))
			p := newPlan(c, kernelsOf(c, disabled...))
			width := p.width
			for live := 1; live <= width; live++ {
				for slot := 0; slot < live; slot += p.kernels[live-slot].Lanes {
					if k := p.kernels[live-slot]; slot+k.Lanes > block.MaxLanes {
						t.Errorf("%s without %q: of %d live lanes %s has those from %d", c, disabled, live, k.Name, slot)
					}
				}
			}
			share := cost(Steps(choice, width))
			last := 0
			for n := 1; n <= mostLive; n++ {
				total := cost(Steps(choice, n))
				if total > n*one {
					t.Errorf("%s without %q: %d lanes cost %d, one at a time %d", c, disabled, n, total, n*one)
				}
				if total < last {
					t.Errorf("%s without %q: %d lanes cost %d, one less %d", c, disabled, n, total, last)
				}
				if total*width < share*n {
					t.Errorf("%s without %q: %d lanes cost less each than %d", c, disabled, n, width)
				}
				last = total
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		d := Describe()
		if d.Class != string(classOfThisCPU()) {
			t.Errorf("class %q, want %q", d.Class, classOfThisCPU())
		}
		width, kernel := Width()
		steps := Steps(d.Streams, block.MaxLanes)
		if first := d.Streams[steps[0]]; first.Lanes != width || width > 1 && first.Kernel != kernel {
			t.Errorf("%v is described as first, %q with %d lanes selected", first, kernel, width)
		}
		if !slices.ContainsFunc(d.Streams, func(k Candidate) bool { return k.Lanes == 1 && k.Kernel == block.Single() }) {
			t.Errorf("streams %v: none is %s", d.Streams, block.Single())
		}
		if len(d.Nodes) == 0 || d.Nodes[0].Kernel != block.Single() {
			t.Errorf("nodes %v: the first is not %s", d.Nodes, block.Single())
		}
	})
}
