package sha256

import (
	"reflect"
	"testing"
)

// TestWhatIsHeldBack looks at what a hash holds back of writes, and whether it
// has had anything done by a request.
func TestWhatIsHeldBack(t *testing.T) {
	s := NewServer()
	defer s.Close()
	if !s.New().(*serverHash).shard.meets() {
		t.Skip("nothing is hashed side by side")
	}
	for _, tt := range []struct {
		name        string
		writes      []int
		sum         bool // afterwards
		wantHeld    int
		wantRequest bool
	}{
		{"nothing", nil, false, 0, false},
		{"a short message written at once", []int{minRequest - 1}, false, 0, false},
		{"a message worth a request", []int{minRequest}, false, minRequest, false},
		{"less than a block after the beginning", []int{10, 53}, false, 0, false},
		{"the rest of a block after the beginning", []int{10, 54}, false, 64, false},
		{"as much as can be", []int{holdSize - 1}, false, holdSize - 1, false},
		{"too much at once", []int{holdSize}, false, 0, true},
		{"too much in the end", []int{holdSize - 1, 1}, false, 0, true},
		{"too much with the rest of a block", []int{10, holdSize - 10}, false, 0, true},
		{"summed, not worth a request", []int{10, minRequest - 11}, true, 0, false},
		{"summed, worth a request", []int{10, minRequest - 10}, true, 0, true},
	} {
		h := s.New().(*serverHash)
		for _, n := range tt.writes {
			h.Write(make([]byte, n))
		}
		if tt.sum {
			h.Sum(nil)
		}
		if h.m != tt.wantHeld || (h.held != nil) != (tt.wantHeld > 0) || (h.request != nil) != tt.wantRequest {
			t.Errorf("%s: %d bytes held, a request %v; want %d, %v", tt.name, h.m, h.request != nil, tt.wantHeld, tt.wantRequest)
		}
	}
}

// TestCloneHasARequestOfItsOwn tests that a hash and its clone may be written to
// at the same time.
func TestCloneHasARequestOfItsOwn(t *testing.T) {
	h := NewServer().New().(*serverHash)
	h.Write(make([]byte, 2*holdSize))
	c, err := h.Clone()
	if err != nil {
		t.Fatal(err)
	}
	c.Write(make([]byte, 2*holdSize))
	if r := c.(*serverHash).request; r != nil && r == h.request {
		t.Error("a hash and its clone share a request")
	}
}

// TestResetOfACopyDropsItsRequest tests that a hash and a copy that was made by
// value may be written to at the same time once the copy was reset.
func TestResetOfACopyDropsItsRequest(t *testing.T) {
	h, c := NewServer().New().(*serverHash), new(serverHash)
	h.Write(make([]byte, 2*holdSize))
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(h).Elem())
	c.Reset()
	if c.request != nil && c.request == h.request {
		t.Error("a hash and its copy share a request")
	}
}
