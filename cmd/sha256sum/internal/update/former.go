package update

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
	"github.com/sha256-simd/sha256-simd/internal/object"
)

// A Former is a list as it was, beside which the new one is compared. It keeps 25 bytes
// for each line.
type Former struct {
	name     string
	text     func(io.Reader) (io.Reader, error)
	limit    int64 // of bytes that are read, if it is not 0
	form     form
	readable bool // some line of it
	lines    []formerLine
	seen     []bool
}

type formerLine struct {
	key    names.Key
	digest [8]byte // its beginning
}

// A form is what a list looks like. The new list may have another form.
type form string

const (
	empty     form = "empty"
	textLines form = "text"
	zeroLines form = "binary, or lines that end with NUL"
	jsonLines form = "JSON"
)

// A Difference is what became of a line of a list.
type Difference int

const (
	Same Difference = iota
	Added
	Changed
)

// ReadFormer reads a list in whatever form it is. It has no lines if there is no list, or if
// it is not a regular file. What is there and has no line of a list is an error: nobody
// knows what would be lost with it. The function text returns the text of a list, whatever
// its encoding is.
func ReadFormer(name string, text func(io.Reader) (io.Reader, error)) (*Former, error) {
	f := &Former{name: name, text: text, form: empty}
	err := f.each(func(name string, digest []byte) error {
		f.lines = memory.Append(f.lines, formerLine{names.KeyOf(name), [8]byte(digest)})
		return nil
	})
	if err != nil {
		return nil, errReading(err)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.lines, func(a, b formerLine) int { return names.Compare(a.key, b.key) })
	f.lines = slices.CompactFunc(f.lines, func(a, b formerLine) bool { return a.key == b.key })
	f.seen = make([]bool, len(f.lines))
	return f, nil
}

// checked is how much of a file CheckReplaced reads. A list has a line in it.
const checked = 1 << 20

// CheckReplaced returns an error if what has a name must not be replaced by a list, as
// ReadFormer does. It reads the beginning only: what is no list may be large.
func CheckReplaced(name string, text func(io.Reader) (io.Reader, error)) error {
	f := &Former{name: name, text: text, limit: checked, form: empty}
	found := errors.New("found a line")
	if err := f.each(func(string, []byte) error { return found }); err != nil && err != found {
		return errReading(err)
	}
	return f.check()
}

// errReading returns the error of a list that cannot be read. That of one that cannot be
// written looks the same without these words.
func errReading(err error) error {
	return errors.New("reading the list: " + message.Reason(err))
}

// check returns an error if something was read that is no list.
func (f *Former) check() error {
	if f.form == empty || f.readable {
		return nil
	}
	return fmt.Errorf("not replaced: it seems to be %s, but has no line of a list (to begin anew, remove it)", f.form)
}

// each hands the lines of the list to see, and returns its error. Lines that are
// improper are none. A list that is one digest alone has a line with no name.
func (f *Former) each(see func(name string, digest []byte) error) error {
	info, err := os.Stat(f.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := os.Open(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	r := io.Reader(file)
	if f.limit > 0 {
		r = io.LimitReader(r, f.limit)
	}
	if r, err = f.text(r); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, checklist.MaxLine)
	if f.form, err = formOf(in); err != nil {
		return err
	}
	end := byte('\n')
	if f.form == zeroLines {
		end = 0
	}
	parser := checklist.Parser{Zero: f.form == zeroLines}
	lines := checklist.NewLines(in, end)
	var alone []byte // the digest, if the first line is one alone
	for first := true; ; {
		line, whole, err := lines.Next()
		switch {
		case err == io.EOF && alone != nil:
			f.readable = true
			return see("", alone)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case parser.Comment(line):
			continue
		}
		alone = nil
		name, digest, err := parse(&parser, line)
		switch {
		case !whole:
			digest = nil
		case err == nil:
			f.readable = true
		case first:
			alone, _ = checklist.ParseDigest(strings.Trim(line, byteOrderMark+" \t\r"))
		}
		first = false
		if digest == nil {
			continue
		}
		if err := see(name, digest); err != nil {
			return err
		}
	}
}

const byteOrderMark = "\ufeff"

// parse returns what a line says of a file, as a check reads it: the lines of one list may
// have several forms.
func parse(p *checklist.Parser, line string) (name string, digest []byte, err error) {
	if text := strings.TrimPrefix(line, byteOrderMark); !p.Zero && strings.HasPrefix(text, "{") {
		f, digest, err := object.Parse(text)
		return f.Name, digest, err
	}
	e, err := p.Parse(line)
	return e.Name, e.Digest, err
}

// formOf returns the form of a list. No name has a NUL, but with -z one may have a newline:
// in the first line, too.
func formOf(list *bufio.Reader) (form, error) {
	head, err := list.Peek(checklist.MaxLine)
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	switch {
	case err != nil && err != io.EOF:
		return empty, err
	case len(head) == 0:
		return empty, nil
	case head[0] == '{':
		return jsonLines, nil
	case bytes.IndexByte(head, 0) >= 0:
		return zeroLines, nil
	}
	return textLines, nil
}

func (f *Former) find(name string) (i int, found bool) {
	if f == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(f.lines, names.KeyOf(name), func(l formerLine, k names.Key) int { return names.Compare(l.key, k) })
}

// Lines returns how many files the list has.
func (f *Former) Lines() int { return len(f.lines) }

// See takes a line of the new list, and returns what it is beside the former one.
func (f *Former) See(name string, digest []byte) Difference {
	i, found := f.find(name)
	switch {
	case !found:
		return Added
	case f.seen[i]: // under another name for the same file
		return Same
	}
	f.seen[i] = true
	if f.lines[i].digest != [8]byte(digest) {
		return Changed
	}
	return Same
}

// Removed returns how many files of the list were not seen.
func (f *Former) Removed() (n int) {
	for _, seen := range f.seen {
		if !seen {
			n++
		}
	}
	return n
}

// EachRemoved hands the names that were not seen to do, in the order of the list, and
// returns its error. The list must be as it was.
func (f *Former) EachRemoved(do func(name string) error) error {
	return f.each(func(name string, _ []byte) error {
		i, found := f.find(name)
		if !found || f.seen[i] {
			return nil
		}
		f.seen[i] = true // it may be listed twice
		return do(name)
	})
}
