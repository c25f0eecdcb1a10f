package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

func TestAvx512Names(t *testing.T) {
	var server *sha256.Avx512Server = sha256.NewAvx512Server()
	defer server.Close()
	for name, h := range map[string]hash.Hash{
		"Server.New":                sha256.NewServer().New(),
		"NewAvx512":                 sha256.NewAvx512(server),
		"NewAvx512 of a nil server": sha256.NewAvx512(nil),
	} {
		if _, ok := h.(*sha256.Avx512Digest); !ok {
			t.Errorf("%s makes a %T", name, h)
		}
	}
	for name, mh := range map[string]func() hash.Hash{
		"open server": func() hash.Hash { return sha256.NewAvx512(server) },
		"nil server":  func() hash.Hash { return sha256.NewAvx512(nil) },
		"zero":        func() hash.Hash { return new(sha256.Avx512Digest) },
	} {
		t.Run(name, func(t *testing.T) {
			hashtest.TestHash(t, mh)
			hashtest.TestStandIn(t, mh, stdsha256.New)
		})
	}
}

// TestZeroAvx512DigestsAmongMany has lists be the first to use zero hashes.
func TestZeroAvx512DigestsAmongMany(t *testing.T) {
	check := func(hs []hash.Hash, message []byte) {
		t.Helper()
		sums := make([][sha256.Size]byte, len(hs))
		sha256.SumHashes(sums, hs)
		for i, sum := range sums {
			if want := stdsha256.Sum256(message); sum != want {
				t.Errorf("hash %d of %d bytes: %x, want %x", i, len(message), sum, want)
			}
		}
	}
	check([]hash.Hash{new(sha256.Avx512Digest), new(sha256.Avx512Digest)}, nil)
	hs := []hash.Hash{new(sha256.Avx512Digest), new(sha256.Avx512Digest)}
	p := hashtest.Data(100)
	sha256.WriteHashes(hs, [][]byte{p, p})
	check(hs, p)
}

// paddedBlock returns message, of at most 55 bytes, with its padding.
func paddedBlock(message []byte) []byte {
	b := make([]byte, sha256.BlockSize)
	n := copy(b, message)
	b[n] = 0x80
	binary.BigEndian.PutUint64(b[56:], uint64(n)*8)
	return b
}

// first48 is the oracle.
func first48(message []byte) int64 {
	sum := stdsha256.Sum256(message)
	return int64(binary.BigEndian.Uint64(sum[:]) >> 16)
}

func TestSumToNum256(t *testing.T) {
	hashtest.ForEachSingle(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 41))
		for range 1000 {
			message := make([]byte, 41)
			for i := range message {
				message[i] = byte(r.Uint32())
			}
			if got, want := sha256.SumToNum256(paddedBlock(message)), first48(message); got != want {
				t.Fatalf("SumToNum256 of %x = %d, want %d", message, got, want)
			}
		}
	})
}

// TestSumCmp256 compares with numbers below and above 131,071 and 2^32, found
// by trying.
func TestSumCmp256(t *testing.T) {
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for _, tt := range []struct {
			message string
			number  int64
		}{
			{"kristtest00000000643868ca", 15853},
			{"kristtest00000000010c9f31", 997169},
			{"kristtest000000000000d588", 450732098},
			{"kristtest", 273101775560139},
		} {
			if got := first48([]byte(tt.message)); got != tt.number {
				t.Fatalf("the table is wrong about %q: %d", tt.message, got)
			}
			data := paddedBlock([]byte(tt.message))
			for _, work := range []int64{0, 1, 131071, 131072, tt.number - 1, tt.number, tt.number + 1, math.MaxUint32} {
				if work < 0 || work > math.MaxUint32 {
					continue
				}
				if got, want := sha256.SumCmp256(data, uint32(work)), tt.number <= work; got != want {
					t.Errorf("SumCmp256(%q, %d) = %v, the number is %d", tt.message, work, got, tt.number)
				}
			}
		}
	})
}

func TestKristPanics(t *testing.T) {
	good := paddedBlock(make([]byte, 41))
	short := paddedBlock(make([]byte, 40))
	longer := bytes.Clone(good)
	longer[41] = 0x81
	for _, tt := range []struct {
		name, want string
		call       func()
	}{
		{"SumCmp256 of nil", "0 bytes", func() { sha256.SumCmp256(nil, 1) }},
		{"SumCmp256 of 63 bytes", "63 bytes", func() { sha256.SumCmp256(good[:63], 1) }},
		{"SumCmp256 of two blocks", "128 bytes", func() { sha256.SumCmp256(make([]byte, 128), 1) }},
		{"SumCmp256 of a message of 40 bytes", "", func() { sha256.SumCmp256(short, 1) }},
		{"SumToNum256 of nil", "0 bytes", func() { sha256.SumToNum256(nil) }},
		{"SumToNum256 of 65 bytes", "65 bytes", func() { sha256.SumToNum256(make([]byte, 65)) }},
		{"SumToNum256 of a message of 40 bytes", "data[41] is 0x00", func() { sha256.SumToNum256(short) }},
		{"SumToNum256 of a message that goes on", "data[41] is 0x81", func() { sha256.SumToNum256(longer) }},
		{"SumToNum256 of a message of 41 bytes", "", func() { sha256.SumToNum256(good) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				switch r := recover(); {
				case r == nil && tt.want != "":
					t.Error("no panic")
				case r != nil && (tt.want == "" || !strings.Contains(r.(string), tt.want)):
					t.Errorf("panic: %v, want %q", r, tt.want)
				}
			}()
			tt.call()
		})
	}
}
