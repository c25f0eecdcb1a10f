package composite_test

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/composite"
)

// object returns n bytes, the same for every run.
func object(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{24}).Read(b)
	return b
}

// plainly returns the digests of b's parts by crypto/sha256.
func plainly(b []byte, partSize int) [][32]byte {
	var parts [][32]byte
	for part := range slices.Chunk(b, partSize) {
		parts = append(parts, stdsha256.Sum256(part))
	}
	if len(parts) == 0 {
		parts = append(parts, stdsha256.Sum256(nil))
	}
	return parts
}

// Package streams tests how the parts are read and hashed.
func TestSumMatchesPlainHashing(t *testing.T) {
	data := object(3<<20 + 77)
	for _, partSize := range []int{1000, 64 << 10, 1 << 20, 3<<20 + 77, math.MaxInt} {
		for _, size := range []int{0, 1, 999, 1000, 1001, len(data)} {
			sum, err := composite.Sum(t.Context(), bytes.NewReader(data), int64(size), int64(partSize))
			if err != nil || sum.Size != int64(size) || sum.PartSize != int64(partSize) {
				t.Fatalf("%d bytes in parts of %d: sizes %d and %d, error %v", size, partSize, sum.Size, sum.PartSize, err)
			}
			if !slices.Equal(sum.Parts, plainly(data[:size], partSize)) {
				t.Errorf("%d bytes in parts of %d: wrong digests", size, partSize)
			}
		}
	}
}

func TestStringIsWhatS3Writes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		parts := plainly(object(10*n), 10)
		h := stdsha256.New()
		for _, p := range parts {
			h.Write(p[:])
		}
		want := fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(h.Sum(nil)), max(1, n))
		if got := (composite.Checksum{Parts: parts}).String(); got != want {
			t.Errorf("%d parts: %s, want %s", n, got, want)
		}
		if got := (composite.Checksum{}).String(); n == 0 && got != want {
			t.Errorf("an empty object without its part: %s, want %s", got, want)
		}
	}
}

func TestEmptyObjectHasOneEmptyPart(t *testing.T) {
	for _, r := range []io.ReaderAt{nil, bytes.NewReader(nil)} {
		sum, err := composite.Sum(t.Context(), r, 0, 8<<20)
		if err != nil || len(sum.Parts) != 1 || sum.Parts[0] != stdsha256.Sum256(nil) {
			t.Errorf("parts %x, error %v", sum.Parts, err)
		}
	}
}

func TestNonsenseIsAnError(t *testing.T) {
	untouched := readerFunc(func([]byte, int64) (int, error) {
		t.Error("something was read")
		return 0, io.EOF
	})
	for _, test := range []struct {
		name           string
		r              io.ReaderAt
		size, partSize int64
	}{
		{"negative size", untouched, -1, 1},
		{"smallest size", untouched, math.MinInt64, 1},
		{"parts of nothing", untouched, 1, 0},
		{"empty object in parts of nothing", untouched, 0, 0},
		{"negative part size", untouched, 1, -5},
		{"one part too many", untouched, 1<<24 + 1, 1},
		{"far too many parts", untouched, math.MaxInt64, 1},
		{"no reader", nil, 1, 1},
	} {
		sum, err := composite.Sum(t.Context(), test.r, test.size, test.partSize)
		if err == nil || sum.Parts != nil || !strings.HasPrefix(err.Error(), "composite: ") {
			t.Errorf("%s: %v, error %v", test.name, sum, err)
		}
	}
}

// A readerFunc is an io.ReaderAt.
type readerFunc func(p []byte, off int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// TestErrorsOfReading has errors name the package and the offset, and pass on the
// context's error as it is.
func TestErrorsOfReading(t *testing.T) {
	broken := errors.New("the disk is broken")
	fails := readerFunc(func([]byte, int64) (int, error) { return 0, broken })
	sum, err := composite.Sum(t.Context(), fails, 100, 100)
	if want := "composite: reading at offset 0: the disk is broken"; !errors.Is(err, broken) || err.Error() != want || sum.Parts != nil {
		t.Errorf("%v, error %v, want %s", sum, err, want)
	}
	if _, err := composite.Sum(t.Context(), nil, 100, 100); fmt.Sprint(err) != "composite: nil reader" {
		t.Errorf("error %v without a reader", err)
	}
	sum, err = composite.Sum(t.Context(), bytes.NewReader(make([]byte, 99)), 100, 10)
	if want := "composite: reading at offset 99, at or behind the end: unexpected EOF"; !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != want || sum.Parts != nil {
		t.Errorf("%v, error %v, want %s", sum, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, size := range []int64{0, 100, 1 << 24} { // the last one has as many parts as there may be
		if sum, err := composite.Sum(ctx, fails, size, 1); err != context.Canceled || sum.Parts != nil {
			t.Errorf("%d bytes: %v, error %v of a context that is done", size, sum, err)
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte("hello"), int64(2))
	f.Add(object(70000), int64(1000))
	f.Fuzz(func(t *testing.T, b []byte, partSize int64) {
		sum, err := composite.Sum(t.Context(), bytes.NewReader(b), int64(len(b)), partSize)
		if partSize < 1 {
			if err == nil {
				t.Fatalf("parts of %d bytes were accepted", partSize)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := plainly(b, int(min(partSize, math.MaxInt32))); !slices.Equal(sum.Parts, want) {
			t.Errorf("%d bytes in parts of %d: wrong digests", len(b), partSize)
		}
	})
}
