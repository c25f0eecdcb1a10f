package lanes

import (
	"encoding/binary"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// MaxOneBlock is the number of messages in a OneBlock.
const MaxOneBlock = block.MaxWots

// A OneBlock hashes messages of one block each, padding included, behind midstates,
// again and again. It writes each digest into the message's own block, which then is
// the next message of a hash chain. The owner of a OneBlock fills in the blocks, and
// clears secrets. A OneBlock must not be copied after Init.
type OneBlock struct {
	// Blocks are the messages, padded.
	Blocks [MaxOneBlock][block.Size]byte
	h      [MaxOneBlock]block.State
	// From are the states that the messages continue. They stay as they are.
	From [MaxOneBlock]*block.State
	// Sizes are the numbers of bytes of each digest that Sum writes: 16, 24 or 32.
	Sizes [MaxOneBlock]uint8
	// At is the offset in a block at which Sum writes them.
	At int

	// state and next are the arguments of the kernels. The pointers behind those of the
	// messages are for lanes that are not live.
	state [MaxOneBlock + block.MaxLanes]*block.State
	next  [MaxOneBlock + block.MaxLanes]*byte

	unused block.State

	chains block.Wots // for Follow
}

// Init makes o ready for Sum.
func (o *OneBlock) Init(at int) {
	o.At = at
	for i := range o.state {
		o.state[i] = &o.unused
	}
	for i := range o.Blocks {
		o.state[i], o.next[i] = &o.h[i], &o.Blocks[i][0]
	}
}

// Clear sets the blocks and all states to zero, and drops the pointers in From.
func (o *OneBlock) Clear() {
	clear(o.Blocks[:])
	clear(o.From[:])
	clear(o.h[:])
	clear(o.chains[:])
	o.unused = block.State{}
}

// Sum compresses the first n blocks, each into a copy of its state in From, and writes
// the beginning of each digest to the message's block.
func (o *OneBlock) Sum(n int) {
	for i, from := range o.From[:n] {
		o.h[i] = *from
	}
	o.compress(n)
	for i := range o.Blocks[:n] {
		h, dst := &o.h[i], o.Blocks[i][o.At:]
		binary.BigEndian.PutUint64(dst[0:], uint64(h[0])<<32|uint64(h[1]))
		binary.BigEndian.PutUint64(dst[8:], uint64(h[2])<<32|uint64(h[3]))
		if size := o.Sizes[i]; size > 16 {
			binary.BigEndian.PutUint64(dst[16:], uint64(h[4])<<32|uint64(h[5]))
			if size > 24 {
				binary.BigEndian.PutUint64(dst[24:], uint64(h[6])<<32|uint64(h[7]))
			}
		}
	}
}

var wotsKernels = cache[block.WotsKernel]{make: func() *block.WotsKernel {
	return named(block.WotsKernels(), plan.Wots(plan.RowOf(cpu.This()), block.Enabled(), block.Single()))
}}

// WotsKernel returns the kernel that follows chains of WOTS+, or nil if kernels for
// streams, or plain Go, do that.
func WotsKernel() *block.WotsKernel { return wotsKernels.current() }

// Follow does steps[i] steps of message i. The numbers of steps must not rise. A step
// does what Sum does, and adds 1 to the number in the two bytes before At.
func (o *OneBlock) Follow(steps []uint8) {
	n := len(steps)
	if n == 0 {
		return
	}
	if k := WotsKernel(); k != nil && o.At == block.WotsAt {
		for i := range steps {
			k.Set(&o.chains, i, o.From[i], &o.Blocks[i], int(o.Sizes[i]))
		}
		for done := uint8(0); n > 0; n-- {
			k.Follow(&o.chains, n, int(steps[n-1]-done))
			done = steps[n-1]
			k.Get(&o.chains, n-1, &o.Blocks[n-1], int(o.Sizes[n-1]))
		}
		return
	}
	for done := uint8(0); ; done++ {
		for n > 0 && steps[n-1] == done {
			n--
		}
		if n == 0 {
			return
		}
		o.Sum(n)
		for i := range o.Blocks[:n] {
			count := o.Blocks[i][o.At-2:]
			binary.BigEndian.PutUint16(count, binary.BigEndian.Uint16(count)+1)
		}
	}
}

// compress compresses the first n blocks into their states.
func (o *OneBlock) compress(n int) {
	p := streamPlans.current()
	p.compressAll(o.state[:], o.next[:], n, 0, 1)
	if n%p.Width == 0 {
		return
	}
	// compressAll may have pointed lanes behind n at another message's block.
	for i := n; i < min(n+block.MaxLanes, MaxOneBlock); i++ {
		o.next[i] = &o.Blocks[i][0]
	}
}
