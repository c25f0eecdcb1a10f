// Package list reads lists of objects: the digests that tools write, S3's
// inventories and checksum reports, and the lists of this project.
package list

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sha256-simd/sha256-simd/fleet/internal/checksum"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
	"github.com/sha256-simd/sha256-simd/internal/object"
)

// An Entry is one line of a list: an object, or what is wrong with the line.
type Entry struct {
	// Line is the line's number in the list that it first stood in, from 1.
	Line int64
	// Name is a path or a URL such as s3://bucket/key, where all that follows the
	// bucket is the key as it is, without escapes.
	Name string
	// Version is the version of an object of S3, or "" for the current one. S3 calls
	// a version "null" that is older than its bucket's versioning.
	Version string
	// SHA256 is the expected digest: 64 hexadecimal digits in lower case or, for a
	// composite checksum, its base64, a hyphen and the number of parts. It is ""
	// if no digest is expected.
	SHA256 string
	// Checksums are what is expected besides SHA256, as checksum.Join returns it.
	Checksums string
	// PartSize is the length of the parts of composite checksums, or 0.
	PartSize int64
	// Size is the length of the object in bytes, or -1.
	Size int64
	// Modified is when the object was last written, or zero.
	Modified time.Time
	// ETag is what the store says of the object's contents, as store.Info has it, or "".
	ETag string
	// Deleted reports whether the line is of a delete marker, which has no content.
	Deleted bool
	// Malformed says why the line names no object, else it is "".
	Malformed string

	listing     string // of which the line is, or ""
	withVersion bool   // Name may end with a version
	ignored     string // names of the line's hashes, if none is known
}

// A Source is a list that entries come from.
type Source struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of the list as it is stored
}

// maxLine is the longest line that is read. Names are of at most 4 KiB, keys of
// 1 KiB before escapes.
const maxLine = 64 << 10

// Parts returns the number of parts of a composite checksum, or 0.
func Parts(sum string) int {
	digest, n, ok := strings.Cut(sum, "-")
	if !ok {
		return 0
	}
	parts, err := strconv.Atoi(n)
	if err != nil || parts < 1 {
		return 0
	}
	if b, err := base64.StdEncoding.DecodeString(digest); err != nil || len(b) != 32 {
		return 0
	}
	return parts
}

// Expected returns all that is expected of the object, with blanks between: SHA256,
// and Checksums.
func (e *Entry) Expected() string {
	if e.Checksums == "" {
		return e.SHA256
	}
	return strings.TrimPrefix(e.SHA256+" "+e.Checksums, " ")
}

// A Format says how lines are to be read.
type Format struct {
	parse func(line string, e *Entry) error
	// skip reports whether a line is of no object. An empty line is of none in any format,
	// but may end an object.
	skip func(line string) bool
	// end reports what is wrong if the list ends here.
	end func() error
	// zero, if not nil, is called before the first line if lines end with NUL.
	zero func()
	// base is put before names that are relative.
	base string
}

// Formats names the formats, for messages.
const Formats = "auto, coreutils, bsd, bagit, json, names, inventory, batch or rclone"

// NewFormat returns the format of a name out of Formats. A schema names the
// columns of an inventory, as fileSchema in its manifest.json does; "" is
// "Bucket, Key" or, with a third column, "Bucket, Key, Size". base is put before
// names that are relative, "" leaves them as they are.
func NewFormat(name, schema, base string) (Format, error) {
	f := Format{base: base, skip: isComment, end: func() error { return nil }}
	ofChecklist := func(format checklist.Format) {
		p := &checklist.Parser{Format: format}
		f.parse = checksums(p)
		f.skip = p.Comment
		f.zero = func() { p.Zero = true }
		f.end = func() error {
			_, err := p.End()
			return err
		}
	}
	switch name {
	case "auto", "":
		ofChecklist(checklist.Auto)
		parse, skip := f.parse, f.skip
		f.parse = func(line string, e *Entry) error {
			if line[0] == '{' {
				return parseJSON(line, e)
			}
			return parse(line, e)
		}
		f.skip = func(line string) bool { return isFrame(line) || skip(line) }
	case "coreutils":
		ofChecklist(checklist.Coreutils)
	case "bsd":
		ofChecklist(checklist.Tagged)
	case "bagit":
		ofChecklist(checklist.BagIt)
		f.parse, f.zero = bagManifest(checklist.BagIt), nil
	case "rclone":
		f.parse, f.skip = parseRclone, isRcloneFrame
	case "json":
		f.parse = parseJSON
	case "names":
		f.skip = func(string) bool { return false }
		f.parse = func(line string, e *Entry) error { e.Name, e.withVersion = line, true; return nil }
	case "inventory":
		f.parse = inventory(schema)
	case "batch":
		f.parse = inventory("Bucket, Key, VersionId, TaskStatus, ErrorCode, HTTPStatusCode, ResultMessage")
	default:
		return Format{}, fmt.Errorf("unknown format %q of a list: it is one of %s", name, Formats)
	}
	if schema != "" && name != "inventory" {
		return Format{}, errors.New("a schema is of the format inventory")
	}
	return f, nil
}

// InBag returns the format of the manifests of a bag whose declaration, bagit.txt, has a text.
func (f Format) InBag(declaration string) Format {
	version, _, err := checklist.ParseDeclaration(declaration)
	if err == nil {
		f.parse = bagManifest(checklist.BagFormat(version))
	}
	return f
}

// A Reader reads entries. It is not safe for concurrent use.
type Reader struct {
	// Identity, if not nil, gets the entries that are read.
	Identity *Identity
	// OnIgnored, if not nil, is called with the number of a line that has hashes, but none
	// that is known, and with their names.
	OnIgnored func(line int64, names string)

	r        *bufio.Reader
	format   Format
	listings *Listings
	lineEnd  byte
	line     int64
	ended    bool
}

// NewReader returns a Reader of a list. If listings is not nil, it collects which
// listings the lines belong to.
func NewReader(r io.Reader, f Format, listings *Listings) *Reader {
	if listings == nil {
		listings = new(Listings)
	}
	return &Reader{r: bufio.NewReaderSize(r, maxLine), format: f, listings: listings}
}

// Next returns the next entry. It skips empty lines, unless they end with NUL, and lines
// without an object, such as comments. The error is io.EOF at the end, otherwise the error
// of the underlying reader.
func (r *Reader) Next() (Entry, error) {
	if r.line == 0 {
		r.lineEnd = '\n'
		if r.format.zero != nil && endWithNUL(r.r) {
			r.lineEnd = 0
			r.format.zero()
		}
	}
	for {
		line, err := r.r.ReadSlice(r.lineEnd)
		if len(line) == 0 && err != nil {
			if bad := r.end(err); bad != nil {
				r.Identity.addMalformed(bad.Error())
				return Entry{Line: r.line, Size: -1, Malformed: bad.Error()}, nil
			}
			return Entry{}, err
		}
		r.line++
		e := Entry{Line: r.line, Size: -1}
		if errors.Is(err, bufio.ErrBufferFull) {
			if err := r.skipLine(); err != nil {
				return Entry{}, err
			}
			e.Malformed = fmt.Sprintf("longer than %d bytes", maxLine)
			r.Identity.addMalformed(e.Malformed)
			return e, nil
		}
		if err != nil && err != io.EOF {
			return Entry{}, err
		}
		text := strings.TrimSuffix(string(line), string(r.lineEnd))
		if r.lineEnd == '\n' {
			text = strings.TrimSuffix(text, "\r")
		}
		if r.line == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		var wrong error
		switch skip := r.format.skip(text); {
		case text == "" && r.lineEnd == 0:
			if err := r.skipNULs(); err != nil {
				return Entry{}, err
			}
			wrong = errEmpty
		case text == "":
			continue
		case skip && strings.ContainsAny(text, "\n\x00"):
			wrong = errInComment // lines may be lost in it
		case skip:
			r.listings.frame(text)
			continue
		default:
			wrong = r.format.parse(text, &e)
		}
		var written string
		if wrong != nil {
			e.Malformed = wrong.Error()
		} else if e.Malformed == "" {
			if e.withVersion {
				e.Name, e.Version = CutVersion(e.Name)
			}
			written = e.Name
			e.Name = Resolve(r.format.base, e.Name)
			e.Malformed = e.check()
		}
		r.listings.has(e.listing)
		if e.ignored != "" && r.OnIgnored != nil {
			r.OnIgnored(e.Line, e.ignored)
		}
		e.listing, e.withVersion, e.ignored = "", false, ""
		if e.Malformed != "" {
			r.Identity.addMalformed(text)
			e.SHA256, e.Checksums, e.Size = "", "", -1
		} else {
			r.Identity.add(written, &e)
		}
		return e, nil
	}
}

var (
	errEmpty     = errors.New("an empty line that ends with NUL")
	errInComment = errors.New("a newline or a NUL in a comment")
)

// endWithNUL reports whether lines do: a name of sha256sum --zero may have any other byte, so
// a newline does not say that the first line ends there. Several NULs end no lines: they are in
// files that were cut by a crash. It waits for no more than the first line.
func endWithNUL(r *bufio.Reader) bool {
	for n := 1; ; n = r.Buffered() + 1 {
		_, err := r.Peek(n)
		begin, _ := r.Peek(r.Buffered())
		if bytes.ContainsAny(begin, "\n\x00") || err != nil {
			i := bytes.IndexByte(begin, 0)
			return i > 0 && !bytes.HasPrefix(begin[i+1:], []byte{0})
		}
	}
}

// skipNULs skips empty lines that end with NUL.
func (r *Reader) skipNULs() error {
	for {
		switch c, err := r.r.ReadByte(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case c != 0:
			return r.r.UnreadByte()
		}
	}
}

// end returns what is wrong with the end of the list, once, if err says that it is there.
func (r *Reader) end(err error) error {
	if err != io.EOF || r.ended {
		return nil
	}
	r.ended = true
	return r.format.end()
}

// byteOrderMark begins the lists of some editors and shells.
const byteOrderMark = "\ufeff"

// skipLine skips the rest of a line that does not fit.
func (r *Reader) skipLine() error {
	for {
		_, err := r.r.ReadSlice(r.lineEnd)
		switch {
		case err == nil, err == io.EOF:
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// Resolve returns name as seen from base: it puts base before a name that is
// neither a URL nor absolute. The name is literal; a file:// URL is not.
func Resolve(base, name string) string {
	if base == "" || name == "" || name[0] == '/' || hasScheme.MatchString(name) {
		return name
	}
	if strings.HasPrefix(base, store.FileRoot) {
		name = store.EscapePath(name)
	}
	return strings.TrimSuffix(base, "/") + "/" + name
}

var hasScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// check says what is wrong with an entry that was parsed, or "".
func (e *Entry) check() string {
	switch {
	case e.Name == "":
		return "no name"
	case strings.ContainsRune(e.Name, 0):
		return "a NUL in the name"
	case e.Checksums != "":
		var err error
		if e.Checksums, err = checksum.Join(strings.Fields(e.Checksums)); err != nil {
			return err.Error()
		}
		if n := checksum.Parts(e.Checksums); n > 0 && Parts(e.SHA256) > 0 && n != Parts(e.SHA256) {
			return "checksums of different numbers of parts: " + e.Expected()
		}
	}
	return ""
}

// isComment reports whether a line is a comment or a frame.
func isComment(line string) bool { return strings.HasPrefix(line, "#") || isFrame(line) }

// isFrame reports whether a line is the last of a worker's output or of a listing.
func isFrame(line string) bool { return strings.HasPrefix(line, summaryPrefix) || isEnding(line) }

// record is a line of JSON: what Append writes, or a worker.
type record struct {
	Line      int64      `json:"line,omitempty"`
	Name      string     `json:"name,omitempty"`
	NameBytes []byte     `json:"name_bytes,omitempty"`
	Version   string     `json:"version,omitempty"`
	Size      *int64     `json:"size,omitempty"`
	Modified  *time.Time `json:"modified,omitempty"`
	SHA256    string     `json:"sha256,omitempty"`
	MD5       string     `json:"md5,omitempty"`
	SHA1      string     `json:"sha1,omitempty"`
	SHA512    string     `json:"sha512,omitempty"`
	CRC32     string     `json:"crc32,omitempty"`
	CRC32C    string     `json:"crc32c,omitempty"`
	CRC64NVME string     `json:"crc64nvme,omitempty"`
	Expected  string     `json:"expected,omitempty"`
	PartSize  int64      `json:"part_size,omitempty"`
	Deleted   bool       `json:"deleted,omitempty"`
	Malformed string     `json:"malformed,omitempty"`
	Outcome   string     `json:"outcome,omitempty"`
	Error     string     `json:"error,omitempty"`
	Listing   string     `json:"listing,omitempty"`
	ETag      string     `json:"etag,omitempty"`

	ExpectedSize *int64 `json:"expected_size,omitempty"`

	// Of a worker's output, and of no use here.
	Computed string `json:"computed,omitempty"`
	Retry    bool   `json:"retry,omitempty"`
}

// unmarshal sets the record to a line.
func (r *record) unmarshal(line string) error {
	err := json.Unmarshal([]byte(line), r)
	if err == nil {
		err = checkKeys(line)
	}
	if err != nil {
		return fmt.Errorf("not JSON of fleetsum or sha256sum: %w", err)
	}
	return nil
}

// checkKeys returns an error if a line that record was decoded from has a key that record does
// not have: it may be that of a digest. Package json takes keys in capitals too, and of equal
// ones the last. Other decoders do not, so that they would see another digest.
func checkKeys(line string) error {
	var seen uint64
	for {
		_, rest, ok := strings.Cut(line, `"`)
		if !ok {
			return nil
		}
		end := 0
		for rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		text := rest[:end]
		line = strings.TrimLeft(rest[end+1:], " \t\r\n")
		if !strings.HasPrefix(line, ":") {
			continue // a value
		}
		key, known := recordKeys[text]
		switch {
		case !known:
			return fmt.Errorf("unknown key %q", text)
		case seen&(1<<key) != 0:
			return fmt.Errorf("the key %q twice", text)
		}
		seen |= 1 << key
	}
}

// recordKeys are record's keys, with numbers.
var recordKeys = func() map[string]int {
	keys := map[string]int{}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[record]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[key] = i
	}
	return keys
}()

// A field is one of a record's checksums.
type field struct {
	name  string // of the algorithm
	value *string
}

// checksums returns the fields of checksum.Algorithms.
func (r *record) checksums() [6]field {
	return [...]field{
		{"md5", &r.MD5}, {"sha1", &r.SHA1}, {"sha512", &r.SHA512}, {"crc32", &r.CRC32}, {"crc32c", &r.CRC32C}, {"crc64nvme", &r.CRC64NVME},
	}
}

func parseJSON(line string, e *Entry) error {
	var r record
	if err := r.unmarshal(line); err != nil {
		f, digest, objectErr := object.Parse(line)
		switch {
		case errors.Is(objectErr, object.ErrNoFile):
			return err
		case objectErr != nil:
			return objectErr
		}
		// The composite of the same bytes says no more than the digest of all.
		e.Name, e.SHA256 = f.Name, hex.EncodeToString(digest)
		if f.Size != nil {
			e.Size = *f.Size
		}
		return nil
	}
	if r.Line > 0 {
		e.Line = r.Line
	}
	e.Name, e.Version, e.PartSize, e.Malformed = r.Name, r.Version, r.PartSize, r.Malformed
	e.Deleted, e.listing, e.ETag = r.Deleted, r.Listing, r.ETag
	if len(r.NameBytes) > 0 {
		e.Name = string(r.NameBytes)
	}
	if r.Outcome == "" && r.Error != "" {
		return fmt.Errorf("sha256sum could not read %q: %s", e.Name, r.Error)
	}
	sha256, size := r.SHA256, r.Size
	if r.Outcome != "" {
		// A worker's output: what was expected still is, whatever was read. What was
		// read is the object's digest and size only if that was right.
		if err := e.setExpected(r.Expected); err != nil {
			return err
		}
		if r.Outcome == "match" || r.Outcome == "new" {
			e.listing = results
		} else {
			sha256, size = "", r.ExpectedSize
		}
		e.Deleted = r.Outcome == "deleted" && r.Error == ""
	}
	if sha256 != "" {
		if _, err := e.setDigest("sha256", sha256); err != nil {
			return err
		}
	}
	if size != nil && *size >= 0 {
		e.Size = *size
	}
	for _, f := range r.checksums() {
		if *f.value == "" {
			continue
		}
		if _, err := e.setDigest(f.name, *f.value); err != nil {
			return err
		}
	}
	if r.Outcome == "malformed" {
		e.Malformed = r.Error
	}
	if r.Modified != nil {
		e.Modified = *r.Modified
	}
	return nil
}

// ParseEntry returns the entry that Append wrote.
func ParseEntry(line string) (Entry, error) {
	e := Entry{Size: -1}
	if err := parseJSON(line, &e); err != nil {
		return e, err
	}
	e.listing = "" // whatever it was
	if e.Malformed == "" {
		e.Malformed = e.check()
	}
	return e, nil
}

// Append appends the entry to b as a line of JSON, which Reader reads.
func (e *Entry) Append(b []byte) []byte { return AppendJSON(b, e.record()) }

func (e *Entry) record() *record {
	r := &record{Line: e.Line, Name: e.Name, Version: e.Version, SHA256: e.SHA256, PartSize: e.PartSize, Deleted: e.Deleted, ETag: e.ETag, Malformed: e.Malformed}
	if e.Checksums != "" {
		for _, c := range strings.Fields(e.Checksums) {
			name, value, _ := strings.Cut(c, ":")
			for _, f := range r.checksums() {
				if f.name == name {
					*f.value = value
				}
			}
		}
	}
	if e.Size >= 0 {
		r.Size = &e.Size
	}
	r.Modified = JSONTime(e.Modified)
	if !utf8.ValidString(e.Name) {
		r.NameBytes = []byte(e.Name)
	}
	return r
}

// JSONTime returns t in UTC, or nil if it is zero. If RFC 3339 has no such year, it returns
// the nearest time that it has. Files may have any.
func JSONTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	switch t = t.UTC(); {
	case t.Before(first):
		t = first
	case t.After(last):
		t = last
	}
	return &t
}

// AppendJSON appends v to b as a line of JSON, without HTML's escapes. v is one
// that can be encoded.
func AppendJSON(b []byte, v any) []byte {
	w := appender{b}
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return w.b
}

type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}
