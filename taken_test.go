package sha256

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding"
	"hash"
	"os"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// needsTaken skips a test where no state is taken.
func needsTaken(t *testing.T) {
	if block.UsesStd() {
		t.Skip("crypto/sha256 does the work")
	}
}

// TestTakenRun tests which hashes become a run, and of which the states are taken, on both
// sides of each limit.
func TestTakenRun(t *testing.T) {
	needsTaken(t)
	type write struct {
		kind   string // "std", "std224", "own", "foreign", or "same" for the hash before
		length int
	}
	many := func(n int, w write) []write { return slices.Repeat([]write{w}, n) }
	large, small := write{"std", minTaken}, write{"std", minTaken - 1}
	for _, tt := range []struct {
		name        string
		list        []write
		run, states int // what of the list is in the run, written to or not; states that are taken
		writes      int // in the run
	}{
		{"nothing", nil, 0, 0, 0},
		{"one hash alone", []write{large}, 1, 0, 0},
		{"one before a foreign hash", []write{large, {"foreign", 2000}}, 1, 0, 0},
		{"one behind a foreign hash", []write{{"foreign", 2000}, large}, 0, 0, 0},
		{"two", []write{large, large}, 2, 2, 2},
		{"SHA-224", []write{{"std224", minTaken}, {"std224", minTaken}}, 2, 2, 2},
		{"two before a foreign hash", []write{large, large, {"foreign", 0}, large}, 2, 2, 2},
		{"one before and one of this package", []write{large, {"own", 0}}, 2, 1, 2},
		{"one behind one of this package", []write{{"own", 0}, large}, 2, 1, 2},
		{"a byte less", many(3, small), 3, 0, 0},
		{"the least", many(3, large), 3, 3, 3},
		{"a byte more", many(3, write{"std", minTaken + 1}), 3, 3, 3},
		{"too little, then enough", []write{small, large, large}, 3, 2, 2},
		{"too little behind a taken state", []write{large, {"same", 1}, large}, 3, 2, 3},
		{"as many states as may be, less one", many(maxTaken-1, large), maxTaken - 1, maxTaken - 1, maxTaken - 1},
		{"as many states as may be", many(maxTaken, large), maxTaken, maxTaken, maxTaken},
		{"a state more", many(maxTaken+1, large), maxTaken, maxTaken, maxTaken},
		{"as many writes as may be", many(maxWrites, write{"own", 1}), maxWrites, 0, maxWrites},
		{"a write more", many(maxWrites+1, write{"own", 1}), maxWrites, 0, maxWrites},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hs, data := make([]hash.Hash, len(tt.list)), make([][]byte, len(tt.list))
			for i, w := range tt.list {
				data[i] = make([]byte, w.length)
				switch w.kind {
				case "std":
					hs[i] = stdsha256.New()
				case "std224":
					hs[i] = stdsha256.New224()
				case "own":
					hs[i] = New()
				case "foreign":
					hs[i] = struct{ hash.Hash }{stdsha256.New()}
				case "same":
					hs[i] = hs[i-1]
				}
			}
			r := &takenRun{taken: make(map[hash.Hash]*takenState)}
			n := r.fill(hs, data)
			if n != tt.run || len(r.states) != tt.states || len(r.from) != tt.states || len(r.hs) != tt.writes || len(r.data) != tt.writes {
				t.Errorf("a run of %d hashes, %d states and %d writes, want %d, %d and %d", n, len(r.states), len(r.hs), tt.run, tt.states, tt.writes)
			}
			states := slices.Clone(r.states)
			r.reset()
			// What is pooled holds nothing of the caller's, and no state.
			v := reflect.ValueOf(r).Elem()
			for i := range v.NumField() {
				name, field := v.Type().Field(i).Name, v.Field(i)
				if field.Len() != 0 {
					t.Errorf("%d elements of %s are left", field.Len(), name)
				}
				if field.Kind() != reflect.Slice {
					continue
				}
				field = field.Slice(0, field.Cap())
				for j := range field.Len() {
					if !field.Index(j).IsZero() {
						t.Fatalf("element %d of %s is left", j, name)
					}
				}
			}
			for i, s := range states {
				if s.digest != (digest{}) || len(bytes.Trim(s.form, "\x00")) > 0 {
					t.Fatalf("state %d is left", i)
				}
			}
		})
	}
}

// TestManyTakenStates tests, on both sides of the limits, that each hash is written to and
// that all states are put back.
func TestManyTakenStates(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcde\n"), minTaken/16)
	for _, n := range []int{maxTaken - 1, maxTaken, maxTaken + 1, 2*maxTaken + 1, maxWrites + 1} {
		hs, list := make([]hash.Hash, n), make([][]byte, n)
		for i := range hs {
			hs[i], list[i] = stdsha256.New(), data
			hs[i].Write([]byte{byte(i), byte(i >> 8)})
		}
		WriteHashes(hs, list)
		for i, h := range hs {
			want := stdsha256.Sum256(append([]byte{byte(i), byte(i >> 8)}, data...))
			if got := h.Sum(nil); !bytes.Equal(got, want[:]) {
				t.Fatalf("hash %d of %d: %x, want %x", i, n, got, want)
			}
		}
	}
}

// TestAnyHashDecides tests that one hash of a list is enough for its states to be taken,
// wherever it stands. Reading its data faults, which leaves a taken state as it was.
func TestAnyHashDecides(t *testing.T) {
	needsTaken(t)
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	if Selected().Lanes < 2 {
		t.Skip("hashes are written to one at a time")
	}
	page := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(page), len(page)+os.Getpagesize())
	broken = broken[len(page)+1-minTaken:][:minTaken] // all but its last byte can be read
	n := 2 * Selected().Lanes                         // full lanes and long data: side by side pays on any CPU
	for _, at := range []int{0, 1, n - 1} {
		for _, other := range []func() hash.Hash{New, stdsha256.New} {
			hs, data := make([]hash.Hash, n), make([][]byte, n)
			for i := range hs {
				hs[i], data[i] = other(), make([]byte, 50_000)
			}
			hs[at], data[at] = stdsha256.New(), broken
			hs[at].Write([]byte("begin"))
			before, _ := hs[at].(encoding.BinaryMarshaler).MarshalBinary()
			if guard.Faults(func() { WriteHashes(hs, data) }) == nil {
				t.Fatal("reading what cannot be read did not fault")
			}
			if after, _ := hs[at].(encoding.BinaryMarshaler).MarshalBinary(); !bytes.Equal(after, before) {
				t.Errorf("hash %d, beside those of type %T: written to one at a time", at, other())
			}
		}
	}
}
