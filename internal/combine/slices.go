package combine

import "runtime"

// Preempts says whether the Go scheduler interrupts goroutines that compute. It does not on
// WebAssembly, which has one thread and no signals: a goroutine that never waits keeps all
// others from running. Where the scheduler does not interrupt goroutines, writers divide
// their writes into time slices, and yield after each.
const Preempts = runtime.GOARCH != "wasm"

// timeSlice is the number of bytes that all writers to a shard together hash in a time
// slice.
const timeSlice = 32 << 10

// SliceLeft returns the number of bytes left of the present time slice, at least 1.
func (s *Shard) SliceLeft() int { return timeSlice - s.slice }

// Spend records that n bytes of the present time slice were written, and yields if the time
// slice is then used up. A write of nothing counts as a byte, so that a loop of such writes
// yields too.
func (s *Shard) Spend(n int) {
	s.slice += max(n, 1)
	if s.slice >= timeSlice {
		s.slice = 0
		runtime.Gosched()
	}
}
