package lanes

import (
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A Description has the facts on which the choice between kernels rests.
type Description struct {
	plan.Row
	// Streams, Nodes and Nonces are the enabled candidates for many messages, for
	// Merkle nodes and for searches.
	Streams, Nodes, Nonces []plan.Candidate
}

// Describe returns what the choice between kernels rests on in this process.
func Describe() Description {
	r := plan.RowOf(cpu.This())
	return Description{
		Row:     r,
		Streams: r.Streams(block.Enabled(), block.Single()),
		Nodes:   r.Nodes(block.Enabled(), block.Single()),
		Nonces:  r.Nonces(block.Enabled()),
	}
}
