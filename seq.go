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
// Once SumSeq's pools are filled, a loop allocates one small object, and more if the type K
// changes from loop to loop. With fewer than four short messages, SumSeq takes 30 to 45 ns
// longer on Zen 4 than a loop that calls Sum256. A sequence that did nothing but call Sum256
// would take 20 to 25 ns longer.
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
	if !lanes.SideBySide(seqMessages) {
		msgs(func(k K, m []byte) bool { return yield(k, Sum256(m)) })
		return
	}
	l := seqLists.Get().(*seqList)
	keys, ok := l.keys.(*[seqMessages]K)
	if !ok { // l is new, or a loop with keys of another type used it
		keys = new([seqMessages]K)
		l.keys = keys
	}
	loop := l.loop
	msgs(func(k K, m []byte) bool {
		// If msgs calls out of turn, while a digest is yielded or after the loop has ended, the
		// call goes straight to the loop's body. After the end, the body of a range loop panics.
		if l.loop != loop || l.yields {
			return yield(k, Sum256(m))
		}
		keys[l.n], l.msgs[l.n] = k, m
		l.n++
		l.size += len(m)
		if l.n < seqMessages && l.size < seqBytes { // most calls end here, without a call
			return true
		}
		return !l.isFull() || flush(l, keys, yield)
	})
	if !l.yields {
		flush(l, keys, yield)
	}
	clear(keys[:l.n])
	l.loop++
	l.n, l.size, l.yields = 0, 0, false
	seqLists.Put(l)
}

// A seqList holds the messages that a loop has taken ahead.
type seqList struct {
	n, size int // how many, and their bytes in all
	// loop numbers the loops that have used the list.
	loop uint64
	// yields is set while digests are yielded, and after the loop's body has ended the loop or
	// panicked.
	yields bool
	msgs   [seqMessages][]byte
	sums   [seqMessages][Size]byte
	keys   any // a *[seqMessages]K
}

var seqLists = sync.Pool{New: func() any { return new(seqList) }}

// isFull reports whether the messages of l, which are seqMessages or have seqBytes bytes or
// more, must be hashed before more are taken.
func (l *seqList) isFull() bool {
	width, _ := lanes.Width() // less than seqMessages
	return l.n >= width || l.size >= seqLong
}

// flush hashes the messages of l, then yields their keys and digests. It reports whether the
// loop goes on. If the body panics, or the loop does not go on, l.yields stays set.
func flush[K any](l *seqList, keys *[seqMessages]K, yield func(K, [Size]byte) bool) bool {
	l.yields = true
	sumMany(l.sums[:l.n], l.msgs[:l.n])
	clear(l.msgs[:l.n])
	for i := range l.n {
		if !yield(keys[i], l.sums[i]) {
			return false
		}
	}
	clear(keys[:l.n])
	l.n, l.size, l.yields = 0, 0, false
	return true
}
