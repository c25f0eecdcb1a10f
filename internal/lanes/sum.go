package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// SumMany sets dst[i] to the SHA-256 digest of msgs[i]. The slices are of the
// same length.
func SumMany(dst [][block.DigestSize]byte, msgs [][]byte) {
	r := runners.Get().(*runner)
	r.plan = currentPlan()
	if uniform(msgs) {
		r.sumUniform(dst, msgs)
	} else {
		r.sums = sumMany{dst, msgs}
		r.run(len(msgs), &r.sums)
	}
	r.release()
}

// sumMany is the work of SumMany.
type sumMany struct {
	dst  [][block.DigestSize]byte
	msgs [][]byte
}

func (s *sumMany) Blocks(i int) int { return blocksOf(len(s.msgs[i])) }

func (s *sumMany) Start(i int, l *Lane) {
	m := s.msgs[i]
	block.RaceRead(m)
	whole := len(m) &^ (block.Size - 1)
	l.H = block.IV256
	l.State = &l.H
	l.First = m[:whole]
	l.Rest = l.Tail[:block.Pad(&l.Tail, m[whole:], uint64(len(m)))]
}

func (s *sumMany) Done(i int, l *Lane) { block.PutDigest(&s.dst[i], &l.H) }

// blocksOf returns how many blocks a message of n bytes has when it is padded.
func blocksOf(n int) int { return (n + 8 + block.Size) / block.Size }

// uniform reports whether all messages have the same length.
func uniform(msgs [][]byte) bool {
	for _, m := range msgs {
		if len(m) != len(msgs[0]) {
			return false
		}
	}
	return true
}

// sumUniform is SumMany for messages of one length. All lanes do the same at
// the same time, which leaves little to do for each message: when messages are
// short, that is what counts.
func (r *runner) sumUniform(dst [][block.DigestSize]byte, msgs [][]byte) {
	if len(msgs) == 0 {
		return
	}
	length := len(msgs[0])
	whole := length &^ (block.Size - 1)
	width := min(r.plan.width, len(msgs))
	tail := 0
	for i := range r.lanes {
		r.state[i] = &r.unused
		if i < width {
			l := &r.lanes[i]
			tail = block.Pad(&l.Tail, msgs[i][whole:], uint64(length)) // of which each message overwrites its part
			r.state[i] = &l.H
		}
	}
	for len(msgs) > 0 {
		live := min(width, len(msgs))
		for i := live; i < width; i++ {
			r.state[i] = &r.unused
		}
		for i, m := range msgs[:live] {
			block.RaceRead(m)
			l := &r.lanes[i]
			l.H = block.IV256
			copy(l.Tail[:], m[whole:])
			r.next[i] = unsafe.SliceData(m)
		}
		for left := whole / block.Size; left > 0; {
			n := r.compress(live, left)
			if left -= n; left > 0 {
				for i := range live {
					r.next[i] = advance(r.next[i], n)
				}
			}
		}
		for i := range live {
			r.next[i] = &r.lanes[i].Tail[0]
		}
		r.compress(live, tail/block.Size)
		for i := range live {
			block.PutDigest(&dst[i], &r.lanes[i].H)
		}
		dst, msgs = dst[live:], msgs[live:]
	}
}

// advance moves p by n blocks, within the memory that it points into.
func advance(p *byte, n int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(p), n*block.Size))
}
