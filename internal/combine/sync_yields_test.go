//go:build sha256simd_yields

package combine

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// randomYields says whether goroutines yield at random.
const randomYields = true

// TestRandomYields has goroutines make requests, some of which fault, while GOMAXPROCS
// changes, and closes the shard in their midst. They yield at random at locks, at the
// queue and where batches are handed over.
func TestRandomYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	if !NewShard(1).Meets() {
		t.Skip("nothing is hashed side by side")
	}
	const goroutines, requests = 40, 60
	data := make([]byte, 10*block.Size)
	var want [11]block.State // by number of blocks
	for i := range want {
		want[i] = block.IV256
		block.Compress(&want[i], data[:i*block.Size])
	}
	var broken []byte
	if guard.Guarded {
		buf := guard.New(t, 1).Bytes()
		broken = unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	}
	before := yieldsAtRandom.Load()
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		s := NewShard(1)
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range requests {
					switch {
					case g == 0 && i%10 == 5:
						runtime.GOMAXPROCS(1 + (round+i)%5)
					case g == 1 && i == requests*3/4 && round%2 == 1:
						s.Close()
						if s.mu.Lock(); s.combiners != 0 || s.first != nil {
							t.Error("Close returned while there was a combiner or a queue")
						}
						s.mu.Unlock()
					case g == 2 && broken != nil && i%4 == 0:
						r, state := requestOf(broken)
						if guard.Faults(func() { s.Do(r) }) == nil || *state != block.IV256 {
							t.Error("a fault went missing, or left another state")
						}
						continue
					}
					n := 1 + (g+i)%10
					r, state := requestOf(data[:n*block.Size])
					if s.Do(r); *state != want[n] || !r.done {
						t.Errorf("goroutine %d: wrong state of %d blocks", g, n)
					}
					r.Release()
				}
			})
		}
		wg.Wait()
		s.Close()
		if s.combiners != 0 || s.first != nil || s.waiting.Load() != 0 {
			t.Fatalf("in the end there are %d combiners, and %d requests in the queue", s.combiners, s.waiting.Load())
		}
		for i := range s.lengths {
			if n := s.lengths[i].Load(); n != 0 {
				t.Fatalf("in the end %d requests of class %d are counted", n, i)
			}
		}
	}
	if n := yieldsAtRandom.Load() - before; n < goroutines*requests {
		t.Errorf("only %d yields", n)
	}
}
