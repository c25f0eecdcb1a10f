package lanes

import (
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// TestNodePlans checks which kernels take how many nodes, of 1 to 31 and of
// more.
func TestNodePlans(t *testing.T) {
	var (
		sha   = specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {4, "node_x4_shani"}}
		pairs = specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}}
		sha2  = specification{{1, "node_x1_sha2"}, {2, "node_x2_sha2"}, {4, "node_x4_sha2"}}
		avx2  = specification{{1, ""}, {3, "node_x8_avx2"}}
		neon  = specification{{1, ""}, {2, "node_x4_neon"}}
	)
	for _, tt := range []struct {
		row      row
		disabled string
		single   string
		plan     specification // of the first kernel; "" stands for one node by single
		many     string
	}{
		{zen5, "", "x1_shani", specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {4, "node_x4_shani"}, {10, "node_x16_avx512"}, {21, "node_x32_avx512"}}, "node_x32_avx512"},
		{zen5, "avx512", "x1_shani", sha, "node_x4_shani"},
		{zen5, "avx512 shani", "x1_avx2", avx2, "node_x8_avx2"},
		{zen4, "", "x1_shani", sha, "node_x4_shani"},
		{zen1, "", "x1_shani", sha, "node_x4_shani"},
		{iceLake, "", "x1_avx512shani", specification{{1, ""}, {2, "node_x2_avx512shani"}, {9, "node_x16_avx512"}, {25, "node_x32_avx512"}}, "node_x32_avx512"},
		{iceLake, "avx512", "x1_shani", pairs, "node_x2_shani"},
		{intelAVX512SHA, "", "x1_shani", specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {13, "node_x16_avx512"}, {28, "node_x32_avx512"}}, "node_x32_avx512"},
		{intelAVX512, "", "x1_avx2", specification{{1, ""}, {2, "node_x16_avx512"}}, "node_x16_avx512"},
		{shaOnly, "", "x1_shani", pairs, "node_x2_shani"},
		{avx2Only, "", "x1_avx2", avx2, "node_x8_avx2"},
		{older, "", "x1_avx", specification{{1, ""}}, ""},
		{armSHA2, "", "x1_sha2", sha2, "node_x4_sha2"},
		{armSHA2, "sha2", "generic", neon, "node_x4_neon"},
		{armSHA2v80, "", "x1_sha2", sha2, "node_x4_sha2"},
		{armNEON, "", "generic", neon, "node_x4_neon"},
		{anyCPU, "", "x1_shani", specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {11, "node_x16_avx512"}}, "node_x16_avx512"},
	} {
		process := processOn(tt.row.microarch, strings.Fields(tt.disabled)...)
		s := process.selectionBy(tt.row)
		if s.Single != tt.single {
			t.Errorf("%s without %q: %s for one stream, want %s", tt.row.microarch, tt.disabled, s.Single, tt.single)
		}
		p := newNodePlan(tt.row, process.nodes(s), s.Single)
		name := func(k *block.NodeKernel) string {
			if k == nil {
				return ""
			}
			return k.Name
		}
		for n := 1; n < block.MaxLanes; n++ {
			i := len(tt.plan) - 1
			for tt.plan[i].from > n {
				i--
			}
			if got, want := name(p.kernels[n]), tt.plan[i].kernels; got != want {
				t.Errorf("%s without %q: %q for %d nodes, want %q", tt.row.microarch, tt.disabled, got, n, want)
			}
		}
		if got := name(p.many); got != tt.many {
			t.Errorf("%s without %q: %q for many nodes, want %q", tt.row.microarch, tt.disabled, got, tt.many)
		}
	}
}

// TestNodePlansBeatOneAtATime follows the plan of every microarchitecture for
// every number of nodes: by the costs, none may take longer than one node at a
// time does.
func TestNodePlansBeatOneAtATime(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		r, process := rowOf(m), processOn(m)
		s := process.selection()
		p := newNodePlan(r, process.nodes(s), s.Single)
		choice, _ := nodeCandidates(r, process.nodes(s), s.Single)
		single := choice[0].Cycles
		for _, k := range choice {
			if k.Lanes == 1 {
				single = min(single, k.Cycles)
			}
		}
		cost := func(k *block.NodeKernel) int {
			if k == nil {
				return choice[0].Cycles
			}
			cycles, _ := r.cost(k.Spec)
			return cycles
		}
		for n := 1; n < block.MaxLanes; n++ {
			total := 0
			for left := n; left > 0; {
				k := p.kernels[left]
				total += cost(k)
				switch {
				case k == nil:
					left--
				case left < k.Lanes:
					total += paddingCost
					left = 0
				default:
					left -= k.Lanes
				}
			}
			if _, described := NodeSteps(choice, n); total != described {
				t.Errorf("%#v: %d nodes cost %d, by NodeSteps %d", m, n, total, described)
			}
			if total > n*single {
				t.Errorf("%#v: %d nodes cost %d, one at a time %d", m, n, total, n*single)
			}
		}
		if p.many != nil && cost(p.many) > p.many.Lanes*single {
			t.Errorf("%#v: %s costs more than one at a time", m, p.many.Name)
		}
	}
}

func TestNodePlanWithoutKernels(t *testing.T) {
	p := newNodePlan(anyCPU, []block.NodeKernel{{Spec: block.Spec{Name: "node_x4_shani", Lanes: 4}}}, "x1_std")
	if p.many != nil {
		t.Errorf("many nodes run on %s, which is not enabled", p.many.Name)
	}
	for n := 1; n < block.MaxLanes; n++ {
		if p.kernels[n] != nil {
			t.Errorf("%d nodes run on %s, which is not enabled", n, p.kernels[n].Name)
		}
	}
}
