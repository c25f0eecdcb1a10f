package combine

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestTimeSlices spends time slices while another goroutine waits for the only P.
func TestTimeSlices(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, tt := range []struct {
		name   string
		writes []int
		yields bool
		left   int
	}{
		{"nothing yet", nil, false, timeSlice},
		{"an empty write", []int{0}, false, timeSlice - 1},
		{"almost all", []int{timeSlice - 1}, false, 1},
		{"almost all, and an empty write", []int{timeSlice - 1, 0}, true, timeSlice},
		{"all at once", []int{timeSlice}, true, timeSlice},
		{"all in two writes", []int{timeSlice / 2, timeSlice / 2}, true, timeSlice},
		{"a second slice", []int{timeSlice, 10}, true, timeSlice - 10},
	} {
		// The scheduler may run the other goroutine without a yield, or return early.
		ran := !tt.yields
		var left int
		for try := 0; try < 20 && ran != tt.yields; try++ {
			s := NewShard(1)
			var other atomic.Bool
			go other.Store(true)
			for _, n := range tt.writes {
				s.Spend(n)
			}
			ran, left = other.Load(), s.SliceLeft()
		}
		if ran != tt.yields || left != tt.left {
			t.Errorf("%s: yielded: %v, want %v; %d bytes left, want %d", tt.name, ran, tt.yields, left, tt.left)
		}
	}
}
