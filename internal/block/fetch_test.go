package block

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// TestFetch tests that no message is read beyond its ends: messages of any length
// right beside guards, and empty ones.
func TestFetch(t *testing.T) {
	b := guard.New(t, 1024)
	msgs := [][]byte{nil, {}}
	for n := range 1024 {
		msgs = append(msgs, b.Head(n), b.Tail(n))
	}
	if err := guard.Faults(func() { Fetch(msgs); Fetch(nil) }); err != nil {
		t.Fatal(err)
	}
}
