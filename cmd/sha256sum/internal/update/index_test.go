package update

import (
	"os"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// Records that can no longer be read say nothing of a file, which is an error.
func TestIndexThatBreaks(t *testing.T) {
	list := writeStamps(t, "t/a", "t/b")
	for _, broken := range []bool{false, true} {
		x, err := OpenIndex(list)
		if err != nil {
			t.Fatal(err)
		}
		want := Damaged
		if broken {
			want = Unknown
			if err := os.Remove(StampsOf(list)); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(StampsOf(list), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if got := x.Origin("t/a", abcDigest, stamp.Stamp{Size: 3}); got != want || (x.Err() != nil) != broken {
			t.Errorf("broken: %v: origin %v, error %v", broken, got, x.Err())
		}
	}
}
