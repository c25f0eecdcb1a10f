package sha256

import (
	stdsha256 "crypto/sha256"
	"errors"
	"hash"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// TestFaultLeavesNoHashWaiting tests that WriteHashes hashes side by side again
// what it wrote to when memory could not be read.
func TestFaultLeavesNoHashWaiting(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	for _, length := range []int{len(broken), 3000} { // of the others, alike or not
		hs, data := make([]hash.Hash, 40), make([][]byte, 40)
		for i := range hs {
			hs[i], data[i] = New(), make([]byte, length)
		}
		data[17] = broken
		if guard.Faults(func() { WriteHashes(hs, data) }) == nil {
			t.Error("reading what cannot be read did not fault")
		}
		for i, h := range hs {
			if flushedDigest(h).waiting {
				t.Errorf("hash %d is still waiting", i)
			}
		}
		w := works.Get().(*work) // the one that was used, unless the pool dropped it
		if w.hs != nil || w.data != nil {
			t.Errorf("%d hashes and %d writes are kept", len(w.hs), len(w.data))
		}
		works.Put(w)
	}
}

// TestTakenStatesAreCleared tests that nothing of a prefix stays in the pool: it may be a
// key.
func TestTakenStatesAreCleared(t *testing.T) {
	h := stdsha256.New()
	h.Write([]byte("a key"))
	s := take(h)
	if s == nil {
		t.Skip("crypto/sha256 does the work")
	}
	form := s.form
	s.release()
	if s.digest != (digest{}) {
		t.Errorf("the state is still there: %+v", s.digest)
	}
	if slices.ContainsFunc(form, func(b byte) bool { return b != 0 }) {
		t.Errorf("the marshalled state is still there: %x", form)
	}
}

// TestNoHashIsLeftWaiting tests that what lists of hashes leave behind can go side
// by side the next time. A hash that is still waiting goes alone: that is right,
// but slow.
func TestNoHashIsLeftWaiting(t *testing.T) {
	s := NewServer()
	for _, tt := range []struct {
		name   string
		held   int // bytes that each hash holds back before
		length func(i int) int
	}{
		{"nothing to compress", 0, func(int) int { return 7 }},
		{"whole blocks alike", 0, func(int) int { return 4 * BlockSize }},
		{"alike", 0, func(int) int { return 100 }},
		{"unlike", 0, func(i int) int { return 100 * i }},
		{"unlike, none short", 0, func(i int) int { return 100 + 100*i }},
		{"held data", 5000, func(int) int { return 300 }},
		{"held data, and little more", 5000, func(int) int { return 200 }},
		{"held data, and unlike", 5000, func(i int) int { return 100 * i }},
	} {
		hs, data := make([]hash.Hash, 40), make([][]byte, 40)
		for i := range hs {
			hs[i], data[i] = s.New(), make([]byte, tt.length(i))
			hs[i].Write(make([]byte, tt.held/2))
			hs[i].Write(make([]byte, tt.held-tt.held/2))
		}
		for _, call := range []struct {
			name string
			call func()
		}{
			{"WriteHashes", func() { WriteHashes(hs, data) }},
			{"SumHashes", func() { SumHashes(make([][Size]byte, len(hs)), hs) }},
		} {
			call.call()
			for i, h := range hs {
				if flushedDigest(h).waiting {
					t.Fatalf("%s, %s: hash %d is still waiting", tt.name, call.name, i)
				}
				h.Write(make([]byte, tt.held)) // for the next call
			}
		}
	}
}

// meddler is a hash of another package. Its method Write does something else, too.
type meddler struct {
	hash.Hash
	meddle func()
}

func (m meddler) Write(p []byte) (int, error) {
	m.meddle()
	return m.Hash.Write(p)
}

// TestMisuseLeavesNoHashWaiting copies a Server's hash over another during WriteHashes, which
// panics after it has marked the hashes in front of the copy.
func TestMisuseLeavesNoHashWaiting(t *testing.T) {
	s := NewServer()
	original, copied := s.New().(*serverHash), s.New().(*serverHash)
	hs, data := []hash.Hash{meddler{New(), func() { copied.digest, copied.self = original.digest, original }}}, [][]byte{make([]byte, 9000)}
	for range 20 {
		hs, data = append(hs, New(), s.New()), append(data, make([]byte, 9000), make([]byte, 9000))
	}
	hs, data = append(hs, copied), append(data, make([]byte, 9000))
	message := func() (message any) {
		defer func() { message = recover() }()
		WriteHashes(hs, data)
		return nil
	}()
	if message == nil {
		t.Fatal("a hash was copied by value during WriteHashes, which did not panic")
	}
	for i, h := range hs[1:] {
		d, ok := h.(*digest)
		if !ok {
			d = &h.(*serverHash).digest
		}
		if d.waiting {
			t.Errorf("hash %d is still waiting", 1+i)
		}
	}
}

// counted is a hash that counts as one of crypto/sha256. It counts calls, and its state may
// be unreadable.
type counted struct {
	block.StdHash
	unreadable  bool
	reads, sums *int
}

func (c counted) AppendBinary(b []byte) ([]byte, error) {
	*c.reads++
	if c.unreadable {
		return b, errors.ErrUnsupported
	}
	return c.StdHash.AppendBinary(b)
}

func (c counted) Sum(b []byte) []byte {
	*c.sums++
	return c.StdHash.Sum(b)
}

// TestSumHashesReadsStates tests that many hashes of crypto/sha256 run side by side, alone
// and beside hashes of this package, and that one does not. Then some states cannot be read.
func TestSumHashesReadsStates(t *testing.T) {
	needsTaken(t)
	if Selected().Lanes == 1 {
		t.Skip("nothing runs side by side")
	}
	defer func(saved unsafe.Pointer) { stdType = saved }(stdType)
	stdType = typeOf(counted{})
	for _, tt := range []struct {
		n, own     int // every own-th hash is of this package; 0 for none
		unreadable int // every unreadable-th of the others is; 0 for none
		read       bool
	}{
		{1, 0, 0, false}, {32, 0, 0, true}, {64, 0, 0, true}, {65, 0, 0, true}, {64, 2, 0, true}, {64, 3, 0, true},
		{32, 0, 1, true}, {64, 0, 7, true}, {64, 2, 3, true},
	} {
		reads, sums, std := 0, 0, 0
		hs, want, got := make([]hash.Hash, tt.n), make([][Size]byte, tt.n), make([][Size]byte, tt.n)
		for i := range hs {
			if tt.own > 0 && i%tt.own == 0 {
				hs[i] = New()
			} else {
				std++
				hs[i] = counted{stdsha256.New().(block.StdHash), tt.unreadable > 0 && std%tt.unreadable == 0, &reads, &sums}
			}
			hs[i].Write([]byte{byte(i)})
			want[i] = Sum256([]byte{byte(i)})
		}
		if SumHashes(got, hs); !slices.Equal(got, want) {
			t.Errorf("%+v: wrong digests", tt)
		}
		wantReads, wantSums := 0, std
		if tt.read {
			wantReads, wantSums = std, 0
		}
		if tt.unreadable > 0 {
			wantSums = std
		}
		if reads != wantReads || sums != wantSums {
			t.Errorf("%+v: %d states read, %d calls of Sum; want %d and %d", tt, reads, sums, wantReads, wantSums)
		}
	}
}

// TestFewHashesAreNotRead tests that SumHashes reads the states of hashes of crypto/sha256
// unless they are few.
func TestFewHashesAreNotRead(t *testing.T) {
	needsTaken(t)
	defer func(saved unsafe.Pointer) { stdType = saved }(stdType)
	stdType = typeOf(counted{})
	for n := 1; n <= 70; n++ {
		reads, sums := 0, 0
		hs := make([]hash.Hash, n)
		for i := range hs {
			hs[i] = counted{stdsha256.New().(block.StdHash), false, &reads, &sums}
		}
		SumHashes(make([][Size]byte, n), hs)
		wantReads, wantSums := n, 0
		if lanes.StdEndsOneByOne(n) {
			wantReads, wantSums = 0, n
		}
		if reads != wantReads || sums != wantSums {
			t.Errorf("%d hashes: %d states read, %d calls of Sum; want %d and %d", n, reads, sums, wantReads, wantSums)
		}
	}
}
