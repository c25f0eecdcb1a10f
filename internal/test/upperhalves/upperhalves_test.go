package upperhalves

import "testing"

// TestInUse tries more than once: between two calls, other code may run.
func TestInUse(t *testing.T) {
	if !Dirty() {
		t.Skip("this port or CPU has no upper halves")
	}
	seen := false
	for range 100 {
		Dirty()
		seen = InUse() || seen
		if InUse() {
			t.Fatal("upper halves are in use after InUse")
		}
		Dirty()
		Clean()
		if InUse() {
			t.Fatal("upper halves are in use after Clean")
		}
	}
	if !seen {
		t.Error("upper halves are never in use after Dirty")
	}
}
