package sha256

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	// seqMessages is the largest number of messages that SumSeq takes before it hashes them.
	seqMessages = 64
	// SumSeq takes fewer messages if they fill the lanes and have seqBytes bytes in all, or if
	// they have seqLong bytes in all.
	seqBytes, seqLong = 1 << 20, 16 << 20
)

// SumSeq returns a sequence of the keys of msgs, each with the digest of its message, in
// the order of msgs. It is for messages that arrive one by one, such as the chunks of a
// file: it collects them and hashes them side by side, like [SumMany]. A key is whatever
// the loop needs along with the digest, such as the message itself.
//
// SumSeq takes up to 64 messages ahead. It takes no more once they fill the lanes (see
// [Selected]) and have 1 MiB in all, or once they have 16 MiB in all. So a message must
// stay unchanged until its digest is yielded, and msgs must not wait for digests. If the
// loop ends early, msgs panics, or reading a message faults, the messages that were taken
// ahead get no digest.
//
// SumSeq starts no goroutine. When the loop ends early, msgs is stopped, too. The
// sequence may be used again if msgs may be.
//
// Once SumSeq's pools are filled, a range loop makes three small allocations: an object of
// SumSeq, the loop's body and the loop's state. If the type K changes from loop to loop, SumSeq
// allocates an array of 64 keys, too. For up to about 13 short messages (Granite Rapids), a
// loop that calls Sum256 is faster.
//
// SumSeq panics if msgs is nil.
func SumSeq[K any](msgs iter.Seq2[K, []byte]) iter.Seq2[K, [Size]byte] {
	if msgs == nil {
		panic("sha256: SumSeq: msgs is nil")
	}
	return func(yield func(K, [Size]byte) bool) { sumSeq(msgs, yield) }
}

// sumSeq runs a loop over a sequence that SumSeq returned. It calls msgs directly: range
// would allocate one more closure, and check the state of the loop at each message. The
// closure is on the heap, since msgs may keep it.
func sumSeq[K any](msgs iter.Seq2[K, []byte], yield func(K, [Size]byte) bool) {
	if !lanes.HasLanes(seqMessages) {
		msgs(func(k K, m []byte) bool { return yield(k, Sum256(m)) })
		return
	}
	l := seqLists.Get().(*seqList)
	keys, ok := l.keys.(*[seqMessages]K)
	if !ok { // l is new, or a loop with keys of another type used it
		keys = new([seqMessages]K)
		l.keys = keys
	}
	ended := l.ended.Load()
	msgs(func(k K, m []byte) bool {
		// msgs may call this function out of turn: while digests are yielded, after the body
		// has ended the loop, or after msgs has returned. Such a call goes straight to the
		// loop's body. Once the loop has ended, the body of a range loop panics. After a
		// panic of msgs, this function still takes messages, and passes them to the body once
		// there are enough to hash.
		if l.ended.Load() != ended || l.flushing {
			return yield(k, Sum256(m))
		}
		keys[l.n], l.msgs[l.n] = k, m
		l.n++
		l.size += len(m)
		if l.n < seqMessages && l.size < seqBytes { // most messages need no call of isFull
			return true
		}
		return !l.isFull() || flush(l, keys, yield)
	})
	if !l.flushing { // else the body has ended the loop, or a flush has panicked
		flush(l, keys, yield)
	}
	clear(l.msgs[:l.n]) // hashing may have faulted
	clear(keys[:l.n])
	l.ended.Add(1)
	l.n, l.size, l.flushing = 0, 0, false
	seqLists.Put(l)
}

// A seqList holds the messages that a loop has taken ahead.
type seqList struct {
	n, size int // how many, and their bytes in all
	// ended is the number of loops that have ended with this list. A source may keep the
	// function that it was given. After its loop, that function sees another number, also on
	// another goroutine, but not if it is called while the loop ends.
	ended atomic.Uint64
	// flushing is set during flush. If flush panics, or the body ends the loop, it stays set
	// until sumSeq ends.
	flushing bool
	msgs     [seqMessages][]byte
	sums     [seqMessages][Size]byte
	keys     any // a *[seqMessages]K
}

var seqLists = sync.Pool{New: func() any { return new(seqList) }}

// isFull reports whether the messages of l must be hashed before more are taken. It is called
// only if there are seqMessages messages, or they have at least seqBytes bytes in all.
func (l *seqList) isFull() bool {
	width := lanes.Width() // less than seqMessages, so seqMessages messages are always enough
	return l.n >= width || l.size >= seqLong
}

// flush hashes the messages of l, then yields their keys and digests. It reports whether the
// loop goes on. If hashing or the body panics, or the loop does not go on, l.flushing stays set.
func flush[K any](l *seqList, keys *[seqMessages]K, yield func(K, [Size]byte) bool) bool {
	l.flushing = true
	sumMany(l.sums[:l.n], l.msgs[:l.n])
	clear(l.msgs[:l.n])
	for i := range l.n {
		if !yield(keys[i], l.sums[i]) {
			return false
		}
	}
	clear(keys[:l.n])
	l.n, l.size, l.flushing = 0, 0, false
	return true
}
