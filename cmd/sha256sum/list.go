package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/sha256-simd/sha256-simd"
)

// A lineParser reads the lines of one or more checksum lists, in the formats
// that tools write:
//
//	digest  name        or  digest *name
//	SHA256 (name) = digest          (BSD; OpenSSL has SHA2-256 for SHA256)
//	digest name                     (BSD's reversed format)
//	size,md5,digest,name            (hashdeep, whose header tells the columns)
//
// and digests in hexadecimal or base64. A manifest of a bag (RFC 8493), known by
// its name, has any blanks before the name, and percent escapes in it.
//
// The first line of the first or the third kind decides which of the two all
// such lines are: otherwise somebody who renames a file to begin with a blank
// could choose how his line is read.
type lineParser struct {
	style lineStyle

	// Of the list that is being read.
	zero     bool // lines end with NUL, and nothing is escaped
	manifest bool
	columns  []string // of hashdeep
}

type lineStyle byte

const (
	undecided lineStyle = iota
	standard
	reversed
)

const (
	hexSize    = 2 * sha256.Size
	base64Size = (sha256.Size + 2) / 3 * 4
)

// begin prepares to read a list.
func (p *lineParser) begin(base string, zero bool) {
	p.zero, p.columns = zero, nil
	p.manifest = base == bagManifest || base == bagTagManifest
}

// comment reports whether the nth line says nothing about a file.
func (p *lineParser) comment(n int, line string) bool {
	if n == 1 {
		line = strings.TrimPrefix(line, byteOrderMark)
	}
	line = strings.TrimSuffix(line, "\r")
	if header, found := strings.CutPrefix(line, "%%%% "); found {
		if columns := strings.Split(header, ","); len(columns) > 1 {
			p.columns = columns
		}
		return p.columns != nil || strings.HasPrefix(header, "HASHDEEP-")
	}
	return line == "" || line[0] == '#'
}

const byteOrderMark = "\ufeff"

// parse returns the name and the digest that a line without its line ending
// holds. It reports false when the line is not properly formatted.
func (p *lineParser) parse(line string) (name string, digest [sha256.Size]byte, ok bool) {
	if !p.zero {
		line = strings.TrimSuffix(line, "\r")
	}
	line = strings.TrimLeft(strings.TrimPrefix(line, byteOrderMark), " \t")
	if p.columns != nil {
		return p.parseColumns(line)
	}
	escaped := false
	if !p.zero {
		line, escaped = strings.CutPrefix(line, `\`)
	}

	if rest, found := cutAlgorithm(line); found {
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
		size := strings.IndexAny(line, " \t")
		if size < 0 || len(line) < size+2 || !parseDigest(&digest, line[:size]) {
			return "", digest, false
		}
		name = line[size+1:]
		if p.manifest {
			name = strings.TrimPrefix(strings.TrimLeft(name, " \t"), "*")
			return percentDecoder.Replace(name), digest, name != ""
		}
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

// parseColumns reads a line of hashdeep.
func (p *lineParser) parseColumns(line string) (name string, digest [sha256.Size]byte, ok bool) {
	values := strings.SplitN(line, ",", len(p.columns))
	if len(values) < len(p.columns) {
		return "", digest, false
	}
	for i, column := range p.columns {
		switch column {
		case "sha256":
			ok = parseDigest(&digest, values[i])
		case "filename":
			name = values[i]
		}
	}
	return name, digest, ok && name != ""
}

// cutAlgorithm cuts the name of the algorithm off a BSD line.
func cutAlgorithm(line string) (rest string, found bool) {
	for _, name := range []string{"SHA256", "SHA2-256"} {
		if rest, found = strings.CutPrefix(line, name); found {
			return rest, true
		}
	}
	return line, false
}

// percentDecoder reads the escapes that a bag's manifest may have, and no others.
var percentDecoder = strings.NewReplacer("%0A", "\n", "%0a", "\n", "%0D", "\r", "%0d", "\r", "%25", "%")

// parseDigest reads a digest in hexadecimal digits of either case or in base64.
func parseDigest(digest *[sha256.Size]byte, s string) bool {
	var n int
	var err error
	switch len(s) {
	case hexSize:
		n, err = hex.Decode(digest[:], []byte(s))
	case base64Size:
		var b [base64Size]byte // its last quantum may decode to more
		n, err = base64.StdEncoding.Strict().Decode(b[:], []byte(s))
		copy(digest[:], b[:])
	}
	return err == nil && n == sha256.Size
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
