package parts

import (
	"bytes"
	"runtime"
	"testing"
	"weak"

	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestStepsKeepNoOldBuffer fills a step with many parts, and then with one that needs a larger
// buffer.
func TestStepsKeepNoOldBuffer(t *testing.T) {
	object := hashtest.Data(1 << 20)
	s := new(step)
	fill := func(n, size int) {
		p := pipeline{
			Parts:   Parts{R: bytes.NewReader(object), Size: int64(n * size), PartSize: int64(size), GroupSize: n},
			stretch: int64(size),
		}
		s.parts, s.first, s.last = make([][32]byte, n), true, true
		if err := p.fill(t.Context(), s, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
		fill(100, 1000)
		old := weak.Make(&s.buf[0])
		fill(1, len(object))
		return map[string]weak.Pointer[byte]{"the old buffer": old}
	})
	runtime.KeepAlive(s)
}
