package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// After a signal nothing says that --allow-loss helps, and nothing is written with it.
func TestOutputAfterASignal(t *testing.T) {
	s, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := storetest.WriteFile(t, t.TempDir(), "SUMS", []byte(strings.Repeat("0", 64)+"  a\n"))
	caught := errors.New("terminated")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(caught)
	for _, allowLoss := range []bool{false, true} {
		if _, err := openOutput(ctx, s, name, allowLoss); !errors.Is(err, caught) || strings.Contains(err.Error(), "--allow-loss") {
			t.Errorf("with --allow-loss %t: %v", allowLoss, err)
		}
	}
}
