package sha256_test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

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
