package memory

import (
	"runtime/debug"
	"testing"
)

// The limit rises with what is held, beyond a part that it has room for, and falls again.
func TestLimitFollowsWhatIsHeld(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	Hold(mostHeld)
	if limit() != before {
		t.Errorf("the limit is %d before much is held", limit())
	}
	Hold(3 << 20)
	if want := int64(Most + 3<<20); limit() != want {
		t.Errorf("the limit is %d, not %d", limit(), want)
	}
	Hold(-2 << 20)
	if want := int64(Most + 1<<20); limit() != want {
		t.Errorf("the limit is %d, not %d", limit(), want)
	}
	debug.SetMemoryLimit(before)
	Limit() // as when workers start later
	if want := int64(Most + 1<<20); limit() != want {
		t.Errorf("the limit is %d, not %d", limit(), want)
	}
	Hold(-1<<20 - mostHeld)
	if limit() != Most || Held() != 0 {
		t.Errorf("the limit is %d, with %d bytes held", limit(), Held())
	}
	var s []int64
	for i := range int64(1000) {
		s = Append(s, i)
	}
	if len(s) != 1000 || s[999] != 999 || Held() != 8*int64(cap(s)) {
		t.Errorf("%d numbers, %d bytes held of %d", len(s), Held(), 8*cap(s))
	}
}
