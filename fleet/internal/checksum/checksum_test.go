package checksum

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

// check is what the catalogue of CRCs takes the check values of.
const check = "123456789"

// The check values of RFC 1321, RFC 3174, FIPS 180-4 and the catalogue of CRCs. S3's
// CRC64NVME is the catalogue's CRC-64/NVME.
func TestKnownValues(t *testing.T) {
	for _, want := range []string{
		"md5:25f9e794323b453885f5181f1b624d0b",
		"sha1:f7c3bc1d808e04732adf679965ccc34ca7ae3441",
		"sha512:d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85",
		"crc32:cbf43926",
		"crc32c:e3069283",
		"crc64nvme:ae8b14860a799888",
	} {
		for _, pieces := range [][]string{{check}, {check[:4], "", check[4:]}} {
			s := New(want, nil)
			for _, p := range pieces {
				s.Write([]byte(p))
			}
			if got, partSize := s.Computed(); got != want || partSize != 0 {
				t.Errorf("got %s, %d, want %s", got, partSize, want)
			}
		}
	}
}

// One algorithm has one name, however it is written.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"MD5": "md5", "md5": "md5", "SHA1": "sha1", "SHA-1": "sha1", "sha_1": "sha1", "SHA512": "sha512", "SHA2-512": "sha512",
		"CRC32": "crc32", "CRC-32": "crc32", "CRC32C": "crc32c", "ChecksumCRC32C": "crc32c", "checksum_crc64nvme": "crc64nvme", "CRC64NVME": "crc64nvme",
		"SHA256": "", "SHA512/256": "", "SHA384": "", "": "", "checksum": "",
	} {
		got := ""
		if a := Named(name); a != nil {
			got = a.Name
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	for length, want := range map[int]string{32: "md5", 24: "md5", 40: "sha1", 28: "sha1", 128: "sha512", 88: "sha512", 8: "", 12: "", 16: "", 64: "", 44: "", 56: ""} {
		got := ""
		if a := OfDigest(strings.Repeat("0", length)); a != nil {
			got = a.Name
		}
		if got != want {
			t.Errorf("%d characters: got %q, want %q", length, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	sum := sha1.Sum(nil)
	b64 := base64.StdEncoding.EncodeToString(sum[:])
	for _, tt := range []struct {
		algorithm, text, want string // "" for an error
	}{
		{"sha1", hex.EncodeToString(sum[:]), "sha1:" + hex.EncodeToString(sum[:])},
		{"sha1", strings.ToUpper(hex.EncodeToString(sum[:])), "sha1:" + hex.EncodeToString(sum[:])},
		{"sha1", b64, "sha1:" + hex.EncodeToString(sum[:])},
		{"sha1", b64 + "-3", "sha1:" + b64 + "-3"},
		{"sha1", hex.EncodeToString(sum[:]) + "-3", "sha1:" + b64 + "-3"},
		{"crc32", "y/Q5Jg==", "crc32:cbf43926"},
		{"crc32", "CBF43926", "crc32:cbf43926"},
		{"crc64nvme", "rosUhgp5mIg=", "crc64nvme:ae8b14860a799888"},
		{"crc64nvme", "rosUhgp5mIg=-2", ""}, // S3 has none
		{"md5", "25f9e794323b453885f5181f1b624d0b-2", ""},
		{"crc32", "y/Q5Jg==-0", ""},
		{"crc32", "y/Q5Jg==-03", ""},
		{"crc32", "y/Q5Jg==-x", ""},
		{"crc32", "cbf4392", ""},
		{"crc32", "cbf4392g", ""},
		{"sha1", "", ""},
		{"sha1", b64[:20] + "\n" + b64[20:], ""},
		{"md5", b64, ""},
	} {
		got, err := Named(tt.algorithm).Parse(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s %q: got %q, %v, want %q", tt.algorithm, tt.text, got, err, tt.want)
		}
	}
}

// compositeOf computes a composite checksum the plain way.
func compositeOf(data []byte, size int, of func([]byte) []byte) string {
	var all []byte
	parts := 0
	for first := true; first || len(data) > 0; first = false {
		n := min(size, len(data))
		all = append(all, of(data[:n])...)
		data = data[n:]
		parts++
	}
	return fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(of(all)), parts)
}

func sha1Of(b []byte) []byte { s := sha1.Sum(b); return s[:] }

func crc32Of(b []byte) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) }

// Composite checksums are S3's, wherever writes end. Of several lengths of parts the one
// that makes what is expected is found.
func TestComposite(t *testing.T) {
	data := []byte(strings.Repeat(check, 100))
	for _, size := range []int{1, 100, 300, 899, 900, 1000} {
		sha, crc := compositeOf(data, size, sha1Of), compositeOf(data, size, crc32Of)
		m := md5.Sum(data)
		want := "md5:" + hex.EncodeToString(m[:]) + " sha1:" + sha + " crc32:" + crc
		for _, piece := range []int{1, 7, 100, 900} {
			s := New(want, []int64{77, int64(size), 50})
			for range 2 {
				for i := 0; i < len(data); i += piece {
					s.Write(data[i:min(i+piece, len(data))])
				}
				if got, partSize := s.Computed(); got != want || partSize != int64(size) {
					t.Errorf("parts of %d: got %s, %d, want %s", size, got, partSize, want)
				}
				s.Reset()
			}
		}
	}
	want := "sha1:" + compositeOf(nil, 5, sha1Of)
	if got, _ := New(want, []int64{5}).Computed(); got != want {
		t.Errorf("of nothing: got %s, want %s", got, want)
	}
	other := "crc32:" + compositeOf(data[1:], 100, crc32Of)
	s := New(other, []int64{100, 300})
	s.Write(data)
	if got, partSize := s.Computed(); got != "crc32:"+compositeOf(data, 100, crc32Of) || partSize != 100 {
		t.Errorf("another object: got %s, %d", got, partSize)
	}
}

func TestJoin(t *testing.T) {
	for _, tt := range []struct {
		checksums, want string // "" for an error
		parts           int
	}{
		{"crc32:cbf43926 md5:x sha1:y", "md5:x sha1:y crc32:cbf43926", 0},
		{"md5:x md5:x", "md5:x", 0},
		{"md5:x md5:y", "", 0},
		{"crc32c:x crc32:y", "crc32:y crc32c:x", 0},
		{"md5:x crc32:y/Q5Jg==-3 sha1:z-3", "md5:x sha1:z-3 crc32:y/Q5Jg==-3", 3},
		{"sha1:x-2 crc32:y-3", "", 0},
		{"sha1:x crc32:y-3", "sha1:x crc32:y-3", 3},
	} {
		got, err := Join(strings.Fields(tt.checksums))
		if got != tt.want || (err == nil) != (tt.want != "") || Parts(got) != tt.parts {
			t.Errorf("%s: got %q, %v of %d parts, want %q of %d", tt.checksums, got, err, Parts(got), tt.want, tt.parts)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	data := make([]byte, 256<<10)
	for _, a := range Algorithms {
		b.Run(a.Name, func(b *testing.B) {
			s := &Set{expected: []string{a.Name + ":"}, sums: [][]sum{{full{a.newHash()}}}}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				s.Write(data)
			}
		})
	}
}

// A Set goes on from the state of another, wherever that was, and not from one of other
// checksums.
func TestState(t *testing.T) {
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for _, a := range Algorithms {
		empty := a.newHash().Sum(nil)
		fullText, err := a.Parse(hex.EncodeToString(empty))
		if err != nil {
			t.Fatal(err)
		}
		for _, expected := range []string{fullText, a.Name + ":" + base64.StdEncoding.EncodeToString(empty) + "-3"} {
			for _, cut := range []int{0, 1, 63, 64, 65, 99, 100, 101, 500, 999, 1000} {
				sizes := []int64{100, 333}
				whole := New(expected, sizes)
				whole.Write(data)
				first, second := New(expected, sizes), New(expected, sizes)
				first.Write(data[:cut])
				state, err := first.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				second.Write([]byte("what is dropped"))
				if err := second.UnmarshalBinary(state); err != nil {
					t.Fatal(err)
				}
				second.Write(data[cut:])
				want, wantSize := whole.Computed()
				if got, size := second.Computed(); got != want || size != wantSize {
					t.Errorf("%s, cut at %d: got %s, %d, want %s, %d", expected, cut, got, size, want, wantSize)
				}
				for _, other := range []*Set{New(expected, []int64{100}), New("md5:"+strings.Repeat("0", 32), sizes), nil} {
					if err := other.UnmarshalBinary(state); err == nil {
						t.Errorf("no error for a state of %s", expected)
					}
				}
			}
		}
	}
	var none *Set
	if state, err := none.MarshalBinary(); len(state) != 0 || err != nil || none.UnmarshalBinary(state) != nil {
		t.Errorf("of none: %q, %v", state, err)
	}
	if New("md5:"+strings.Repeat("0", 32), nil).UnmarshalBinary(nil) == nil {
		t.Error("no error for nothing")
	}
}
