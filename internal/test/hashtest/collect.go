package hashtest

import (
	"runtime"
	"testing"
	"weak"
)

// Collect collects garbage, with nothing left on the stack of what functions
// that have returned held there. What pools hold stays.
func Collect() {
	clobberStack()
	runtime.GC()
}

//go:noinline
func clobberStack() {
	var frame [8192]byte
	frame[len(frame)-1] = 1
	runtime.KeepAlive(&frame)
}

// NothingRetained fails the test if any of what f has passed to the functions
// under test, and returns pointers to, is still in use when f has returned.
func NothingRetained(t *testing.T, f func() map[string]weak.Pointer[byte]) {
	t.Helper()
	passed := f()
	Collect()
	for what, p := range passed {
		if p.Value() != nil {
			t.Errorf("%s is still reachable", what)
		}
	}
}
