package block

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/test/upperhalves"
)

// TestUpperHalvesOfTheCaller calls kernels with SHA instructions while upper halves
// of vector registers are in use, as callers with vector code leave them: kernels
// have to end that on CPUs with AVX, and on others must not try. Between two
// instructions the scheduler may have run other code on this thread, so that a single
// try shows nothing where they are to stay in use.
func TestUpperHalvesOfTheCaller(t *testing.T) {
	const tries = 1000
	var data [64 * Size]byte
	var states [MaxLanes]State
	var hs [2 * MaxLanes]*State
	var ps [2 * MaxLanes]*byte
	for i := range hs {
		hs[i], ps[i] = &states[i%MaxLanes], &data[0]
	}
	var digests [64 * DigestSize]byte
	var nonces Nonces
	nonces.Reset(&IV256, (*[Size]byte)(data[:]), 30, nil, 0)

	type call struct {
		Spec
		supported bool
		run       func()
	}
	var calls []call
	for _, k := range Kernels() {
		calls = append(calls, call{k.Spec, k.Supported, func() { k.Blocks(&hs[0], &ps[0], k.Lanes, 0, 0, 2, 1) }})
	}
	for _, k := range NodeKernels() {
		calls = append(calls, call{k.Spec, k.Supported, func() { k.hash(&digests[0], &data[0], k.Lanes) }})
	}
	for _, k := range SearchKernels() {
		calls = append(calls, call{k.Spec, k.Supported, func() { k.Search(&nonces, 0, 1) }})
	}
	var chains Chains
	for _, k := range ChainKernels() {
		calls = append(calls, call{k.Spec, k.Supported, func() { k.Advance(&chains, 1, &KeyedPadding) }})
	}
	var wots Wots
	for _, k := range WotsKernels() {
		calls = append(calls, call{k.Spec, k.Supported, func() { k.Follow(&wots, 1, 1) }})
	}
	if k := shortRoutines[inAVX512]; len(headers) > 0 && k.Arch == headers[0].Arch {
		needs := k.Needs | cpu.SHA
		ends := func(name string, run func()) {
			calls = append(calls, call{Spec{Name: name, Needs: needs}, cpu.Usable().Has(needs), run})
		}
		ends("finish_avx512shani", func() {
			finish((*[DigestSize]byte)(digests[:]), &states[0], nil, 0, &data[0], 70, 70)
		})
		ends("write_avx512shani", func() { write(&states[0], (*[Size]byte)(digests[:]), 10, &data[0], 70) })
	}
	defer func(was bool) { hasAVX = was }(hasAVX)
	for _, c := range calls {
		if !c.Needs.Has(cpu.SHA) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if !c.supported || !upperhalves.Dirty() {
				t.Skipf("this machine has no AVX, or cannot run %s", c.Name)
			}
			hasAVX = true
			for range tries {
				upperhalves.Dirty()
				c.run()
				if upperhalves.InUse() {
					t.Fatal("upper halves are in use after a call")
				}
			}
			if hasAnyAVX(c.Needs) {
				return
			}
			hasAVX = false
			for range tries {
				upperhalves.Dirty()
				c.run()
				if upperhalves.InUse() {
					return
				}
			}
			t.Error("it executes VZEROUPPER on CPUs without AVX")
		})
	}
}

// TestHasAVX tests what kernels go by.
func TestHasAVX(t *testing.T) {
	current() // is what sets it
	if got, want := hasAVX, cpu.Usable().Has(cpu.AVX); got != want {
		t.Errorf("hasAVX is %t on a CPU with %v", got, cpu.Usable())
	}
}

// TestSelectKernelsOfNone tests that nothing uses a kernel that is not enabled.
func TestSelectKernelsOfNone(t *testing.T) {
	defer selectKernels(current().Selection)
	selectKernels(Selection{Single: "generic"})
	if names := enabledNames(); len(names) > 0 || ShortInVectors(false) || current().single != plainGo || current().node != plainGo {
		t.Errorf("%q are enabled, %d and %d are called", names, current().single, current().node)
	}
}
