package pbkdf2

import (
	"bytes"
	"crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestCombinerThatIsAskedTooLate asks a login to combine when its own parts are
// finished already. The login must not count as a combiner any more, and must find
// another combiner.
func TestCombinerThatIsAskedTooLate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one combiner at most
	waits, late := newLogin(), newLogin()
	waits.pending, late.combining = 1, true
	s := Server{combiners: 1, queue: []*part{{of: waits}}}
	late.signal()
	s.wait(late)
	if late.combining || s.combiners != 1 || !waits.combining || !waits.signaled || late.signaled {
		t.Errorf("%d combiners; the late one combines: %t, and is signaled: %t; the other does: %t, %t", s.combiners, late.combining, late.signaled, waits.combining, waits.signaled)
	}
}

// TestServerKeepsNoSecrets looks for words of keys in the memory of logins that are done.
func TestServerKeepsNoSecrets(t *testing.T) {
	if block.UsesStd() {
		t.Skip("crypto/pbkdf2 does the work")
	}
	var s Server
	for range 100 {
		if _, err := s.Key("password", []byte("salt"), 3, 100); err != nil {
			t.Fatal(err)
		}
		l := logins.Get().(*login)
		if cap(l.parts) == 0 {
			continue // a new one: the pool has dropped the one that is done
		}
		for i, p := range l.parts[:cap(l.parts)] {
			if p != (part{}) {
				t.Errorf("part %d has %08x", i, p.Chain)
			}
		}
		return
	}
	t.Fatal("the pool drops everything")
}

// TestMostCombiners tests that a login combines if fewer logins than GOMAXPROCS do.
func TestMostCombiners(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for procs := 1; procs <= 3; procs++ {
		runtime.GOMAXPROCS(procs)
		for combiners := range 5 {
			want := combiners
			l := newLogin()
			s := Server{combiners: combiners, queue: []*part{{of: l}}}
			s.recruit(l)
			if combiners < procs {
				want++
			}
			if s.combiners != want || l.combining != (want > combiners) {
				t.Errorf("%d Ps, %d combiners: then there are %d, want %d", procs, combiners, s.combiners, want)
			}
		}
	}
}

// TestCombinerYields has a goroutine combine beside another one, on one P. The other one has
// to run after each time slice, not only when the scheduler stops the combiner.
func TestCombinerYields(t *testing.T) {
	if block.UsesStd() {
		t.Skip("crypto/pbkdf2 does the work")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) { // by its clock, no yield takes any time
		var ended atomic.Bool
		var turns int
		var other sync.WaitGroup
		other.Go(func() {
			for ; !ended.Load(); turns++ {
				runtime.Gosched()
			}
		})
		var s Server
		_, err := s.Key("password", []byte("salt"), 200_000, size) // some 95 time slices
		ended.Store(true)
		other.Wait()
		if err != nil || turns < 50 {
			t.Errorf("the other goroutine ran %d times, error %v", turns, err)
		}
	})
}

// TestKeysThatFillTheLanes tests that a key of as many digests as lanes joins the queue,
// and that a longer key does not.
func TestKeysThatFillTheLanes(t *testing.T) {
	if block.UsesStd() {
		t.Skip("crypto/pbkdf2 does the work")
	}
	for _, digests := range []int{1, block.MaxLanes - 1, block.MaxLanes, block.MaxLanes + 1} {
		s := Server{combiners: math.MaxInt / 2} // so nobody advances what is in the queue
		done := make(chan bool)
		go func() {
			defer close(done)
			length := digests * size
			got, err := s.Key("password", []byte("salt"), 3, length)
			if want, _ := pbkdf2.Key(stdsha256.New, "password", []byte("salt"), 3, length); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d digests: %x, %v, want %x", digests, got, err, want)
			}
		}()
		queued := 0
		for ended := false; queued == 0 && !ended; {
			s.mu.Lock()
			if queued = len(s.queue); queued > 0 {
				s.combiners = 1
				s.retire(&login{combining: true}) // the queue's login follows it
			}
			s.mu.Unlock()
			select {
			case <-done:
				ended = true
			default:
				runtime.Gosched()
			}
		}
		<-done
		want := digests
		if digests > block.MaxLanes {
			want = 0
		}
		if queued != want {
			t.Errorf("of %d digests %d were in the queue, want %d", digests, queued, want)
		}
	}
}

// TestCheck tests both sides of each limit.
func TestCheck(t *testing.T) {
	longest := math.MaxInt
	if most := uint64(math.MaxUint32 * size); uint64(longest) > most {
		longest = int(most)
	}
	for _, tt := range []struct {
		iter, length int
		want         string
	}{
		{0, 1, "0 iterations, want at least 1"},
		{1, 1, "<nil>"},
		{1, 0, "a key of 0 bytes, want at least 1"},
		{math.MaxInt, longest, "<nil>"},
	} {
		if got := fmt.Sprint(check(tt.iter, tt.length)); got != tt.want {
			t.Errorf("%d iterations, %d bytes: %s, want %s", tt.iter, tt.length, got, tt.want)
		}
	}
	if longest < math.MaxInt && check(1, longest+1) == nil {
		t.Errorf("a key of %d bytes: no error", longest+1)
	}
}

// TestLengthsOfKeys tests keys of a few bytes, and of a few more or less than digests.
func TestLengthsOfKeys(t *testing.T) {
	var s Server
	for _, length := range []int{1, 2, 31, 32, 33, 63, 64, 65} {
		want, err := pbkdf2.Key(stdsha256.New, "password", []byte("salt"), 2, length)
		if err != nil {
			t.Skip(err)
		}
		for name, key := range map[string]func(string, []byte, int, int) ([]byte, error){"Key": Key, "Server": s.Key} {
			if got, err := key("password", []byte("salt"), 2, length); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: %x, %v, want %x", name, length, got, err, want)
			}
		}
	}
}
