package plan

import (
	"slices"
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
		row      Row
		disabled string
		single   string
		plan     specification // of the first kernel; "" stands for one node by single
		many     string
	}{
		{zen5, "", "x1_shani", specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {4, "node_x4_shani"}, {10, "node_x16_avx512"}, {21, "node_x32_avx512"}}, "node_x32_avx512"},
		{zen5, "avx512", "x1_shani", sha, "node_x4_shani"},
		{zen5, "avx512 shani", "x1_avx2", avx2, "node_x8_avx2"},
		{zen4, "", "x1_shani", sha, "node_x4_shani"},
		{zen3, "", "x1_shani", sha, "node_x4_shani"},
		{zen1, "", "x1_shani", sha, "node_x4_shani"},
		{iceLake, "", "x1_avx512shani", specification{{1, ""}, {2, "node_x2_avx512shani"}, {7, "node_x8_avx512"}, {11, "node_x16_avx512"}, {27, "node_x32_avx512"}}, "node_x32_avx512"},
		{iceLake, "avx512", "x1_shani", pairs, "node_x2_shani"},
		{intelAVX512SHA, "", "x1_shani", specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {7, "node_x8_avx512"}, {11, "node_x16_avx512"}}, "node_x16_avx512"},
		{intelAVX512, "", "x1_avx2", specification{{1, ""}, {2, "node_x8_avx512"}, {9, "node_x16_avx512"}}, "node_x16_avx512"},
		{shaOnly, "", "x1_shani", pairs, "node_x2_shani"},
		{avx2Only, "", "x1_avx2", avx2, "node_x8_avx2"},
		{older, "", "x1_avx", specification{{1, ""}}, ""},
		{armSHA2, "", "x1_sha2", sha2, "node_x4_sha2"},
		{armSHA2, "sha2", "generic", neon, "node_x4_neon"},
		{armSHA2v80, "", "x1_sha2", sha2, "node_x4_sha2"},
		{armNEON, "", "generic", neon, "node_x4_neon"},
		{anyCPU, "", "x1_shani", specification{{1, "node_x1_shani"}, {2, "node_x2_shani"}, {11, "node_x16_avx512"}}, "node_x16_avx512"},
	} {
		process := processOn(tt.row.Microarch, strings.Fields(tt.disabled)...)
		s := process.selectionBy(tt.row)
		if s.Single != tt.single {
			t.Errorf("%s without %q: %s for one stream, want %s", tt.row.Microarch, tt.disabled, s.Single, tt.single)
		}
		p := NewNodes(tt.row, process.enabled(s), s.Single)
		name := func(kernel string) string {
			if kernel == s.Single {
				return ""
			}
			return kernel
		}
		for n := 1; n < block.MaxLanes; n++ {
			i := len(tt.plan) - 1
			for tt.plan[i].from > n {
				i--
			}
			if got, want := name(p.Kernels[n]), tt.plan[i].kernels; got != want {
				t.Errorf("%s without %q: %q for %d nodes, want %q", tt.row.Microarch, tt.disabled, got, n, want)
			}
		}
		if got := name(p.Many); got != tt.many {
			t.Errorf("%s without %q: %q for many nodes, want %q", tt.row.Microarch, tt.disabled, got, tt.many)
		}
	}
}

// TestCopiesPay checks which numbers of nodes below MaxLanes are not worth a copy of them.
func TestCopiesPay(t *testing.T) {
	upTo := func(n int) (all []int) {
		for i := 1; i <= n; i++ {
			all = append(all, i)
		}
		return all
	}
	for _, tt := range []struct {
		row  Row
		want []int
	}{
		{zen5, upTo(3)},
		{zen4, upTo(1)},
		{zen3, []int{1, 3}},
		{iceLake, upTo(1)},
		{intelAVX512SHA, upTo(6)},
		{avx2Only, upTo(2)},
		{older, upTo(block.MaxLanes - 1)},
		{armSHA2, append(upTo(19), 21, 23)},
		{armNEON, upTo(1)},
	} {
		process := processOn(tt.row.Microarch)
		s := process.selectionBy(tt.row)
		p := NewNodes(tt.row, process.enabled(s), s.Single)
		var got []int
		for n := 1; n < block.MaxLanes; n++ {
			if !p.CopiesPay[n] {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: copies of %d nodes do not pay, want %d", tt.row.Microarch, got, tt.want)
		}
	}
}

// TestNodePlansBeatOneAtATime follows the plan of every microarchitecture for
// every number of nodes: by the costs, none may take longer than one node at a
// time does.
func TestNodePlansBeatOneAtATime(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		r, process := RowOf(m), processOn(m)
		s := process.Selection()
		p := NewNodes(r, process.enabled(s), s.Single)
		choice := r.Nodes(process.enabled(s), s.Single)
		single := choice[0].Cycles
		for _, k := range choice {
			if k.Lanes == 1 {
				single = min(single, k.Cycles)
			}
		}
		cost := func(kernel string) int {
			return choice[slices.IndexFunc(choice, func(k Candidate) bool { return k.Kernel == kernel })].Cycles
		}
		for n := 1; n < block.MaxLanes; n++ {
			total := 0
			for left := n; left > 0; {
				k := p.Kernels[left]
				total += cost(k)
				if left < lanesOf(k) {
					total += r.overhead.padding
				}
				left -= lanesOf(k)
			}
			if _, described := r.NodeSteps(choice, n); total != described {
				t.Errorf("%#v: %d nodes cost %d, by NodeSteps %d", m, n, total, described)
			}
			if total > n*single {
				t.Errorf("%#v: %d nodes cost %d, one at a time %d", m, n, total, n*single)
			}
		}
		if cost(p.Many) > lanesOf(p.Many)*single {
			t.Errorf("%#v: %s costs more than one at a time", m, p.Many)
		}
	}
}

func TestNodePlanWithoutKernels(t *testing.T) {
	p := NewNodes(anyCPU, nil, "x1_std")
	if p.Many != "x1_std" {
		t.Errorf("many nodes run on %s, which is not enabled", p.Many)
	}
	for n := 1; n < block.MaxLanes; n++ {
		if p.Kernels[n] != "x1_std" {
			t.Errorf("%d nodes run on %s, which is not enabled", n, p.Kernels[n])
		}
	}
}
