package lanes

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestReadEnd compares ReadEnd with SetEnd, for every length of an end, in a scratch that is
// full of something else.
func TestReadEnd(t *testing.T) {
	for n := range 3 * block.Size {
		h, data := sha256.New(), randomBytes(n)
		h.Write(data)
		state, whole := block.IV256, n&^(block.Size-1)
		block.Compress(&state, data[:whole])

		var got, want Job
		got.Scratch = [len(got.Scratch)]byte(bytes.Repeat([]byte{0x55}, len(got.Scratch)))
		at, blocks := got.ReadEnd(h.(block.StdHash))
		wantAt, wantBlocks := want.SetEnd(&state, data[whole:], uint64(n))
		if blocks != wantBlocks || got.H != want.H || !bytes.Equal(got.Scratch[at:][:blocks*block.Size], want.Scratch[wantAt:][:blocks*block.Size]) {
			t.Errorf("%d bytes: %d blocks %x into %x, want %d blocks %x into %x", n, blocks, got.Scratch[at:], got.H, wantBlocks, want.Scratch[wantAt:], want.H)
		}
		if !bytes.Equal(got.Scratch[:at], make([]byte, at)) {
			t.Errorf("%d bytes: the marshalled state stays in front of the end: %x", n, got.Scratch[:at])
		}
	}
	if _, blocks := new(Job).ReadEnd(sha256.New224().(block.StdHash)); blocks != 0 {
		t.Errorf("a state of SHA-224 was read: %d blocks", blocks)
	}
}
