// Package checksum reads, compares and computes the digests that lists expect
// besides SHA-256: those of older manifests, and the checksums that S3 stores.
package checksum

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha512"
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/crc64nvme"
)

// An Algorithm computes one kind of checksum.
type Algorithm struct {
	// Name is what stands before the colon, and what columns are called.
	Name string
	// Size is the length of a checksum in bytes.
	Size int
	// Composite says that S3 stores checksums of the checksums of an object's parts.
	Composite bool

	newHash func() hash.Hash
}

// Algorithms are those that there are, in the order in which lists write them.
var Algorithms = []*Algorithm{
	{"md5", md5.Size, false, md5.New},
	{"sha1", sha1.Size, true, sha1.New},
	{"sha512", sha512.Size, false, sha512.New},
	{"crc32", crc32.Size, true, func() hash.Hash { return crc32.NewIEEE() }},
	{"crc32c", crc32.Size, true, func() hash.Hash { return crc32.New(castagnoli) }},
	{"crc64nvme", crc64nvme.Size, false, func() hash.Hash { return crc64nvme.New() }},
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Named returns the algorithm of a name as somebody may write it: SHA-1, SHA1,
// SHA2-512, ChecksumCRC32C. It returns nil if there is none.
func Named(name string) *Algorithm {
	if name == "" {
		return nil
	}
	name = separators.Replace(strings.ToLower(name))
	name = strings.TrimPrefix(name, "checksum")
	if name == "sha2512" { // OpenSSL's SHA2-512
		name = "sha512"
	}
	for _, a := range Algorithms {
		if a.Name == name {
			return a
		}
	}
	return nil
}

var separators = strings.NewReplacer("-", "", "_", "", "/", "")

// OfDigest returns the algorithm of a digest that only its length describes, as in a
// manifest of md5sum. It returns nil if that is not enough to tell: a checksum of a few
// digits may be of any kind.
func OfDigest(text string) *Algorithm {
	for _, a := range Algorithms {
		if a.Size >= md5.Size && (len(text) == hex.EncodedLen(a.Size) || len(text) == base64.StdEncoding.EncodedLen(a.Size)) {
			return a
		}
	}
	return nil
}

// Parse returns a checksum in the form in which all are compared: the algorithm, a
// colon, and hexadecimal digits in lower case or, of a composite checksum, base64, a
// hyphen and the number of parts. The text may be in hexadecimal digits or base64.
func (a *Algorithm) Parse(text string) (string, error) {
	digits, parts, composite := strings.Cut(text, "-")
	b, err := a.decode(digits)
	switch {
	case err != nil:
		return "", err
	case !composite:
		return a.Name + ":" + hex.EncodeToString(b), nil
	case !a.Composite:
		return "", fmt.Errorf("not a checksum: there is no composite %s: %q", a.Name, text)
	}
	if n, err := strconv.Atoi(parts); err != nil || n < 1 || strconv.Itoa(n) != parts {
		return "", fmt.Errorf("not a number of parts at the end of %q", text)
	}
	return a.Name + ":" + base64.StdEncoding.EncodeToString(b) + "-" + parts, nil
}

// decode returns the bytes of a checksum.
func (a *Algorithm) decode(text string) (b []byte, err error) {
	// The lengths differ, but for four bytes, whose base64 ends in "==". The decoder of
	// base64 skips line ends: with one, too few digits are left.
	switch {
	case len(text) == hex.EncodedLen(a.Size) && !strings.HasSuffix(text, "="):
		b, err = hex.DecodeString(text)
	case len(text) == base64.StdEncoding.EncodedLen(a.Size):
		b, err = base64.StdEncoding.Strict().DecodeString(text)
	}
	if err != nil || len(b) != a.Size {
		return nil, fmt.Errorf("not %d bytes of %s in hexadecimal digits or base64: %q", a.Size, a.Name, text)
	}
	return b, nil
}

// Join returns checksums as Parse returns them as one text, with blanks between, in
// the order of Algorithms. It is an error if two of one algorithm differ, or if
// composite ones are of different numbers of parts.
func Join(checksums []string) (string, error) {
	var joined []string
	for _, a := range Algorithms {
		found := ""
		for _, c := range checksums {
			switch {
			case !strings.HasPrefix(c, a.Name+":") || c == found:
			case found != "":
				return "", fmt.Errorf("both %s and %s", found, c)
			default:
				found = c
				joined = append(joined, c)
			}
		}
	}
	all := strings.Join(joined, " ")
	parts := 0
	for _, c := range joined {
		n := Parts(c)
		if n > 0 && parts > 0 && n != parts {
			return "", fmt.Errorf("checksums of different numbers of parts: %s", all)
		}
		parts = max(parts, n)
	}
	return all, nil
}

// Parts returns the number of parts of the composite checksums in a text that Join
// returned, or 0 if there are none.
func Parts(joined string) int {
	i := strings.IndexByte(joined, '-')
	if i < 0 {
		return 0
	}
	digits, _, _ := strings.Cut(joined[i+1:], " ")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// A Set computes the checksums that a list expects of an object. It is not safe for
// concurrent use. A nil Set has none.
type Set struct {
	expected []string
	sums     [][]sum // of each that is expected, by the length of parts
	sizes    []int64 // of parts
}

// A sum is a checksum of what was written.
type sum interface {
	io.Writer
	Reset()
	// text returns it as Parse does, without its algorithm. Nothing can be written
	// any more.
	text() string
	state() (sumState, error)
	setState(sumState) error
}

// stateOf returns the state of a hash. All that Algorithms name have one.
func stateOf(h hash.Hash) ([]byte, error) { return h.(encoding.BinaryMarshaler).MarshalBinary() }

func setStateOf(h hash.Hash, state []byte) error {
	return h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

// New returns a Set of checksums that Join returned, or nil if there are none. partSizes are the lengths that the parts of composite checksums may
// have: the checksums for each of them are computed in the same pass.
func New(expected string, partSizes []int64) *Set {
	if expected == "" {
		return nil
	}
	s := &Set{expected: strings.Fields(expected), sizes: partSizes}
	for _, e := range s.expected {
		name, text, _ := strings.Cut(e, ":")
		a := Named(name)
		var sums []sum
		if strings.Contains(text, "-") {
			for _, size := range partSizes {
				sums = append(sums, &composite{part: a.newHash(), whole: a.newHash(), size: size})
			}
		} else {
			sums = []sum{full{a.newHash()}}
		}
		s.sums = append(s.sums, sums)
	}
	return s
}

// Write adds more of the object.
func (s *Set) Write(p []byte) {
	if s == nil {
		return
	}
	for _, sums := range s.sums {
		for _, h := range sums {
			h.Write(p) // never fails
		}
	}
}

// Reset begins the object anew.
func (s *Set) Reset() {
	if s == nil {
		return
	}
	for _, sums := range s.sums {
		for _, h := range sums {
			h.Reset()
		}
	}
}

// setState is a Set, as MarshalBinary writes it.
type setState struct {
	Expected []string   `json:"expected"`
	Sizes    []int64    `json:"sizes"`
	Sums     []sumState `json:"sums"` // one behind the other
}

// A sumState is a sum: the state of a hash or, if it is composite, of two and the
// numbers of bytes in the current part and of parts before it.
type sumState struct {
	Hash  []byte `json:"hash"`
	Whole []byte `json:"whole,omitempty"`
	N     int64  `json:"n,omitempty"`
	Done  int    `json:"done,omitempty"`
}

// MarshalBinary returns how far the Set is, for UnmarshalBinary of another that expects
// the same. Of a nil Set it is nothing.
func (s *Set) MarshalBinary() ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	state := setState{Expected: s.expected, Sizes: s.sizes}
	for _, h := range slices.Concat(s.sums...) {
		one, err := h.state()
		if err != nil {
			return nil, err
		}
		state.Sums = append(state.Sums, one)
	}
	return json.Marshal(state)
}

// UnmarshalBinary sets the Set to what MarshalBinary returned. After an error it has to
// be reset.
func (s *Set) UnmarshalBinary(text []byte) error {
	if s == nil && len(text) == 0 {
		return nil
	}
	var state setState
	if err := json.Unmarshal(text, &state); err != nil {
		return err
	}
	if s == nil || !slices.Equal(state.Expected, s.expected) || !slices.Equal(state.Sizes, s.sizes) || len(state.Sums) != len(slices.Concat(s.sums...)) {
		return errors.New("a state of other checksums")
	}
	for i, h := range slices.Concat(s.sums...) {
		if err := h.setState(state.Sums[i]); err != nil {
			return err
		}
	}
	return nil
}

// Computed returns the checksums of what was written, in the form and the order of
// those that are expected, and the length of parts that the composite ones have, or 0.
// Of several lengths it is the one that makes what is expected, otherwise the first.
// The Set has to be reset after it.
func (s *Set) Computed() (checksums string, partSize int64) {
	if s == nil {
		return "", 0
	}
	want := strings.Join(s.expected, " ")
	texts := make([][]string, len(s.sums))
	for j, sums := range s.sums {
		for _, h := range sums {
			texts[j] = append(texts[j], h.text())
		}
	}
	for i := range max(1, len(s.sizes)) {
		found := make([]string, len(texts))
		for j, of := range texts {
			name, _, _ := strings.Cut(s.expected[j], ":")
			found[j] = name + ":" + of[min(i, len(of)-1)]
		}
		all := strings.Join(found, " ")
		if i > 0 && all != want {
			continue
		}
		checksums = all
		if len(s.sizes) > 0 {
			partSize = s.sizes[i]
		}
		if all == want {
			break
		}
	}
	return checksums, partSize
}

// A full sum is that of the object as a whole.
type full struct{ hash.Hash }

func (f full) text() string { return hex.EncodeToString(f.Sum(nil)) }

func (f full) state() (sumState, error) {
	b, err := stateOf(f.Hash)
	return sumState{Hash: b}, err
}

func (f full) setState(s sumState) error { return setStateOf(f.Hash, s.Hash) }

// A composite sum is that of the sums of an object's parts.
type composite struct {
	part, whole hash.Hash
	size        int64 // of parts
	n           int64 // bytes of the current part
	done        int   // parts in whole
}

func (c *composite) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if c.n == c.size {
			c.end()
		}
		k := min(int64(len(p)), c.size-c.n)
		c.part.Write(p[:k])
		c.n += k
		p = p[k:]
	}
	return written, nil
}

// end ends a part.
func (c *composite) end() {
	c.whole.Write(c.part.Sum(nil))
	c.part.Reset()
	c.n = 0
	c.done++
}

// An object without contents has one part.
func (c *composite) text() string {
	c.end()
	return base64.StdEncoding.EncodeToString(c.whole.Sum(nil)) + "-" + strconv.Itoa(c.done)
}

func (c *composite) state() (sumState, error) {
	part, err := stateOf(c.part)
	whole, wholeErr := stateOf(c.whole)
	return sumState{part, whole, c.n, c.done}, errors.Join(err, wholeErr)
}

func (c *composite) setState(s sumState) error {
	c.n, c.done = s.N, s.Done
	return errors.Join(setStateOf(c.part, s.Hash), setStateOf(c.whole, s.Whole))
}

func (c *composite) Reset() {
	c.part.Reset()
	c.whole.Reset()
	c.n, c.done = 0, 0
}
