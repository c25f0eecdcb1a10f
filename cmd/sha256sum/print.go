package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A printer writes items in the form that the options ask for. Its errors are
// those of the output; what goes wrong with a file is printed.
type printer struct {
	*options
	out    *bufio.Writer
	errs   io.Writer
	failed bool // the exit status is 1
	line   []byte
}

// maxWrite is how much is written at once, in whole lines: as much as a pipe
// keeps together, so that processes that write to the same one, as those of
// xargs -P, do not cut each other's lines.
const maxWrite = 4 << 10

func newPrinter(o *options, out, errs io.Writer) *printer {
	return &printer{options: o, out: bufio.NewWriterSize(out, maxWrite), errs: errs}
}

func (p *printer) flush() error { return p.out.Flush() }

// writeLine writes p.line, in one piece.
func (p *printer) writeLine() error {
	if len(p.line) > p.out.Available() {
		if err := p.flush(); err != nil {
			return err
		}
	}
	_, err := p.out.Write(p.line)
	return err
}

// complain writes a message, behind everything that was printed before it.
func (p *printer) complain(message string) error {
	if err := p.flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.errs, "sha256sum: %s\n", message)
	return nil
}

func (p *printer) item(it *item) error {
	switch {
	case it.kind == noteItem:
		p.failed = p.failed || it.fail
		return p.complain(it.note)
	case it.kind == summaryItem:
		return p.summary(it.list)
	case it.list != nil:
		return p.verdict(it)
	}
	if it.err != nil {
		return p.fileError(it, nil)
	}
	p.line = p.line[:0]
	if p.json {
		p.appendJSON(it, nil)
	} else {
		p.appendDigest(it)
	}
	return p.writeLine()
}

// fileError reports a file that has no digest. ok is the verdict of a check.
func (p *printer) fileError(it *item, ok *bool) error {
	p.failed = true
	if p.json && !p.status {
		p.line = p.line[:0]
		p.appendJSON(it, ok)
		if err := p.writeLine(); err != nil {
			return err
		}
	}
	return p.complain(quoteShell(it.name) + ": " + reason(it.err))
}

// appendDigest appends the line of a list.
func (p *printer) appendDigest(it *item) {
	end := byte('\n')
	prefix, name := escapeName(it.name)
	if p.zero {
		end, prefix, name = 0, "", it.name
	}
	b := append(p.line, prefix...)
	switch {
	case p.tag:
		b = append(append(append(b, "SHA256 ("...), name...), ") = "...)
		b = hex.AppendEncode(b, it.digest[:])
	case p.mode == 'b':
		b = append(append(hex.AppendEncode(b, it.digest[:]), " *"...), name...)
	default:
		b = append(append(hex.AppendEncode(b, it.digest[:]), "  "...), name...)
	}
	b = append(b, end)
	if it.composite != "" {
		// A comment to everything that reads lists.
		b = append(b, "# "...)
		b = append(b, prefix...)
		b = append(append(append(b, "SHA256 composite ("...), name...), ") = "...)
		b = append(append(b, it.composite...), ", parts of "...)
		b = strconv.AppendInt(b, p.partSize, 10)
		b = append(b, end)
	}
	p.line = b
}

// appendJSON appends a file as one object. ok is the verdict of a check.
func (p *printer) appendJSON(it *item, ok *bool) {
	object := struct {
		Name      string `json:"name"`
		NameBytes []byte `json:"name_bytes,omitempty"`
		Digest    string `json:"digest,omitempty"`
		Size      *int64 `json:"size,omitempty"`
		Composite string `json:"composite,omitempty"`
		PartSize  int64  `json:"part_size,omitempty"`
		OK        *bool  `json:"ok,omitempty"`
		Error     string `json:"error,omitempty"`
	}{Name: it.name, OK: ok}
	if !utf8.ValidString(it.name) {
		object.NameBytes = []byte(it.name)
	}
	if it.err != nil {
		object.Error = reason(it.err)
	} else {
		object.Digest, object.Size = hex.EncodeToString(it.digest[:]), &it.size
		if it.composite != "" {
			object.Composite, object.PartSize = it.composite, p.partSize
		}
	}
	buf := appendWriter{p.line}
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	// Strings, numbers and a bool always encode.
	_ = enc.Encode(object)
	p.line = buf.b
}

type appendWriter struct{ b []byte }

func (w *appendWriter) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

// verdict prints whether a listed file is what its list says.
func (p *printer) verdict(it *item) error {
	ok := it.err == nil && it.digest == it.want
	word := "OK"
	switch {
	case p.ignoreMissing && errors.Is(it.err, fs.ErrNotExist):
		return nil
	case it.err != nil:
		word = "FAILED open or read"
		it.list.unreadable++
		if err := p.fileError(it, &ok); err != nil || p.json {
			return err
		}
	case ok:
		it.list.matched++
	default:
		word = "FAILED"
		it.list.mismatched++
	}
	if p.status || ok && p.quiet {
		return nil
	}
	p.line = p.line[:0]
	if p.json {
		p.appendJSON(it, &ok)
	} else {
		// As coreutils does, only a name that needs it to stay on its line is escaped.
		prefix, name := "", it.name
		if strings.Contains(name, "\n") {
			prefix, name = escapeName(name)
		}
		p.line = fmt.Appendf(p.line, "%s%s: %s\n", prefix, name, word)
	}
	return p.writeLine()
}

// summary ends a checksum list.
func (p *printer) summary(l *list) error {
	if l.matched == 0 || l.mismatched > 0 || l.unreadable > 0 || p.strict && l.malformed > 0 {
		p.failed = true
	}
	if l.proper == 0 {
		return p.complain(l.shown + ": no properly formatted checksum lines found")
	}
	if p.status {
		return nil
	}
	for _, count := range []struct {
		n         int
		one, many string
	}{
		{l.malformed, "line is improperly formatted", "lines are improperly formatted"},
		{l.unreadable, "listed file could not be read", "listed files could not be read"},
		{l.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"},
	} {
		what := count.many
		switch count.n {
		case 0:
			continue
		case 1:
			what = count.one
		}
		if err := p.complain(fmt.Sprintf("WARNING: %d %s", count.n, what)); err != nil {
			return err
		}
	}
	if p.ignoreMissing && l.matched == 0 {
		return p.complain(l.shown + ": no file was verified")
	}
	return nil
}
