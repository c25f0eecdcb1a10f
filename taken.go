package sha256

import (
	stdsha256 "crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"reflect"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A takenState is the state of a hash of crypto/sha256, read from its marshalled form.
// That form is the same in both packages.
type takenState struct {
	digest
	form []byte // room for the marshalled form
}

var takenStates = sync.Pool{New: func() any { return new(takenState) }}

// stdHash has the methods of the hashes of crypto/sha256.
type stdHash interface {
	hash.Hash
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// isTaken reports whether the state of h can be taken.
func isTaken(h hash.Hash) bool {
	return !block.UsesStd() && reflect.TypeOf(h) == reflect.TypeOf(stdsha256.New())
}

// take returns the state of h if h is a hash of crypto/sha256, else nil. h stays as it
// is. A type that wraps such a hash may give Write another meaning, so take looks at
// the concrete type. It takes nothing where crypto/sha256 shall do the work.
func take(h hash.Hash) *takenState {
	m, ok := h.(stdHash)
	if !ok || !isTaken(h) {
		return nil
	}
	t := takenStates.Get().(*takenState)
	form, err := m.AppendBinary(t.form[:0])
	if err == nil {
		t.form = form
		t.is224 = string(form[:min(len(magic224), len(form))]) == magic224
		err = t.UnmarshalBinary(form)
	}
	if err != nil {
		t.release()
		return nil
	}
	return t
}

// release clears t and gives it up. t may be nil.
func (t *takenState) release() {
	if t != nil {
		t.digest = digest{}
		clear(t.form)
		takenStates.Put(t)
	}
}

const (
	// minTaken is the least length of data for which WriteMany takes the state of a hash.
	// For less, taking the state and putting it back costs more than it gains.
	minTaken = 1 << 10
	// maxTaken is the largest number of states that are taken at a time.
	maxTaken = 256
)

// takenRun is a run of different hashes of crypto/sha256 whose states are taken.
type takenRun struct {
	from   []stdHash
	states []*takenState
	hs     []hash.Hash // the states
	data   [][]byte
	seen   map[hash.Hash]bool
}

var takenRuns = sync.Pool{New: func() any { return &takenRun{seen: make(map[hash.Hash]bool)} }}

// release drops the caller's pointers and gives up the states.
func (r *takenRun) release() {
	for _, t := range r.states {
		t.release()
	}
	clear(r.from)
	clear(r.states)
	clear(r.hs)
	clear(r.data)
	clear(r.seen)
	r.from, r.states, r.hs, r.data = r.from[:0], r.states[:0], r.hs[:0], r.data[:0]
	takenRuns.Put(r)
}

// writeTaken is WriteMany for the hashes of crypto/sha256 that hs begins with. It
// returns the number of writes that it has made. The number is 0 if hs begins with
// fewer than two such hashes, or if the first hash gets little data. If reading data
// faults, the hashes whose states are taken stay as they are.
func writeTaken(hs []hash.Hash, data [][]byte) (n int) {
	if len(hs) < 2 || len(data[0]) < minTaken || !isTaken(hs[0]) || !isTaken(hs[1]) {
		return 0
	}
	r := takenRuns.Get().(*takenRun)
	defer r.release()
	for ; n < len(hs) && len(r.states) < maxTaken && isTaken(hs[n]) && !r.seen[hs[n]]; n++ {
		h, p := hs[n], data[n]
		var t *takenState
		if len(p) >= minTaken {
			t = take(h)
		}
		if t == nil {
			h.Write(p)
			continue
		}
		r.seen[h] = true
		r.from, r.states = append(r.from, h.(stdHash)), append(r.states, t)
		r.hs, r.data = append(r.hs, &t.digest), append(r.data, p)
	}
	WriteMany(r.hs, r.data)
	for i, t := range r.states {
		t.form, _ = t.AppendBinary(t.form[:0])
		if err := r.from[i].UnmarshalBinary(t.form); err != nil {
			panic(fmt.Sprintf("sha256: WriteMany: restore a %T: %v", r.from[i], err))
		}
	}
	return n
}
