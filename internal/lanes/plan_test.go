package lanes

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// maxTestLanes is more than twice the number of lanes of any kernel.
const maxTestLanes = 70

// randomBytes returns n bytes, the same every time.
func randomBytes(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(p)
	return p
}

// specsOn returns the kernels that a CPU of a microarchitecture with all its features
// can run, and what compresses one stream there.
func specsOn(m cpu.Microarch) (specs []block.Spec, single string) {
	p := plan.Process{Usable: m.Features(), Microarch: m, Arch: "arm64"}
	if m.On("amd64") {
		p.Arch = "amd64"
	}
	s := p.Selection()
	for _, k := range block.Catalog() {
		if s.Allows(k) {
			specs = append(specs, k)
		}
	}
	return specs, s.Single
}

// planOf returns the plan for streams by a microarchitecture's costs.
func planOf(m cpu.Microarch) *streamPlan {
	specs, single := specsOn(m)
	return planFor(m, specs, single)
}

// planFor returns a plan for kernels that this machine may be unable to run: they
// have bounds, and no code.
func planFor(m cpu.Microarch, specs []block.Spec, single string) *streamPlan {
	var kernels []block.Kernel
	for _, k := range specs {
		kernels = append(kernels, block.Kernel{Header: block.Header{Spec: k, Max: 100}})
	}
	return newStreamPlan(plan.NewStreams(plan.RowOf(m), specs, single), kernels)
}

// cyclesOf returns the costs of the candidates for streams on a microarchitecture.
func cyclesOf(m cpu.Microarch) map[string]int {
	row := plan.RowOf(m)
	cycles := map[string]int{}
	for _, k := range row.Streams(specsOn(m)) {
		cycles[k.Kernel] = k.Cycles
	}
	return cycles
}

// TestForcedStreamKernelsRun has, on every microarchitecture, every kernel for
// streams as the only one in use: it has to be the one that runs.
func TestForcedStreamKernelsRun(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		specs, _ := specsOn(m)
		for _, k := range specs {
			if k.Operation != block.StreamOp {
				continue
			}
			t.Run(fmt.Sprintf("%#v/%s", m, k.Name), func(t *testing.T) {
				single := "generic"
				if k.Lanes == 1 {
					single = k.Name
				}
				rec := record(planFor(m, []block.Spec{k}, single))
				j := newJobs(each(2*k.Lanes, func(int) [2]int { return [2]int{3, 1} }))
				rec.run(j, false)
				j.check(t)
				for _, call := range rec.calls {
					if call.kernel != k.Name {
						t.Errorf("%q runs", call.kernel)
					}
				}
			})
		}
	}
}

// TestWholeNodes tests that one call hashes n nodes where the plan has one kernel for all of
// them and they fill its lanes, and only there.
func TestWholeNodes(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		specs, single := specsOn(m)
		var kernels []block.NodeKernel
		for _, k := range specs {
			if k.Operation == block.NodeOp {
				kernels = append(kernels, block.NodeKernel{Header: block.Header{Spec: k}})
			}
		}
		p := newNodePlan(plan.NewNodes(plan.RowOf(m), specs, single), kernels)
		for n := 1; n < len(p.whole); n++ {
			want := p.kernels[n]
			for left := n; want != nil && left > 0; left -= want.Lanes {
				if p.kernels[left] != want || left < want.Lanes {
					want = nil
					break
				}
			}
			if p.whole[n] != want {
				t.Errorf("%#v, %d nodes: %+v, want %+v", m, n, p.whole[n], want)
			}
		}
	}
}

// TestPaysCopied tests that the plan decides about few nodes, and that many go side by side
// wherever there are lanes for them.
func TestPaysCopied(t *testing.T) {
	few := &plan.Nodes{Many: "wide"}
	few.CopiesPay[7] = true
	for _, lanes := range []int{1, 16} {
		wide := []block.NodeKernel{{Header: block.Header{Spec: block.Spec{Name: "wide", Lanes: lanes}}}}
		p := newNodePlan(few, wide)
		for n, want := range map[int]bool{0: false, 1: false, 6: false, 7: true, 8: false, block.MaxLanes: lanes > 1, 1000: lanes > 1} {
			if got := p.paysCopied(n); got != want {
				t.Errorf("%d nodes, kernel of %d lanes: %t, want %t", n, lanes, got, want)
			}
		}
	}
}

// TestRowsOfNodesPay tests that few rows that are hashed where they lie pay for no copy.
func TestRowsOfNodesPay(t *testing.T) {
	few := &plan.Nodes{}
	few.Kernels[3] = "pair"
	p := newNodePlan(few, []block.NodeKernel{{Header: block.Header{Spec: block.Spec{Name: "pair", Lanes: 2}}}})
	data := make([]byte, 1000)
	nodes, digests := Rows{data[400:], block.NodeSize, block.NodeSize}, Rows{data, block.DigestSize, block.DigestSize}
	for _, tt := range []struct {
		name     string
		dst, src Rows
		n        int
		want     bool
	}{
		{"apart", digests, nodes, 3, true},
		{"no lanes", digests, nodes, 2, false},
		{"in place", Rows{data[400:], block.DigestSize, block.DigestSize}, nodes, 3, true},
		{"digests into the second node", Rows{data[464:], block.DigestSize, block.DigestSize}, nodes, 3, false},
		{"nodes with gaps", digests, Rows{data[400:], block.NodeSize, 100}, 3, false},
		{"digests with gaps", Rows{data, block.DigestSize, 40}, nodes, 3, false},
		{"short digests", Rows{data, 20, block.DigestSize}, nodes, 3, false},
	} {
		if got := p.pay(&tt.dst, &tt.src, tt.n); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestNodesOneByOne tests that nodes go one by one where the kernel for their number has one
// lane, or there is none.
func TestNodesOneByOne(t *testing.T) {
	for _, k := range block.Catalog() {
		if k.Operation != block.NodeOp {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			restore, ok := block.Force(k.Name)
			if !ok {
				t.Skip("this machine cannot run it")
			}
			defer restore()
			if !NodesOneByOne(1) {
				t.Error("one node goes side by side")
			}
			p := nodePlans.current()
			for n := 2; n <= block.MaxLanes; n++ {
				kernel := p.many
				if n < block.MaxLanes {
					kernel = p.kernels[n]
				}
				if got, want := NodesOneByOne(n), kernel == nil || kernel.Lanes == 1; got != want {
					t.Errorf("%d nodes go one by one: %t, want %t", n, got, want)
				}
			}
			if got, want := NodesOneByOne(block.MaxLanes), k.Lanes == 1; got != want {
				t.Errorf("%d nodes go one by one: %t, want %t", block.MaxLanes, got, want)
			}
		})
	}
}

func TestFeaturesAreThoseOfSupportedKernels(t *testing.T) {
	var want []string
	for _, isa := range []string{"ssse3", "avx", "avx2", "shani", "avx512", "sha2", "neon"} {
		for _, k := range block.Kernels() {
			if k.Supported && strings.HasSuffix(k.Name, "_"+isa) && !slices.Contains(want, isa) {
				want = append(want, isa)
			}
		}
	}
	if got := Features(); !slices.Equal(got, want) {
		t.Errorf("Features() = %q, want %q", got, want)
	}
}

// TestThisProcess tests that what is in use here is what a process like this one
// has to use.
func TestThisProcess(t *testing.T) {
	p := thisProcess()
	if p.Arch != runtime.GOARCH {
		t.Errorf("architecture %q, want %q", p.Arch, runtime.GOARCH)
	}
	p.FIPS = false
	s := p.Selection()
	if block.UsesStd() {
		t.Skip("crypto/sha256 compresses")
	}
	if block.Single() != s.Single {
		t.Errorf("%s compresses one stream, want %s", block.Single(), s.Single)
	}
	for _, k := range block.Kernels() {
		if k.Supported != p.Usable.Has(k.Needs) || k.Enabled != s.Allows(k.Spec) {
			t.Errorf("%s: supported %v, enabled %v; the CPU has %v, the selection allows it: %v", k.Name, k.Supported, k.Enabled, p.Usable, s.Allows(k.Spec))
		}
	}
}
