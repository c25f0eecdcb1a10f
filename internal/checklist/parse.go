package checklist

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Parser reads the lines of one or more lists. The zero Parser reads SHA-256
// digests in the format Auto. It is not safe for concurrent use.
type Parser struct {
	Format Format
	// Zero says that lines end with NUL, and names contain no escapes.
	Zero bool
	// DigestSize is the length of digests in bytes; 0 means Size.
	DigestSize int
	// Other, if not nil, is given each digest of a line as it is written. algorithm is
	// the word by which the line or its column calls the digest, or "". It reports
	// whether it has taken the digest: entries have none of these. Otherwise the digest
	// has to be one of SHA-256, as ever.
	Other func(algorithm, digest string) (taken bool, err error)

	style   style
	columns []string // of hashdeep, in the list that is being read
	windows windows  // of the list that is being read
	line    int      // the number of the line that is being read
}

// A style is one of two formats, which only the first line distinguishes.
type style byte

const (
	undecided style = iota
	standard
	reversed
)

const byteOrderMark = "\ufeff"

// Begin prepares the parser for another list. What the lists before decided
// between the standard and the reversed format stays.
func (p *Parser) Begin() { p.columns, p.windows, p.line = nil, windows{}, 0 }

// Comment reports whether a line describes no file, or only a part of one: an empty line, a
// comment, or a header. Every line of a list has to pass through here first.
func (p *Parser) Comment(line string) bool {
	p.line++
	line = strings.TrimPrefix(line, byteOrderMark)
	line = strings.TrimSuffix(line, "\r")
	if p.isBagIt() {
		return line == ""
	}
	if header, found := strings.CutPrefix(line, "%%%% "); found && p.Format == Auto {
		if columns := strings.Split(header, ","); slices.Contains(columns, "filename") {
			p.columns = columns
		}
		return p.columns != nil || strings.HasPrefix(header, "HASHDEEP-")
	}
	if line == "" {
		p.windows.blank()
		return true
	}
	return line[0] == '#' || p.Format == Auto && !p.Zero && p.windows.header(line, p.line)
}

// End returns an error if an entry of the list has no end, and the number of its first line.
func (p *Parser) End() (line int, err error) { return p.windows.end() }

var (
	errNoName   = errors.New("the line has no name")
	errNoDigest = errors.New("the line has no digest and name; expected 'DIGEST  NAME' or 'SHA256 (NAME) = DIGEST'")
	errStyle    = errors.New("one blank before the name; the first line has two")
)

// Parse returns the entry of a line without its line end. The error says what is
// improper about the line.
func (p *Parser) Parse(line string) (Entry, error) {
	e := Entry{Size: -1}
	if !p.Zero {
		line = strings.TrimSuffix(line, "\r")
	}
	line = strings.TrimPrefix(line, byteOrderMark)
	var err error
	switch {
	case p.isBagIt():
		err = p.parseBagIt(line, &e)
	default:
		headed := p.columns != nil
		if headed {
			err = p.parseColumns(strings.TrimLeft(line, " \t"), &e)
		} else {
			headed, err = p.parseWindows(line, &e)
		}
		if !headed {
			err = p.parseLine(strings.TrimLeft(line, " \t"), &e)
		} else if err != nil {
			err = p.orLine(line, &e, err)
		}
	}
	if err != nil {
		return Entry{}, err
	}
	return e, nil
}

// orLine is called for a line that does not have the form that a header above announces; err
// says why. The header may be a heading above the lines of coreutils. If the line is one of
// these, with two blanks, orLine reads it. Otherwise it returns err.
func (p *Parser) orLine(line string, e *Entry, err error) error {
	read, as := Entry{Size: -1}, *p
	as.style = standard
	if as.parseLine(strings.TrimLeft(line, " \t"), &read) != nil {
		return err
	}
	if w := &p.windows; err == errCertutil && w.lostAt == 0 {
		w.lostAt = w.nameAt
	}
	*e = read
	return nil
}

// parseLine reads a line of the Coreutils, the reversed or the Tagged format.
func (p *Parser) parseLine(line string, e *Entry) (err error) {
	escaped := false
	if !p.Zero {
		line, escaped = strings.CutPrefix(line, `\`)
	}
	if algorithm, rest, found := p.cutAlgorithm(line); found && p.Format != Coreutils {
		err = p.parseTagged(algorithm, rest, e)
	} else if p.Format == Tagged {
		err = errNoDigest
	} else {
		err = p.parseStandard(line, e)
	}
	if err != nil {
		return err
	}
	if escaped {
		e.Name, err = UnescapeName(e.Name)
	} else {
		// A name ends where the operating system ends it.
		e.Name, _, _ = strings.Cut(e.Name, "\x00")
	}
	return err
}

// cutAlgorithm cuts the name of the algorithm off a line of the Tagged format.
func (p *Parser) cutAlgorithm(line string) (algorithm, rest string, found bool) {
	for _, name := range []string{"SHA256", "SHA2-256"} {
		if rest, found = strings.CutPrefix(line, name); found {
			return "", rest, true
		}
	}
	if p.Other != nil {
		if m := taggedByOther.FindStringSubmatch(line); m != nil {
			return m[1], line[len(m[1]):], true
		}
	}
	return "", line, false
}

// taggedByOther finds the name of another algorithm. It is shorter than any digest.
var taggedByOther = regexp.MustCompile(`^([A-Z][A-Za-z0-9-]{1,15}) ?\(.*\)[ \t]*=`)

// parseTagged reads what follows the algorithm.
func (p *Parser) parseTagged(algorithm, rest string, e *Entry) (err error) {
	rest, found := strings.CutPrefix(strings.TrimPrefix(rest, " "), "(")
	end := strings.LastIndexByte(rest, ')')
	if !found || end < 0 {
		return errNoDigest
	}
	e.Name, rest = rest[:end], strings.TrimLeft(rest[end+1:], " \t")
	rest, found = strings.CutPrefix(rest, "=")
	if !found {
		return errNoDigest
	}
	rest, _, _ = strings.Cut(rest, "\x00") // as names
	return p.take(algorithm, strings.TrimLeft(rest, " \t"), e)
}

// parseStandard reads a digest, a blank, and a name of at least one byte.
func (p *Parser) parseStandard(line string, e *Entry) (err error) {
	size := strings.IndexAny(line, " \t")
	if size < 0 || len(line) < size+2 {
		return errNoDigest
	}
	if err = p.take("", line[:size], e); err != nil {
		return err
	}
	e.Name = line[size+1:]
	switch {
	case len(e.Name) == 1 || e.Name[0] != ' ' && e.Name[0] != '*':
		if p.style == standard || p.Format == Coreutils {
			return errStyle
		}
		p.style = reversed
	case p.style != reversed || p.Format == Coreutils:
		p.style = standard
		e.Name = e.Name[1:]
	}
	return nil
}

func (p *Parser) isBagIt() bool { return p.Format == BagIt || p.Format == EarlyBagIt }

// parseBagIt reads a line of a bag's manifest. md5sum marks a name by an asterisk,
// which early tools left there.
func (p *Parser) parseBagIt(line string, e *Entry) (err error) {
	size := strings.IndexAny(line, " \t")
	if size < 0 {
		return errors.New("the line is not 'DIGEST NAME'")
	}
	if len(line[:size]) != hex.EncodedLen(p.size()) {
		return p.sizeError(line[:size])
	}
	if e.Digest, err = p.digest(line[:size]); err != nil {
		return err
	}
	name := strings.TrimPrefix(strings.TrimLeft(line[size:], " \t"), "*")
	switch {
	case name == "":
		return errNoName
	case strings.Contains(name, "\x00"):
		return errNUL
	}
	// Many tools encode nothing, whatever the version.
	if e.Name = DecodeBagIt(p.Format, name); e.Name != name {
		e.Or = name
	}
	return nil
}

// parseColumns reads a line of hashdeep.
func (p *Parser) parseColumns(line string, e *Entry) (err error) {
	values := strings.SplitN(line, ",", len(p.columns))
	if len(values) < len(p.columns) {
		return fmt.Errorf("the line has %d columns; its header names %d", len(values), len(p.columns))
	}
	found := false
	for i, column := range p.columns {
		switch column {
		case "sha256":
			found = true
			if e.Digest, err = p.digest(values[i]); err != nil {
				return err
			}
		case "size":
			if n, err := strconv.ParseInt(values[i], 10, 64); err == nil && n >= 0 {
				e.Size = n
			}
		case "filename":
			e.Name = values[i]
		default:
			if p.Other == nil {
				continue
			}
			taken, err := p.Other(column, values[i])
			if err != nil {
				return err
			}
			found = found || taken
		}
	}
	switch {
	case !found:
		return errors.New("the header names no column sha256")
	case e.Name == "":
		return errNoName
	}
	return nil
}

// take reads a digest, which the line calls by an algorithm's name unless that is "".
func (p *Parser) take(algorithm, digest string, e *Entry) (err error) {
	if p.Other != nil {
		taken, err := p.Other(algorithm, digest)
		switch {
		case err != nil || taken:
			return err
		case algorithm != "":
			return fmt.Errorf("unknown algorithm %s", algorithm)
		}
	}
	e.Digest, err = p.digest(digest)
	return err
}

func (p *Parser) size() int {
	if p.DigestSize > 0 {
		return p.DigestSize
	}
	return Size
}

func (p *Parser) sizeError(s string) error {
	return fmt.Errorf("the digest has %d characters; expected %d hexadecimal digits", len(s), hex.EncodedLen(p.size()))
}

// ParseDigest reads a SHA-256 digest: hexadecimal digits of either case, or base64.
func ParseDigest(s string) ([]byte, error) { return new(Parser).digest(s) }

// digest reads a digest in hexadecimal digits or in base64. The decoder of base64
// skips line ends; with one, too few digits are left.
func (p *Parser) digest(s string) (digest []byte, err error) {
	switch len(s) {
	case hex.EncodedLen(p.size()):
		digest, err = hex.DecodeString(s)
	case base64.StdEncoding.EncodedLen(p.size()):
		digest, err = base64.StdEncoding.Strict().DecodeString(s)
	default:
		return nil, p.sizeError(s)
	}
	if err != nil {
		return nil, fmt.Errorf("the digest is neither hexadecimal nor base64: %w", err)
	}
	if len(digest) != p.size() {
		return nil, p.sizeError(s)
	}
	return digest, nil
}
