package pbkdf2

import (
	"runtime"
	"testing"
)

// TestCombinerThatIsAskedTooLate asks a login to combine when its own parts are
// finished already. The login must not count as a combiner any more, and must find
// another combiner.
func TestCombinerThatIsAskedTooLate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one combiner at most
	waits := &login{wake: make(chan struct{}, 1), pending: 1}
	s := Server{combiners: 1, queue: []*part{{of: waits}}}
	late := &login{wake: make(chan struct{}, 1), combining: true}
	late.signal()
	s.wait(late)
	if late.combining || s.combiners != 1 || !waits.combining || len(waits.wake) != 1 || len(late.wake) != 0 {
		t.Errorf("%d combiners; the late one combines: %t; the other does: %t, with %d signals", s.combiners, late.combining, waits.combining, len(waits.wake))
	}
}

// TestServerKeepsNoSecrets looks for words of keys in the memory of logins that are done.
func TestServerKeepsNoSecrets(t *testing.T) {
	var s Server
	if _, err := s.Key("password", []byte("salt"), 3, 100); err != nil {
		t.Fatal(err)
	}
	l := logins.Get().(*login) // the one that is done, unless the pool dropped it
	for i, p := range l.parts[:cap(l.parts)] {
		if p != (part{}) {
			t.Errorf("part %d has %08x", i, p.Chain)
		}
	}
}
