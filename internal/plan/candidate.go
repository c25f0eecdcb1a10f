package plan

import (
	"math"
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Candidate is a kernel that may be chosen. Cycles is its cost by a Row: the time for one
// block, one node, one nonce, one iteration of HMAC or one step of WOTS+ in each of its
// lanes.
type Candidate struct {
	Kernel        string
	Lanes, Cycles int
	Basis         Basis
}

// ofOperation returns the candidates among the enabled kernels of an operation.
func (r *Row) ofOperation(op block.Operation, enabled []block.Spec) []Candidate {
	var choice []Candidate
	for _, k := range enabled {
		if k.Operation == op {
			choice = append(choice, r.candidate(k))
		}
	}
	return choice
}

// orStreams returns the candidates for streams, which can do the operation too, followed by
// the operation's own candidates. `cycles` returns what the operation costs with a
// candidate for streams.
func (r *Row) orStreams(op block.Operation, enabled []block.Spec, single string, cycles func(k Candidate) int) []Candidate {
	choice := r.Streams(enabled, single)
	for i, k := range choice {
		choice[i].Cycles = cycles(k)
	}
	return append(choice, r.ofOperation(op, enabled)...)
}

// choose plans n lanes, for every n. first[n] is the index of the candidate that runs
// first. If that candidate leaves m lanes, candidate first[m] runs next. best[n] is the
// cost of advancing all n lanes. A candidate with more than n lanes costs `padding` more.
// At least one candidate has one lane.
func choose(candidates []Candidate, padding int) (first, best [block.MaxLanes + 1]int) {
	// `order` lists the candidates by rising number of lanes. Among plans of equal cost,
	// choose takes the one with the widest first kernel of at most n lanes. So no kernel
	// runs lanes beyond MaxLanes.
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return candidates[a].Lanes - candidates[b].Lanes })

	for n := 1; n < len(best); n++ {
		best[n] = math.MaxInt
		for _, i := range order {
			k := candidates[i]
			total := k.Cycles + best[max(0, n-k.Lanes)]
			if k.Lanes > n {
				total += padding
			}
			if total < best[n] || total == best[n] && k.Lanes <= n {
				best[n], first[n] = total, i
			}
		}
	}
	return first, best
}

// Cheapest returns the index of the candidate with the lowest cost per lane. If several
// candidates have that cost, it returns the first one's. If there is no candidate, it
// returns -1.
func Cheapest(candidates []Candidate) int {
	cheapest := -1
	for i, k := range candidates {
		if cheapest < 0 || k.Cycles*candidates[cheapest].Lanes < candidates[cheapest].Cycles*k.Lanes {
			cheapest = i
		}
	}
	return cheapest
}

// uneven returns the candidates for jobs that do not end together. When a job ends, kernels are
// called again, and a call for MaxLanes lanes takes longer than one for fewer. So if the cheapest
// candidate has MaxLanes lanes, but gains less than a tenth per lane over another one of several
// lanes, its cost is raised above the other's. On Emerald Rapids, x32_avx512 gains 6% over
// x16_avx512 per block. But 30 to 130 messages of 0 to 940 bytes take 6% to 20% longer with it, and
// chains of different lengths 25% longer. On Ice Lake, the costs are alike.
func uneven(candidates []Candidate) []Candidate {
	i := Cheapest(candidates)
	if i < 0 || candidates[i].Lanes < block.MaxLanes {
		return candidates
	}
	k := &candidates[i]
	others := slices.Delete(slices.Clone(candidates), i, i+1)
	j := Cheapest(others)
	if j < 0 || others[j].Lanes == 1 || 10*others[j].Cycles*k.Lanes > 11*k.Cycles*others[j].Lanes {
		return candidates
	}
	candidates = slices.Clone(candidates)
	candidates[i].Cycles = others[j].Cycles*k.Lanes/others[j].Lanes + 1
	return candidates
}

// Steps returns the indices of the candidates that together advance n jobs, which do not end
// together, by a block. At any time, at most as many lanes are live as the cheapest candidate
// has.
func Steps(candidates []Candidate, n int) []int {
	candidates = uneven(candidates)
	first, _ := choose(candidates, 0)
	width := candidates[Cheapest(candidates)].Lanes
	var steps []int
	for n > 0 {
		i := first[min(n, width)]
		steps = append(steps, i)
		n -= candidates[i].Lanes
	}
	return steps
}

// NodeSteps returns the indices of the candidates that hash n nodes, and the cost by r.
// While there are MaxLanes nodes or more, the cheapest candidate runs, with all lanes
// filled.
func (r *Row) NodeSteps(candidates []Candidate, n int) (steps []int, cycles int) {
	first, _ := choose(candidates, r.overhead.padding)
	for n > 0 {
		i := Cheapest(candidates)
		if n < block.MaxLanes {
			i = first[n]
		}
		steps = append(steps, i)
		cycles += candidates[i].Cycles
		if n < candidates[i].Lanes {
			cycles += r.overhead.padding
		}
		n -= candidates[i].Lanes
	}
	return steps, cycles
}
