package journal

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// A state comes back as it was, or not at all. Those of objects that were read are
// removed, and no others.
func TestStates(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	s := NewStates(j)
	want := &fixity.State{Identity: `"e" v`, Size: 5 << 30, Offset: 1 << 30, Hash: []byte("hash\xff"), Parts: make([]byte, 64), Checksums: []byte("{}")}
	for _, key := range []string{"a", "b"} {
		if got, err := s.Load(ctx, key); got != nil || err != nil {
			t.Errorf("got %+v, %v", got, err)
		}
		if err := s.Save(ctx, key, want); err != nil {
			t.Fatal(err)
		}
		if got, err := NewStates(j).Load(ctx, key); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	path := filepath.Join(j.URL, "states", "a.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good[:len(good)-1] { // the last is the end of the line
		bad := append([]byte(nil), good...)
		bad[i] ^= 1 << (i % 7)
		storetest.WriteFile(t, filepath.Dir(path), "a.json", bad)
		if got, err := NewStates(j).Load(ctx, "a"); err != nil || got != nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("byte %d, %q: got %+v, %v", i, good[i], got, err)
		}
	}
	storetest.WriteFile(t, filepath.Dir(path), "a.json", good)

	later := NewStates(j)
	for _, key := range []string{"a", "b"} {
		if _, err := later.Load(ctx, key); err != nil {
			t.Fatal(err)
		}
	}
	later.Done("a")
	later.Done("unknown")
	if err := later.Remove(ctx); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 || left[0].Name() != "b.json" {
		t.Errorf("there are %v, %v", left, err)
	}
}
