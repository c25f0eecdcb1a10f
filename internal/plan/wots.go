package plan

import (
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Wots returns the enabled WOTS kernel that follows many chains at the least cost. It
// returns "" if a kernel for streams, or plain Go, costs no more. Single compresses one
// stream.
func Wots(r Row, enabled []block.Spec, single string) string {
	choice := r.Wots(enabled, single)
	name := choice[Cheapest(choice)].Kernel
	if slices.ContainsFunc(enabled, func(k block.Spec) bool { return k.Name == name && k.Operation == block.WotsOp }) {
		return name
	}
	return ""
}

// Wots returns the candidates for chains of WOTS+. Where a kernel for streams does the
// work, each step is a turn.
func (r *Row) Wots(enabled []block.Spec, single string) []Candidate {
	return r.orStreams(block.WotsOp, enabled, single, func(k Candidate) int { return k.Cycles + r.Turn(k.Lanes) })
}
