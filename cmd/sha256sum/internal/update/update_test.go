package update

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

func writeStamps(t *testing.T, names ...string) (list string) {
	t.Helper()
	list = filepath.Join(t.TempDir(), "LIST")
	b := []byte(format + "\n")
	for i, name := range names {
		b = AppendRecord(b, &Record{Name: name, Digest: abcDigest, Stamp: stamp.Stamp{Size: 3, Inode: int64(i)}})
	}
	if err := os.WriteFile(list+Suffix, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return list
}

var abcDigest = sha256.Sum256([]byte("abc"))

// TestRecordsAreFoundInTheirOrder are found in the order of the walk, root by root: those of files that are
// gone are skipped, those that are still to come are not.
func TestRecordsAreFoundInTheirOrder(t *testing.T) {
	list := writeStamps(t, "z/a", "z/c", "z/d", "a/b", "a/x", "a/y")
	r, err := Open(list, []string{"z", "a"})
	if err != nil {
		t.Fatal(err)
	}
	r.Enter("z")
	for _, test := range []struct {
		root, name string
		found      bool
	}{
		{"z", "z/a", true},
		{"z", "z/b", false}, // new
		{"z", "z/d", true},  // z/c is gone
		{"z", "z/e", false}, // new, behind all of its root: a/b is to come
		{"a", "a/a", false},
		{"a", "a/b", true},
		{"a", "a/y", true},
		{"a", "a/z", false},
	} {
		r.Enter(test.root)
		if got := r.Find(test.name); (got != nil) != test.found || got != nil && got.Name != test.name {
			t.Errorf("%s: %v, want %v", test.name, got, test.found)
		}
	}
}

// TestRecordsThatAreLeft was not asked for, or was found in vain, is kept.
func TestRecordsThatAreLeft(t *testing.T) {
	list := writeStamps(t, "t/a", "t/b", "t/c")
	r, err := Open(list, []string{"t"})
	if err != nil {
		t.Fatal(err)
	}
	r.Enter("t")
	r.Keep(r.Find("t/a"))
	var left []string
	if err := r.Rest(func(r *Record) error { left = append(left, r.Name); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"t/a", "t/b", "t/c"}; !slices.Equal(left, want) {
		t.Errorf("%q are left, not %q", left, want)
	}
}

// A TestDamagedRecords that was damaged in any byte is not used.
func TestDamagedRecords(t *testing.T) {
	r := Record{Name: "a\nb", Digest: abcDigest, Stamp: stamp.Stamp{Size: 1234, Modified: 1700000000123456789, Changed: 1700000000123456789, Inode: 42}}
	line := AppendRecord(nil, &r)
	line = line[:len(line)-1]
	if got, ok := ParseRecord(string(line)); !ok || *got != r {
		t.Fatalf("%+v, %v", got, ok)
	}
	for i := range line {
		for bit := range 8 {
			damaged := slices.Clone(line)
			damaged[i] ^= 1 << bit
			if got, ok := ParseRecord(string(damaged)); ok {
				t.Errorf("bit %d of byte %d is wrong, and it is %+v", bit, i, got)
			}
		}
	}
	for n := range line {
		if got, ok := ParseRecord(string(line[:n])); ok {
			t.Errorf("%d bytes are %+v", n, got)
		}
	}
}
