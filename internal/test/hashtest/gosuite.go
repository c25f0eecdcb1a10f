package hashtest

import (
	"reflect"
	"slices"
	"testing"
)

// Go's own tests of crypto/sha256 import crypto/internal/cryptotest. What they
// use of it is here under the same names, so that they test this module when
// nothing but their imports is changed: see .ci/go-suite.

// TestAllImplementations is [ForEach]. pkg is not used.
func TestAllImplementations(t *testing.T, pkg string, f func(t *testing.T)) {
	t.Helper()
	ForEach(t, f)
}

// NoExtraMethods fails the test if the dynamic type of *ms has exported methods
// that are neither methods of the interface type of *ms nor allowed: callers
// could come to rely on them. ms points to an interface.
func NoExtraMethods(t *testing.T, ms any, allowed ...string) {
	t.Helper()
	p := reflect.ValueOf(ms)
	if p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Interface || p.Elem().IsNil() {
		t.Fatalf("NoExtraMethods wants a pointer to an interface that is not nil, not %T", ms)
	}
	static, dynamic := p.Elem().Type(), p.Elem().Elem().Type()
	for i := range dynamic.NumMethod() {
		name := dynamic.Method(i).Name
		if _, ok := static.MethodByName(name); !ok && !slices.Contains(allowed, name) {
			t.Errorf("%v has the extra method %s", dynamic, name)
		}
	}
}

// SkipTestAllocations skips a test of allocations where a build allocates for
// other reasons: sanitizers, and compilation without optimization.
func SkipTestAllocations(t *testing.T) {
	t.Helper()
	if Sanitized {
		t.Skip("sanitizers allocate, and empty pools")
	}
	if testing.AllocsPerRun(10, func() { inlined()[0] = 1 }) > 0 {
		t.Skip("without optimization New does not stay on the stack")
	}
}

// inlined returns what stays on its caller's stack if it is inlined there.
func inlined() *[64]byte { return new([64]byte) }
