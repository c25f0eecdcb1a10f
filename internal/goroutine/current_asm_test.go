//go:build (amd64 || arm64) && !purego

package goroutine

import "testing"

// TestRecognized asks twice.
func TestRecognized(t *testing.T) {
	if !known {
		t.Error("a goroutine has two IDs")
	}
}
