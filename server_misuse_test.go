package sha256_test

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/race"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// misuses are what two goroutines do to one hash at the same time, again and again.
var misuses = []struct {
	name string
	use  func(h hashtest.Hash, data []byte)
}{
	{"Write and Reset", func(h hashtest.Hash, data []byte) {
		h.Write(data[:3000])
		h.Write(data[:3000])
		h.Reset()
	}},
	{"Write and Sum", func(h hashtest.Hash, data []byte) {
		h.Write(data[:3000])
		h.Write(data[:3000])
		h.Sum(nil)
	}},
	{"short writes until the buffer is full", func(h hashtest.Hash, data []byte) {
		h.Write(data[:2500])
		for range 150 {
			h.Write(data[:250])
		}
		h.Reset()
	}},
	{"long writes behind short ones", func(h hashtest.Hash, data []byte) {
		h.Write(data[:20_000])
		h.Write(data[:20_000])
		h.Write(data)
		h.Reset()
	}},
	{"states", func(h hashtest.Hash, data []byte) {
		h.Write(data[:5000])
		state, _ := h.MarshalBinary()
		h.Write(data[:5000])
		h.UnmarshalBinary(state)
	}},
	{"Clone", func(h hashtest.Hash, data []byte) {
		h.Write(data[:5000])
		c, _ := h.Clone()
		c.Write(data[:5000])
		h.Reset()
	}},
	{"lists", func(h hashtest.Hash, data []byte) {
		hs := []hash.Hash{h, sha256.New()}
		h.Write(data[:5000])
		sha256.WriteHashes(hs, [][]byte{data[:5000], data[:3000]})
		h.Write(data[:5000])
		sha256.SumHashes(make([][sha256.Size]byte, 2), hs)
		h.Reset()
	}},
}

// TestMisuseStaysAtHome has two goroutines misuse a hash of a Server, while four
// goroutines use a hash each as they should: all digests of theirs are right. The race
// detector would fail this test, so it is told to report nothing, in another process.
func TestMisuseStaysAtHome(t *testing.T) {
	if hashtest.Sanitized && !race.Enabled {
		t.Skip("a sanitizer allocates")
	}
	const variable = "SHA256SIMD_TEST_MISUSE"
	for _, tt := range misuses {
		if os.Getenv(variable) == tt.name {
			right, wrong := besideMisuse(tt.use)
			fmt.Printf("digests: %d right, %d wrong\n", right, wrong)
			return
		}
	}
	for _, tt := range misuses {
		t.Run(tt.name, func(t *testing.T) {
			var right, wrong int
			if race.Enabled {
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(self, "-test.run=^TestMisuseStaysAtHome$", "-test.count=1")
				cmd.Env = append(os.Environ(), variable+"="+tt.name, "GORACE=report_bugs=0")
				out, err := cmd.Output()
				if _, scan := fmt.Sscanf(string(out), "digests: %d right, %d wrong", &right, &wrong); scan != nil || err != nil {
					t.Fatalf("%v: %v\n%s", cmd, err, out)
				}
			} else {
				right, wrong = besideMisuse(tt.use)
			}
			if right == 0 || wrong > 0 {
				t.Errorf("of other hashes %d digests are right, %d are wrong", right, wrong)
			}
		})
	}
}

// besideMisuse counts the digests that are right and wrong of goroutines which use a
// hash each, while two others misuse one.
func besideMisuse(use func(h hashtest.Hash, data []byte)) (right, wrong int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	s := sha256.NewServer()
	defer s.Close() // returns: no combiner is left behind
	end := time.Now().Add(time.Duration(few(10)) * 50 * time.Millisecond)
	var mu sync.Mutex
	var wg sync.WaitGroup
	misused := s.New().(hashtest.Hash)
	for g := range 2 {
		wg.Go(func() {
			data := make([]byte, 100_000)
			for i := range data {
				data[i] = byte(0xa0 + g)
			}
			for time.Now().Before(end) {
				func() {
					defer func() { recover() }() // an index may be out of range, too
					use(misused, data)
				}()
			}
		})
	}
	for g := range 4 {
		wg.Go(func() {
			data := hashtest.Data(20_000)[1000*g:][:6000]
			want := stdsha256.Sum256(data)
			good, bad := 0, 0
			h := s.New()
			for good+bad == 0 || time.Now().Before(end) {
				h.Write(data[:3000])
				h.Write(data[3000:])
				if [sha256.Size]byte(h.Sum(nil)) == want {
					good++
				} else {
					bad++
				}
				h.Reset()
			}
			mu.Lock()
			right, wrong = right+good, wrong+bad
			mu.Unlock()
		})
	}
	wg.Wait()
	return right, wrong
}
