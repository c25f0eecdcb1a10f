package combine

import (
	"math/bits"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// MinRequest is the least number of bytes for which it pays to park a goroutine.
const MinRequest = 2 << 10

// A Request is a job that a goroutine does together with others. It belongs to one
// goroutine, which alone waits for it.
type Request struct {
	Job lanes.Job // which the goroutine sets before it calls Do

	class int      // the class of its length
	next  *Request // in the queue
	done  bool

	// parked is locked except from wake to the end of wait. The goroutine waits as a
	// reader: a writer, or a goroutine that waits for a Mutex, would spin and look at the
	// clock. A channel would belong to a bubble of testing/synctest; a lock does not, and
	// several bubbles may use one Shard.
	parked rwMutex
	batch  *lanes.Batch // whose combiner the goroutine becomes after the wait, or nil

	// state is the state from which Job began, in case Job has to be done again.
	state block.State
}

// requests are free for use by any goroutine. Their locks are locked.
var requests = sync.Pool{New: func() any {
	r := new(Request)
	r.Job.Owner = r
	r.parked.Lock()
	return r
}}

// NewRequest returns a request whose job is not set.
func NewRequest() *Request { return requests.Get().(*Request) }

// Release gives up r, which is done.
func (r *Request) Release() { requests.Put(r) }

// wait waits until another goroutine calls wake. It returns the batch that the other
// goroutine passes on, or nil.
func (r *Request) wait() *lanes.Batch {
	r.parked.RLock()
	b := r.batch
	r.batch = nil
	r.parked.RUnlock()
	r.parked.Lock() // at once: for the next wait
	return b
}

// wake ends the wait of r's goroutine. If b is not nil, the goroutine becomes the combiner
// of b. If b is nil, r is done, or memory of the batch could not be read and the goroutine
// does r alone.
func (r *Request) wake(b *lanes.Batch) {
	r.batch = b
	r.parked.Unlock()
}

// alone does r from its beginning on the calling goroutine.
func (r *Request) alone() {
	*r.Job.State = r.state
	for _, p := range r.Job.Segments {
		block.Compress(r.Job.State, p)
	}
	r.done = true
}

// end drops the caller's pointers. If r is not done, it restores the job's state.
func (r *Request) end() {
	if !r.done {
		*r.Job.State = r.state
	}
	r.Job.Forget()
}

// lengthClasses is the number of classes of lengths. Lengths double from class to class;
// the last class also has all longer requests.
const lengthClasses = 16

// lengthClass returns the class of a request to compress segments.
func lengthClass(segments [][]byte) int {
	n := 0
	for _, p := range segments {
		n += len(p)
	}
	return lengthClassOf(n)
}

// lengthClassOf returns the class of a request of n bytes.
func lengthClassOf(n int) int { return min(bits.Len(uint(n/MinRequest)), lengthClasses-1) }
