package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// processOn returns one on a CPU of a microarchitecture with all its features, and
// with kernels disabled.
func processOn(m cpu.Microarch, disabled ...string) Process {
	p := Process{Usable: m.Features(), Microarch: m, Disabled: disabled}
	for _, arch := range []string{"arm64", "amd64"} {
		if m.On(arch) {
			p.Arch = arch
		}
	}
	return p
}

// kernels returns the kernels of p's architecture.
func (p Process) kernels() []block.Spec {
	return slices.DeleteFunc(block.Catalog(), func(k block.Spec) bool { return k.Arch != p.Arch })
}

// enabled returns the kernels that s allows.
func (p Process) enabled(s block.Selection) []block.Spec {
	return slices.DeleteFunc(block.Catalog(), func(k block.Spec) bool { return !s.Allows(k) })
}

// planOf returns the plan for streams of a process by the costs in r.
func planOf(r Row, disabled ...string) *Streams {
	p := processOn(r.Microarch, disabled...)
	s := p.selectionBy(r)
	return NewStreams(r, p.enabled(s), s.Single)
}

// lanesOf returns how many lanes a kernel has, or 1 for what is not a kernel.
func lanesOf(name string) int {
	if i := slices.IndexFunc(block.Catalog(), func(k block.Spec) bool { return k.Name == name }); i >= 0 {
		return block.Catalog()[i].Lanes
	}
	return 1
}

// TestRows tests that every microarchitecture has one row of what its CPUs can
// run, each kernel once, and that costs say where they come from.
func TestRows(t *testing.T) {
	if len(rows) != len(cpu.Microarchs()) {
		t.Errorf("%d rows for %d microarchitectures", len(rows), len(cpu.Microarchs()))
	}
	for _, m := range cpu.Microarchs() {
		r := RowOf(m)
		if (r.On != "") != (len(r.measured) > 0) || (r.from != "") != (len(r.estimated) > 0) || r.On+r.from == "" {
			t.Errorf("%#v: %d costs measured on %q, %d estimated from %q", m, len(r.measured), r.On, len(r.estimated), r.from)
		}
		seen := map[string]bool{}
		p := processOn(m)
		for _, c := range slices.Concat(r.measured, r.estimated) {
			if !slices.ContainsFunc(p.kernels(), func(k block.Spec) bool { return k.Name == c.kernel && p.Usable.Has(k.Needs) }) {
				t.Errorf("%#v: no kernel %s there", m, c.kernel)
			}
			if c.cycles <= 0 || seen[c.kernel] {
				t.Errorf("%#v: %s costs %d, or twice", m, c.kernel, c.cycles)
			}
			seen[c.kernel] = true
		}
		for _, lists := range []*kindCosts{r.lists, r.listsAVX512, r.listsOf(nil)} {
			if lists == nil { // defaultLists serve
				continue
			}
			for kind, c := range lists {
				if c.list <= 0 || c.message <= 0 || c.far < 0 {
					t.Errorf("%#v: lists of kind %d cost %+v", m, kind, c)
				}
			}
		}
	}
}

// TestDerivedCosts tests that no row makes a kernel that it names look worse
// than one that it does not, nor any kernel worse than plain Go.
func TestDerivedCosts(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		r := RowOf(m)
		empty := Row{Microarch: m, overhead: r.overhead}
		for _, k := range processOn(m).kernels() {
			cycles, basis := r.Cost(k)
			derived, ofEmpty := empty.Cost(k)
			if ofEmpty != Derived || cycles > derived || basis != Derived && cycles == derived {
				t.Errorf("%#v: %s costs %d, %s; derived would be %d, %s", m, k.Name, cycles, basis, derived, ofEmpty)
			}
			plain := empty.overhead.generic
			if k.Operation == block.NodeOp || k.Operation == block.ChainOp {
				plain = 2 * empty.overhead.generic
			}
			if derived >= k.Lanes*plain {
				t.Errorf("%s costs %d where nobody knows, plain Go %d", k.Name, derived, k.Lanes*plain)
			}
		}
	}
}

// TestForcedKernelsAreChosen has, on every microarchitecture, every kernel that its
// CPUs can run as the only one in use: it has to be chosen, whatever its row says.
func TestForcedKernelsAreChosen(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		for _, r := range []Row{RowOf(m), {Microarch: m, overhead: defaultOverhead}} {
			p := processOn(m)
			for _, k := range p.kernels() {
				if !p.Usable.Has(k.Needs) {
					continue
				}
				enabled, single := []block.Spec{k}, "generic"
				var got string
				switch k.Operation {
				case block.StreamOp:
					if k.Lanes == 1 {
						single = k.Name
					}
					got = NewStreams(r, enabled, single).Kernels[k.Lanes]
				case block.NodeOp:
					nodes := NewNodes(r, enabled, single)
					got = nodes.Many
					if n := k.Lanes % block.MaxLanes; n > 0 && nodes.Kernels[n] != k.Name {
						t.Errorf("%#v: %d nodes run on %s, want %s", m, n, nodes.Kernels[n], k.Name)
					}
				case block.SearchOp:
					got = Search(r, enabled)
				case block.ChainOp:
					got = NewChains(r, enabled, single).Kernels[k.Lanes]
				case block.WotsOp:
					got = Wots(r, enabled, single)
				}
				if got != k.Name {
					t.Errorf("%#v: %q is chosen, want %s", m, got, k.Name)
				}
			}
		}
	}
}

// TestCallsAreBounded multiplies the bounds of this architecture's kernels by their costs, on
// every CPU whose row was measured. A call is to take about 50 µs with a kernel that the CPU
// prefers. Others take up to three times as long there.
func TestCallsAreBounded(t *testing.T) {
	const most = 500_000 // cycles
	for _, r := range rows {
		cycles := make(map[string]int)
		for _, c := range r.measured {
			cycles[c.kernel] = c.cycles
		}
		check := func(h block.Header, each int) {
			if each*h.Max > most {
				t.Errorf("%v: a call of %s takes up to %d cycles, want at most %d", r.Microarch, h.Name, each*h.Max, most)
			}
		}
		for _, k := range block.Kernels() {
			check(k.Header, cycles[k.Name])
		}
		for _, k := range block.NodeKernels() {
			check(k.Header, cycles[k.Name]/k.Lanes)
		}
		for _, k := range block.SearchKernels() {
			check(k.Header, cycles[k.Name])
		}
		for _, k := range block.ChainKernels() { // an iteration of HMAC has two blocks
			check(k.Header, 2*cycles[strings.TrimPrefix(k.Name, "chain_")])
		}
		for _, k := range block.WotsKernels() {
			check(k.Header, cycles[strings.TrimPrefix(k.Name, "wots_")])
		}
	}
}
