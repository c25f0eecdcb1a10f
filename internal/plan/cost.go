package plan

import (
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A Row has the costs of kernels on a microarchitecture, in cycles. The fields `measured`
// and `estimated` include kernels that are never the cheapest, since cheaper kernels may be
// disabled. A kernel in neither field has a derived cost. The costs of chain and WOTS
// kernels follow from the costs of kernels for streams.
type Row struct {
	Microarch cpu.Microarch

	// On is the machine on which sha256bench -row measured what the field `measured`
	// holds.
	On       string
	overhead overhead
	measured []cost
	// listsAVX512 are the costs of lists where AVX-512 is enabled; `lists` are those elsewhere.
	// If both are nil, they are defaultLists.
	lists, listsAVX512 *kindCosts

	// `estimated` holds costs that were not measured. The field `from` says what they are
	// based on.
	from      string
	estimated []cost
}

// A cost is the time that a kernel takes for one block, one node or one nonce in
// each of its lanes, when all of them are in use. Only the ratios between the costs
// of one operation on one microarchitecture matter.
type cost struct {
	kernel string
	cycles int
}

// An overhead is the cost, in cycles, of work other than compressing blocks.
type overhead struct {
	// A call of kernels for streams costs `call`, and `callLane` for each lane.
	// This includes the work of package lanes between calls.
	call, callLane int
	// Another turn of the same call (see block.Kernel.Blocks) costs `turnLane` for
	// each lane, `turnMax` at most.
	turnLane, turnMax int
	// A rotation of jobs of equal length costs `pointers` for each job, and `rest`
	// if other kernels have to do time slices at its end.
	pointers, rest int
	// A node kernel costs `padding` more if there are fewer nodes than lanes: the
	// nodes are copied into an array that fills all lanes.
	padding int
	// Plain Go takes `generic` cycles for a block or a nonce, and twice as many for
	// a node.
	generic int
}

// RowOf returns the row of a microarchitecture.
func RowOf(m cpu.Microarch) Row {
	return rows[slices.IndexFunc(rows, func(r Row) bool { return r.Microarch == m })]
}

// Call returns the cost of a call for that number of lanes, without its blocks.
func (r *Row) Call(lanes int) int { return r.overhead.callOf(lanes) }

// Turn returns the cost of another turn in a call for that number of lanes, without
// its blocks.
func (r *Row) Turn(lanes int) int { return r.overhead.turnOf(lanes) }

func (o *overhead) callOf(lanes int) int { return o.call + o.callLane*lanes }
func (o *overhead) turnOf(lanes int) int { return min(o.turnLane*lanes, o.turnMax) }

// A Basis is what a cost rests on.
type Basis string

const (
	Measured  Basis = "measured"
	Estimated Basis = "estimated"
	// Derived costs belong to plain Go and to kernels that a row does not name. Per lane,
	// the derived cost of a kernel is slightly lower than the cost of plain Go. So only
	// plain Go ranks below such a kernel.
	Derived Basis = "derived"
)

// Cost returns the cost of a kernel.
func (r *Row) Cost(k block.Spec) (cycles int, b Basis) {
	switch k.Operation {
	case block.ChainOp: // an iteration is two blocks
		cycles, b = r.Cost(streamsOf(k))
		return 2 * cycles, b
	case block.WotsOp: // a step is one block
		return r.Cost(streamsOf(k))
	}
	isNamed := func(c cost) bool { return c.kernel == k.Name }
	if i := slices.IndexFunc(r.measured, isNamed); i >= 0 {
		return r.measured[i].cycles, Measured
	}
	if i := slices.IndexFunc(r.estimated, isNamed); i >= 0 {
		return r.estimated[i].cycles, Estimated
	}
	plain := r.overhead.generic
	if k.Operation == block.NodeOp {
		plain *= 2
	}
	return k.Lanes * (plain - 1), Derived
}

// streamsOf returns the kernel for streams with the same lanes and instruction sets as
// k. Both take the same time for a block.
func streamsOf(k block.Spec) block.Spec {
	for _, s := range block.Catalog() {
		if s.Operation == block.StreamOp && s.Lanes == k.Lanes && slices.Equal(s.InstructionSets(), k.InstructionSets()) {
			return s
		}
	}
	panic("sha256: no kernel for streams is like " + k.Name)
}

// candidate returns a kernel with its cost.
func (r *Row) candidate(k block.Spec) Candidate {
	cycles, basis := r.Cost(k)
	return Candidate{k.Name, k.Lanes, cycles, basis}
}

// plainGo returns the candidate that replaces a missing kernel for one lane.
func (r *Row) plainGo(name string, blocks int) Candidate {
	return Candidate{name, 1, blocks * r.overhead.generic, Derived}
}
