package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	sha256 "github.com/minio/sha256-simd"
)

// All that v1.0.1 exports, in the form that its users compile against.
var (
	_ [sha256.Size]byte                                       = [32]byte{}
	_ [sha256.BlockSize]byte                                  = [64]byte{}
	_ [sha256.Avx512ServerUID]byte                            = [16]byte{}
	_ func() hash.Hash                                        = sha256.New
	_ func([]byte) [32]byte                                   = sha256.Sum256
	_ func() *sha256.Avx512Server                             = sha256.NewAvx512Server
	_ func(*sha256.Avx512Server) hash.Hash                    = sha256.NewAvx512
	_ hash.Hash                                               = (*sha256.Avx512Digest)(nil)
	_ func(*sha256.Avx512Server)                              = (*sha256.Avx512Server).Process
	_ func(*sha256.Avx512Server, uint64, []byte) (int, error) = (*sha256.Avx512Server).Write
	_ func(*sha256.Avx512Server, uint64, []byte) [32]byte     = (*sha256.Avx512Server).Sum
	_ sha256.Avx512LaneInfo
)

func message(n int) []byte {
	m := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(m)
	return m
}

func TestSum256AndNew(t *testing.T) {
	for n := range 300 {
		m := message(n)
		want := stdsha256.Sum256(m)
		if got := sha256.Sum256(m); got != want {
			t.Fatalf("Sum256 of %d bytes is %x, not %x", n, got, want)
		}
		h := sha256.New()
		h.Write(m[:n/3])
		h.Write(m[n/3:])
		if got := h.Sum([]byte{1}); !bytes.Equal(got, append([]byte{1}, want[:]...)) {
			t.Fatalf("New's Sum of %d bytes is %x, not %x", n, got, want)
		}
	}
}

func TestServersHash(t *testing.T) {
	for name, server := range map[string]*sha256.Avx512Server{
		"server": sha256.NewAvx512Server(), "zero server": new(sha256.Avx512Server), "no server": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for i := range 100 {
				wg.Go(func() {
					m := message(997 * i)
					h := sha256.NewAvx512(server)
					if h.Size() != 32 || h.BlockSize() != 64 {
						t.Errorf("Size %d, BlockSize %d", h.Size(), h.BlockSize())
					}
					// io.CopyBuffer uses the same buffer for each Write.
					onlyRead := struct{ io.Reader }{bytes.NewReader(m)}
					if _, err := io.CopyBuffer(struct{ io.Writer }{h}, onlyRead, make([]byte, 4096)); err != nil {
						t.Error(err)
					}
					for range 2 {
						if want := stdsha256.Sum256(m); !bytes.Equal(h.Sum(nil), want[:]) {
							t.Errorf("wrong digest of %d bytes", len(m))
						}
					}
					h.Reset()
					io.WriteString(h, "abc")
					if want := stdsha256.Sum256([]byte("abc")); !bytes.Equal(h.Sum(nil), want[:]) {
						t.Error("wrong digest after Reset")
					}
				})
			}
			wg.Wait()
		})
	}
}

// padded returns m and its padding, FIPS 180-4, section 5.1.1.
func padded(m []byte) []byte {
	p := append(bytes.Clone(m), 0x80)
	for len(p)%sha256.BlockSize != sha256.BlockSize-8 {
		p = append(p, 0)
	}
	return binary.BigEndian.AppendUint64(p, uint64(len(m))*8)
}

func TestServersStreams(t *testing.T) {
	for name, server := range map[string]*sha256.Avx512Server{
		"server": sha256.NewAvx512Server(), "zero server": new(sha256.Avx512Server),
	} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for i := range 64 {
				wg.Go(func() {
					uid := uint64(sha256.Avx512ServerUID + i)
					for _, n := range []int{0, 63, 64, 1000, 100_000} {
						m := padded(message(n + i))
						half := len(m) / 2 &^ (sha256.BlockSize - 1)
						if nn, err := server.Write(uid, m[:half]); nn != half || err != nil {
							t.Errorf("Write returns %d, %v for %d bytes", nn, err, half)
						}
						if got, want := server.Sum(uid, m[half:]), stdsha256.Sum256(message(n+i)); got != want {
							t.Errorf("stream %d: Sum of %d bytes is %x, not %x", uid, n+i, got, want)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestStreamHashesWholeBlocks(t *testing.T) {
	server := sha256.NewAvx512Server()
	m := padded(message(200))
	if nn, err := server.Write(1, append(bytes.Clone(m[:128]), "rest"...)); nn != 132 || err != nil {
		t.Errorf("Write returns %d, %v for 132 bytes", nn, err)
	}
	want := stdsha256.Sum256(message(200))
	if got := server.Sum(1, m[128:]); got != want {
		t.Errorf("Sum is %x, not %x", got, want)
	}
	if got := server.Sum(2, m); got != want {
		t.Errorf("Sum of what was not written before is %x, not %x", got, want)
	}
}

// TestStreamOfManyWriters writes the same blocks to a stream from several
// goroutines.
func TestStreamOfManyWriters(t *testing.T) {
	const writers, writes = 8, 500
	server := sha256.NewAvx512Server()
	block := message(sha256.BlockSize)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range writes {
				server.Write(1, block)
			}
		})
	}
	wg.Wait()
	m := padded(bytes.Repeat(block, writers*writes))
	if got, want := server.Sum(1, m[writers*writes*len(block):]), stdsha256.Sum256(bytes.Repeat(block, writers*writes)); got != want {
		t.Errorf("Sum is %x, not %x", got, want)
	}
}

func TestProcessReturns(t *testing.T) {
	server := sha256.NewAvx512Server()
	server.Process()
	h := sha256.NewAvx512(server)
	fmt.Fprint(h, "abc")
	if want := stdsha256.Sum256([]byte("abc")); !bytes.Equal(h.Sum(nil), want[:]) {
		t.Error("wrong digest after Process")
	}
}
