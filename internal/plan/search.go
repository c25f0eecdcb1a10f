package plan

import "github.com/sha256-simd/sha256-simd/internal/block"

// Search returns the enabled search kernel that costs least for a nonce. It returns
// "" if no search kernel is enabled.
func Search(r Row, enabled []block.Spec) string {
	choice := r.Nonces(enabled)
	if i := Cheapest(choice); i >= 0 {
		return choice[i].Kernel
	}
	return ""
}

// Nonces returns the candidates for nonces.
func (r *Row) Nonces(enabled []block.Spec) []Candidate {
	return r.ofOperation(block.SearchOp, enabled)
}
