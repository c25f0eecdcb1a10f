package fixity

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// memory are States in memory.
type memory struct {
	mu    sync.Mutex
	saved map[string]*State
	done  []string
	err   error
}

func (m *memory) Load(_ context.Context, key string) (*State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.saved[key], nil
}

func (m *memory) Save(_ context.Context, key string, s *State) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.saved[key] = s
	}
	return m.err
}

func (m *memory) Done(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done = append(m.done, key)
}

// A long object whose reading ended is read on from where its state was saved, by
// whatever comes later, in every kind of store and with every kind of checksum.
func TestLongObjectsResume(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *storetest.Server) {
		const size, every = 10*maxChunk + 7, 2 * maxChunk
		data := storetest.Bytes(1, size)
		ofParts := func(partSize int64) string {
			c, err := composite.Sum(t.Context(), bytes.NewReader(data), size, partSize)
			if err != nil {
				t.Fatal(err)
			}
			return c.String()
		}
		const md5 = "md5:d41d8cd98f00b204e9800998ecf8427e" // of nothing
		for _, tt := range []struct {
			name  string
			entry list.Entry
			want  Outcome
		}{
			{"a new digest", list.Entry{}, New},
			{"a digest", list.Entry{SHA256: sum(data)}, Match},
			{"another digest", list.Entry{SHA256: sum(nil)}, Mismatch},
			{"parts as long as what is saved", list.Entry{SHA256: ofParts(every), PartSize: every}, Match},
			{"longer parts", list.Entry{SHA256: ofParts(3*every + 5), PartSize: 3*every + 5}, Match},
			{"shorter parts", list.Entry{SHA256: ofParts(every/3 + 5), PartSize: every/3 + 5}, Match},
			{"another checksum", list.Entry{SHA256: sum(data), Checksums: md5}, Mismatch},
		} {
			t.Run(tt.name, func(t *testing.T) {
				s.Put("k", data)
				tt.entry.Name = s.Name("k")
				states := &memory{saved: map[string]*State{}}
				var n atomic.Int64 // bytes that were read
				read := func() Result {
					c := newChecker(t, s, nil)
					c.States, c.SaveEvery = states, every
					c.OnRead = func(k int) { n.Add(int64(k)) }
					return check(t, c, tt.entry)[0]
				}
				// Without States.
				s.Faults(nil)
				want := check(t, newChecker(t, s, nil), tt.entry)[0]
				if want.Outcome != tt.want {
					t.Fatalf("got %+v", want)
				}
				// It breaks off, and the store refuses the rest.
				s.Faults(func(_ string, nth int) storetest.Fault {
					if nth == 0 {
						return storetest.Fault{Cut: 3*every + 100}
					}
					return storetest.Fault{Status: 403}
				})
				if r := read(); r.Outcome != Unreadable || !r.Retry {
					t.Fatalf("got %+v", r)
				}
				if len(states.saved) != 1 || len(states.done) != 0 {
					t.Fatalf("%d states, done: %v", len(states.saved), states.done)
				}
				for _, state := range states.saved {
					if state.Offset != 3*every || state.Size != size {
						t.Errorf("got %+v", state)
					}
				}
				s.Faults(nil)
				n.Store(0)
				got := read()
				if string(got.Append(nil)) != string(want.Append(nil)) {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
				if n.Load() != size-3*every {
					t.Errorf("%d bytes were read, want %d", n.Load(), size-3*every)
				}
				if len(states.done) != 1 {
					t.Errorf("done: %v", states.done)
				}
				// What was damaged, or is of other contents, is of no use.
				for _, change := range []func(*State){
					func(s *State) { s.Hash = s.Hash[:20] },
					func(s *State) { s.Identity += "x" },
					func(s *State) { s.Size++ },
					func(s *State) { s.Offset = size },
					func(s *State) { s.Offset = -1 },
					func(s *State) { s.Parts = append(s.Parts, 0) },
					func(s *State) { s.Checksums = []byte("{}") },
				} {
					for key, state := range states.saved {
						changed := *state
						changed.Parts = slices.Clone(state.Parts)
						change(&changed)
						states.saved[key] = &changed
					}
					if got := read(); string(got.Append(nil)) != string(want.Append(nil)) {
						t.Errorf("got  %+v\nwant %+v", got, want)
					}
				}
				other := storetest.Bytes(2, size)
				s.Put("k", other)
				if got := read(); got.SHA256 == want.SHA256 || list.Parts(tt.entry.SHA256) == 0 && got.SHA256 != sum(other) {
					t.Errorf("of other contents: got %+v", got)
				}
			})
		}
	})
}

// An object that is replaced while it is read on is not mixed of two.
func TestResumedObjectChanges(t *testing.T) {
	s := storetest.New(t)
	const size, every = 4 * maxChunk, maxChunk
	s.Put("k", storetest.Bytes(1, size))
	states := &memory{saved: map[string]*State{}}
	read := func() Result {
		c := newChecker(t, s, nil)
		c.States, c.SaveEvery = states, every
		return check(t, c, list.Entry{Name: s.Name("k")})[0]
	}
	s.Faults(func(_ string, nth int) storetest.Fault {
		if nth == 0 {
			return storetest.Fault{Cut: 2*every + 100}
		}
		return storetest.Fault{Status: 403}
	})
	read()
	s.Faults(func(_ string, nth int) storetest.Fault {
		if nth == 1 { // the request for the rest
			s.Put("k", storetest.Bytes(2, size))
		}
		return storetest.Fault{}
	})
	if r := read(); r.Outcome != Unreadable || !strings.Contains(r.Error, "changed while it was read") {
		t.Errorf("got %+v", r)
	}
}

// A state that cannot be saved ends the work.
func TestStateThatCannotBeSaved(t *testing.T) {
	s := storetest.New(t)
	s.Put("k", storetest.Bytes(1, 3*maxChunk))
	broken := errors.New("broken")
	c := newChecker(t, s, nil)
	c.States, c.SaveEvery = &memory{saved: map[string]*State{}, err: broken}, maxChunk
	if results, err := run(c, []list.Entry{{Name: s.Name("k"), Size: -1}}); !errors.Is(err, broken) || len(results) != 0 {
		t.Errorf("got %+v, %v", results, err)
	}
}
