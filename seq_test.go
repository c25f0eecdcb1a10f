package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// A seqSource yields messages with their numbers, and notes what happens to it.
type seqSource struct {
	msgs   [][]byte
	before func(i int) // is called before message i is yielded
	taken  int         // messages that were yielded
	ended  bool        // it has returned or panicked
}

func (s *seqSource) all() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		s.taken, s.ended = 0, false
		defer func() { s.ended = true }()
		for i, m := range s.msgs {
			if s.before != nil {
				s.before(i)
			}
			s.taken++
			if !yield(i, m) {
				return
			}
		}
	}
}

// checkSumSeq compares the digests of msgs, and their keys.
func checkSumSeq(t *testing.T, what string, msgs [][]byte) {
	t.Helper()
	next := 0
	for i, sum := range sha256.SumSeq(slices.All(msgs)) {
		if i != next {
			t.Fatalf("%s: key %d, want %d", what, i, next)
		}
		if want := stdsha256.Sum256(msgs[i]); sum != want {
			t.Fatalf("%s: message %d of %d: %x, want %x", what, i, len(msgs), sum, want)
		}
		next++
	}
	if next != len(msgs) {
		t.Fatalf("%s: %d digests of %d messages", what, next, len(msgs))
	}
}

func TestSumSeq(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 66, 130, 200} {
			for _, length := range lengths {
				checkSumSeq(t, fmt.Sprintf("%d of %d bytes", n, length), cut(n, func(int) int { return length }))
			}
			checkSumSeq(t, fmt.Sprintf("%d of unequal lengths", n), cut(n, func(i int) int { return i * 977 % 3000 }))
		}
		checkSumSeq(t, "nil and empty messages", [][]byte{nil, {}, hashtest.Data(2000), nil, {}})
		big := hashtest.Data(1<<20 + 100)
		checkSumSeq(t, "long messages", [][]byte{big[1:], big, big[:9], big[:1<<20], big[5:], big[:200_000], big})
	})
}

// TestSumSeqTakesAhead looks how many messages, and bytes, are taken before their digests
// are yielded.
func TestSumSeqTakesAhead(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		lanes := sha256.Selected().Lanes
		whole := make([]byte, 20<<20)
		for _, tt := range []struct{ size, n, messages int }{
			{0, 200, 64},
			{10, 200, 64},
			{16 << 10, 200, 64},
			{64 << 10, 100, max(16, lanes)},
			{256 << 10, 70, max(4, lanes)},
			{1 << 20, 40, min(lanes, 16)},
			{4 << 20, 10, min(lanes, 4)},
			{20 << 20, 4, 1},
		} {
			if lanes == 1 {
				tt.messages = 1
			}
			s := seqSource{msgs: slices.Repeat([][]byte{whole[:tt.size]}, tt.n)}
			yielded, most := 0, 0
			for range sha256.SumSeq(s.all()) {
				most = max(most, s.taken-yielded)
				if yielded++; yielded > tt.messages {
					break
				}
			}
			if most != tt.messages {
				t.Errorf("messages of %d bytes in %d lanes: %d were taken ahead, want %d", tt.size, lanes, most, tt.messages)
			}
		}
	})
}

func TestSumSeqKeys(t *testing.T) {
	msgs := cut(150, func(i int) int { return i * 7 })
	type large struct {
		name string
		more [500]byte
	}
	checkKeys(t, msgs, func(i int) string { return fmt.Sprint(i) })
	checkKeys(t, msgs, func(i int) any { return i })
	checkKeys(t, msgs, func(int) struct{} { return struct{}{} })
	checkKeys(t, msgs, func(i int) *byte { return &msgs[max(1, i)][0] })
	checkKeys(t, msgs, func(i int) large { return large{name: fmt.Sprint(i), more: [500]byte{9: byte(i)}} })
	checkKeys(t, msgs, func(i int) error { return nil })
}

func checkKeys[K comparable](t *testing.T, msgs [][]byte, key func(i int) K) {
	t.Helper()
	i := 0
	for k, sum := range sha256.SumSeq(func(yield func(K, []byte) bool) {
		for i, m := range msgs {
			if !yield(key(i), m) {
				return
			}
		}
	}) {
		if k != key(i) || sum != stdsha256.Sum256(msgs[i]) {
			t.Fatalf("%T: key %v with %x, want %v with %x", k, k, sum, key(i), stdsha256.Sum256(msgs[i]))
		}
		i++
	}
	if i != len(msgs) {
		t.Errorf("%d digests with keys of type %T, want %d", i, *new(K), len(msgs))
	}
}

// TestSumSeqEndsEarly leaves a loop at every place there is. The source has to end with it.
func TestSumSeqEndsEarly(t *testing.T) {
	for _, length := range []int{0, 100, 3000} {
		msgs := cut(200, func(int) int { return length })
		for at := range msgs {
			s := seqSource{msgs: msgs}
			for i, sum := range sha256.SumSeq(s.all()) {
				if sum != stdsha256.Sum256(msgs[i]) {
					t.Fatalf("message %d: wrong digest", i)
				}
				if i == at {
					break
				}
			}
			if !s.ended || s.taken > at+64 {
				t.Fatalf("left at message %d of %d bytes: %d were taken, source ended: %t", at, length, s.taken, s.ended)
			}
		}
	}
	checkSumSeq(t, "afterwards", cut(200, func(i int) int { return 30 * i }))
}

func TestSumSeqOfASourceThatNeverEnds(t *testing.T) {
	message, n := hashtest.Data(500), 0
	want := stdsha256.Sum256(message)
	for i, sum := range sha256.SumSeq(func(yield func(int, []byte) bool) {
		for i := 0; yield(i, message); i++ {
		}
	}) {
		if n++; i != n-1 || sum != want {
			t.Fatalf("message %d, the %dth: %x, want %x", i, n, sum, want)
		}
		if n == 1000 {
			break
		}
	}
}

// TestSumSeqPanics has sources, and loops, panic at every place. The loop has to panic
// with the same value, and other loops must not notice.
func TestSumSeqPanics(t *testing.T) {
	msgs := cut(140, func(i int) int { return i % 5 * 400 })
	type cause struct{ i int }
	for at := range msgs {
		s := seqSource{msgs: msgs, before: func(i int) {
			if i == at {
				panic(cause{i})
			}
		}}
		got := causeOf(func() {
			for i, sum := range sha256.SumSeq(s.all()) {
				if i >= at || sum != stdsha256.Sum256(msgs[i]) {
					t.Errorf("a source that panics at message %d: wrong digest of message %d", at, i)
				}
			}
		})
		if got != any(cause{at}) || !s.ended {
			t.Fatalf("a source that panics at message %d: panic %v, ended: %t", at, got, s.ended)
		}
		s.before = nil
		got = causeOf(func() {
			for i := range sha256.SumSeq(s.all()) {
				if i == at {
					panic(cause{-i})
				}
			}
		})
		if got != any(cause{-at}) || !s.ended {
			t.Fatalf("a loop that panics at message %d: panic %v, source ended: %t", at, got, s.ended)
		}
	}
	checkSumSeq(t, "afterwards", msgs)

	got := causeOf(func() {
		for range sha256.SumSeq(func(yield func(int, []byte) bool) {
			for i := range 200 { // whatever yield returns
				yield(i, msgs[i%len(msgs)])
			}
		}) {
			break
		}
	})
	if err, ok := got.(error); !ok || !strings.Contains(err.Error(), "range function continued iteration") {
		t.Errorf("a source that goes on after the loop has ended: panic %v", got)
	}
	if got, ok := causeOf(func() { sha256.SumSeq[int](nil) }).(string); !ok || !strings.HasPrefix(got, "sha256: SumSeq: ") {
		t.Errorf("no source: panic %v", got)
	}
}

// TestSumSeqCallsOutOfTurn calls the source's yield while a digest is yielded, after a panic
// that the source recovers, and after the end. No digest may be wrong. Without a panic, no
// message may be lost.
func TestSumSeqCallsOutOfTurn(t *testing.T) {
	msgs := cut(300, func(i int) int { return 30 + i%3*400 })
	for at := range 200 {
		var take func(int, []byte) bool
		seen := make([]int, len(msgs))
		check := func(i int, sum [32]byte) {
			if seen[i]++; seen[i] > 1 || sum != stdsha256.Sum256(msgs[i]) {
				t.Fatalf("message %d, digest %d of it: %x", i, seen[i], sum)
			}
		}
		// The body hands in messages 200 to 299 while it has digest `at`.
		sha256.SumSeq(func(yield func(int, []byte) bool) {
			take = yield
			for i, m := range msgs[:200] {
				if !yield(i, m) {
					t.Fatal("the loop ended early")
				}
			}
		})(func(i int, sum [32]byte) bool {
			check(i, sum)
			for j := 200; i == at && j < 300; j++ {
				take(j, msgs[j])
			}
			return true
		})
		if i := slices.Index(seen, 0); i >= 0 {
			t.Fatalf("in digest %d, further messages: message %d has no digest", at, i)
		}

		// The body panics, and the source goes on.
		clear(seen)
		sha256.SumSeq(func(yield func(int, []byte) bool) {
			for i, m := range msgs {
				causeOf(func() { yield(i, m) })
			}
		})(func(i int, sum [32]byte) bool {
			check(i, sum)
			if i == at {
				panic("once")
			}
			return true
		})

		// The body ends the loop in a call that it made itself, then ends it again.
		clear(seen)
		ended := false
		sha256.SumSeq(func(yield func(int, []byte) bool) {
			take = yield
			for i, m := range msgs[:200] {
				if !yield(i, m) {
					return
				}
			}
		})(func(i int, sum [32]byte) bool {
			check(i, sum)
			for j := 200; i == at && j < 300 && take(j, msgs[j]); j++ {
			}
			ended = ended || i >= at
			return !ended
		})
		checkSumSeq(t, "afterwards", msgs)
	}

	var late func(int, []byte) bool
	for range sha256.SumSeq(func(yield func(int, []byte) bool) {
		late = yield
		for i, m := range msgs {
			yield(i, m)
		}
	}) {
	}
	for i, m := range msgs {
		if err, ok := causeOf(func() { late(i, m) }).(error); !ok || !strings.Contains(err.Error(), "range function continued iteration") {
			t.Fatalf("message %d after the end: panic %v", i, err)
		}
	}
	// The loop that runs now may use the list of the loop that has ended.
	for i, sum := range sha256.SumSeq(func(yield func(int, []byte) bool) {
		for i, m := range msgs {
			if causeOf(func() { late(i, m) }) == nil {
				t.Fatalf("message %d after the end, in another loop's source: no panic", i)
			}
			yield(i, m)
		}
	}) {
		if sum != stdsha256.Sum256(msgs[i]) {
			t.Fatalf("message %d beside late calls: wrong digest", i)
		}
	}
}

// TestSumSeqLateCalls calls a yield that a source has kept, while another goroutine loops. The
// race detector must not blame that goroutine.
func TestSumSeqLateCalls(t *testing.T) {
	msgs := cut(100, func(i int) int { return 10 * i })
	var late func(int, []byte) bool
	for range sha256.SumSeq(func(yield func(int, []byte) bool) {
		late = yield
		yield(0, msgs[0])
	}) {
	}
	var stop atomic.Bool
	done := make(chan bool)
	go func() {
		defer close(done)
		for !stop.Load() {
			if causeOf(func() { late(1, msgs[1]) }) == nil {
				t.Error("no panic after the end")
				return
			}
		}
	}()
	defer func() { stop.Store(true); <-done }()
	for range 20 {
		checkSumSeq(t, "beside late calls", msgs)
	}
}

// causeOf returns what f panics with.
func causeOf(f func()) (cause any) {
	defer func() { cause = recover() }()
	f()
	return nil
}

// TestSumSeqOfMemoryUsedAgain has the loop give each message back as soon as its digest is
// there, overwritten, and the source use it for the next one.
func TestSumSeqOfMemoryUsedAgain(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, length := range []int{0, 1, 100, 5000, 300_000} {
			var free [][]byte
			var want [][32]byte // of the messages that were taken
			n, made := 0, 0
			for message, sum := range sha256.SumSeq(func(yield func([]byte, []byte) bool) {
				for i := range 150 {
					if len(free) == 0 {
						free = append(free, make([]byte, length))
						made++
					}
					m := free[len(free)-1]
					free = free[:len(free)-1]
					for j := range m {
						m[j] = byte(i + j%7)
					}
					want = append(want, stdsha256.Sum256(m))
					if !yield(m, m) {
						return
					}
				}
			}) {
				if sum != want[n] {
					t.Fatalf("message %d of %d bytes: wrong digest", n, length)
				}
				n++
				clear(message)
				free = append(free, message)
			}
			if n != 150 || made > 64 {
				t.Errorf("messages of %d bytes: %d digests, %d messages were made, want 150 and at most 64", length, n, made)
			}
		}
	})
}

// TestSumSeqStops pulls from a sequence and stops it, and leaves it by runtime.Goexit. The
// source has to end, and other loops must not notice.
func TestSumSeqStops(t *testing.T) {
	msgs := cut(200, func(int) int { return 100 })
	for _, at := range []int{0, 1, 63, 64, 70, 100} {
		s := seqSource{msgs: msgs}
		next, stop := iter.Pull2(sha256.SumSeq(s.all()))
		for range at {
			next()
		}
		stop()
		if at > 0 && !s.ended {
			t.Errorf("stopped after %d messages: the source goes on", at)
		}
		for _, inSource := range []bool{false, true} {
			s := seqSource{msgs: msgs, before: func(i int) {
				if inSource && i == at {
					runtime.Goexit()
				}
			}}
			done := make(chan bool)
			go func() {
				defer close(done)
				for i, sum := range sha256.SumSeq(s.all()) {
					if sum != stdsha256.Sum256(msgs[i]) {
						t.Errorf("message %d: wrong digest", i)
					}
					if !inSource && i == at {
						runtime.Goexit()
					}
				}
				t.Errorf("a goroutine goes on after Goexit at message %d", at)
			}()
			<-done
			if !s.ended {
				t.Errorf("Goexit at message %d, in the source: %t: the source goes on", at, inSource)
			}
		}
	}
	checkSumSeq(t, "afterwards", msgs)
}

// TestSumSeqInItself uses SumSeq in the loop over another, in its source, and over the
// digests of another.
func TestSumSeqInItself(t *testing.T) {
	msgs := cut(150, func(i int) int { return i * 31 % 2000 })
	same := sha256.SumSeq(slices.All(msgs))
	for i, outer := range same {
		if i%50 > 0 {
			continue
		}
		for j, sum := range same {
			if sum != stdsha256.Sum256(msgs[j]) {
				t.Fatalf("message %d in the loop at message %d: wrong digest", j, i)
			}
		}
		if outer != stdsha256.Sum256(msgs[i]) {
			t.Fatalf("message %d: wrong digest", i)
		}
	}
	for i, sum := range sha256.SumSeq(func(yield func(int, []byte) bool) {
		for i, sum := range same {
			checkSumSeq(t, "in a source", msgs[i:min(i+2, len(msgs))])
			if !yield(i, sum[:]) { // sum is another one for each message
				return
			}
		}
	}) {
		inner := stdsha256.Sum256(msgs[i])
		if sum != stdsha256.Sum256(inner[:]) {
			t.Fatalf("message %d: wrong digest of a digest", i)
		}
	}
	next, stop := iter.Pull2(same)
	defer stop()
	for i := range 100 {
		if j, sum, ok := next(); !ok || j != i || sum != stdsha256.Sum256(msgs[i]) {
			t.Fatalf("pulled message %d: %d, %x, %t", i, j, sum, ok)
		}
	}
}

// TestSumSeqRetainsNothing tests that messages and keys are not kept from the garbage
// collector by what is pooled, nor, once their digests are yielded, by the loop.
func TestSumSeqRetainsNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n, at int // the loop is left at message `at`
	}{
		{"whole", 130, 130},
		{"left in the middle", 130, 100},
		{"one message", 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var messages, keys []weak.Pointer[byte]
			var kept func(*byte, []byte) bool // a source may keep what it was given
			source := func(yield func(*byte, []byte) bool) {
				kept = yield
				for i := range tt.n {
					if i == 80 { // the list that is taken now is the second one
						hashtest.Collect()
						for j := range 64 {
							if messages[j].Value() != nil || keys[j].Value() != nil {
								t.Errorf("message %d, or its key, is reachable after its digest was yielded", j)
							}
						}
					}
					k, m := make([]byte, 100), make([]byte, 300)
					messages, keys = append(messages, weak.Make(&m[0])), append(keys, weak.Make(&k[0]))
					if !yield(&k[0], m) {
						return
					}
				}
			}
			i := 0
			for range sha256.SumSeq(source) {
				if i++; i == tt.at {
					break
				}
			}
			hashtest.Collect()
			for i := range messages {
				if messages[i].Value() != nil || keys[i].Value() != nil {
					t.Errorf("message %d or its key is still reachable", i)
				}
			}
			runtime.KeepAlive(kept)
		})
	}
}

// TestSumSeqRetainsNothingAfterAFault has a source go on after a message could not be read.
func TestSumSeqRetainsNothingAfterAFault(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	end := guard.New(t, 1000).Tail(30)
	broken := unsafe.Slice(unsafe.SliceData(end), len(end)+sha256.BlockSize)
	m, faults := make([]byte, 300), 0
	message := weak.Make(&m[0])
	for range sha256.SumSeq(func(yield func(int, []byte) bool) {
		for i := range 64 {
			if guard.Faults(func() { yield(i, [][]byte{m, broken}[min(i, 1)]) }) != nil {
				faults++
			}
		}
	}) {
	}
	if faults == 0 {
		t.Error("reading what cannot be read did not fault")
	}
	m = nil
	hashtest.Collect()
	if message.Value() != nil {
		t.Error("a message is still reachable")
	}
}

func TestSumSeqAllocations(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	msgs := cut(1000, func(i int) int { return i })
	loop := func() {
		for range sha256.SumSeq(slices.All(msgs)) {
		}
	}
	// An object of SumSeq, the loop's body and its state.
	if n := testing.AllocsPerRun(20, loop); n > 3 {
		t.Errorf("%v allocations for 1000 messages", n)
	}
}

func FuzzSumSeq(f *testing.F) {
	f.Add([]byte{})
	f.Add(hashtest.Data(30))
	f.Add(hashtest.Data(600))
	f.Add(bytes.Repeat([]byte{1, 0, 60, 0}, 100))
	f.Fuzz(func(t *testing.T, input []byte) {
		p := program(input)
		p.force(t)
		var msgs [][]byte
		for len(p) > 0 {
			longest := 200
			if p.number(10) == 0 {
				longest = 1 << 20
			}
			msgs = append(msgs, p.bytes(p.number(longest)))
		}
		checkSumSeq(t, "fuzzed", msgs)
		if len(msgs) == 0 {
			return
		}
		at := rand.N(len(msgs))
		for i, sum := range sha256.SumSeq(slices.All(msgs)) {
			if want := stdsha256.Sum256(msgs[i]); sum != want {
				t.Fatalf("message %d: %x, want %x", i, sum, want)
			}
			if i == at {
				break
			}
		}
	})
}
