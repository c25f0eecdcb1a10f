package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
	"github.com/sha256-simd/sha256-simd/internal/object"
)

// A lineError is what is improper about a line of a list.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

// entries yields what a list has, line by line: an entry, or a *lineError. Any other
// error is about the whole list, and ends it. If l.of is set, the list may be one digest
// alone: then its entry is of the file l.of.
func (s *source) entries(l *list) iter.Seq2[checklist.Entry, error] {
	return func(yield func(checklist.Entry, error) bool) {
		in, err := s.openList(l)
		if err != nil {
			yield(checklist.Entry{}, err)
			return
		}
		defer in.Close()
		l.shown = message.Quote(in.shown)
		end := byte('\n')
		if s.zero {
			end = 0
		}
		parser, r := &s.parser, io.Reader(in)
		if l.bag != nil {
			parser, r = &checklist.Parser{Format: l.bag.Format(), DigestSize: l.manifest.Size}, l.bag.Decode(in)
		} else if format := formatOf(l.name); format != checklist.Auto {
			parser = &checklist.Parser{Format: format}
		}
		errRead := errors.New(l.shown + ": read error")
		if r, err = plainText(r); err != nil {
			yield(checklist.Entry{}, errRead)
			return
		}
		lines := checklist.NewLines(r, end)
		parser.Begin()
		var alone []byte   // the digest, if the first line is one alone
		var improper error // what is wrong with that line if another follows
		for n, first := 1, true; ; n++ {
			in.await()
			line, whole, err := lines.Next()
			switch {
			case err == io.EOF && alone != nil:
				l.tookOf = true
				yield(checklist.Entry{Name: l.of, Digest: alone}, nil)
				return
			case err == io.EOF:
				if begun, err := parser.End(); err != nil {
					yield(checklist.Entry{}, &lineError{begun, err})
				}
				return
			case err != nil:
				yield(checklist.Entry{}, errRead)
				return
			case s.zero && n == 1 && !lines.Ended() && strings.Contains(line, "\n"): // the line is the whole list
				l.hint = noZeroHint
				yield(checklist.Entry{}, &lineError{n, errNoZero})
				return
			case parser.Comment(line):
				continue
			case alone != nil:
				if alone = nil; !yield(checklist.Entry{}, improper) {
					return
				}
			}
			e, wrong := l.parse(parser, line)
			switch {
			case wrong == errZero: // the line may be the whole list
			case !whole:
				wrong = errLongLine
			case wrong == nil && l.name == "-" && e.Name == "-":
				wrong = errStandardInput
			case wrong == nil && l.bag != nil:
				wrong = l.bag.Lists(l.manifest, e.Name)
			}
			var bad error
			if wrong != nil {
				bad = &lineError{n, wrong}
				if first && l.of != "" {
					alone, _ = checklist.ParseDigest(strings.Trim(line, "\ufeff \t\r"))
					improper = bad
				}
			}
			first = false
			if alone == nil && !yield(e, bad) {
				return
			}
		}
	}
}

var (
	errBehindNUL     = errors.New("the line goes on behind a NUL")
	errZero          = errors.New("the line is several that end with NUL")
	errNoZero        = errors.New("the line is several that end with newline")
	errLongLine      = fmt.Errorf("the line is longer than %d bytes", checklist.MaxLine)
	errStandardInput = errors.New("the list is standard input itself")
)

// parse returns the entry of a line. The error says what is improper about the line.
func (l *list) parse(p *checklist.Parser, line string) (checklist.Entry, error) {
	e, err := p.Parse(line)
	if l.bag != nil {
		return e, err
	}
	// What is behind a NUL would go unread: of a list of --zero, all but the first line.
	if head, rest, _ := strings.Cut(line, "\x00"); rest != "" {
		if !endWithNUL(p.Format, head, rest) {
			return checklist.Entry{}, errBehindNUL
		}
		l.hint = zeroHint
		return checklist.Entry{}, errZero
	}
	if err == nil || p.Format != checklist.Auto || p.Zero {
		return e, err
	}
	// The list may be one of --json. There a file that could not be read has no digest.
	f, digest, objectErr := object.Parse(strings.TrimPrefix(line, "\ufeff"))
	if objectErr != nil || digest == nil {
		return e, err
	}
	return checklist.Entry{Name: f.Name, Digest: digest, Size: -1}, nil
}

// endWithNUL reports whether --zero reads the head of a line, and the rest behind a NUL, as
// entries. Behind the head there may be comments alone.
func endWithNUL(format checklist.Format, head, rest string) bool {
	p := checklist.Parser{Format: format, Zero: true}
	if _, err := p.Parse(head); err != nil {
		return false
	}
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\x00")
	}
	if rest == "" {
		return true
	}
	next, _, ended := strings.Cut(rest, "\x00")
	if !ended {
		next += "\n" // the name may begin with it
	}
	_, err := p.Parse(next)
	return err == nil
}

// plainText returns the text of a list. It converts UTF-16 with a byte order mark, which
// PowerShell writes, to UTF-8. Any other text stays as it is.
func plainText(r io.Reader) (io.Reader, error) {
	var mark [2]byte
	n, err := io.ReadFull(r, mark[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(mark[:n]), r)
	if mark == [2]byte{0xff, 0xfe} || mark == [2]byte{0xfe, 0xff} {
		r = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(r)
	}
	return r, nil
}

// openList opens a list.
func (s *source) openList(l *list) (in input, err error) {
	if l.bag != nil {
		f, err := l.bag.Open(l.manifest.File)
		if err != nil {
			return input{}, fmt.Errorf("%s: %s", message.Quote(l.name), message.Reason(err))
		}
		return input{ReadCloser: f, shown: l.name, await: func() {}}, nil
	}
	in, err = s.open(l.name)
	switch {
	case err == nil:
		return in, nil
	case l.name == "-":
		return in, errors.New("'standard input': read error")
	}
	return in, fmt.Errorf("%s: %s", message.Quote(l.name), message.Reason(err))
}

// readingOf returns the reading that an entry means. A name in a list may have several
// readings.
func readingOf(l *list, e *checklist.Entry, base string) string {
	if l.bag != nil {
		return l.bag.Reading(e.Name, e.Or)
	}
	readings := []string{e.Or}
	if strings.Contains(e.Name, `\`) {
		readings = append(readings, strings.ReplaceAll(e.Name, `\`, "/"), strings.ReplaceAll(e.Or, `\`, "/"))
	}
	for _, r := range readings {
		if r != "" && isMissing(under(base, e.Name)) && isFile(under(base, r)) {
			return r
		}
	}
	return e.Name
}

func isFile(path string) bool {
	info, err := file.Stat(path)
	return err == nil && !info.Dir
}

func isMissing(path string) bool {
	_, err := file.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// formatOf returns the format that the name of a list and the files beside it tell.
func formatOf(name string) checklist.Format {
	if base := filepath.Base(name); base == bagManifest || base == bagTagManifest {
		return bag.FormatOf(filepath.Dir(name))
	}
	return checklist.Auto
}

// The names of manifests (RFC 8493), which in a bag have a format of their own.
const (
	bagManifest    = "manifest-sha256.txt"
	bagTagManifest = "tagmanifest-sha256.txt"
)
