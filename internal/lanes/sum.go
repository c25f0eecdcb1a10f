package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// SumMany sets dst[i] to the SHA-256 digest of msgs[i]. The slices are of the
// same length.
func SumMany(dst [][block.DigestSize]byte, msgs [][]byte) {
	g := Acquire()
	if uniform(msgs) {
		g.sumUniform(dst, msgs)
	} else {
		g.sums = sumMany{dst, msgs}
		g.run(len(msgs), &g.sums, true)
	}
	g.Release()
}

// sumMany is the work of SumMany.
type sumMany struct {
	dst  [][block.DigestSize]byte
	msgs [][]byte
}

func (s *sumMany) Blocks(i int) int { return blocksOf(len(s.msgs[i])) }

func (s *sumMany) Start(i int, l *Lane) bool {
	m := s.msgs[i]
	whole := len(m) &^ (block.Size - 1)
	l.H = block.IV256
	l.State = &l.H
	l.First = m[:whole]
	l.Rest = l.Tail[:block.Pad(&l.Tail, m[whole:], uint64(len(m)))]
	return true
}

func (s *sumMany) Done(i int, l *Lane) { block.PutDigest(&s.dst[i], &l.H) }

// blocksOf returns how many blocks a message of n bytes has when it is padded.
func blocksOf(n int) int { return (n + 8 + block.Size) / block.Size }

// uniform reports whether all messages are of one length.
func uniform(msgs [][]byte) bool {
	for _, m := range msgs {
		if len(m) != len(msgs[0]) {
			return false
		}
	}
	return true
}

// sumUniform is SumMany for messages of one length. That leaves a few
// nanoseconds of work here for each: when messages are short, they count.
func (g *Group) sumUniform(dst [][block.DigestSize]byte, msgs [][]byte) {
	if len(msgs) == 0 {
		return
	}
	length := len(msgs[0])
	whole := length &^ (block.Size - 1)
	width := min(g.Width(), len(msgs))
	tail := 0
	for i := range width {
		l := &g.Lanes[i]
		tail = block.Pad(&l.Tail, msgs[i][whole:], uint64(length)) // of which each message overwrites its part
		g.State[i] = &l.H
	}
	for len(msgs) > 0 {
		live := min(width, len(msgs))
		g.Retire(live)
		for i, m := range msgs[:live] {
			l := &g.Lanes[i]
			l.H = block.IV256
			copy(l.Tail[:], m[whole:])
			g.Next[i] = unsafe.SliceData(m)
		}
		g.Compress(live, whole/block.Size)
		for i := range live {
			g.Next[i] = &g.Lanes[i].Tail[0]
		}
		g.Compress(live, tail/block.Size)
		for i := range live {
			block.PutDigest(&dst[i], &g.Lanes[i].H)
		}
		dst, msgs = dst[live:], msgs[live:]
	}
	g.Retire(0)
}
