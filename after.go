package sha256

import (
	"encoding"
	"errors"
	"fmt"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumManyAfter sets dst[i] to the digest of what was written to prefix,
// followed by msgs[i], for every i. It hashes the messages side by side on the
// calling goroutine, starts no other, and once warm allocates nothing. The whole
// blocks of what was written to prefix are not hashed again. A nil message is an
// empty one. dst must not overlap any message.
//
// prefix stays as it is, and may be written to further. If it is a hash of the
// function [New], it is only read: calls at the same time may share it. A hash
// of another package is cloned for each message, or if it is no [hash.Cloner]
// written to and then set back by its UnmarshalBinary.
//
// It panics, before it touches anything, if dst and msgs differ in length, or
// prefix is nil, a [Server]'s that was copied by value, of a Size that is not 32, or
// can be neither cloned nor set back.
func SumManyAfter(dst [][Size]byte, prefix hash.Hash, msgs [][]byte) {
	checkLengths("SumManyAfter", len(dst), len(msgs))
	if wrong := misuse(prefix); wrong != "" {
		panic("sha256: SumManyAfter: prefix " + wrong)
	}
	if n := prefix.Size(); n != Size {
		panic(fmt.Sprintf("sha256: SumManyAfter: prefix has digests of %d bytes, not %d", n, Size))
	}
	d := ours(prefix)
	if d == nil {
		sumAfterForeign(dst, prefix, msgs)
		return
	}
	if d.len == 0 && d.h == block.IV256 {
		SumMany(dst, msgs)
		return
	}
	if width, _ := lanes.Width(); width == 1 || len(msgs) == 1 {
		for i, m := range msgs {
			after := *d
			after.Write(m)
			finish(&dst[i], &after.h, after.x[:after.n], after.len)
		}
		return
	}
	w := afters.Get().(*afterWork)
	w.prefix = d
	for len(msgs) > 0 {
		n := min(len(msgs), len(w.states))
		w.dst, w.msgs = dst[:n], msgs[:n]
		if alike(w.msgs) {
			w.sumAlike()
		} else {
			lanes.Run(n, (*afterBlocks)(w), true)
			lanes.Run(n, (*afterTails)(w), false)
		}
		dst, msgs = dst[n:], msgs[n:]
	}
	w.prefix, w.dst, w.msgs = nil, nil, nil
	afters.Put(w)
}

// sumAfterForeign is SumManyAfter for a hash that is not ours.
func sumAfterForeign(dst [][Size]byte, prefix hash.Hash, msgs [][]byte) {
	if c, ok := prefix.(hash.Cloner); ok {
		if _, err := c.Clone(); err == nil {
			for i, m := range msgs {
				after, err := c.Clone()
				if err != nil {
					panic(fmt.Sprintf("sha256: SumManyAfter: clone %T: %v", prefix, err))
				}
				after.Write(m)
				sumAlone(&dst[i], after)
			}
			return
		}
	}
	reset, err := resetter(prefix)
	if err != nil {
		panic(fmt.Sprintf("sha256: SumManyAfter: a %T can be neither cloned nor set back: %v", prefix, err))
	}
	defer reset() // if prefix panics, or reading a message
	for i, m := range msgs {
		prefix.Write(m)
		sumAlone(&dst[i], prefix)
		reset()
	}
}

// resetter returns what sets h back to the state that it is in.
func resetter(h hash.Hash) (reset func(), err error) {
	m, ok := h.(encoding.BinaryMarshaler)
	if !ok {
		return nil, errors.New("no MarshalBinary")
	}
	u, ok := h.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, errors.New("no UnmarshalBinary")
	}
	state, err := m.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return func() {
		if err := u.UnmarshalBinary(state); err != nil {
			panic(fmt.Sprintf("sha256: SumManyAfter: set a %T back: %v", h, err))
		}
	}, nil
}

// afterWork is what package lanes does for SumManyAfter, for some messages at a
// time: first all whole blocks, as afterBlocks, then what is left, as afterTails.
type afterWork struct {
	prefix *digest
	dst    [][Size]byte
	msgs   [][]byte
	states [256]block.State
	first  [256][BlockSize]byte // what prefix has of a block, and of the message as much as goes with it
}

var afters = sync.Pool{New: func() any { return new(afterWork) }}

// begun returns how many bytes of message i are in first[i].
func (w *afterWork) begun(i int) int {
	if w.prefix.n == 0 {
		return 0
	}
	return min(BlockSize-w.prefix.n, len(w.msgs[i]))
}

// alike reports whether all messages are of one length.
func alike(msgs [][]byte) bool {
	for _, m := range msgs {
		if len(m) != len(msgs[0]) {
			return false
		}
	}
	return true
}

// sumAlike hashes messages of one length. Of each, what does not lie in blocks of
// its own is put together with the prefix or with the padding: all of it, if both
// fit the same two blocks.
func (w *afterWork) sumAlike() {
	g := lanes.Acquire()
	d, dst, msgs := w.prefix, w.dst, w.msgs
	length := len(msgs[0])
	begun, whole := 0, 0 // bytes of a message before its blocks, and in them
	ahead := d.n         // bytes of the prefix before the message in the last blocks
	if d.n+length > block.MaxTail-9 || d.n == 0 {
		begun = w.begun(0)
		whole = (length - begun) &^ (BlockSize - 1)
		ahead = 0
	}
	width := min(g.Width(), len(msgs))
	tail := 0
	for i := range width {
		l := &g.Lanes[i]
		var end [block.MaxTail]byte // of the message, behind what is left of the prefix
		n := copy(end[:], d.x[:ahead])
		n += copy(end[n:], msgs[i][begun+whole:])
		tail = block.Pad(&l.Tail, end[:n], d.len+uint64(length)) // of which each message overwrites its part
		g.State[i] = &l.H
	}
	for len(msgs) > 0 {
		live := min(width, len(msgs))
		g.Retire(live)
		for i, m := range msgs[:live] {
			l := &g.Lanes[i]
			l.H = d.h
			copy(l.Tail[ahead:], m[begun+whole:])
			if begun > 0 {
				copy(w.first[i][:], d.x[:d.n])
				copy(w.first[i][d.n:], m[:begun])
				g.Next[i] = &w.first[i][0]
			}
		}
		if begun > 0 {
			g.Compress(live, 1)
		}
		if whole > 0 {
			for i, m := range msgs[:live] {
				g.Next[i] = &m[begun]
			}
			g.Compress(live, whole/BlockSize)
		}
		for i := range live {
			g.Next[i] = &g.Lanes[i].Tail[0]
		}
		g.Compress(live, tail/BlockSize)
		for i := range live {
			block.PutDigest(&dst[i], &g.Lanes[i].H)
		}
		dst, msgs = dst[live:], msgs[live:]
	}
	g.Retire(0)
	g.Release()
}

type afterBlocks afterWork

func (w *afterBlocks) Blocks(i int) int { return (w.prefix.n + len(w.msgs[i])) / BlockSize }

func (w *afterBlocks) Start(i int, l *lanes.Lane) bool {
	m, d := w.msgs[i], w.prefix
	w.states[i] = d.h
	l.State, l.First = &w.states[i], nil
	begun := (*afterWork)(w).begun(i)
	if d.n > 0 {
		copy(w.first[i][:], d.x[:d.n])
		copy(w.first[i][d.n:], m[:begun])
		l.First = w.first[i][:]
	}
	m = m[begun:]
	l.Rest = m[:len(m)&^(BlockSize-1)]
	return w.Blocks(i) > 0
}

func (w *afterBlocks) Done(int, *lanes.Lane) {}

type afterTails afterWork

func (w *afterTails) Blocks(int) int { return 1 }

func (w *afterTails) Start(i int, l *lanes.Lane) bool {
	m, d := w.msgs[i], w.prefix
	rest := m[(*afterWork)(w).begun(i):]
	rest = rest[len(rest)&^(BlockSize-1):]
	if n := d.n + len(m); d.n > 0 && n < BlockSize {
		rest = w.first[i][:n]
	}
	l.State = &w.states[i]
	l.First = l.Tail[:block.Pad(&l.Tail, rest, d.len+uint64(len(w.msgs[i])))]
	l.Rest = nil
	return true
}

func (w *afterTails) Done(i int, _ *lanes.Lane) { block.PutDigest(&w.dst[i], &w.states[i]) }
