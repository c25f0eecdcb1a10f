package sha256

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/written"
)

// A takenState is the state of a hash of crypto/sha256, read from its marshalled form.
// That form is the same in both packages.
type takenState struct {
	digest
	form []byte // room for the marshalled form
}

var takenStates = sync.Pool{New: func() any { return new(takenState) }}

// stdType is the type of the hashes of crypto/sha256, as typeOf returns it.
var stdType = typeOf(stdsha256.New())

// typeOf returns the itab pointer of the interface value h. The pointer is nil if h is nil.
// Otherwise it is the same for all hashes of one type. A type assertion also compares itab
// pointers, but needs the name of the type; the type of the hashes of crypto/sha256 cannot
// be named. Comparing results of reflect.TypeOf takes 1 to 2 ns longer.
func typeOf(h hash.Hash) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&h)) }

// typeAt returns typeOf(hs[i]). It takes less time: the argument of typeOf is copied to the
// stack.
func typeAt(hs []hash.Hash, i int) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&hs[i])) }

// isStd reports whether h is a hash of crypto/sha256.
func isStd(h hash.Hash) bool { return typeOf(h) == stdType }

// isTaken reports whether the state of h can be taken.
func isTaken(h hash.Hash) bool { return isStd(h) && !block.UsesStd() }

// take returns the state of h if h is a hash of crypto/sha256, else nil. h stays as it is.
// take checks the concrete type of h, since a type that wraps such a hash may give Write
// another meaning. take returns nil where crypto/sha256 does the work.
func take(h hash.Hash) *takenState {
	if !isTaken(h) {
		return nil
	}
	t := takenStates.Get().(*takenState)
	form, err := h.(block.StdHash).AppendBinary(t.form[:0])
	if err == nil {
		t.form = form
		t.is224 = string(form[:min(len(block.Magic224), len(form))]) == block.Magic224
		err = t.UnmarshalBinary(form)
	}
	if err != nil {
		t.release()
		return nil
	}
	return t
}

// sumAfterStd is SumAfter for a hash of crypto/sha256. It keeps the state on the stack: for
// one message, that saves 20 ns on Zen 4. It returns false if the state is not one of SHA-256.
func sumAfterStd(dst *[Size]byte, prefix hash.Hash, msg []byte) bool {
	var form block.Marshaled
	ok := form.Read(prefix.(block.StdHash))
	if ok {
		var p lanes.Prefix
		x, length := form.Decode(&p.H)
		p.Rest, p.Len = x[:length%BlockSize], length
		p.Sum(dst, msg)
	}
	clear(form[:])
	return ok
}

// release clears t and returns it to takenStates. t may be nil.
func (t *takenState) release() {
	if t != nil {
		t.digest = digest{}
		clear(t.form)
		takenStates.Put(t)
	}
}

const (
	// minTaken is the least length of data for which WriteHashes takes the state of a hash.
	// For less, taking the state and putting it back costs more than it gains.
	minTaken = 1 << 10
	// maxTaken is the largest number of states in a takenRun, and maxWrites the largest
	// number of writes.
	maxTaken, maxWrites = 256, 512
)

// takenRun is a run of writes to hashes of this package, to hashes that write to these, and
// to hashes of crypto/sha256. For a hash whose state is taken, hs holds the state instead
// of the hash.
type takenRun struct {
	hs   []hash.Hash
	data [][]byte

	from   []block.StdHash // the hashes whose states are taken
	states []*takenState
	taken  map[hash.Hash]*takenState // a hash may occur several times
}

var takenRuns = sync.Pool{New: func() any { return &takenRun{taken: make(map[hash.Hash]*takenState)} }}

// reset drops the caller's pointers and releases the states.
func (r *takenRun) reset() {
	for _, t := range r.states {
		t.release()
	}
	clear(r.hs)
	clear(r.data)
	clear(r.from)
	clear(r.states)
	clear(r.taken)
	r.hs, r.data, r.from, r.states = r.hs[:0], r.data[:0], r.from[:0], r.states[:0]
}

// writeTaken is writeRuns, but takes the states of hashes of crypto/sha256. A hash of
// another type may wrap a hash of crypto/sha256, so writeTaken writes to it only after all
// states have been put back. If reading data faults, the hashes whose states are taken stay
// as they are. writeTaken returns an error if a hash refuses the state that is put back.
func writeTaken(hs []hash.Hash, data [][]byte) error {
	r := takenRuns.Get().(*takenRun)
	defer func() {
		r.reset()
		takenRuns.Put(r)
	}()
	for len(hs) > 0 {
		n := r.fill(hs, data)
		writeRuns(r.hs, r.data, false)
		if err := r.putBack(); err != nil {
			return err
		}
		r.reset()
		if n == 0 {
			hs[0].Write(data[0])
			n = 1
		}
		hs, data = hs[n:], data[n:]
	}
	return nil
}

// fill makes r the run that hs begins with. If taking the state of a hash would not pay,
// fill calls the hash's Write at once; r holds the other hashes. fill returns how many
// elements of hs the run covers, including those that fill has written to at once.
func (r *takenRun) fill(hs []hash.Hash, data [][]byte) (n int) {
	for ; n < len(hs) && len(r.hs) < maxWrites && len(r.states) < maxTaken; n++ {
		h, p := hs[n], data[n]
		own := flushedDigest(h) != nil
		if !own {
			if to := writesTo(h); to != nil {
				h, own = to, flushedDigest(to) != nil
			} else if !isTaken(h) {
				break
			}
		}
		if !own {
			t := r.taken[h]
			alone := len(r.hs) == 0 && (n+1 == len(hs) || !isInRun(hs[n+1]))
			if t == nil && len(p) >= minTaken && !alone {
				t = r.take(h)
			}
			if t == nil {
				h.Write(p)
				continue
			}
			h = &t.digest
		}
		r.hs, r.data = append(r.hs, h), append(r.data, p)
	}
	return n
}

// isInRun reports whether h can be in a takenRun.
func isInRun(h hash.Hash) bool { return flushedDigest(h) != nil || isTaken(h) || writesTo(h) != nil }

// writesTo returns the hash of this package that h writes to, if h is a hash of another
// package of this library, else nil.
func writesTo(h hash.Hash) hash.Hash {
	if isStd(h) { // asserting that it implements written.Hash would take longer
		return nil
	}
	if w, ok := h.(written.Hash); ok {
		return w.WritesTo(written.Here{})
	}
	return nil
}

// take adds the state of h to r and returns it. It returns nil if the state cannot be
// taken.
func (r *takenRun) take(h hash.Hash) *takenState {
	t := take(h)
	if t != nil {
		r.from, r.states, r.taken[h] = append(r.from, h.(block.StdHash)), append(r.states, t), t
	}
	return t
}

// putBack sets each hash whose state is taken to that state.
func (r *takenRun) putBack() error {
	for i, t := range r.states {
		t.form, _ = t.AppendBinary(t.form[:0])
		if err := r.from[i].UnmarshalBinary(t.form); err != nil {
			return fmt.Errorf("restore a %T: %w", r.from[i], err)
		}
	}
	return nil
}
