package main

import (
	"fmt"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// strides are the kernels whose loop does several blocks, or groups of nodes, at a time
// or needs several: how many it does, and how many it needs at least.
var strides = map[string][2]int64{
	"x1_avx2":        {2, 1},
	"x1_avx512shani": {2, 2},
	"node_x4_shani":  {1, 2},
}

// prove proves a kernel, and says for which calls.
func prove(k blocks.Spec, c *code) (shown string, err error) {
	if r := routineNamed(k.Name); r != nil {
		heads := c.heads()
		if r.everyLength {
			heads = []int64{-1}
		}
		return r.shown, atOneOf(heads, func(head int64) proof {
			forget()
			return r.proof(listProof{code: c, head: head})
		})
	}
	shape := call{lanes: k.Lanes, step: 1, least: 1}
	if s, ok := strides[k.Name]; ok {
		shape.step, shape.least = s[0], s[1]
	}
	shown = "any blocks"
	switch k.Operation {
	case blocks.SearchOp:
		return "any groups, every place of the digits", proveSearch(k, c)
	case blocks.ChainOp:
		return "any iterations, any padding", atOneOf(c.heads(), func(head int64) proof {
			forget()
			return &chainProof{code: c, lanes: k.Lanes, group: chainGroup(k), head: head}
		})
	case blocks.WotsOp:
		return "any groups", atOneOf(c.heads(), func(head int64) proof {
			forget()
			return &wotsProof{code: c, lanes: k.Lanes, head: head}
		})
	case blocks.NodeOp:
		shape.nodes, shown = true, "any nodes, in place too"
	case blocks.StreamOp:
		if k.Lanes > 1 {
			shape.turns, shown = true, "any blocks, any turns, any streams"
		}
	default:
		return "", fmt.Errorf("%s: there is no specification of what it does", k.Name)
	}
	err = atOneOf(c.heads(), func(head int64) proof {
		forget()
		return &induction{call: shape, code: c, head: head}
	})
	if err != nil || !shape.turns {
		return shown, err
	}
	shape.single = true
	return shown, atOneOf(c.heads(), func(head int64) proof {
		forget()
		return &induction{call: shape, code: c, head: head}
	})
}

// chainGroup is the number of lanes of a chain kernel whose words are side by side:
// as many as a vector has, but one with the SHA extensions.
func chainGroup(k blocks.Spec) int {
	if k.Needs.Has(cpu.SHA) || k.Needs.Has(cpu.SHA2) {
		return 1
	}
	return min(k.Lanes, 16)
}

// proveSearch proves a search kernel for every place of the last digit, with and
// without a block that follows.
func proveSearch(k blocks.Spec, c *code) error {
	heads := c.heads()
	for last := range 64 {
		// Where the first word with digits is the same, so is most of the work.
		if last%4 == 0 && last != 4 {
			forget()
			precise = true
		}
		more := messageBlock("more", 0)
		for _, more := range []*block{nil, &more} {
			err := atOneOf(heads, func(head int64) proof {
				return &search{code: c, lanes: k.Lanes, last: last, more: more, head: head}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// A proof is an attempt, with a loop that begins at some instruction.
type proof interface {
	prove()          // or panic with a refusal
	progressed() int // in steps
}

// atOneOf tries the heads that a loop may have, and puts the right one first.
// If all are refused, it returns the reason of the attempt that came furthest.
func atOneOf(heads []int64, attempt func(head int64) proof) error {
	best, why := -1, refusal{why: "it has no loop"}
	for i, h := range heads {
		p := attempt(h)
		r, is := refused(p.prove)
		if !is {
			heads[0], heads[i] = h, heads[0]
			return nil
		}
		if n := p.progressed(); n > best {
			best, why = n, r
		}
	}
	return why
}

// refused reports whether f refuses something.
func refused(f func()) (why refusal, is bool) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case refusal:
			why, is = e, true
		default:
			panic(e)
		}
	}()
	f()
	return
}
