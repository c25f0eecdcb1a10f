package lanes

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// TestByBlocksAtEveryWidth tests lists that go by blocks by the plan of every
// microarchitecture, whatever this machine can run: at every count up to three
// times the lanes, and beyond two full waves.
func TestByBlocksAtEveryWidth(t *testing.T) {
	data := randomBytes(1024)
	for _, m := range cpu.Microarchs() {
		r, random := newRecorder(m), rand.New(rand.NewPCG(1, 2))
		r.jobs = new(jobs)
		for n := 1; n <= max(3*r.plan.Width, 2*block.MaxLanes+3); n++ {
			begin, longest := data[:random.IntN(block.Size)], 40+random.IntN(900)
			if n%4 == 3 { // all messages have one block
				begin, longest = data[:random.IntN(20)], 36
			}
			s := sumMany{dst: make([][32]byte, n), msgs: make([][]byte, n), prefix: Prefix{H: block.IV256, Rest: begin, Len: uint64(len(begin))}}
			for i := range s.msgs {
				s.msgs[i] = data[:random.IntN(longest)]
			}
			g := acquire()
			g.plan = r.plan
			g.sumByBlocks(rowsOf(s.dst), &s, block.PaddedBlocks(len(begin)), block.PaddedBlocks(len(begin)+longest), n%2 == 0)
			for i, state := range g.state {
				if state != &g.unused {
					t.Fatalf("%#v: lane %d is in use afterwards", m, i)
				}
			}
			g.release()
			for i, msg := range s.msgs {
				if want := sha256.Sum256(append(begin[:len(begin):len(begin)], msg...)); s.dst[i] != want {
					t.Fatalf("%#v: digest %d of %d, of %d bytes behind %d: %x, want %x", m, i, n, len(msg), len(begin), s.dst[i], want)
				}
			}
		}
	}
}
