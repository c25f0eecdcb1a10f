//go:build race

package sha256_test

import (
	"hash"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/internal/block"
)

// users are the calls that read p in assembly, or write to it.
var users = map[string]func(p []byte){
	"Sum256":                    func(p []byte) { sha256.Sum256(p) },
	"Sum256 of a short message": func(p []byte) { sha256.Sum256(p[490:510]) },
	"Write":                     func(p []byte) { sha256.New().Write(p) },
	"Write behind a piece": func(p []byte) {
		h := sha256.New()
		h.Write([]byte("piece"))
		h.Write(p[450:550])
	},
	"SumMany": func(p []byte) {
		sha256.SumMany(make([][sha256.Size]byte, 2), [][]byte{make([]byte, len(p)), p})
	},
	"SumMany224": func(p []byte) {
		sha256.SumMany224(make([][sha256.Size224]byte, 2), [][]byte{make([]byte, len(p)), p})
	},
	"SumMany of jobs that rotate": func(p []byte) {
		// One more than there are lanes, of blocks that as many slices as lanes divide.
		lanes := sha256.Selected().Lanes
		n, whole := lanes+1, 64*(300-300%lanes)
		msgs := make([][]byte, n)
		for i := range msgs {
			msgs[i] = make([]byte, whole)
		}
		msgs[n-1] = p[:whole]
		sha256.SumMany(make([][sha256.Size]byte, n), msgs)
	},
	"SumMany of a round of short messages": func(p []byte) {
		msgs := make([][]byte, 64)
		for i := range msgs {
			msgs[i] = p[128*i:][:128]
		}
		sha256.SumMany(make([][sha256.Size]byte, 64), msgs)
	},
	"SumMany of unequal lengths": func(p []byte) {
		sha256.SumMany(make([][sha256.Size]byte, 3), [][]byte{nil, make([]byte, 5000), p})
	},
	"SumSeq": func(p []byte) {
		for range sha256.SumSeq(slices.All([][]byte{make([]byte, len(p)), p})) {
		}
	},
	"a Server's hash": func(p []byte) { sha256.NewServer().New().Write(p) },
	"a Server":        func(p []byte) { sha256.NewServer().Sum256(p) },
	"WriteHashes": func(p []byte) {
		sha256.WriteHashes([]hash.Hash{sha256.New(), sha256.New()}, [][]byte{make([]byte, len(p)), p})
	},
	"WriteHashes of unequal lengths": func(p []byte) {
		sha256.WriteHashes([]hash.Hash{sha256.New(), sha256.New()}, [][]byte{make([]byte, 5000), p})
	},
	"WriteHashes behind pieces": func(p []byte) {
		var hs []hash.Hash
		var data [][]byte
		for range 100 {
			h := sha256.New()
			h.Write([]byte("piece"))
			hs, data = append(hs, h), append(data, make([]byte, 2000))
		}
		data[50] = p[490:2490] // a race in what completes the block of a piece
		sha256.WriteHashes(hs, data)
	},
	"SumAfter of a short message": func(p []byte) {
		prefix := sha256.New()
		prefix.Write([]byte("prefix"))
		sha256.SumAfter(prefix, p[490:510])
	},
	"SumManyAfter": func(p []byte) {
		prefix := sha256.New()
		prefix.Write([]byte("prefix"))
		sha256.SumManyAfter(make([][sha256.Size]byte, 2), prefix, [][]byte{make([]byte, len(p)), p})
	},
	"SumManyAfter of unequal lengths": func(p []byte) {
		sha256.SumManyAfter(make([][sha256.Size]byte, 3), sha256.New(), [][]byte{nil, make([]byte, 5000), p})
	},
	"SumAfter": func(p []byte) { sha256.SumAfter(sha256.New(), p) },
	"SumRows": func(p []byte) {
		sha256.SumRows(sha256.Rows{Data: make([]byte, 64), Size: 32}, nil, sha256.Rows{Data: p, Size: 5000}, 2)
	},
	// The row of src lies on one page, since 128 bytes of the heap are aligned. Go code hashes a row on
	// two pages, and the detector sees Go code.
	"SumRows into one row": func(p []byte) {
		sha256.SumRows(sha256.Rows{Data: p[490:522], Size: 32}, nil, sha256.Rows{Data: make([]byte, 128)[64:], Size: 20}, 1)
	},
	"SumRows into one row, behind a prefix": func(p []byte) {
		prefix := sha256.New()
		prefix.Write([]byte("prefix"))
		sha256.SumRows(sha256.Rows{Data: p[490:522], Size: 32}, prefix, sha256.Rows{Data: make([]byte, 128)[64:], Size: 20}, 1)
	},
	"hashtree's chunks":  func(p []byte) { hashtree.HashByteSlice(make([]byte, 9600), p[:19_200]) },
	"hashtree's digests": func(p []byte) { hashtree.HashByteSlice(p[:9600], make([]byte, 19_200)) },
	"the last digests":   func(p []byte) { hashtree.HashByteSlice(p[:960], make([]byte, 1920)) },
	"one node":           func(p []byte) { hashtree.HashByteSlice(make([]byte, 32), p[448:512]) },
	"one node's digest":  func(p []byte) { hashtree.HashByteSlice(p[480:512], make([]byte, 64)) },
}

// inVectors names the users that read p, or write to it, in assembly only where vector registers are in
// use (see block.InVectors).
var inVectors = map[string]bool{
	"Sum256 of a short message": true, "Write behind a piece": true, "WriteHashes behind pieces": true,
	"SumAfter of a short message": true,
	"SumRows into one row":        true, "SumRows into one row, behind a prefix": true,
}

// TestRaceDetectorSeesAssembly runs this binary again, once for each call, to race
// it with a write: the detector has to say so.
func TestRaceDetectorSeesAssembly(t *testing.T) {
	const variable = "SHA256SIMD_TEST_RACE"
	if use := users[os.Getenv(variable)]; use != nil {
		p := make([]byte, 20_000)
		done := make(chan bool)
		go func() {
			p[500] = 1
			close(done)
		}()
		use(p)
		<-done
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range users {
		t.Run(name, func(t *testing.T) {
			if inVectors[name] && !block.InVectors() {
				t.Skip("Go code does this here, and the detector sees Go code")
			}
			cmd := exec.Command(self, "-test.run=^TestRaceDetectorSeesAssembly$", "-test.count=1")
			cmd.Env = append(os.Environ(), variable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "DATA RACE") {
				t.Errorf("a race went unnoticed: %v\n%s", err, out)
			}
		})
	}
}
