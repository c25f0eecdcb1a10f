package combine

import (
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// TestRequestIsForgotten tests that a request lets go of what is its caller's, be
// it done or not.
func TestRequestIsForgotten(t *testing.T) {
	s := NewShard(1)
	if !s.Meets() {
		t.Skip("nothing is hashed side by side")
	}
	check := func(what string, r *Request) {
		t.Helper()
		if r.Job.State != nil || slices.ContainsFunc(r.Job.Segments[:], func(p []byte) bool { return p != nil }) {
			t.Errorf("after %s the request has still memory of its caller", what)
		}
	}
	r, _ := requestOf(make([]byte, block.Size))
	r.Job.Segments[1] = make([]byte, block.Size)
	s.Do(r)
	check("it is done", r)
	if !guard.Guarded {
		return // all memory can be read
	}
	buf := guard.New(t, 1).Bytes()
	r, _ = requestOf(unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize()))
	if guard.Faults(func() { s.Do(r) }) == nil {
		t.Error("reading what cannot be read did not fault")
	}
	check("a fault", r)
}

// TestLengthsAreCountedBack tests that no request is counted when all are done,
// alone, in company, or by those who wrote what cannot be read.
func TestLengthsAreCountedBack(t *testing.T) {
	s := NewShard(1)
	if !s.Meets() {
		t.Skip("nothing is hashed side by side")
	}
	broken := make([]byte, 20<<10)
	if guard.Guarded {
		buf := guard.New(t, 20<<10).Bytes()
		broken = unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for range 20 {
				p := make([]byte, 2048*(i+1))
				if i == 7 {
					p = broken
				}
				r, _ := requestOf(p)
				guard.Faults(func() { s.Do(r) })
			}
		})
	}
	wg.Wait()
	for i := range s.lengths {
		if n := s.lengths[i].Load(); n != 0 {
			t.Errorf("%d requests of class %d are counted", n, i)
		}
	}
}

// requestOf returns a request to compress data into a state that is new.
func requestOf(data []byte) (*Request, *block.State) {
	r, state := NewRequest(), block.IV256
	r.Job.State, r.Job.Segments[0] = &state, data
	return r, &state
}

// TestLengthClass has requests of the lengths at which classes begin.
func TestLengthClass(t *testing.T) {
	const longest = MinRequest << (lengthClasses - 2)
	for _, tt := range []struct{ n, want int }{
		{0, 0}, {MinRequest - 1, 0}, {MinRequest, 1}, {2*MinRequest - 1, 1}, {2 * MinRequest, 2}, {4 * MinRequest, 3},
		{longest - 1, lengthClasses - 2}, {longest, lengthClasses - 1}, {2 * longest, lengthClasses - 1}, {math.MaxInt, lengthClasses - 1},
	} {
		if got := lengthClassOf(tt.n); got != tt.want {
			t.Errorf("a request of %d bytes is of class %d, want %d", tt.n, got, tt.want)
		}
	}
	if got := lengthClass([][]byte{make([]byte, MinRequest), nil, make([]byte, MinRequest)}); got != 2 {
		t.Errorf("a request of several segments is of class %d, want 2", got)
	}
}
