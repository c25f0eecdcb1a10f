package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/sha256-simd/sha256-simd"
)

// A lineParser reads the lines of one or more checksum lists, in the three
// formats that tools write:
//
//	digest  name        or  digest *name
//	SHA256 (name) = digest
//	digest name         (BSD's reversed format)
//
// The first line of the first or the third kind decides which of the two all
// such lines are: otherwise somebody who renames a file to begin with a blank
// could choose how his line is read.
type lineParser struct {
	style lineStyle
}

type lineStyle byte

const (
	undecided lineStyle = iota
	standard
	reversed
)

const hexSize = 2 * sha256.Size

// parse returns the name and the digest that a line without its line ending
// holds. It reports false when the line is not properly formatted.
func (p *lineParser) parse(line string) (name string, digest [sha256.Size]byte, ok bool) {
	line = strings.TrimLeft(line, " \t")
	line, escaped := strings.CutPrefix(line, `\`)

	if rest, found := strings.CutPrefix(line, "SHA256"); found {
		rest = strings.TrimPrefix(rest, " ")
		rest, found = strings.CutPrefix(rest, "(")
		if !found {
			return "", digest, false
		}
		end := strings.LastIndexByte(rest, ')')
		if end < 0 {
			return "", digest, false
		}
		name, rest = rest[:end], strings.TrimLeft(rest[end+1:], " \t")
		rest, found = strings.CutPrefix(rest, "=")
		rest, _, _ = strings.Cut(rest, "\x00") // as names
		if !found || !parseDigest(&digest, strings.TrimLeft(rest, " \t")) {
			return "", digest, false
		}
	} else {
		// A digest, a blank and a name of at least one byte.
		if len(line) < hexSize+2 || line[hexSize] != ' ' && line[hexSize] != '\t' || !parseDigest(&digest, line[:hexSize]) {
			return "", digest, false
		}
		name = line[hexSize+1:]
		if len(name) == 1 || name[0] != ' ' && name[0] != '*' {
			if p.style == standard {
				return "", digest, false
			}
			p.style = reversed
		} else if p.style != reversed {
			p.style = standard
			name = name[1:]
		}
	}

	if escaped {
		name, ok = unescapeName(name)
		return name, digest, ok
	}
	// A name ends where the operating system ends it.
	name, _, _ = strings.Cut(name, "\x00")
	return name, digest, true
}

// parseDigest reads a digest in hexadecimal digits of either case.
func parseDigest(digest *[sha256.Size]byte, s string) bool {
	if len(s) != hexSize {
		return false
	}
	_, err := hex.Decode(digest[:], []byte(s))
	return err == nil
}

// maxLine is the length of the longest line of a list, or name, that is read.
// Names that a system can open are much shorter.
const maxLine = 64 << 10

// A lineReader reads lines of any length in bounded memory.
type lineReader struct {
	r   *bufio.Reader
	end byte
}

func newLineReader(r io.Reader, end byte) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, maxLine), end}
}

// next returns the next line without its end. Of a line that is too long it
// returns the beginning, and false. The last line needs no end.
func (l *lineReader) next() (line string, whole bool, err error) {
	b, err := l.r.ReadSlice(l.end)
	switch {
	case err == nil:
		return string(b[:len(b)-1]), true, nil
	case err == io.EOF && len(b) > 0:
		return string(b), true, nil
	case !errors.Is(err, bufio.ErrBufferFull):
		return "", false, err
	}
	line = string(b)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice(l.end)
	}
	if err == io.EOF {
		err = nil
	}
	return line, false, err
}
