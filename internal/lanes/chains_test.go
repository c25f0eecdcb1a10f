package lanes

import (
	"math/rand/v2"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestChainsMatchOneAtATime advances chains of unequal lengths with each kernel
// forced, and compares them with chains that are advanced one at a time in plain Go.
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
			for _, n := range []int{1, 2, 3, 5, 31, 32, 33, 70} {
				all := make([]Chain, n)
				left := make([]*Chain, n)
				want := make([]Chain, n)
				for i := range all {
					c := &all[i]
					for _, h := range []*block.State{&c.Inner, &c.Outer, &c.U, &c.Sum} {
						for j := range h {
							h[j] = r.Uint32()
						}
					}
					c.Left = 1 + r.IntN(20)
					want[i], left[i] = *c, c
					iterate(&want[i])
				}
				c := NewChains()
				for len(left) > 0 {
					before := make([]int, len(left))
					for i, ch := range left {
						before[i] = ch.Left
					}
					advanced := c.Step(left)
					if advanced < 1 || advanced > len(left) {
						t.Fatalf("%d of %d chains are advanced", advanced, len(left))
					}
					var rest []*Chain
					for i, ch := range left {
						if moved := ch.Left < before[i]; moved != (i < advanced) || ch.Left < 0 {
							t.Fatalf("chain %d of %d, of which %d are advanced, has %d iterations left, and had %d", i, len(left), advanced, ch.Left, before[i])
						}
						if ch.Left > 0 {
							rest = append(rest, ch)
						}
					}
					left = rest
				}
				c.Release()
				for i := range all {
					if all[i] != want[i] {
						t.Fatalf("chain %d of %d: %08x, want %08x", i, n, all[i], want[i])
					}
				}
			}
		})
	}
}

// iterate does all iterations of c, in a way that says what they are.
func iterate(c *Chain) {
	for ; c.Left > 0; c.Left-- {
		for _, h := range []block.State{c.Inner, c.Outer} {
			var msg, sum [block.DigestSize]byte
			block.PutDigest(&msg, &c.U)
			block.Finish(&sum, &h, msg[:], block.Size+block.DigestSize)
			c.U = h
		}
		for i, w := range c.U {
			c.Sum[i] ^= w
		}
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
	if _, got := ChainWidth(); got != name && name != "x1_std" {
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
			c.Step(chains)
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
			steps := make([]uint8, MaxOneBlock)
			for i := range steps {
				o.Blocks[i][0], o.From[i], o.Sizes[i], steps[i] = 1, &from, 32, 3
			}
			o.Follow(steps)
			o.Clear()
			if o.Blocks != ([MaxOneBlock][block.Size]byte{}) || o.h != ([MaxOneBlock]block.State{}) || o.chains != (block.Wots{}) {
				t.Error("words of blocks are left")
			}
		})
	}
}

func TestStepOfNoChains(t *testing.T) {
	c := NewChains()
	defer c.Release()
	if n := c.Step(nil); n != 0 {
		t.Errorf("%d of no chains are advanced", n)
	}
}
