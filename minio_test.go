package sha256_test

import (
	stdsha256 "crypto/sha256"
	"hash"
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
