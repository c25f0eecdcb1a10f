package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"
	"testing"
	"time"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// The variants of the algorithm, and crypto/sha256's of the same.
var variants = []struct {
	name     string
	new, std hashtest.MakeHash
	sum      func([]byte) []byte
	stdSum   func([]byte) []byte
}{
	{
		"SHA-256", sha256.New, stdsha256.New,
		func(p []byte) []byte { d := sha256.Sum256(p); return d[:] },
		func(p []byte) []byte { d := stdsha256.Sum256(p); return d[:] },
	},
	{
		"SHA-224", sha256.New224, stdsha256.New224,
		func(p []byte) []byte { d := sha256.Sum224(p); return d[:] },
		func(p []byte) []byte { d := stdsha256.Sum224(p); return d[:] },
	},
}

// TestExamples has the examples of FIPS 180-2, appendix B, and change notice 1.
func TestExamples(t *testing.T) {
	million := strings.Repeat("a", 1000000)
	for _, tt := range []struct{ in, sha256, sha224 string }{
		{
			"",
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			"d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
		},
		{
			"abc",
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			"23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
		},
		{
			"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
			"75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
		},
		{
			million,
			"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
			"20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
		},
	} {
		hashtest.ForEachSingle(t, func(t *testing.T) {
			for i, want := range []string{tt.sha256, tt.sha224} {
				v := variants[i]
				if got := hex.EncodeToString(v.sum([]byte(tt.in))); got != want {
					t.Errorf("%s of %.40q: %s, want %s", v.name, tt.in, got, want)
				}
				h := v.new()
				h.Write([]byte(tt.in))
				if got := hex.EncodeToString(h.Sum(nil)); got != want {
					t.Errorf("%s of %.40q written: %s, want %s", v.name, tt.in, got, want)
				}
			}
		})
	}
}

func TestContract(t *testing.T) {
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for _, v := range variants {
			t.Run(v.name, func(t *testing.T) {
				hashtest.TestHash(t, v.new)
				hashtest.TestStandIn(t, v.new, v.std)
			})
		}
	})
}

func TestConstants(t *testing.T) {
	if sha256.Size != stdsha256.Size || sha256.Size224 != stdsha256.Size224 || sha256.BlockSize != stdsha256.BlockSize {
		t.Errorf("Size %d, Size224 %d, BlockSize %d", sha256.Size, sha256.Size224, sha256.BlockSize)
	}
}

func TestEveryLengthAtTheEdgeOfMemory(t *testing.T) {
	const most = 1025
	buf := guard.New(t, most)
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for n := range most + 1 {
			for _, p := range [][]byte{buf.Head(n), buf.Tail(n)} {
				copy(p, hashtest.Data(n))
				for _, v := range variants {
					want := v.stdSum(p)
					var got []byte
					if err := guard.Faults(func() { got = v.sum(p) }); err != nil {
						t.Fatalf("%s of %d bytes: %v", v.name, n, err)
					}
					if !bytes.Equal(got, want) {
						t.Fatalf("%s of %d bytes: %x, want %x", v.name, n, got, want)
					}
				}
			}
		}
	})
}

// TestEverySplit writes messages of every length up to 1025 in two pieces that
// meet anywhere. With -short they meet near multiples of the block size only.
func TestEverySplit(t *testing.T) {
	const most = 1025
	p := hashtest.Data(most)
	want := make([][stdsha256.Size]byte, most+1)
	for n := range want {
		want[n] = stdsha256.Sum256(p[:n])
	}
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for split := range most + 1 {
			if distance := (split + 2) % sha256.BlockSize; testing.Short() && distance > 4 {
				continue
			}
			first := sha256.New()
			first.Write(p[:split])
			for n := split; n <= most; n++ {
				h, err := first.(hash.Cloner).Clone()
				if err != nil {
					t.Fatal(err)
				}
				h.Write(p[split:n])
				var got [sha256.Size]byte
				h.Sum(got[:0])
				if got != want[n] {
					t.Fatalf("%d and %d bytes: %x, want %x", split, n-split, got, want[n])
				}
			}
		}
	})
}

func TestEveryAlignment(t *testing.T) {
	buf := hashtest.Data(2000)
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for offset := range 64 {
			for _, n := range []int{1, 55, 56, 63, 64, 65, 119, 120, 128, 1000} {
				p := buf[offset : offset+n]
				if got, want := sha256.Sum256(p), stdsha256.Sum256(p); got != want {
					t.Errorf("%d bytes at offset %d: %x, want %x", n, offset, got, want)
				}
				h := sha256.New()
				h.Write(p[:n/3])
				h.Write(p[n/3:])
				if got, want := h.Sum(nil), stdsha256.Sum256(p); !bytes.Equal(got, want[:]) {
					t.Errorf("%d bytes written from offset %d: %x, want %x", n, offset, got, want)
				}
			}
		}
	})
}

// boundaries are the lengths at which a count of bits or bytes leaves 31 or 32
// bits, and those beside them.
var boundaries = []int64{
	256<<20 - 1, 256 << 20, 256<<20 + 1,
	512<<20 - 1, 512 << 20, 512<<20 + 1,
	4<<30 - 1, 4 << 30, 4<<30 + 1,
}

// forge returns hashes of both packages in the same arbitrary state after
// length bytes.
func forge(t *testing.T, new, std hashtest.MakeHash, length uint64) (h, want hash.Hash) {
	t.Helper()
	h, want = new(), std()
	state, err := want.(hashtest.State).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	dirt := hashtest.Data(len(state))
	n := int(length % sha256.BlockSize)
	copy(state[4:4+32+n], dirt)
	binary.BigEndian.PutUint64(state[len(state)-8:], length)
	for _, h := range []hash.Hash{h, want} {
		if err := h.(hashtest.State).UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
	}
	return h, want
}

func TestForgedLengths(t *testing.T) {
	lengths := []uint64{1<<61 - 65, 1<<61 - 1, 1 << 61, 1<<64 - 65, 1<<64 - 1}
	for _, n := range boundaries {
		lengths = append(lengths, uint64(n))
	}
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for _, length := range lengths {
			for _, v := range variants {
				h, want := forge(t, v.new, v.std, length)
				for _, more := range []int{0, 1, 63, 64, 1000} {
					p := hashtest.Data(more)
					h.Write(p)
					want.Write(p)
					if got, want := h.Sum(nil), want.Sum(nil); !bytes.Equal(got, want) {
						t.Errorf("%s after %d bytes and up to %d more: %x, want %x", v.name, length, more, got, want)
					}
				}
			}
		}
	})
}

// TestHugeMessages hashes real messages of up to 4 GiB + 1 zeros, each in one
// call, and all of them side by side.
func TestHugeMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 36 GB")
	}
	zeros := guard.Zeros(t, boundaries[len(boundaries)-1])
	const sample = 16 << 20
	start := time.Now()
	sha256.Sum256(zeros[:sample])
	if all := 36_000_000_000 / sample * time.Since(start); all > 3*time.Minute {
		t.Skipf("hashing 36 GB here would take %v", all.Round(time.Second))
	}
	std := stdsha256.New()
	want := make([][sha256.Size]byte, len(boundaries))
	msgs := make([][]byte, len(boundaries))
	done := int64(0)
	for i, n := range boundaries {
		msgs[i] = zeros[:n]
		std.Write(zeros[done:n])
		std.Sum(want[i][:0])
		done = n
	}

	got := make([][sha256.Size]byte, len(msgs))
	sha256.SumMany(got, msgs)
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("SumMany of %d bytes: %x, want %x", boundaries[i], got[i], want[i])
		}
	}

	last := len(msgs) - 1
	if got := sha256.Sum256(msgs[last]); got != want[last] {
		t.Errorf("Sum256 of %d bytes: %x, want %x", boundaries[last], got, want[last])
	}
	h := sha256.New()
	h.Write(msgs[last])
	if got := h.Sum(nil); !bytes.Equal(got, want[last][:]) {
		t.Errorf("Write of %d bytes: %x, want %x", boundaries[last], got, want[last])
	}
	hs := []hash.Hash{sha256.New(), sha256.New()}
	sha256.WriteHashes(hs, [][]byte{msgs[last], msgs[last-2]})
	for i, want := range [][sha256.Size]byte{want[last], want[last-2]} {
		if got := hs[i].Sum(nil); !bytes.Equal(got, want[:]) {
			t.Errorf("WriteHashes, hash %d: %x, want %x", i, got, want)
		}
	}
}
