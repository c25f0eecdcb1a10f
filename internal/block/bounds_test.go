package block

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/race"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// TestLongStreamsAreBounded tests that one call into assembly takes no more blocks
// than the kernel may. That shows where memory cannot be read: the state has what
// earlier calls took in.
func TestLongStreamsAreBounded(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	r := rand.New(rand.NewPCG(6, 7))
	forEachSingle(t, func(t *testing.T) {
		maxStream := current().maxStream
		_, unreadable, want := beforeHole(t, r, 3*maxStream)
		h := IV256
		if guard.Faults(func() { Compress(&h, unreadable) }) == nil {
			t.Fatal("what cannot be read is")
		}
		if h != want {
			t.Errorf("the call that faults began more than %d blocks before", maxStream)
		}
	})
}

// beforeHole returns random blocks, the same with one more that cannot be read, and the state
// after those that can.
func beforeHole(t *testing.T, r *rand.Rand, blocks int) (p, unreadable []byte, state State) {
	n := blocks * Size
	all := guard.New(t, Size+n).Tail(Size + n) // p is not at the end of all if it is empty
	randomBytes(r, all)
	first := (*byte)(unsafe.Add(unsafe.Pointer(&all[0]), Size))
	state = IV256
	generic(&state, first, blocks)
	return unsafe.Slice(first, n), unsafe.Slice(first, n+Size), state
}

// TestCompressAtOnce tests that the state has all blocks, or none if one cannot be read.
func TestCompressAtOnce(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	r := rand.New(rand.NewPCG(8, 9))
	forEachSingle(t, func(t *testing.T) {
		maxStream := current().maxStream
		for _, blocks := range []int{0, 1, 2, 3, 4, 9, maxStream - 1, maxStream, maxStream + 1, 2*maxStream + 3} {
			p, unreadable, want := beforeHole(t, r, blocks)
			h := IV256
			CompressAtOnce(&h, p)
			if h != want {
				t.Errorf("%d blocks: wrong state", blocks)
			}
			if guard.Faults(func() { CompressAtOnce(&h, unreadable) }) == nil {
				t.Fatal("what cannot be read is")
			}
			if h != want {
				t.Errorf("%d blocks and one that cannot be read: the state has changed", blocks)
			}
		}
	})
}

// TestNodesAreBounded tests that one call of a kernel takes no more nodes than it
// may, and that the calls go on where the last one ended.
func TestNodesAreBounded(t *testing.T) {
	const most = 8
	for _, tt := range []struct {
		nodes int
		want  []int
	}{
		{4, []int{4}},
		{8, []int{8}},
		{12, []int{8, 4}},
		{24, []int{8, 8, 8}},
	} {
		dst, src := make([]byte, tt.nodes*DigestSize), make([]byte, tt.nodes*NodeSize)
		var got []int
		done := 0
		k := NodeKernel{Header: Header{Spec: Spec{Lanes: 4}, Max: most}, hash: func(d, s *byte, n int) {
			if d != &dst[done*DigestSize] || s != &src[done*NodeSize] {
				t.Errorf("%d nodes: a call does not begin at node %d", tt.nodes, done)
			}
			got = append(got, n)
			done += n
		}}
		k.Hash(dst, src)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d nodes: calls for %d, want %d", tt.nodes, got, tt.want)
		}
	}
}

// TestChainsAreBounded tests that Advance is many calls of a kernel: another goroutine sees
// digests between the first and the last one.
func TestChainsAreBounded(t *testing.T) {
	if race.Enabled {
		t.Skip("looks at memory that a kernel writes to")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, k := range ChainKernels() {
		if !k.Supported {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			// On a busy machine, or with one CPU, the two goroutines run one after the other,
			// each for several milliseconds: more calls then take longer than that.
			calls := 100
			for start := time.Now(); time.Since(start) < 20*time.Second; calls *= 2 {
				c, h := new(Chains), IV256
				for lane := range k.Lanes {
					k.Set(c, lane, &h, &h, &h, &h)
				}
				word := (*uint32)(unsafe.Pointer(&c[k.word(0, chainU, 0)]))
				var ended atomic.Bool
				seen := make(chan int)
				go func() {
					different, last := 0, atomic.LoadUint32(word)
					for !ended.Load() {
						if w := atomic.LoadUint32(word); w != last {
							different, last = different+1, w
						}
					}
					seen <- different
				}()
				k.Advance(c, calls*k.Max, &KeyedPadding)
				ended.Store(true)
				if n := <-seen; n > 2 { // the last digest, and two before
					return
				}
			}
			t.Errorf("no digest is seen before that of iteration %d", calls/2*k.Max)
		})
	}
}
