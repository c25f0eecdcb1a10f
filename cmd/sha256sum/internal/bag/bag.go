// Package bag reads what a BagIt bag (RFC 8493) says of itself: its declaration,
// which manifests it has, what is still to be fetched, and how large its payload
// is. It hashes nothing.
package bag

import (
	"bufio"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// Payload is the directory of the payload.
const Payload = "data"

// A Bag is what a bag says of itself.
type Bag struct {
	Payload []Manifest // at least one in a valid bag, SHA-256 first
	Tags    []Manifest
	Fetch   []Fetch
	Oxum    *Oxum // nil if bag-info.txt has none
	// Strict says that the version is 1.0, which demands that each payload manifest
	// lists the whole payload. Before, one of them had to list each file.
	Strict bool

	root   string // its absolute path, without links
	decode encoding.Encoding
}

// A Manifest is a list of digests.
type Manifest struct {
	File string // its name in the bag
	Algorithm
}

// An Algorithm is one of a manifest.
type Algorithm struct {
	Name string // as in the manifest's name, in lower case, without anything but letters and digits
	Size int    // of a digest in bytes
	New  func() hash.Hash
}

// SHA256 is the name of the algorithm that the caller has a faster hash for.
const SHA256 = "sha256"

// algorithms are those that can be checked, the preferred one first. Those of BLAKE2 also
// have the names that Python gives them.
var algorithms = []Algorithm{
	{SHA256, sha256.Size, sha256.New},
	{"sha512", sha512.Size, sha512.New},
	{"sha384", sha512.Size384, sha512.New384},
	{"sha3512", 64, func() hash.Hash { return sha3.New512() }},
	{"sha3384", 48, func() hash.Hash { return sha3.New384() }},
	{"sha3256", 32, func() hash.Hash { return sha3.New256() }},
	{"blake2b", blake2b.Size, unkeyed(blake2b.New512)},
	{"blake2b512", blake2b.Size, unkeyed(blake2b.New512)},
	{"blake2b384", blake2b.Size384, unkeyed(blake2b.New384)},
	{"blake2b256", blake2b.Size256, unkeyed(blake2b.New256)},
	{"blake2s", blake2s.Size, unkeyed(blake2s.New256)},
	{"blake2s256", blake2s.Size, unkeyed(blake2s.New256)},
	{"sha224", sha256.Size224, sha256.New224},
	{"sha3224", 28, func() hash.Hash { return sha3.New224() }},
	{"sha1", sha1.Size, sha1.New},
	{"md5", md5.Size, md5.New},
}

// unkeyed returns the function that makes a hash without a key.
func unkeyed(keyed func(key []byte) (hash.Hash, error)) func() hash.Hash {
	return func() hash.Hash {
		h, err := keyed(nil)
		if err != nil {
			panic(err) // only a key can be wrong
		}
		return h
	}
}

// algorithmOf returns the algorithm that a manifest's name calls, in any of the ways in
// which tools write it: sha3-256, sha3_256, SHA3256.
func algorithmOf(name string) (a Algorithm, found bool) {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	i := slices.IndexFunc(algorithms, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return Algorithm{}, false
	}
	return algorithms[i], true
}

// A Fetch is a line of fetch.txt.
type Fetch struct {
	Line int
	Name string
	Size int64 // -1 if the line does not say it
}

// An Oxum is the size of the payload.
type Oxum struct{ Bytes, Files int64 }

// A Problem is what makes a bag invalid, or what could not be checked.
type Problem struct {
	File string // in the bag
	Err  error
}

const (
	declaration = "bagit.txt"
	fetchFile   = "fetch.txt"
	infoFile    = "bag-info.txt"
	earlyInfo   = "package-info.txt" // until version 0.95
	maxTagLine  = 64 << 10
	maxDeclared = 4 << 10
)

// TagFiles returns the names of the files, other than manifests, that Open reads.
func TagFiles() []string { return []string{declaration, infoFile, earlyInfo, fetchFile} }

// oxumValue is compiled when it is used: most runs of the tool never need it.
var oxumValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+)\.([0-9]+)$`) })

// Open reads a bag. The problems are all that it finds; b is nil if dir does
// not hold a bag, or if nothing of the bag can be checked.
func Open(dir string) (b *Bag, problems []Problem) {
	wrong := func(file, format string, args ...any) {
		problems = append(problems, Problem{file, fmt.Errorf(format, args...)})
	}
	b, version, coding, err := declared(dir)
	if err != nil {
		wrong(declaration, "%w", err)
		return nil, problems
	}
	if !slices.Contains(checklist.BagVersions, version) {
		wrong(declaration, "version %s of BagIt is unknown; expected one of %s", version, strings.Join(checklist.BagVersions, ", "))
		return nil, problems
	}
	b.Strict = version == "1.0"
	if b.decode = encodingOf(coding); b.decode == nil {
		wrong(declaration, "the encoding %s is unknown; expected UTF-8, UTF-16, ISO-8859-1 or US-ASCII", coding)
		return nil, problems
	}
	if info, err := os.Lstat(filepath.Join(b.root, Payload)); err != nil || !info.IsDir() {
		wrong(Payload, "the payload directory is missing")
	}
	problems = append(problems, b.findManifests()...)
	info := infoFile
	if version < "0.96" {
		info = earlyInfo
	}
	problems = append(problems, b.readInfo(info)...)
	problems = append(problems, b.readFetch()...)
	return b, problems
}

// FormatOf returns the format of lists in a directory that have names of manifests: BagIt,
// unless the declaration beside them says that it is an earlier one. Without a declaration
// it is Auto: any tool's list may have such a name.
func FormatOf(dir string) checklist.Format {
	_, version, _, err := declared(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return checklist.Auto
	}
	return checklist.BagFormat(version)
}

// Format returns the format of the bag's manifests.
func (b *Bag) Format() checklist.Format {
	if b.Strict {
		return checklist.BagIt
	}
	return checklist.EarlyBagIt
}

// declared returns the bag in a directory, and what its declaration says.
func declared(dir string) (b *Bag, version, coding string, err error) {
	b = new(Bag)
	if b.root, err = filepath.Abs(dir); err == nil {
		b.root, err = filepath.EvalSymlinks(b.root)
	}
	if err == nil {
		version, coding, err = b.declaration()
	}
	return b, version, coding, err
}

// declaration reads the declaration, which is of UTF-8 and has two lines.
func (b *Bag) declaration() (version, coding string, err error) {
	f, err := b.Open(declaration)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDeclared))
	if err != nil {
		return "", "", err
	}
	return checklist.ParseDeclaration(string(text))
}

// encodingOf returns the encoding of tag files that has a name, or nil.
func encodingOf(name string) encoding.Encoding {
	switch strings.ToLower(name) {
	case "utf-8":
		return unicode.UTF8BOM
	case "utf-16", "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "iso-8859-1":
		return charmap.ISO8859_1
	case "us-ascii", "ascii":
		return unicode.UTF8
	}
	return nil
}

// Decode returns the text of a tag file in UTF-8, with newlines at the ends of lines:
// a bag may have CR or CRLF there.
func (b *Bag) Decode(r io.Reader) io.Reader { return &newlines{r: b.decode.NewDecoder().Reader(r)} }

// newlines reads text whose lines end with LF, CR or CRLF as if all did with LF.
type newlines struct {
	r     io.Reader
	after bool // the last byte was CR: LF belongs to it
}

func (l *newlines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	text := p[:0]
	for _, c := range p[:n] {
		if c == '\n' && l.after {
			l.after = false
			continue
		}
		if l.after = c == '\r'; l.after {
			c = '\n'
		}
		text = append(text, c)
	}
	return len(text), err
}

// findManifests finds the manifests in the root of the bag.
func (b *Bag) findManifests() (problems []Problem) {
	entries, err := os.ReadDir(b.root)
	if err != nil {
		return []Problem{{".", err}}
	}
	for _, e := range entries {
		name, found := strings.CutSuffix(e.Name(), ".txt")
		if !found {
			continue
		}
		to := &b.Payload
		algorithm, found := strings.CutPrefix(name, "manifest-")
		if !found {
			to = &b.Tags
			if algorithm, found = strings.CutPrefix(name, "tagmanifest-"); !found {
				continue
			}
		}
		a, found := algorithmOf(algorithm)
		if !found {
			problems = append(problems, Problem{e.Name(), fmt.Errorf("not wholly checked: the algorithm %s is unknown", algorithm)})
			continue
		}
		*to = append(*to, Manifest{e.Name(), a})
	}
	for _, list := range [][]Manifest{b.Payload, b.Tags} {
		slices.SortStableFunc(list, func(x, y Manifest) int { return rank(x) - rank(y) })
	}
	if len(b.Payload) == 0 {
		problems = append(problems, Problem{"manifest-" + SHA256 + ".txt", errors.New("the bag has no payload manifest that can be checked")})
	}
	return problems
}

func rank(m Manifest) int {
	return slices.IndexFunc(algorithms, func(a Algorithm) bool { return a.Name == m.Name })
}

// readInfo reads the size of the payload from the bag's description.
func (b *Bag) readInfo(name string) (problems []Problem) {
	count := 0
	err := b.eachLine(name, func(n int, line string) {
		if line == "" || line[0] == ' ' || line[0] == '\t' {
			return // goes on with the value before
		}
		label, value, found := strings.Cut(line, ":")
		if !found {
			if b.Strict {
				problems = append(problems, Problem{name, fmt.Errorf("%d: expected 'LABEL: VALUE'", n)})
			}
			return
		}
		if !strings.EqualFold(strings.TrimSpace(label), "Payload-Oxum") {
			return
		}
		count++
		m := oxumValue().FindStringSubmatch(strings.TrimSpace(value))
		if m == nil {
			problems = append(problems, Problem{name, fmt.Errorf("%d: Payload-Oxum is %q; expected BYTES.FILES", n, strings.TrimSpace(value))})
			return
		}
		bytes, err1 := strconv.ParseInt(m[1], 10, 64)
		files, err2 := strconv.ParseInt(m[2], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			problems = append(problems, Problem{name, fmt.Errorf("%d: Payload-Oxum: %v", n, err)})
			return
		}
		b.Oxum = &Oxum{bytes, files}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, Problem{name, err})
	}
	if count > 1 {
		problems = append(problems, Problem{name, fmt.Errorf("%d values of Payload-Oxum; expected 1 at most", count)})
	}
	return problems
}

// readFetch reads which payload files are to be had elsewhere.
func (b *Bag) readFetch() (problems []Problem) {
	err := b.eachLine(fetchFile, func(n int, line string) {
		wrong := func(what string) {
			problems = append(problems, Problem{fetchFile, fmt.Errorf("%d: %s", n, what)})
		}
		if line == "" {
			return
		}
		url, rest, found := cutBlanks(line)
		length, name, found2 := cutBlanks(rest)
		size, err := strconv.ParseInt(length, 10, 64)
		if length == "-" {
			size, err = -1, nil
		}
		switch {
		case !found || !found2 || err != nil || !strings.Contains(url, ":"):
			wrong("expected 'URL LENGTH NAME'")
			return
		case size < -1 || size == -1 && length != "-":
			wrong("the length is negative")
			return
		}
		if checklist.LeadsOut(name) {
			wrong("the name leads out of the bag")
			return
		}
		name = b.Reading(checklist.DecodeBagIt(b.Format(), name), name)
		if !InPayload(name) {
			if b.Strict {
				wrong("the name is not of the payload, in " + Payload)
			}
			return
		}
		b.Fetch = append(b.Fetch, Fetch{n, path.Clean(name), size})
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, Problem{fetchFile, err})
	}
	return problems
}

func cutBlanks(s string) (before, after string, found bool) {
	i := strings.IndexAny(s, " \t")
	if i <= 0 {
		return s, "", false
	}
	after = strings.TrimLeft(s[i:], " \t")
	return s[:i], after, after != ""
}

// eachLine hands the lines of a tag file to f, numbered from 1.
func (b *Bag) eachLine(name string, f func(n int, line string)) error {
	tags, err := b.Open(name)
	if err != nil {
		return err
	}
	defer tags.Close()
	lines := bufio.NewScanner(b.Decode(tags))
	lines.Buffer(nil, maxTagLine)
	for n := 1; lines.Scan(); n++ {
		f(n, lines.Text())
	}
	return lines.Err()
}

// InPayload reports whether a name is one of the payload.
func InPayload(name string) bool { return strings.HasPrefix(path.Clean(name), Payload+"/") }

// Reading returns which of two readings of a name is the right one: the second if a file
// has it, and none has the first.
func (b *Bag) Reading(name, or string) string {
	if or == "" || or == name {
		return name
	}
	if _, err := b.Resolve(name); errors.Is(err, fs.ErrNotExist) {
		if _, err := b.Resolve(or); !errors.Is(err, fs.ErrNotExist) {
			return or
		}
	}
	return name
}

// Lists returns an error if a manifest must not list a name.
func (b *Bag) Lists(m Manifest, name string) error {
	switch payload := slices.ContainsFunc(b.Payload, func(p Manifest) bool { return p.File == m.File }); {
	case checklist.LeadsOut(name):
		return errors.New("the name leads out of the bag")
	case payload && !InPayload(name):
		return errors.New("the name is not of the payload, in " + Payload)
	case !payload && InPayload(name):
		return errors.New("a tag manifest lists a payload file")
	case !payload && isTagManifest(path.Clean(name)):
		return errors.New("a tag manifest lists a tag manifest")
	}
	return nil
}

func isTagManifest(name string) bool {
	return strings.HasPrefix(name, "tagmanifest-") && strings.HasSuffix(name, ".txt")
}

var (
	errOutside    = errors.New("a link that leads out of the bag")
	errNotRegular = errors.New("not a regular file")
)

// Resolve returns the path of a regular file of the bag. A link is followed within
// the bag only.
func (b *Bag) Resolve(name string) (string, error) {
	at, err := file.EvalSymlinks(filepath.Join(b.root, name))
	if err != nil {
		return "", err
	}
	if at != b.root && !strings.HasPrefix(at, strings.TrimSuffix(b.root, string(filepath.Separator))+string(filepath.Separator)) {
		return "", errOutside
	}
	info, err := file.Stat(at)
	if err != nil {
		return "", err
	}
	if !info.Regular {
		return "", errNotRegular
	}
	return at, nil
}

// Open opens a regular file of the bag.
func (b *Bag) Open(name string) (*os.File, error) {
	at, err := b.Resolve(name)
	if err != nil {
		return nil, err
	}
	f, _, err := file.Open(at)
	if err != nil {
		return nil, err
	}
	return f.OS(at), nil
}
