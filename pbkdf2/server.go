package pbkdf2

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// A Server derives keys for goroutines that each have one password, as in a program
// that checks logins. It computes the keys of all waiting goroutines side by side. Any
// number of goroutines may use it. The zero Server is ready for use.
//
// A Server has no goroutine and no timer. Some of the callers, at most GOMAXPROCS, do
// the work of all, in time slices of about 200 µs, until their own keys are done. A new
// caller joins at the next slice. If there are more keys than lanes, they take turns.
type Server struct {
	mu sync.Mutex
	// queue are the parts that no goroutine advances at the moment. The part that has
	// waited longest comes first.
	queue     []*part
	combiners int
}

// A part is one digest of a key.
type part struct {
	lanes.Chain
	of *login
}

// A login is a key that a goroutine waits for.
type login struct {
	pending   int  // parts that are not finished
	combining bool // the login's goroutine advances parts, or has been asked to
	// signaled is set from a signal until the goroutine has taken it: the key is finished,
	// or the goroutine has to combine.
	signaled bool
	// parked is unlocked while signaled is set, and locked otherwise. The goroutine waits
	// as a reader: a writer, or a goroutine that waits for a Mutex, would spin. A channel
	// would belong to a bubble of testing/synctest; a lock does not, and several bubbles may
	// use one Server.
	parked sync.RWMutex
	parts  []part
}

// logins are free for use by any goroutine. They are not signaled.
var logins = sync.Pool{New: func() any { return newLogin() }}

func newLogin() *login {
	l := new(login)
	l.parked.Lock()
	return l
}

// Key does the same as the function [Key], side by side with the keys of other
// goroutines.
func (s *Server) Key(password string, salt []byte, iter, keyLength int) ([]byte, error) {
	n := (keyLength-1)/size + 1
	// A key of more digests than lanes fills them by itself.
	if s == nil || n > block.MaxLanes || block.UsesStd() || check(iter, keyLength) != nil {
		return Key(password, salt, iter, keyLength)
	}
	key := make([]byte, keyLength)
	inner, outer := block.KeyStates(bytesOf(password))
	l := logins.Get().(*login)
	l.parts = slices.Grow(l.parts[:0], n)[:n]
	for i := range l.parts {
		begin(&l.parts[i].Chain, inner, outer, salt, uint32(i+1), iter)
		l.parts[i].of = l
	}
	if iter > 1 {
		s.wait(l)
	}
	for i := range l.parts {
		putDigest(key[size*i:], &l.parts[i].Chain)
	}
	clear(l.parts)
	logins.Put(l)
	return key, nil
}

// wait returns when all parts of l are advanced to their end.
func (s *Server) wait(l *login) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.pending = len(l.parts)
	for i := range l.parts {
		s.queue = append(s.queue, &l.parts[i])
	}
	s.recruit(l)
	for l.pending > 0 {
		if l.combining {
			s.combine(l)
			continue
		}
		s.mu.Unlock()
		l.park()
		s.mu.Lock()
		l.takeSignal()
	}
	if l.combining { // l was asked to combine after its parts were finished
		s.retire(l)
	}
	l.takeSignal() // one that came too late
}

// recruit makes one more login combine, if parts wait and a P is left. That login is l.
// If l combines already, it is one whose goroutine waits.
func (s *Server) recruit(l *login) {
	if len(s.queue) == 0 || s.combiners >= runtime.GOMAXPROCS(0) {
		return
	}
	if l.combining {
		i := slices.IndexFunc(s.queue, func(p *part) bool { return !p.of.combining })
		if i < 0 {
			return
		}
		l = s.queue[i].of
		l.signal()
	}
	l.combining = true
	s.combiners++
}

// retire records that l no longer combines, and recruits another login.
func (s *Server) retire(l *login) {
	s.combiners--
	s.recruit(l) // another one, since l still counts as combining
	l.combining = false
}

// signal ends the wait of l's goroutine, or its next wait. The caller holds the Server's lock.
func (l *login) signal() {
	if !l.signaled {
		l.signaled = true
		l.parked.Unlock()
	}
}

// park waits for a signal.
func (l *login) park() {
	l.parked.RLock()
	defer l.parked.RUnlock()
}

// takeSignal takes the signal, if there is one. The caller holds the Server's lock.
func (l *login) takeSignal() {
	if l.signaled {
		l.signaled = false
		l.parked.Lock() // at once: the goroutine, which is the caller, does not wait
	}
}

// combine advances parts of all logins until l is finished, or until no parts wait.
func (s *Server) combine(l *login) {
	memory := lanes.NewChains()
	defer memory.Release()
	width := lanes.ChainWidth()
	var next [block.MaxLanes]*part
	yields := true
	for l.pending > 0 {
		if yields {
			// On one P, others cannot join unless this goroutine lets them run.
			s.mu.Unlock()
			start := time.Now()
			runtime.Gosched()
			yields = time.Since(start) < maxYield
			s.mu.Lock()
		}
		n := min(len(s.queue), width)
		if n == 0 {
			break
		}
		parts := next[:copy(next[:], s.queue[:n])]
		s.queue = slices.Delete(s.queue, 0, n)
		s.recruit(l)
		s.mu.Unlock()
		waiting, live := lanes.Step(memory, &block.KeyedPadding, parts)
		s.mu.Lock()
		s.queue = append(slices.Insert(s.queue, 0, parts[:waiting]...), parts[waiting:live]...)
		for _, p := range parts[live:] {
			if p.of.pending--; p.of.pending == 0 && p.of != l {
				p.of.signal()
			}
		}
	}
	s.retire(l)
}

// maxYield is how long a combiner's yield may take. A longer yield shows that other
// goroutines keep the Ps busy; then the combiner does not yield again.
const maxYield = time.Millisecond
