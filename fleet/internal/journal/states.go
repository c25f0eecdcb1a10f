package journal

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// States are fixity.States in a journal.
type States struct {
	journal *Journal

	mu   sync.Mutex
	kept map[string]bool // by key; whether it is done
}

// NewStates returns the States of j.
func NewStates(j *Journal) *States { return &States{journal: j, kept: make(map[string]bool)} }

func (s *States) name(key string) string {
	return store.Join(s.journal.URL, "states/"+key+".json")
}

// A savedState is a state in the journal.
type savedState struct {
	State  json.RawMessage `json:"state"`
	SHA256 string          `json:"sha256"` // of State
}

// Load returns the state of a key. One that is damaged is none.
func (s *States) Load(ctx context.Context, key string) (*fixity.State, error) {
	f, err := s.journal.Store.Open(ctx, s.name(key), "")
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	s.keep(key)
	var saved savedState
	state := new(fixity.State)
	if json.Unmarshal(text, &saved) != nil || digestOf(saved.State) != saved.SHA256 || json.Unmarshal(saved.State, state) != nil {
		return nil, nil
	}
	return state, nil
}

// Save writes the state of a key.
func (s *States) Save(ctx context.Context, key string, state *fixity.State) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	line := list.AppendJSON(nil, savedState{text, digestOf(text)})
	if err := s.journal.Store.Write(ctx, s.name(key), bytes.NewReader(line)); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	s.keep(key)
	return nil
}

func digestOf(text []byte) string {
	d := sha256.Sum256(text)
	return hex.EncodeToString(d[:])
}

func (s *States) keep(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = false
}

// Done says that the object of a key has been read.
func (s *States) Done(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.kept[key]; ok {
		s.kept[key] = true
	}
}

// Remove removes the states of objects that have been read.
func (s *States) Remove(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for key, done := range s.kept {
		if !done {
			continue
		}
		errs = append(errs, s.journal.Store.Remove(ctx, s.name(key)))
		delete(s.kept, key)
	}
	return errors.Join(errs...)
}
