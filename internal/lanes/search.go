package lanes

import "github.com/sha256-simd/sha256-simd/internal/block"

// SearchKernel returns the kernel to search nonces with, or nil if there is none:
// then nonces are tried as messages.
func SearchKernel() *block.SearchKernel { return currentPlan().search }

// preferredSearch returns the enabled kernel that costs least for a nonce, or
// nil.
func preferredSearch(r row, kernels []block.SearchKernel) *block.SearchKernel {
	choice, of := searchCandidates(r, kernels)
	if i := Cheapest(choice); i >= 0 {
		return of[i]
	}
	return nil
}

// searchCandidates returns what may be chosen for nonces, and the kernels that it
// stands for.
func searchCandidates(r row, kernels []block.SearchKernel) (choice []Candidate, of []*block.SearchKernel) {
	for i := range kernels {
		if k := &kernels[i]; k.Enabled {
			choice, of = append(choice, r.candidate(k.Spec)), append(of, k)
		}
	}
	return choice, of
}
