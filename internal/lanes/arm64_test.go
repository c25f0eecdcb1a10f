package lanes

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

func TestClassifyARM(t *testing.T) {
	for _, tt := range []struct {
		sha2, lse bool
		want      class
	}{
		{true, true, armSHA2},
		{true, false, armSHA2v80},
		{false, false, armNEON},
		{false, true, armNEON},
	} {
		if got := classifyARM(tt.sha2, tt.lse); got != tt.want {
			t.Errorf("SHA2 %t, LSE %t: %q, want %q", tt.sha2, tt.lse, got, tt.want)
		}
	}
}

// TestARMPlans checks what the costs of arm64 come to, for 1 to 4 streams and
// for as many nodes, with the SHA2 kernels and without.
func TestARMPlans(t *testing.T) {
	sha2 := []string{"x1_sha2", "x2_sha2", "x2_sha2", "x4_sha2"} // of 3, two and then one
	neon := []string{"generic", "x4_neon", "x4_neon", "x4_neon"}
	for _, tt := range []struct {
		class   class
		enabled bool // the SHA2 kernels
		streams []string
		nodes   []string // "" stands for one stream's kernel
	}{
		{armSHA2, true, sha2, []string{"node_x1_sha2", "node_x2_sha2", "node_x2_sha2", "node_x4_sha2"}},
		{armSHA2v80, true, sha2, []string{"node_x1_sha2", "node_x2_sha2", "node_x2_sha2", "node_x4_sha2"}},
		{armSHA2, false, neon, []string{"", "node_x4_neon", "node_x4_neon", "node_x4_neon"}},
		{armNEON, false, neon, []string{"", "node_x4_neon", "node_x4_neon", "node_x4_neon"}},
	} {
		plan := newPlan(tt.class, []block.Kernel{
			{Name: "x1_sha2", Lanes: 1, Enabled: tt.enabled},
			{Name: "x2_sha2", Lanes: 2, Enabled: tt.enabled},
			{Name: "x4_sha2", Lanes: 4, Enabled: tt.enabled},
			{Name: "x4_neon", Lanes: 4, Enabled: true},
		})
		if plan.width != 4 {
			t.Errorf("%s, SHA2 %t: width %d", tt.class, tt.enabled, plan.width)
		}
		for i, want := range tt.streams {
			if got := plan.kernels[i+1].Name; got != want {
				t.Errorf("%s, SHA2 %t: %s for %d streams, want %s", tt.class, tt.enabled, got, i+1, want)
			}
		}
		nodes := newNodePlan(tt.class, []block.NodeKernel{
			{Name: "node_x4_sha2", Lanes: 4, Enabled: tt.enabled},
			{Name: "node_x2_sha2", Lanes: 2, Enabled: tt.enabled},
			{Name: "node_x1_sha2", Lanes: 1, Enabled: tt.enabled},
			{Name: "node_x4_neon", Lanes: 4, Enabled: true},
		}, tt.streams[0])
		for i, want := range tt.nodes {
			got := ""
			if k := nodes.kernels[i+1]; k != nil {
				got = k.Name
			}
			if got != want {
				t.Errorf("%s, SHA2 %t: %s for %d nodes, want %s", tt.class, tt.enabled, got, i+1, want)
			}
		}
	}
}
