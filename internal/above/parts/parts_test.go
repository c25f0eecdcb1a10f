package parts_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/above/parts"
	"github.com/sha256-simd/sha256-simd/internal/hashtest"
)

// Package composite tests what its checksums need; here is what they do not.
func TestStretchesPrefixesAndPadding(t *testing.T) {
	data := hashtest.Data(3<<20 + 100)
	for _, procs := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, partSize := range []int{1, 500, 512, 4096, 16 << 10, 64 << 10, 100_000, 512 << 10, 5 << 20} {
			for _, size := range []int{1, partSize - 1, partSize, partSize + 1, 40*partSize - 7, 3 << 20} {
				if size < 1 || size > 3<<20 || size/partSize > 2000 {
					continue
				}
				for _, prefix := range []int{0, 32, 64, 100} {
					for _, pad := range []bool{false, true} {
						const off = 77
						p := parts.Parts{
							R: bytes.NewReader(data), Off: off, Size: int64(size), PartSize: int64(partSize), Pad: pad, Prefix: data[:prefix],
						}
						got := make([][32]byte, p.Count())
						if err := p.Sum(t.Context(), got); err != nil {
							t.Fatal(err)
						}
						for i := range got {
							h := sha256.New()
							h.Write(data[:prefix])
							part := data[off+i*partSize : min(off+(i+1)*partSize, off+size)]
							h.Write(part)
							if pad {
								h.Write(make([]byte, partSize-len(part)))
							}
							if want := [32]byte(h.Sum(nil)); got[i] != want {
								t.Fatalf("part %d of %d bytes in parts of %d behind %d, padded %v: %x, want %x", i, size, partSize, prefix, pad, got[i], want)
							}
						}
					}
				}
			}
		}
	}
}

// failing reads zeros, but fails at an offset.
type failing struct {
	at  int64
	err error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off <= f.at && f.at < off+int64(len(p)) {
		return 0, f.err
	}
	clear(p)
	return len(p), nil
}

// TestTheFirstErrorIsTheReaders has many workers fail because one did: the error is
// never what ended the others.
func TestTheFirstErrorIsTheReaders(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	errBroken := errors.New("broken")
	for i := range 300 {
		const n = 256
		p := parts.Parts{R: failing{int64(i%n) * 20_000, errBroken}, Size: n * 20_000, PartSize: 20_000, Package: "some"}
		if err := p.Sum(t.Context(), make([][32]byte, n)); !errors.Is(err, errBroken) {
			t.Fatalf("run %d: error %v, want %v", i, err, errBroken)
		}
	}
}

func TestErrorsNameThePackageAndTheOffset(t *testing.T) {
	p := parts.Parts{R: bytes.NewReader(make([]byte, 150)), Off: 100, Size: 100, PartSize: 100, Package: "some"}
	err := p.Sum(t.Context(), make([][32]byte, 1))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(fmt.Sprint(err), "some: reading at offset 150: ") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Sum(ctx, make([][32]byte, 1)); err != context.Canceled {
		t.Errorf("error %v of a context that is done", err)
	}
}
