package sha256

import (
	"iter"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	// seqMessages is the largest number of messages that SumSeq takes before it hashes them.
	seqMessages = 64
	// SumSeq takes fewer messages if they fill the lanes and have seqBytes bytes in all, or if
	// they have seqLong bytes in all.
	seqBytes, seqLong = 1 << 20, 16 << 20
	// SumSeq hashes the first messages one by one, while they have less than seqAlone bytes in
	// all. So a short sequence does not pay for a list that it does not fill. Each message
	// counts as BlockSize bytes more than its length.
	seqAlone = 4 << 10
)

// SumSeq returns a sequence of the keys of msgs, each with the digest of its message, in
// the order of msgs. It is for messages that arrive one by one, such as the chunks of a
// file: it collects them and hashes them side by side, like [SumMany]. A key is whatever
// the loop needs along with the digest, such as the message itself.
//
// SumSeq takes up to 64 messages ahead. It takes no more once they fill the lanes (see
// [Selected]) and have 1 MiB in all, or once they have 16 MiB in all. So a message must
// stay unchanged until its digest is yielded, and msgs must not wait for digests. If the
// loop ends early, or msgs panics, the messages that were taken ahead get no digest.
//
// SumSeq starts no goroutine. When the loop ends early, msgs is stopped, too. The
// sequence may be used again if msgs may be.
//
// SumSeq panics if msgs is nil.
func SumSeq[K any](msgs iter.Seq2[K, []byte]) iter.Seq2[K, [Size]byte] {
	if msgs == nil {
		panic("sha256: SumSeq: msgs is nil")
	}
	return func(yield func(K, [Size]byte) bool) { sumSeq(msgs, yield) }
}

// sumSeq runs a loop over a sequence that SumSeq returned. It calls msgs directly: range
// would allocate one more closure, and check the state of the loop at each message.
func sumSeq[K any](msgs iter.Seq2[K, []byte], yield func(K, [Size]byte) bool) {
	s := &seq[K]{yield: yield}
	msgs(func(k K, m []byte) bool {
		if s.alone < seqAlone {
			if s.alone += BlockSize + len(m); s.alone < seqAlone {
				return yield(k, Sum256(m))
			}
		}
		return s.add(k, m)
	})
	s.end()
}

// seq is the state of a loop over a sequence that SumSeq returned.
type seq[K any] struct {
	yield func(K, [Size]byte) bool
	alone int      // bytes counted towards seqAlone
	keys  []K      // keys of the messages that were taken ahead
	size  int      // bytes of these messages in all
	list  *seqList // holds these messages; nil before the first and after the loop
}

type seqList struct {
	msgs [seqMessages][]byte
	sums [seqMessages][Size]byte
}

var seqLists = sync.Pool{New: func() any { return new(seqList) }}

// add takes a message. It reports whether the loop goes on.
func (s *seq[K]) add(k K, m []byte) bool {
	if s.list == nil {
		if !lanes.SideBySide(seqMessages) {
			return s.yield(k, Sum256(m))
		}
		s.list = seqLists.Get().(*seqList)
		s.keys = make([]K, 0, 8)
	}
	s.list.msgs[len(s.keys)] = m
	s.keys = append(s.keys, k)
	s.size += len(m)
	return !s.isFull() || s.flush()
}

// isFull reports whether the messages taken must be hashed before more are taken.
func (s *seq[K]) isFull() bool {
	n := len(s.keys)
	if n == seqMessages || s.size >= seqLong {
		return true
	}
	if s.size < seqBytes {
		return false
	}
	width, _ := lanes.Width()
	return n >= width
}

// end flushes the messages that are left, unless the caller's loop ended early.
func (s *seq[K]) end() {
	if s.list != nil && s.flush() {
		s.release()
	}
}

// release returns the list to seqLists.
func (s *seq[K]) release() {
	seqLists.Put(s.list)
	s.list = nil
}

// flush hashes the messages that were taken ahead, then yields their keys and digests. It
// reports whether the loop goes on; if not, it releases the list.
func (s *seq[K]) flush() bool {
	l, n := s.list, len(s.keys)
	sumMany(l.sums[:n], l.msgs[:n])
	clear(l.msgs[:n])
	for i, k := range s.keys {
		if !s.yield(k, l.sums[i]) {
			s.release()
			return false
		}
	}
	clear(s.keys)
	s.keys, s.size = s.keys[:0], 0
	return true
}
