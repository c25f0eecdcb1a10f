package sha256_test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"os"
	"path/filepath"
	"strconv"
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

// A record is one group of "Name = value" lines of a CAVP response file.
type record map[string]string

// readCAVP returns the records of a response file of n digests. Each begins
// with a line that is called first; lines before the first such are no matter.
func readCAVP(t *testing.T, file, first string, n int) []record {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "cavp", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var records []record
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		name, value, ok := strings.Cut(s.Text(), " = ")
		if !ok || strings.HasPrefix(name, "#") || strings.HasPrefix(name, "[") {
			continue
		}
		if name == first {
			records = append(records, record{})
		}
		if len(records) > 0 {
			records[len(records)-1][name] = value
		}
	}
	if err := s.Err(); err != nil {
		t.Fatalf("reading %s: %v", file, err)
	}
	if len(records) != n {
		t.Fatalf("%s has %d records, want %d", file, len(records), n)
	}
	return records
}

// bytes decodes the hexadecimal value called name.
func (r record) bytes(t *testing.T, name string) []byte {
	t.Helper()
	b, err := hex.DecodeString(r[name])
	if err != nil || r[name] == "" {
		t.Fatalf("%s = %.40q: %v", name, r[name], err)
	}
	return b
}

func cavpMessages(t *testing.T, prefix string) (msgs, digests [][]byte) {
	t.Helper()
	records := append(readCAVP(t, prefix+"ShortMsg.rsp", "Len", 65), readCAVP(t, prefix+"LongMsg.rsp", "Len", 64)...)
	for _, r := range records {
		bits, err := strconv.Atoi(r["Len"])
		if err != nil || bits%8 != 0 {
			t.Fatalf("Len = %s", r["Len"])
		}
		msgs = append(msgs, r.bytes(t, "Msg")[:bits/8])
		digests = append(digests, r.bytes(t, "MD"))
	}
	return msgs, digests
}

var cavpPrefixes = []string{"SHA256", "SHA224"} // in the order of variants

func TestCAVPMessages(t *testing.T) {
	for i, prefix := range cavpPrefixes {
		msgs, digests := cavpMessages(t, prefix)
		hashtest.ForEachSingle(t, func(t *testing.T) {
			for j, msg := range msgs {
				if got := variants[i].sum(msg); !bytes.Equal(got, digests[j]) {
					t.Errorf("%s of %d bytes: %x, want %x", prefix, len(msg), got, digests[j])
				}
				h := variants[i].new()
				h.Write(msg)
				if got := h.Sum(nil); !bytes.Equal(got, digests[j]) {
					t.Errorf("%s of %d bytes written: %x, want %x", prefix, len(msg), got, digests[j])
				}
			}
		})
	}
}

func TestCAVPMessagesSideBySide(t *testing.T) {
	msgs, digests := cavpMessages(t, "SHA256")
	hashtest.ForEach(t, func(t *testing.T) {
		got := make([][sha256.Size]byte, len(msgs))
		sha256.SumMany(got, msgs)
		for i, want := range digests {
			if !bytes.Equal(got[i][:], want) {
				t.Errorf("%d bytes: %x, want %x", len(msgs[i]), got[i], want)
			}
		}
	})
}

// TestCAVPMonteCarlo does what the SHA Validation System's document describes
// in section 6.4: 100 chains of 1,000 digests, each message the last three.
func TestCAVPMonteCarlo(t *testing.T) {
	for i, prefix := range cavpPrefixes {
		records := readCAVP(t, prefix+"Monte.rsp", "COUNT", 100)
		if testing.Short() {
			records = records[:20]
		}
		seed := readCAVP(t, prefix+"Monte.rsp", "Seed", 1)[0].bytes(t, "Seed")
		hashtest.ForEachSingle(t, func(t *testing.T) {
			md := seed
			for j, r := range records {
				a, b, c := md, md, md
				for range 1000 {
					msg := append(append(append(make([]byte, 0, 3*len(a)), a...), b...), c...)
					a, b, c = b, c, variants[i].sum(msg)
				}
				md = c
				if want := r.bytes(t, "MD"); !bytes.Equal(md, want) {
					t.Fatalf("%s count %d: %x, want %x", prefix, j, md, want)
				}
			}
		})
	}
}

func TestWycheproofHMAC(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "fips140=only") {
		t.Skip("crypto/hmac takes only its own module's hashes")
	}
	for i, file := range []string{"hmac_sha256_test.json", "hmac_sha224_test.json"} { // in the order of variants
		data, err := os.ReadFile(filepath.Join("testdata", "wycheproof", file))
		if err != nil {
			t.Fatal(err)
		}
		var vectors struct {
			NumberOfTests int
			TestGroups    []struct {
				TagSize int
				Tests   []struct {
					TcID            int
					Key, Msg, Tag   string
					Comment, Result string
				}
			}
		}
		if err := json.Unmarshal(data, &vectors); err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		hashtest.ForEachSingle(t, func(t *testing.T) {
			tests := 0
			for _, g := range vectors.TestGroups {
				for _, tt := range g.Tests {
					mac := hmac.New(variants[i].new, hashtest.Unhex(t, tt.Key))
					mac.Write(hashtest.Unhex(t, tt.Msg))
					tag := mac.Sum(nil)[:g.TagSize/8]
					if valid := hmac.Equal(tag, hashtest.Unhex(t, tt.Tag)); valid != (tt.Result == "valid") {
						t.Errorf("%s, %d (%s): valid %v, want %s", file, tt.TcID, tt.Comment, valid, tt.Result)
					}
					tests++
				}
			}
			if tests != vectors.NumberOfTests || tests == 0 {
				t.Errorf("%s: ran %d tests of %d", file, tests, vectors.NumberOfTests)
			}
		})
	}
}
