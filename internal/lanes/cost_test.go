package lanes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// processOn returns one on a CPU of a microarchitecture with all its features, and
// with kernels disabled.
func processOn(m cpu.Microarch, disabled ...string) process {
	p := process{usable: m.Features(), microarch: m, disabled: disabled}
	for _, arch := range []string{"arm64", "amd64"} {
		if m.On(arch) {
			p.arch = arch
		}
	}
	return p
}

// specs returns the kernels that p can run, and whether they are enabled by s, of
// an operation: "" for streams, "node_", "search_".
func (p process) specs(operation string, s block.Selection) (specs []block.Spec, enabled []bool) {
	for _, k := range p.kernels() {
		if p.usable.Has(k.Needs) && strings.HasPrefix(k.Name, operation+"x") {
			specs, enabled = append(specs, k), append(enabled, slices.Contains(s.Enabled, k.Name))
		}
	}
	return specs, enabled
}

// streams, nodes and searches return the kernels as package block would have
// them in p, but that those of streams compress by what is in use here.
func (p process) streams(s block.Selection) (kernels []block.Kernel) {
	specs, enabled := p.specs("", s)
	for i, k := range specs {
		kernels = append(kernels, block.Kernel{Spec: k, MaxBlocks: 100, Supported: true, Enabled: enabled[i]})
	}
	return kernels
}

func (p process) nodes(s block.Selection) (kernels []block.NodeKernel) {
	specs, enabled := p.specs("node_", s)
	for i, k := range specs {
		kernels = append(kernels, block.NodeKernel{Spec: k, Supported: true, Enabled: enabled[i]})
	}
	return kernels
}

func (p process) searches(s block.Selection) (kernels []block.SearchKernel) {
	specs, enabled := p.specs("search_", s)
	for i, k := range specs {
		kernels = append(kernels, block.SearchKernel{Spec: k, Supported: true, Enabled: enabled[i]})
	}
	return kernels
}

// planOf returns the plan for streams of a process by the costs in r.
func planOf(r row, disabled ...string) *plan {
	p := processOn(r.microarch, disabled...)
	s := p.selectionBy(r)
	return newPlan(r, p.streams(s), s.Single)
}

// TestRows tests that every microarchitecture has one row of what its CPUs can
// run, each kernel once, and that costs say where they come from.
func TestRows(t *testing.T) {
	if len(rows) != len(cpu.Microarchs()) {
		t.Errorf("%d rows for %d microarchitectures", len(rows), len(cpu.Microarchs()))
	}
	for _, m := range cpu.Microarchs() {
		r := rowOf(m)
		if (r.on != "") != (len(r.measured) > 0) || (r.from != "") != (len(r.estimated) > 0) || r.on+r.from == "" {
			t.Errorf("%#v: %d costs measured on %q, %d estimated from %q", m, len(r.measured), r.on, len(r.estimated), r.from)
		}
		seen := map[string]bool{}
		p := processOn(m)
		for _, c := range slices.Concat(r.measured, r.estimated) {
			if !slices.ContainsFunc(p.kernels(), func(k block.Spec) bool { return k.Name == c.kernel && p.usable.Has(k.Needs) }) {
				t.Errorf("%#v: no kernel %s there", m, c.kernel)
			}
			if c.cycles <= 0 || seen[c.kernel] {
				t.Errorf("%#v: %s costs %d, or twice", m, c.kernel, c.cycles)
			}
			seen[c.kernel] = true
		}
	}
}

// TestDerivedCosts tests that no row makes a kernel that it names look worse
// than one that it does not, nor any kernel worse than plain Go.
func TestDerivedCosts(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		r, empty := rowOf(m), row{microarch: m}
		for _, k := range processOn(m).kernels() {
			cycles, basis := r.cost(k)
			derived, ofEmpty := empty.cost(k)
			if ofEmpty != Derived || cycles > derived || basis != Derived && cycles == derived {
				t.Errorf("%#v: %s costs %d, %s; derived would be %d, %s", m, k.Name, cycles, basis, derived, ofEmpty)
			}
			plain := genericCost
			if strings.HasPrefix(k.Name, "node_") {
				plain = 2 * genericCost
			}
			if derived >= k.Lanes*plain {
				t.Errorf("%s costs %d where nobody knows, plain Go %d", k.Name, derived, k.Lanes*plain)
			}
		}
	}
}

// TestEveryKernelRunsWhenForced has, on every microarchitecture, every kernel
// that its CPUs can run as the only one in use: it has to be the one that runs,
// whatever its row says.
func TestEveryKernelRunsWhenForced(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		for _, r := range []row{rowOf(m), {microarch: m}} {
			p := processOn(m)
			for _, k := range p.kernels() {
				if !p.usable.Has(k.Needs) {
					continue
				}
				t.Run(fmt.Sprintf("%#v/%s", m, k.Name), func(t *testing.T) {
					s := block.Selection{Single: "generic", Enabled: []string{k.Name}}
					var got string
					switch {
					case strings.HasPrefix(k.Name, "node_"):
						plan := newNodePlan(r, p.nodes(s), s.Single)
						if plan.many != nil {
							got = plan.many.Name
						}
						if n := k.Lanes % block.MaxLanes; plan.kernels[n] == nil != (n == 0) || n > 0 && plan.kernels[n].Name != k.Name {
							t.Errorf("%d nodes run on %+v", n, plan.kernels[n])
						}
					case strings.HasPrefix(k.Name, "search_"):
						if best := preferredSearch(r, p.searches(s)); best != nil {
							got = best.Name
						}
					default:
						if k.Lanes == 1 {
							s.Single = k.Name
						}
						rec := record(newPlan(r, p.streams(s), s.Single))
						j := newJobs(each(2*k.Lanes, func(int) [2]int { return [2]int{3, 1} }))
						rec.run(j, false)
						j.check(t)
						for _, call := range rec.calls {
							if got == "" || call.kernel != k.Name {
								got = call.kernel
							}
						}
					}
					if got != k.Name {
						t.Errorf("%q runs", got)
					}
				})
			}
		}
	}
}
