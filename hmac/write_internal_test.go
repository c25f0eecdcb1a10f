package hmac

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// A recorder keeps what is written to it.
type recorder struct {
	hash.Hash
	pieces [][]byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.pieces = append(r.pieces, bytes.Clone(p))
	return r.Hash.Write(p)
}

// TestLongMessagesAreWrittenInPieces tests that crypto/hmac gets at most 64 KiB at a time,
// and in all what there is.
func TestLongMessagesAreWrittenInPieces(t *testing.T) {
	const most = 64 << 10
	for _, length := range []int{0, 1, most - 1, most, most + 1, 2 * most, 3*most + 5} {
		msg, r := hashtest.Data(length), &recorder{Hash: sha256.New()}
		write(r, msg)
		if got := slices.Concat(r.pieces...); !bytes.Equal(got, msg) {
			t.Errorf("%d bytes: other bytes were written, %d of them", length, len(got))
		}
		for _, p := range r.pieces {
			if len(p) > most {
				t.Errorf("%d bytes: a piece of %d", length, len(p))
			}
		}
		if n, want := len(r.pieces), max(1, (length+most-1)/most); n != want {
			t.Errorf("%d bytes: %d pieces, want %d", length, n, want)
		}
	}
}
