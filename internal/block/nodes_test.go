package block

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"
)

// TestNodeKernels compares every node kernel that this machine can run with
// crypto/sha256, for every number of groups up to more than one call's worth.
func TestNodeKernels(t *testing.T) {
	const most = maxNodes + 2*MaxLanes
	src := make([]byte, most*NodeSize)
	rand.NewChaCha8([32]byte{1}).Read(src)
	want := make([]byte, most*DigestSize)
	for i := range most {
		sum := sha256.Sum256(src[i*NodeSize:][:NodeSize])
		copy(want[i*DigestSize:], sum[:])
	}
	for _, k := range NodeKernels() {
		t.Run(k.Name, func(t *testing.T) {
			if !k.Supported {
				t.Skip("not supported by this machine")
			}
			buf := make([]byte, len(src))
			for n := 0; n <= most; n += k.Lanes {
				copy(buf, src)
				k.Hash(buf, buf[:n*NodeSize])
				if string(buf[:n*DigestSize]) != string(want[:n*DigestSize]) {
					t.Fatalf("%d nodes in place: wrong digests", n)
				}
				if string(buf[n*DigestSize:]) != string(src[n*DigestSize:]) {
					t.Fatalf("%d nodes in place: wrote beyond the digests", n)
				}
			}
		})
	}
}
