// Package input opens lists by their names: on any store, compressed, in parts
// that an S3 inventory's manifest names, in a bag.
package input

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/fleet/internal/checksum"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// Options say how lists are to be read; see list.NewFormat.
type Options struct{ Format, Schema, Base string }

// A Reader reads the entries of lists, one after the other, as one list.
type Reader struct {
	// Listings are those that the lines read so far belong to.
	Listings list.Listings
	// Warn, if not nil, is called once, with what a list has that is ignored.
	Warn func(string)

	ctx     context.Context
	store   *store.Store
	lists   []part
	sources []list.Source

	current  io.Closer
	list     interface{ Next() (list.Entry, error) }
	name     string
	hash     hash.Hash // of the current list if it is a source
	identity list.Identity
	text     hash.Hash // of the text of all lists
	before   int64     // lines of the lists before the current one
	line     int64
}

// A part is a list that is yet to be read.
type part struct {
	name string
	Options
	parquet bool
	from    io.ReadCloser // if it is not an object
	named   bool          // by an argument
}

// Stdin is the name of standard input as a list.
const Stdin = "-"

// Sources returns the lists that were read to their ends, as they were named: in the
// place of an inventory's files, its manifest.json.
func (r *Reader) Sources() []list.Source { return r.sources }

// ID returns what says whether what was read so far is the same list as another, however
// each is stored and whatever its base is. Equal manifests of bags in two directories are
// two lists, however the directories are named.
func (r *Reader) ID() string { return r.identity.String() }

// TextID returns what says whether what was read so far has the same text as another list,
// whatever the format of either is. Compression does not matter, and directories of bags do, as
// for ID.
func (r *Reader) TextID() string { return hex.EncodeToString(r.text.Sum(nil)) }

// Open returns a Reader of lists. They have names of objects, or Stdin for in. A list may be a
// pipe, compressed (.gz), an inventory in Parquet (.parquet), the manifest.json of an inventory
// or of a report of S3 Batch Operations, or a bag's manifest, such as manifest-sha256.txt. The
// names in the last are relative to its directory.
func Open(ctx context.Context, s *store.Store, in io.Reader, names []string, o Options) (*Reader, error) {
	if _, err := list.NewFormat(o.Format, o.Schema, o.Base); err != nil {
		return nil, err
	}
	r := &Reader{ctx: ctx, store: s, text: sha256.New()}
	for _, name := range names {
		if name == Stdin {
			r.lists = append(r.lists, part{name: name, Options: o, from: io.NopCloser(in), named: true})
			continue
		}
		if path.Base(name) != "manifest.json" || o.Format != "inventory" && o.Format != "batch" {
			r.lists = append(r.lists, part{name: name, Options: o, parquet: o.Format == "inventory" && strings.HasSuffix(name, ".parquet"), named: true})
			continue
		}
		parts, err := r.manifest(name, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.lists = append(r.lists, parts...)
	}
	return r, nil
}

// manifest returns the lists that a manifest.json names, with its schema unless o
// has one.
func (r *Reader) manifest(name string, o Options) ([]part, error) {
	f, err := r.store.Open(r.ctx, name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var m struct {
		// Of an inventory.
		FileFormat, FileSchema string
		DestinationBucket      string
		Files                  []struct{ Key string }
		// Of a report.
		Results []struct{ Bucket, Key string }
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	r.sources = append(r.sources, list.Source{Name: name, SHA256: hex.EncodeToString(sum[:])})
	var parts []part
	if o.Format == "inventory" {
		inParquet := m.FileFormat == "Parquet"
		switch {
		case m.FileFormat == "ORC":
			return nil, errORC
		case m.FileFormat != "CSV" && !inParquet:
			return nil, fmt.Errorf("an inventory in %q: only CSV and Parquet are read", m.FileFormat)
		}
		if o.Schema == "" && !inParquet {
			o.Schema = m.FileSchema
		}
		bucket := m.DestinationBucket[strings.LastIndexByte(m.DestinationBucket, ':')+1:] // of its ARN
		for _, f := range m.Files {
			parts = append(parts, part{name: "s3://" + bucket + "/" + f.Key, Options: o, parquet: inParquet})
		}
	}
	for _, f := range m.Results {
		parts = append(parts, part{name: "s3://" + f.Bucket + "/" + f.Key, Options: o})
	}
	if len(parts) == 0 {
		return nil, errors.New("names no lists")
	}
	return parts, nil
}

// Next returns the next entry, or io.EOF.
func (r *Reader) Next() (list.Entry, error) {
	for {
		if r.list == nil {
			if len(r.lists) == 0 {
				return list.Entry{}, io.EOF
			}
			p := r.lists[0]
			if err := r.open(p); err != nil {
				return list.Entry{}, fmt.Errorf("%s: %w", p.name, err)
			}
			r.name, r.lists = p.name, r.lists[1:]
		}
		e, err := r.list.Next()
		switch {
		case err == io.EOF:
			r.Close()
			r.before = r.line
			if r.hash != nil {
				r.sources = append(r.sources, list.Source{Name: r.name, SHA256: hex.EncodeToString(r.hash.Sum(nil))})
			}
		case err != nil:
			return list.Entry{}, fmt.Errorf("%s: %w", r.name, err)
		default:
			e.Line += r.before
			r.line = max(r.line, e.Line)
			return e, nil
		}
	}
}

func (r *Reader) open(p part) error {
	if p.from == nil && isPipe(p.name) {
		f, err := os.Open(p.name)
		if err != nil {
			return err
		}
		p.from = f
	}
	if p.from != nil {
		err := r.openText(p, p.from)
		if err != nil {
			p.from.Close()
		}
		return err
	}
	o, err := r.store.Open(r.ctx, p.name, "")
	if err != nil {
		return err
	}
	if p.parquet {
		err = r.openParquet(p, o)
	} else {
		err = r.openText(p, o)
	}
	if err != nil {
		o.Close()
	}
	return err
}

// isPipe reports whether a list is a pipe, such as a shell's <(…). The store, whose objects are
// read again and compared, has none.
func isPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// hashed returns a reader of a list that also hashes it if it is a source.
func (r *Reader) hashed(p part, from io.Reader) io.Reader {
	if r.hash = nil; !p.named {
		return from
	}
	r.hash = sha256.New()
	return io.TeeReader(from, r.hash)
}

func (r *Reader) openText(p part, o io.ReadCloser) error {
	text := bufio.NewReaderSize(r.hashed(p, o), 256<<10)
	if strings.HasSuffix(p.name, ".gz") {
		z, err := gzip.NewReader(text)
		if err != nil {
			return err
		}
		text = bufio.NewReaderSize(z, 64<<10)
	}
	if err := isText(text); err != nil {
		return err
	}
	declaration, err := r.bag(&p)
	if err != nil {
		return err
	}
	format, err := list.NewFormat(p.Format, p.Schema, p.Base)
	if err != nil {
		return err
	}
	if declaration != "" {
		format = format.InBag(declaration)
	}
	lines := list.NewReader(io.TeeReader(text, r.text), format, &r.Listings)
	lines.Identity = &r.identity
	lines.OnIgnored = func(line int64, names string) {
		if r.Warn != nil {
			r.Warn(fmt.Sprintf("%s, line %d: hashes of no known name, which are not checked: %s", p.name, line, names))
			r.Warn = nil
		}
	}
	r.current, r.list = o, lines
	return nil
}

// bag makes p one of the format bagit if it is a bag's manifest, and returns the bag's
// declaration, or "". Where there is no declaration, any tool's list may have a manifest's name.
func (r *Reader) bag(p *part) (declaration string, err error) {
	m := bagManifest.FindStringSubmatch(path.Base(p.name))
	if p.from != nil || m == nil && p.Format != "bagit" {
		return "", nil
	}
	dir := store.Dir(p.name)
	bag := store.Canonical(dir)
	io.WriteString(r.text, bag+"\x00")
	if p.Format != "auto" && p.Format != "bagit" {
		return "", nil
	}
	declaration, declared, err := r.declaration(dir)
	switch base := cmp.Or(p.Base, dir, "."); {
	case err != nil:
		// S3 tells nobody that a key is missing who may not list the bucket.
		return "", fmt.Errorf("reading the declaration of the bag: %w; --format coreutils --base %s does without", err, base)
	case p.Format == "bagit":
	case !declared:
		return "", nil
	case m[1] != "sha256" && checksum.Named(m[1]) == nil:
		return "", fmt.Errorf("a bag's manifest of the unknown algorithm %s", m[1])
	}
	p.Format, p.Base = "bagit", cmp.Or(p.Base, dir)
	r.identity.AddBag(bag)
	return declaration, nil
}

// declaration returns the declaration of the bag in a directory, if it has one.
func (r *Reader) declaration(dir string) (text string, declared bool, err error) {
	f, err := r.store.Open(r.ctx, dir+"bagit.txt", "")
	if store.IsMissing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	const most = 4 << 10
	b, err := io.ReadAll(io.LimitReader(f, most))
	return string(b), true, err
}

// errORC says that an inventory cannot be read, and what can.
var errORC = errors.New("fleetsum does not read ORC: read it with Spark (spark.read.orc, and fleetsum.check), or have the inventory in Parquet or CSV")

// errUTF16 is about a list as older versions of PowerShell write it, perhaps without its mark.
var errUTF16 = errors.New("a list in UTF-16: convert it to UTF-8")

// binaries are kinds of files that have no lines of UTF-8, by their first bytes.
var binaries = []struct {
	magic string
	err   error
}{
	{"ORC", errORC},
	{"PAR1", errors.New("a Parquet file is read with --format inventory, and from a name that ends in .parquet")},
	{"\x1f\x8b", errors.New("a list that is compressed needs a name that ends in .gz")},
	{"\xff\xfe", errUTF16},
	{"\xfe\xff", errUTF16},
}

// isText returns an error if what r has is no text: each of its lines would be
// malformed. It reads nothing that r does not have again.
func isText(r *bufio.Reader) error {
	begin, err := r.Peek(4) // two letters, of which each has a NUL in UTF-16
	if err != nil && err != io.EOF {
		return err
	}
	for order := range 2 {
		if len(begin) == 4 && begin[order] == 0 && begin[order+2] == 0 && begin[1-order] != 0 && begin[3-order] != 0 {
			return errUTF16
		}
	}
	const enough = 512 // that something in it is no text
	for _, b := range binaries {
		begin, err := r.Peek(len(b.magic))
		if err != nil && err != io.EOF {
			return err
		}
		if string(begin) != b.magic {
			continue
		}
		if begin, err = r.Peek(enough); err != nil && err != io.EOF {
			return err
		}
		if bytes.ContainsFunc(begin, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }) {
			return b.err
		}
	}
	return nil
}

// bagManifest is the name of a bag's manifest, as of RFC 8493.
var bagManifest = regexp.MustCompile(`^(?:tag)?manifest-([a-z0-9]+)\.txt$`)

// openParquet reads an inventory that has its columns at its end: it copies it to a
// file first.
func (r *Reader) openParquet(p part, o store.Object) error {
	defer o.Close()
	f, err := store.TempFile()
	if err != nil {
		return err
	}
	size, err := io.Copy(io.MultiWriter(f, r.text), r.hashed(p, o))
	if err == nil {
		var rows *list.ParquetReader
		if rows, err = list.NewParquetReader(f, size); err == nil {
			rows.Identity = &r.identity
			r.current, r.list = closers{rows, f}, rows
			return nil
		}
	}
	f.Close()
	return err
}

// closers are closed together.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, one := range c {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// Close closes the list that is open.
func (r *Reader) Close() error {
	if r.list == nil {
		return nil
	}
	r.list = nil
	return r.current.Close()
}
