package lanes

import (
	"slices"
	"testing"
)

// TestIgnoredIsACopy has a caller change what Ignored has returned.
func TestIgnoredIsACopy(t *testing.T) {
	defer func(e func() (known, ignored []string)) { environment = e }(environment)
	words := []string{"avx3", "sse"}
	environment = func() (known, ignored []string) { return nil, words }
	got := Ignored()
	if !slices.Equal(got, words) {
		t.Fatalf("%q, want %q", got, words)
	}
	clear(got)
	if got, want := Ignored(), []string{"avx3", "sse"}; !slices.Equal(got, want) {
		t.Errorf("then %q, want %q", got, want)
	}
}
