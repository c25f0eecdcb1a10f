package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"errors"
	"hash"
	"math/bits"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// copied returns a copy of a Server's hash that was made by value.
func copied(h hash.Hash) hash.Hash {
	c := reflect.New(reflect.TypeOf(h).Elem())
	c.Elem().Set(reflect.ValueOf(h).Elem())
	return c.Interface().(hash.Hash)
}

// TestCopyOfAServersHash copies hashes by value. What uses a copy panics and
// leaves all other hashes alone, until Reset makes it a hash of its own.
func TestCopyOfAServersHash(t *testing.T) {
	data := hashtest.Data(80_000)
	uses := []struct {
		name string
		use  func(h hashtest.Hash)
	}{
		{"Write", func(h hashtest.Hash) { h.Write(data) }},
		{"Write of nothing", func(h hashtest.Hash) { h.Write(nil) }},
		{"Sum", func(h hashtest.Hash) { h.Sum(nil) }},
		{"Clone", func(h hashtest.Hash) { h.Clone() }},
		{"MarshalBinary", func(h hashtest.Hash) { h.MarshalBinary() }},
		{"AppendBinary", func(h hashtest.Hash) { h.AppendBinary(nil) }},
		{"UnmarshalBinary", func(h hashtest.Hash) { h.UnmarshalBinary(marshal(t, stdsha256.New())) }},
		{"WriteHashes", func(h hashtest.Hash) {
			first := sha256.New()
			defer func() {
				if !bytes.Equal(first.Sum(nil), sha256.New().Sum(nil)) {
					t.Error("WriteHashes wrote before it panicked")
				}
			}()
			sha256.WriteHashes([]hash.Hash{first, h}, [][]byte{data, data})
		}},
		{"WriteHashes of one", func(h hashtest.Hash) { sha256.WriteHashes([]hash.Hash{h}, [][]byte{data}) }},
		{"SumHashes", func(h hashtest.Hash) { sha256.SumHashes(make([][sha256.Size]byte, 2), []hash.Hash{sha256.New(), h}) }},
	}
	for _, held := range []int{0, 100, 5000} { // fresh; before and after some are held back
		s := sha256.NewServer()
		h, want := s.New().(hashtest.Hash), stdsha256.New()
		for _, p := range [][]byte{data[:min(held, 3000)], data[min(held, 3000):held]} {
			h.Write(p)
			want.Write(p)
		}
		for _, tt := range uses {
			c := copied(h).(hashtest.Hash)
			says := "sha256: a Server's hash was copied by value"
			if list, _, _ := strings.Cut(tt.name, " of one"); list == "WriteHashes" || list == "SumHashes" {
				says = "sha256: " + list + ": hash " // whose number follows
			}
			if message := panicOf(func() { tt.use(c) }); !strings.HasPrefix(message, says) || !strings.Contains(message, "copied by value") {
				t.Errorf("%s of a copy with %d bytes in it: panic %q", tt.name, held, message)
			}
			c.Reset()
			// The copy and a hash that is new hold data back, and take nothing from
			// the original or each other.
			other := s.New()
			for _, p := range [][]byte{data[9000:11_500], data[11_500:15_000]} {
				c.Write(p)
				other.Write(p)
			}
			sum := stdsha256.Sum256(data[9000:15_000])
			if !bytes.Equal(c.Sum(nil), sum[:]) || !bytes.Equal(other.Sum(nil), sum[:]) {
				t.Errorf("%s of a copy with %d bytes in it: wrong digest after Reset", tt.name, held)
			}
		}
		pair{h, want}.check(t, "the original")
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

// TestVetReportsCopies has go vet look at a package that copies a hash.
func TestVetReportsCopies(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("finding the go command: %v", err)
	}
	out, err := exec.Command(tool, "vet", "./testdata/copied").CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("running go vet: %v", err)
	}
	if !strings.Contains(string(out), "return copies lock value") {
		t.Errorf("go vet says nothing of a copy: %v\n%s", err, out)
	}
}

// TestCloneOfHeldData clones a hash that holds data back. Both go on, at the same
// time, each with data of its own.
func TestCloneOfHeldData(t *testing.T) {
	s := sha256.NewServer()
	data := hashtest.Data(60_000)
	h, want := s.New(), hashtest.WithClone(stdsha256.New)()
	write := func(h hash.Hash, p []byte) {
		for len(p) > 0 {
			n := min(len(p), 3000)
			h.Write(p[:n])
			p = p[n:]
		}
	}
	write(h, data[:5000])
	write(want, data[:5000])
	c := cloneOf(t, h)
	wantClone := cloneOf(t, want)
	done := make(chan bool)
	go func() {
		defer close(done)
		write(c, data[5000:])
		c.Write(data)
	}()
	write(h, data[7000:])
	h.Write(data[1:])
	<-done
	write(want, data[7000:])
	want.Write(data[1:])
	wantClone.Write(data[5000:])
	wantClone.Write(data)
	pair{h, want}.check(t, "the original")
	pair{c, wantClone}.check(t, "the clone")
}

// The smaller the hashes, the less often the garbage collector runs.
func TestSizesOfHashes(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("the sizes are of 64-bit ports")
	}
	for _, tt := range []struct {
		name string
		h    hash.Hash
		want uintptr // a size class of the Go allocator
	}{
		{"New", sha256.New(), 112},
		{"Server.New", sha256.NewServer().New(), 144},
	} {
		if got := reflect.TypeOf(tt.h).Elem().Size(); got > tt.want {
			t.Errorf("%s: a hash has %d bytes, want at most %d", tt.name, got, tt.want)
		}
	}
}
