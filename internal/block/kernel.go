package block

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// An Operation is what a kernel does side by side.
type Operation uint8

const (
	StreamOp Operation = iota // compress blocks of streams: Kernel
	NodeOp                    // hash nodes of Merkle trees: NodeKernel
	SearchOp                  // try nonces: SearchKernel
	ChainOp                   // iterate HMAC or SHA-256: ChainKernel
	WotsOp                    // follow chains of WOTS+: WotsKernel
)

// A Spec describes a kernel of any operation, without its code.
type Spec struct {
	// Name is lanes_isa for streams, operation_lanes_isa for other operations.
	Name string
	// Arch is its GOARCH.
	Arch string
	// Operation is what it does side by side.
	Operation Operation
	// Lanes is the number of streams, nodes, nonces or chains that it takes side by
	// side.
	Lanes int
	// Needs are the instruction set extensions that it uses, beyond the baseline of
	// Arch.
	Needs cpu.Features
}

// HasName reports whether the kernel has that name.
func (s Spec) HasName(name string) bool { return s.Name == name }

// InstructionSets returns the instruction sets in the kernel's name, as words of
// SHA256SIMD_DISABLE.
func (s Spec) InstructionSets() []string {
	isa := s.Name[strings.LastIndexByte(s.Name, '_')+1:]
	if isa == "avx512shani" {
		return []string{"avx512", "shani"}
	}
	return []string{isa}
}

// Catalog returns the kernels of all architectures.
func Catalog() []Spec { return slices.Clone(catalog) }

// A Header has what the kernels of every operation have in common, but for their code. A
// program links only the kernels that it can call. So no variable holds a kernel's code:
// functions find it by the kernel's name.
type Header struct {
	Spec
	// Max bounds the work of one call, so that it takes about 50 µs at most. It counts
	// what the operation does: the blocks of a lane (slice·turns of Kernel.Blocks),
	// nodes, groups of nonces, iterations of chains, groups of chains of WOTS+.
	Max int
	// Supported reports whether this machine can run the kernel, Enabled whether the
	// kernel may be chosen as well.
	Supported, Enabled bool

	group   int     // of a chain kernel: the number of lanes whose words are side by side
	routine routine // of a kernel that compress or hashNode calls
}

// isSingle reports whether compress can call the kernel.
func (h *Header) isSingle() bool { return h.Operation == StreamOp && h.Lanes == 1 }

// ofOperation returns the kernels of an operation, each made from its header.
func ofOperation[K any](op Operation, kernel func(Header) K) []K {
	var ks []K
	for _, h := range current().headers {
		if h.Operation == op {
			ks = append(ks, kernel(h))
		}
	}
	return ks
}

// A Kernel is one way to run the compression function over Lanes streams.
type Kernel struct {
	Header
	// Blocks compresses a ring of `ring` streams in several turns. states[i] points to
	// the state of stream i, updated in place; data[i] points to its block 0. A turn
	// compresses `slice` blocks of Lanes neighbours in the ring. Turn 1 starts with
	// stream `first` at block `at`; each further turn takes the next Lanes streams. After
	// stream ring-1 comes stream 0 again, `slice` blocks further on. So both lists repeat
	// their first Lanes-1 pointers behind the ring, those in data `slice` blocks further
	// on. `turns` is at least 1. If it is 1, `ring` is ignored; else `ring` is at least
	// Lanes. A state that two lanes share becomes undefined. A `slice` of 0 does nothing.
	//
	// With 4 lanes, ring 5, first 0, at 0, slice 2, turns 3, these blocks are done:
	//
	//	         stream 0  stream 1  stream 2  stream 3  stream 4
	//	turn 1     0, 1      0, 1      0, 1      0, 1
	//	turn 2     2, 3      2, 3      2, 3                0, 1
	//	turn 3     4, 5      4, 5                2, 3      2, 3
	Blocks func(states **State, data **byte, ring, first, at, slice, turns int)
}

// Kernels returns this architecture's kernels for streams, by rising lanes. Among
// kernels with equal lanes, the preferred kernel comes first.
func Kernels() []Kernel {
	return ofOperation(StreamOp, func(h Header) Kernel { return Kernel{h, streamKernel(h.Name)} })
}

// single adapts a one-stream kernel to the signature of Kernel.Blocks.
func single(blocks func(h *State, p *byte, n int)) func(states **State, data **byte, ring, first, at, slice, turns int) {
	return func(states **State, data **byte, ring, first, at, slice, turns int) {
		hs, ps := unsafe.Slice(states, ring), unsafe.Slice(data, ring)
		for ; turns > 0; turns-- {
			blocks(hs[first], Advance(ps[first], at), slice)
			if first++; first == ring {
				first, at = 0, at+slice
			}
		}
	}
}
