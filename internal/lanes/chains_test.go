package lanes

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// TestChainsMatchOneAtATime advances chains of unequal lengths with each kernel
// forced, keyed and plain in turn, and compares them with chains that are advanced one
// at a time in plain Go.
func TestChainsMatchOneAtATime(t *testing.T) {
	names := []string{"", "generic", "x1_std"}
	for _, k := range block.Kernels() {
		names = append(names, k.Name)
	}
	for _, k := range block.ChainKernels() {
		names = append(names, k.Name)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			force(t, name)
			numbers := []int{1, 2, 3, 5, 31, 32, 33, 70}
			if name == "" {
				numbers = append(numbers, window+70)
			}
			for _, n := range numbers {
				keyed := n%2 == 0
				padding := &block.DigestPadding
				if keyed {
					padding = &block.KeyedPadding
				}
				all := make([]Chain, n)
				want := make([]Chain, n)
				for i := range all {
					c := &all[i]
					for _, h := range []*block.State{&c.Inner, &c.Outer, &c.U, &c.Sum} {
						for j := range h {
							h[j] = r.Uint32()
						}
					}
					if !keyed {
						c.Inner, c.Outer = block.IV256, block.IV256
					}
					c.Left = r.IntN(20)
					want[i] = *c
					iterate(&want[i], keyed)
				}
				begun, ended, last := 0, make([]bool, n), math.MaxInt
				left := func(i int) int { return all[i].Left }
				RunChains(n, padding, left, func(c *Chain, i int) {
					if begun == window {
						last = math.MaxInt
					}
					if left(i) > last || *c != (Chain{}) {
						t.Fatalf("chain %d begins as %08x behind one of %d iterations", i, *c, last)
					}
					begun, last = begun+1, left(i)
					*c = all[i]
				}, func(c *Chain, i int) {
					if ended[i] {
						t.Fatalf("chain %d ends twice", i)
					}
					if ended[i] = true; *c != want[i] {
						t.Fatalf("chain %d of %d: %08x, want %08x", i, n, *c, want[i])
					}
				})
				if begun != n || slices.Contains(ended, false) {
					t.Fatalf("%d of %d chains have begun, and these have ended: %v", begun, n, ended)
				}
			}
		})
	}
}

// iterate does all iterations of c, in a way that says what they are.
func iterate(c *Chain, keyed bool) {
	for ; c.Left > 0; c.Left-- {
		if !keyed {
			for range 2 {
				var sum [block.DigestSize]byte
				block.PutDigest(&sum, &c.U)
				sum = sha256.Sum256(sum[:])
				for j := range c.U {
					c.U[j] = binary.BigEndian.Uint32(sum[4*j:])
				}
			}
			for i, w := range c.U {
				c.Sum[i] ^= w
			}
			continue
		}
		for _, h := range []block.State{c.Inner, c.Outer} {
			var msg, sum [block.DigestSize]byte
			block.PutDigest(&msg, &c.U)
			block.Finish(&sum, &h, msg[:], block.Size+block.DigestSize)
			for j := range c.U {
				c.U[j] = binary.BigEndian.Uint32(sum[4*j:])
			}
		}
		for i, w := range c.U {
			c.Sum[i] ^= w
		}
	}
}

// TestStepOrders tests what Step does with parts in number: it advances the first, and
// puts them behind the others, the finished ones last.
func TestStepOrders(t *testing.T) {
	for _, name := range []string{"", "generic", "x4_shani", "x8_avx2", "x4_neon"} {
		t.Run(name, func(t *testing.T) {
			force(t, name)
			c := NewChains()
			defer c.Release()
			all := make([]Chain, 2*block.MaxLanes)
			var parts []*Chain
			for i := range all {
				all[i].Left = 3 + i%3
				parts = append(parts, &all[i])
			}
			for len(parts) > 0 {
				before := slices.Clone(parts)
				left := make([]int, len(parts))
				for i, p := range parts {
					left[i] = p.Left
				}
				waiting, live := Step(c, &block.KeyedPadding, parts)
				advanced := len(parts) - waiting
				if advanced < 1 || live < waiting || live > len(parts) {
					t.Fatalf("%d of %d wait, %d live", waiting, len(parts), live)
				}
				if !slices.Equal(parts[:waiting], before[advanced:]) {
					t.Fatal("those that wait are not in their order")
				}
				for i, p := range before {
					if moved := p.Left < left[i]; moved != (i < advanced) || p.Left < 0 {
						t.Fatalf("chain %d of %d, of which %d are advanced, has %d iterations left, and had %d", i, len(before), advanced, p.Left, left[i])
					}
				}
				for i, p := range parts {
					if (p.Left > 0) != (i < live) {
						t.Fatalf("chain %d of %d has %d iterations left, and %d live", i, len(parts), p.Left, live)
					}
				}
				parts = parts[:live]
			}
		})
	}
}

// force makes a kernel the only one in use, unless its name is empty.
func force(t *testing.T, name string) {
	t.Helper()
	if name == "" {
		return
	}
	restore, ok := block.Force(name)
	if !ok {
		t.Skipf("this machine cannot run %s", name)
	}
	t.Cleanup(restore)
	if got := ChainKernel(); got != name && name != "x1_std" {
		t.Fatalf("%s is forced, chains run on %s", name, got)
	}
}

// TestChainsKeepNoSecrets looks for words of chains in memory after a step: others may
// use it for long.
func TestChainsKeepNoSecrets(t *testing.T) {
	for _, name := range []string{"", "generic", "x4_shani", "x8_avx2", "x4_neon"} {
		t.Run(name, func(t *testing.T) {
			force(t, name)
			c := NewChains()
			var chains []*Chain
			for range 40 {
				chains = append(chains, &Chain{Inner: block.State{1, 2, 3}, Outer: block.State{4}, U: block.State{5}, Left: 3})
			}
			defer c.Release()
			Step(c, &block.KeyedPadding, chains)
			if c.memory != (block.Chains{}) || c.blocks != ([block.MaxLanes + 1][block.Size]byte{}) || c.h != ([block.MaxLanes + 1]block.State{}) {
				t.Error("words of chains are left")
			}
		})
	}
}

// TestOneBlockKeepsNoSecrets looks for words of blocks and chains after Clear.
func TestOneBlockKeepsNoSecrets(t *testing.T) {
	for _, name := range []string{"", "generic", "x4_shani", "wots_x4_shani"} {
		t.Run(name, func(t *testing.T) {
			if name != "" {
				restore, ok := block.Force(name)
				if !ok {
					t.Skipf("this machine cannot run %s", name)
				}
				t.Cleanup(restore)
			}
			o := new(OneBlock)
			o.Init(block.WotsAt)
			from := block.State{1, 2, 3}
			steps := make([]uint8, MaxOneBlock-1) // which leaves lanes of other messages
			for i := range steps {
				o.Blocks[i][0], o.From[i], o.Sizes[i], steps[i] = 1, &from, 32, 3
			}
			o.Follow(steps)
			o.unused[0] = 1 // as a kernel leaves it that has lanes behind the last message
			o.Clear()
			if o.Blocks != ([MaxOneBlock][block.Size]byte{}) || o.h != ([MaxOneBlock]block.State{}) || o.chains != (block.Wots{}) || o.unused != (block.State{}) {
				t.Error("words of blocks are left")
			}
			for i, from := range o.From {
				if from != nil {
					t.Fatalf("the pointer to the state of message %d is left", i)
				}
			}
		})
	}
}

func TestStepOfNoChains(t *testing.T) {
	c := NewChains()
	defer c.Release()
	if waiting, live := Step(c, &block.KeyedPadding, []*Chain(nil)); waiting != 0 || live != 0 {
		t.Errorf("of no chains %d wait and %d live", waiting, live)
	}
}

// TestFewChainsOfOneStep tests that chains of one step go one by one if their digests, as rows,
// do.
func TestFewChainsOfOneStep(t *testing.T) {
	for n := 2; n <= block.MaxLanes; n++ {
		way, _ := WayOfChains(slices.Repeat([]int{1}, n))
		if want := RowsOneByOne(n, block.DigestSize, 0); (way == OneByOneWay) != want {
			t.Errorf("%d chains: one by one %t, rows %t", n, way == OneByOneWay, want)
		}
	}
}

// TestEvenChains tests that as many chains as the kernel for even ones has lanes run on it if
// they have the same number of iterations left, and only then.
func TestEvenChains(t *testing.T) {
	chainPlans.current() // kernels are selected before block.Epoch is read
	before := chainPlans.last.Load()
	defer chainPlans.last.Store(before)
	var ran []int // lanes of the kernels called
	kernel := func(lanes int) *block.Kernel {
		return &block.Kernel{
			Header: block.Header{Spec: block.Spec{Lanes: lanes}, Max: 1000},
			Blocks: func(states **block.State, data **byte, _, _, _, _, _ int) {
				ran = append(ran, lanes)
				for i, h := range unsafe.Slice(states, lanes) {
					block.Compress(h, unsafe.Slice(unsafe.Slice(data, lanes)[i], block.Size))
				}
			},
		}
	}
	p := &chainPlan{Chains: plan.Chains{Width: 2, Even: 4}, evenStreams: kernel(4)}
	p.streams[1], p.streams[2] = kernel(1), kernel(2)
	chainPlans.last.Store(&cached[chainPlan]{p, block.Epoch()})
	for _, tt := range []struct {
		left []int
		want []int // two calls for each iteration
	}{
		{[]int{1}, []int{1, 1}},
		{[]int{1, 1, 1}, []int{2, 2}},
		{[]int{1, 1, 1, 1}, []int{4, 4}},
		{[]int{1, 1, 1, 1, 1}, []int{4, 4}},
		{[]int{1, 1, 1, 1, 2}, []int{4, 4}},
		{[]int{2, 2, 2, 2}, []int{4, 4, 4, 4}},
		{[]int{2, 1, 1, 1}, []int{2, 2}},
		{[]int{1, 1, 1, 2}, []int{2, 2}},
	} {
		chains, want := make([]*numberedChain, len(tt.left)), make([]Chain, len(tt.left))
		for i, left := range tt.left {
			want[i] = Chain{Inner: block.IV256, Outer: block.IV256, U: block.State{uint32(i)}, Left: left}
			chains[i] = &numberedChain{want[i], i}
			done := want[i]
			done.Left = slices.Min(tt.left[:tt.want[0]])
			if i < tt.want[0] {
				iterate(&done, false)
				done.Left += left - slices.Min(tt.left[:tt.want[0]])
				want[i] = done
			}
		}
		memory := NewChains()
		ran = nil
		Step(memory, &block.DigestPadding, chains)
		memory.Release()
		if !slices.Equal(ran, tt.want) {
			t.Errorf("chains of %v iterations ran on kernels of %v lanes, want %v", tt.left, ran, tt.want)
		}
		for _, c := range chains {
			if c.Chain != want[c.number] {
				t.Errorf("chains of %v iterations: chain %d is %08x, want %08x", tt.left, c.number, c.Chain, want[c.number])
			}
		}
	}
}
