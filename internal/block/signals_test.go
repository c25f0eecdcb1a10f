//go:build unix

package block

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"runtime/pprof"
	"testing"
	"time"
)

// TestProfile hashes while the profiler's signals interrupt it, and finds in
// the profile that the kernel which was forced is the one that ran.
func TestProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for samples")
	}
	for _, k := range Kernels() {
		t.Run(k.Name, func(t *testing.T) {
			if !k.Supported {
				t.Skipf("this machine cannot run %s", k.Name)
			}
			data := make([]byte, k.Max*Size)
			randomBytes(rand.New(rand.NewPCG(10, 10)), data)
			want := IV256
			generic(&want, &data[0], k.Max)
			states := make([]State, k.Lanes)
			h, p := make([]*State, k.Lanes), make([]*byte, k.Lanes)
			for i := range states {
				h[i], p[i] = &states[i], &data[0]
			}
			restore, _ := Force(k.Name)
			defer restore()

			// One sample every 10 ms: the first attempt should do.
			for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
				var profile bytes.Buffer
				if err := pprof.StartCPUProfile(&profile); err != nil {
					t.Skipf("profiling: %v", err)
				}
				for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
					for i := range states {
						states[i] = IV256
					}
					if k.Lanes == 1 {
						Compress(&states[0], data)
					} else {
						k.Blocks(&h[0], &p[0], k.Lanes, 0, 0, k.Max, 1)
					}
					for i := range states {
						if states[i] != want {
							t.Fatalf("lane %d: %08x, want %08x", i, states[i], want)
						}
					}
				}
				pprof.StopCPUProfile()
				if names := decompress(t, &profile); bytes.Contains(names, []byte("internal/block."+k.Name)) {
					return
				}
			}
			t.Errorf("no sample of %s", k.Name)
		})
	}
}

// decompress returns the protocol buffer of a profile, which names functions in
// plain text.
func decompress(t *testing.T, profile io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(profile)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
