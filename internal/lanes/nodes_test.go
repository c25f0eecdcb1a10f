package lanes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestNodePlansBeatOneAtATime follows the plan of every class for every number
// of nodes: by the costs, none may take longer than one node at a time does.
func TestNodePlansBeatOneAtATime(t *testing.T) {
	for _, row := range nodeCosts {
		single := genericCost * 2
		var kernels []block.NodeKernel
		for _, c := range row.costs {
			k := block.NodeKernel{Name: c.kernel, Enabled: true}
			if _, err := fmt.Sscanf(strings.TrimPrefix(c.kernel, "node_x"), "%d", &k.Lanes); err != nil {
				t.Fatal(c.kernel, err)
			}
			if k.Lanes == 1 {
				single = c.cycles
			}
			kernels = append(kernels, k)
		}
		p := newNodePlan(row.class, kernels, "generic")
		cost := func(k *block.NodeKernel) int {
			if k == nil {
				return genericCost * 2
			}
			c, ok := costOf(nodeCosts, row.class, k.Name)
			if !ok {
				t.Fatalf("%s: %s has no cost", row.class, k.Name)
			}
			return c
		}
		for n := 1; n < block.MaxLanes; n++ {
			total := 0
			for left := uint(n); left > 0; {
				k, take := p.kernels[left], p.takes[left]
				if take == 0 || take > left || k == nil && take != 1 || k != nil && take > uint(k.Lanes) {
					t.Fatalf("%s: %d of %d nodes are left and %d are taken", row.class, left, n, take)
				}
				total += cost(k)
				if k != nil && take < uint(k.Lanes) {
					total += paddingCost
				}
				left -= take
			}
			if total > n*single {
				t.Errorf("%s: %d nodes cost %d, one at a time %d", row.class, n, total, n*single)
			}
		}
		if p.many != nil && cost(p.many) > p.many.Lanes*single {
			t.Errorf("%s: %s costs more than one at a time", row.class, p.many.Name)
		}
	}
}

func TestNodePlanWithoutKernels(t *testing.T) {
	p := newNodePlan(unknown, []block.NodeKernel{{Name: "node_x4_shani", Lanes: 4}}, "x1_std")
	if p.many != nil {
		t.Errorf("many nodes run on %s, which is not enabled", p.many.Name)
	}
	for n := 1; n < block.MaxLanes; n++ {
		if p.kernels[n] != nil || p.takes[n] != 1 {
			t.Errorf("%d nodes: %v takes %d", n, p.kernels[n], p.takes[n])
		}
	}
}
