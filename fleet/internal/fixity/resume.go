package fixity

import (
	"context"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/fleet/internal/checksum"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// A State is how far an object has been read.
type State struct {
	// Identity is that of the object, as store.Resumable has it, and Size its length in
	// bytes.
	Identity string `json:"identity"`
	Size     int64  `json:"size"`
	// Offset is how many bytes have been read. Hash is the state of SHA-256 behind them
	// or, of a composite checksum, behind those of the current part.
	Offset int64  `json:"offset"`
	Hash   []byte `json:"hash"`
	// Parts are the digests of the parts before, one behind the other.
	Parts []byte `json:"parts,omitempty"`
	// Checksums is the state of other checksums, as checksum.Set has it.
	Checksums []byte `json:"checksums,omitempty"`
}

// States keep how far long objects have been read, for a later Checker. They are called
// concurrently. An error ends the work.
type States interface {
	// Load returns the state that was saved under a key, or nil.
	Load(ctx context.Context, key string) (*State, error)
	// Save saves a state in the place of an earlier one.
	Save(ctx context.Context, key string, s *State) error
	// Done says that the object was read to its end: the state is not needed any more
	// once the result is kept.
	Done(key string)
}

// A saver saves how far one object has been read. A nil saver saves nothing.
type saver struct {
	*work
	key   string
	o     store.Resumable
	saved int64 // the offset of the last state
}

// newSaver returns the saver of an object whose parts, if it has a composite checksum,
// are of partSize bytes. It is nil if the object is too short for it, or cannot be known
// again.
func (w *work) newSaver(r *Result, o store.Object, partSize int64) *saver {
	resumable, ok := o.(store.Resumable)
	if !ok || w.States == nil || resumable.Identity() == "" || r.Size <= w.SaveEvery {
		return nil
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", r.FullName(), r.Version, r.Expected, partSize))
	return &saver{work: w, key: hex.EncodeToString(key[:]), o: resumable}
}

// load goes on where an earlier reading of the same object was saved: it sets the hash
// and the checksums, and has the object read from there on. It returns the digests of
// the parts before.
func (s *saver) load(h hash.Hash, checks *checksum.Set) (offset int64, parts [][sha256.Size]byte, err error) {
	if s == nil {
		return 0, nil, nil
	}
	state, err := s.States.Load(s.ctx, s.key)
	if err != nil {
		return 0, nil, s.fail(err)
	}
	if state == nil || state.Identity != s.o.Identity() || state.Size != s.o.Size() ||
		state.Offset <= 0 || state.Offset >= state.Size || len(state.Parts)%sha256.Size != 0 {
		return 0, nil, nil
	}
	if h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state.Hash) != nil || checks.UnmarshalBinary(state.Checksums) != nil {
		h.Reset()
		checks.Reset()
		return 0, nil, nil
	}
	for p := state.Parts; len(p) > 0; p = p[sha256.Size:] {
		parts = append(parts, [sha256.Size]byte(p))
	}
	s.saved = state.Offset
	s.o.SkipTo(state.Offset)
	return state.Offset, parts, nil
}

// limit returns how many bytes to read next, of n, before save is to be called.
func (s *saver) limit(offset, n int64) int64 {
	if s == nil || offset >= s.saved+s.SaveEvery {
		return n // at the end, too, where nothing is saved
	}
	return min(n, s.saved+s.SaveEvery-offset)
}

// save saves the state behind offset bytes if it is time for that.
func (s *saver) save(offset int64, h hash.Hash, parts [][sha256.Size]byte, checks *checksum.Set) error {
	if s == nil || offset < s.saved+s.SaveEvery || offset >= s.o.Size() {
		return nil
	}
	state := &State{Identity: s.o.Identity(), Size: s.o.Size(), Offset: offset}
	for _, p := range parts {
		state.Parts = append(state.Parts, p[:]...)
	}
	var err error
	if state.Hash, err = h.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return s.fail(err)
	}
	if state.Checksums, err = checks.MarshalBinary(); err != nil {
		return s.fail(err)
	}
	if err := s.States.Save(s.ctx, s.key, state); err != nil {
		return s.fail(err)
	}
	s.saved = offset
	return nil
}

// done says that the object has been read.
func (s *saver) done() {
	if s != nil {
		s.States.Done(s.key)
	}
}

// fail ends the work: the object is not to blame.
func (s *saver) fail(err error) error {
	s.cancel(fmt.Errorf("keeping how far an object has been read: %w", err))
	return context.Cause(s.ctx)
}
