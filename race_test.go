//go:build race

package sha256_test

import (
	"hash"
	"os"
	"os/exec"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
)

// readers are the calls that read p in assembly.
var readers = map[string]func(p []byte){
	"Sum256": func(p []byte) { sha256.Sum256(p) },
	"Write":  func(p []byte) { sha256.New().Write(p) },
	"SumMany": func(p []byte) {
		sha256.SumMany(make([][sha256.Size]byte, 2), [][]byte{make([]byte, len(p)), p})
	},
	"SumMany of unequal lengths": func(p []byte) {
		sha256.SumMany(make([][sha256.Size]byte, 3), [][]byte{nil, make([]byte, 5000), p})
	},
	"a Server's hash": func(p []byte) { sha256.NewServer().New().Write(p) },
	"a Server":        func(p []byte) { sha256.NewServer().Sum256(p) },
	"WriteMany": func(p []byte) {
		sha256.WriteMany([]hash.Hash{sha256.New(), sha256.New()}, [][]byte{make([]byte, 5000), p})
	},
}

// TestRaceDetectorSeesReads runs this binary again, once for each call, to race
// it with a write: the detector has to say so.
func TestRaceDetectorSeesReads(t *testing.T) {
	const variable = "SHA256SIMD_TEST_RACE"
	if reader := readers[os.Getenv(variable)]; reader != nil {
		p := make([]byte, 20_000)
		done := make(chan bool)
		go func() {
			p[500] = 1
			close(done)
		}()
		reader(p)
		<-done
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range readers {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(self, "-test.run=^TestRaceDetectorSeesReads$", "-test.count=1")
			cmd.Env = append(os.Environ(), variable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "DATA RACE") {
				t.Errorf("a race went unnoticed: %v\n%s", err, out)
			}
		})
	}
}
