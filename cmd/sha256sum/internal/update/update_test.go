package update

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

func writeStamps(t *testing.T, names ...string) (list string) {
	t.Helper()
	list = filepath.Join(t.TempDir(), "LIST")
	b := []byte(format + "\n")
	for i, name := range names {
		b = AppendRecord(b, &Record{Name: name, Digest: abcDigest, Stamp: stamp.Stamp{Size: 3, Inode: int64(i)}})
	}
	if err := os.WriteFile(StampsOf(list), b, 0o666); err != nil {
		t.Fatal(err)
	}
	return list
}

var abcDigest = sha256.Sum256([]byte("abc"))

// Records are found in the order of the walk, root by root: those of files that are gone
// are skipped, those that are still to come are not.
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

// A run that does not replace its list keeps the records of all files that it has none of,
// in their order: of those that are gone, or could not be read, or were not come to. It also
// keeps the record of a file that it found with another digest (!). A * marks its own records.
func TestRecordsOfBeforeStay(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		before, roots, of, want []string
	}{
		{"gone", []string{"t/a/1", "t/a/2", "t/b"}, []string{"t"}, []string{"t/b"}, []string{"t/a/1", "t/a/2", "t/b*"}},
		{"unreadable", []string{"t/a", "t/b", "t/c"}, []string{"t"}, []string{"t/a", "t/c"}, []string{"t/a*", "t/b", "t/c*"}},
		{"new", []string{"t/b"}, []string{"t"}, []string{"t/a", "t/b", "t/c"}, []string{"t/a*", "t/b*", "t/c*"}},
		{"not come to", []string{"t/a", "t/b"}, []string{"t"}, []string{"t/a"}, []string{"t/a*", "t/b"}},
		{"none come to", []string{"t/a", "t/b"}, []string{"t"}, nil, []string{"t/a", "t/b"}},
		{"roots", []string{"z/a", "z/c", "a/b", "m", "a/y"}, []string{"z", "a"}, []string{"z/b", "a/a", "a/y"}, []string{"z/a", "z/b*", "z/c", "a/a*", "a/b", "m", "a/y*"}},
		{"another root", []string{"t/a"}, []string{"u"}, []string{"u/a"}, []string{"t/a", "u/a*"}},
		{"roots in another order", []string{"a/1", "b/1"}, []string{"b", "a"}, []string{"b/1", "b/2"}, []string{"b/1*", "b/2*", "a/1"}},
		{"changed, roots in another order", []string{"a/1", "a/2", "b/1"}, []string{"b", "a"}, []string{"b/1!", "a/1", "a/2!"}, []string{"a/1*", "a/2", "b/1"}},
		{"changed, and not come to", []string{"a/1", "b/1", "b/2"}, []string{"b", "a"}, []string{"b/1!", "b/2"}, []string{"b/2*", "a/1", "b/1"}},
		{"changed", []string{"t/a", "t/b", "t/c"}, []string{"t"}, []string{"t/b!", "t/c", "t/d!"}, []string{"t/a", "t/b", "t/c*", "t/d*"}},
		{"none", nil, []string{"t"}, []string{"t/a"}, []string{"t/a*"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := writeStamps(t, tt.before...)
			w, err := Create(list)
			if err != nil {
				t.Fatal(err)
			}
			const own = 77 // bytes, in records of this run
			for _, name := range tt.of {
				r := Record{Name: name, Digest: abcDigest, Stamp: stamp.Stamp{Size: own}}
				if name, changed := strings.CutSuffix(name, "!"); changed {
					r.Name, r.Digest = name, sha256.Sum256(nil)
				}
				if err := w.Write(&r); err != nil {
					t.Fatal(err)
				}
			}
			w, err = w.Complete(list, tt.roots)
			if err := errors.Join(err, w.Commit()); err != nil {
				t.Fatal(err)
			}
			lines, err := openRecords(list)
			if err != nil {
				t.Fatal(err)
			}
			defer lines.file.Close()
			var got []string
			for r := lines.next(); r != nil; r = lines.next() {
				if r.Stamp.Size == own {
					r.Name += "*"
				}
				got = append(got, r.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, not %q", got, tt.want)
			}
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(list), ".sha256sum.*")); err != nil || len(left) > 0 {
				t.Errorf("%q are left, %v", left, err)
			}
		})
	}
}

// Records that cannot be read on are not all of them.
func TestRecordsThatBreakOff(t *testing.T) {
	broken := errors.New("broken")
	list := writeStamps(t, "t/a", "t/b")
	stamps, err := os.ReadFile(StampsOf(list))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(list, []string{"t"})
	if err != nil {
		t.Fatal(err)
	}
	r.lines.Lines = checklist.NewLines(io.MultiReader(bytes.NewReader(stamps), iotest.ErrReader(broken)), '\n')
	r.Enter("t")
	for _, name := range []string{"t/a", "t/b", "t/c"} {
		r.Find(name)
	}
	r.Close()
	if err := r.Err(); err != broken {
		t.Errorf("the error is %v", err)
	}
}

// A record that was damaged in any byte is not used.
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
