package lanes_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestOneBlock tests every number of messages behind midstates of their own, and the
// bytes that Sum leaves alone.
func TestOneBlock(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		random := rand.NewChaCha8([32]byte{1})
		var midstates [3]block.State
		var prefixes [3][block.Size]byte
		for i := range midstates {
			random.Read(prefixes[i][:])
			midstates[i] = block.IV256
			block.Compress(&midstates[i], prefixes[i][:])
		}
		o := new(lanes.OneBlock)
		const at, length = 22, 54
		o.Init(at)
		var want [lanes.MaxOneBlock][block.Size]byte
		for n := range lanes.MaxOneBlock + 1 {
			for i := range o.Blocks {
				random.Read(o.Blocks[i][:length])
				o.Blocks[i][length] = 0x80
				binary.BigEndian.PutUint16(o.Blocks[i][block.Size-2:], (block.Size+length)*8)
				o.From[i], o.Sizes[i] = &midstates[i%3], uint8(16+i%3*8)
				want[i] = o.Blocks[i]
				if i < n {
					digest := sha256.Sum256(append(prefixes[i%3][:], want[i][:length]...))
					copy(want[i][at:at+o.Sizes[i]], digest[:])
				}
			}
			o.Sum(n)
			for i := range want {
				if o.Blocks[i] != want[i] {
					t.Fatalf("message %d of %d: %x, want %x", i, n, o.Blocks[i], want[i])
				}
			}
		}
		o.Clear()
		for i := range o.Blocks {
			if o.Blocks[i] != [block.Size]byte{} || o.From[i] != nil {
				t.Fatalf("block %d is not clear: %x", i, o.Blocks[i])
			}
		}
	})
}

// TestOneBlockAllocatesNothing tests a OneBlock that has been initialized.
func TestOneBlockAllocatesNothing(t *testing.T) {
	o := new(lanes.OneBlock)
	o.Init(0)
	for i := range o.From {
		o.From[i], o.Sizes[i] = &block.IV256, 32
	}
	o.Sum(1)
	if n := testing.AllocsPerRun(10, func() { o.Sum(lanes.MaxOneBlock - 1) }); n != 0 {
		t.Errorf("Sum allocates %v times", n)
	}
}

// BenchmarkOneBlock hashes short and full lists.
func BenchmarkOneBlock(b *testing.B) {
	o := new(lanes.OneBlock)
	o.Init(22)
	for i := range o.From {
		o.From[i], o.Sizes[i] = &block.IV256, 16
	}
	for _, n := range []int{1, 35, lanes.MaxOneBlock} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				o.Sum(n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/block")
		})
	}
}

// TestFollow tests chains of different lengths, and the bytes that Follow leaves alone.
func TestFollow(t *testing.T) {
	hashtest.ForEachWots(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		fill := func(b []byte) {
			for i := range b {
				b[i] = byte(random.Uint32())
			}
		}
		var midstates [3]block.State
		for i := range midstates {
			var b [block.Size]byte
			fill(b[:])
			midstates[i] = block.IV256
			block.Compress(&midstates[i], b[:])
		}
		for _, at := range []int{block.WotsAt, block.WotsAt + 1} {
			o := new(lanes.OneBlock)
			o.Init(at)
			var want [lanes.MaxOneBlock][block.Size]byte
			for n := range lanes.MaxOneBlock + 1 {
				steps := make([]uint8, n)
				for i := range steps {
					steps[i] = uint8(random.IntN(4))
				}
				slices.Sort(steps)
				slices.Reverse(steps)
				for i := range o.Blocks {
					fill(o.Blocks[i][:])
					o.From[i], o.Sizes[i] = &midstates[i%3], uint8(16+i%3*8)
					want[i] = o.Blocks[i]
					if i >= n {
						continue
					}
					for range steps[i] {
						h := midstates[i%3]
						block.Compress(&h, want[i][:])
						var digest [block.DigestSize]byte
						block.PutDigest(&digest, &h)
						copy(want[i][at:at+int(o.Sizes[i])], digest[:])
						count := want[i][at-2 : at]
						binary.BigEndian.PutUint16(count, binary.BigEndian.Uint16(count)+1)
					}
				}
				o.Follow(steps)
				for i := range want {
					if o.Blocks[i] != want[i] {
						t.Fatalf("at %d, message %d of %d: %x, want %x", at, i, n, o.Blocks[i], want[i])
					}
				}
			}
		}
	})
}
