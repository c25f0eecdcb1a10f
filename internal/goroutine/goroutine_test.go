package goroutine

import (
	"runtime"
	"sync"
	"testing"
)

// known says whether Current recognizes the calling goroutine.
var known = func() bool {
	first, again := Current(), Current()
	return first == again
}()

// TestCurrent has goroutines ask who they are, again and again, while they change their
// threads, while their stacks move, and while all of them live.
func TestCurrent(t *testing.T) {
	const goroutines = 100
	var ids sync.Map
	var asked, done sync.WaitGroup
	asked.Add(goroutines)
	for range goroutines {
		done.Go(func() {
			id := Current()
			if id == 0 {
				t.Error("a goroutine has the ID 0")
			}
			for depth := range 10 {
				if runtime.Gosched(); known && deep(depth*100) != id {
					t.Error("the ID of a goroutine has changed")
				}
			}
			if _, taken := ids.LoadOrStore(id, true); taken {
				t.Error("two goroutines that live have one ID")
			}
			asked.Done()
			asked.Wait()
		})
	}
	done.Wait()
}

// deep calls Current with so many frames on the stack.
func deep(frames int) ID {
	if frames == 0 {
		return Current()
	}
	var frame [100]byte
	defer func() { frame[0]++ }()
	return deep(frames - 1)
}
