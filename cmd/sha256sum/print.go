package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
	"github.com/sha256-simd/sha256-simd/internal/object"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A printer writes items in the form that the options ask for. It returns
// errors of the output; errors of files are printed.
type printer struct {
	*options
	out      *bufio.Writer
	errs     io.Writer
	damaged  int            // files: the exit status is 4
	failed   bool           // otherwise 1
	unheard  bool           // likewise: a message could not be written
	unlisted bool           // otherwise 2
	moved    bool           // otherwise 3
	listed   bool           // a line with a digest was printed
	stamps   *update.Writer // with --update
	former   *update.Former // with --update: the list as it was
	report   *bufio.Writer  // with --update: what differs from it
	added    int
	removed  int
	changed  int
	line     []byte
}

// maxWrite is how much is written at once, in whole lines. A pipe keeps so many bytes
// together. So processes that write to the same pipe, as under xargs -P, do not cut each
// other's lines.
const maxWrite = 4 << 10

// newPrinter returns a printer that writes the results to out, messages to errs, and what
// --update reports to report.
func newPrinter(o *options, w outputs, out, errs, report io.Writer) *printer {
	return &printer{
		options: o, stamps: w.stamps, former: w.former,
		out: bufio.NewWriterSize(out, maxWrite), errs: errs, report: bufio.NewWriter(report),
	}
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

// complain writes a message, behind everything that was printed before it. The work goes on
// if nobody can be told.
func (p *printer) complain(message string) error {
	if err := p.flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.errs, "sha256sum: %s\n", message); err != nil {
		p.unheard = true
	}
	return nil
}

// item prints an item.
func (p *printer) item(it item) error {
	switch it := it.(type) {
	case *noteItem:
		p.failed = p.failed || it.fail
		if p.status && !it.fail {
			return nil
		}
		return p.complain(it.text)
	case *malformedItem:
		return p.malformed(it)
	case *summaryItem:
		return p.summary(it.list)
	case *failureItem:
		f := &fileItem{name: it.name}
		if f.err = it.err; it.list != nil {
			f.check = &check{list: it.list}
		}
		return p.fileError(f)
	case *fileItem:
		return p.file(it)
	}
	panic(fmt.Sprintf("an item of type %T", it))
}

// rest prints an item after an interrupt, if it can be printed.
func (p *printer) rest(it item) error {
	if it == nil || !it.ready() {
		return nil
	}
	if _, half := it.(*summaryItem); half {
		return nil // of a list that was not read to its end
	}
	return p.item(it)
}

// file prints what became of a file.
func (p *printer) file(it *fileItem) error {
	switch {
	case errors.Is(it.err, errOutput):
		return p.complain(message.Quote(it.name) + ": skipped: " + message.Reason(it.err))
	case it.check != nil && it.check.listed:
		return p.verdict(it)
	case it.check != nil:
		return p.found(it)
	case it.err != nil:
		return p.fileError(it)
	}
	if p.isDamaged(it) {
		p.damaged++
		p.differs(it.name, statusDamaged)
		it.digest, it.stamp = sha256Digest(it.known.Digest), it.known.Stamp // as they were
	}
	p.line = p.line[:0]
	if p.json {
		p.line = object.Append(p.line, p.object(it))
	} else {
		p.appendDigest(it)
	}
	if err := p.writeLine(); err != nil {
		return err
	}
	p.listed = true
	if p.former != nil {
		p.compare(it)
	}
	if it.composite != "" {
		if why := refusal(it.size, p.partSize); why != "" {
			return p.complain("WARNING: " + message.Quote(it.name) + ": " + why)
		}
	}
	if p.stamps == nil || it.stamp == (stamp.Stamp{}) {
		return nil
	}
	return p.stamps.Write(&update.Record{Name: it.name, Digest: [sha256.Size]byte(it.digest.slice()), Stamp: it.stamp})
}

// isDamaged reports whether a file has another digest than the list says although it
// looks as if nobody had written to it.
func (p *printer) isDamaged(it *fileItem) bool {
	return it.known != nil && it.digest != sha256Digest(it.known.Digest) && p.former.Origin(it.known, it.stamp) == update.Damaged
}

// compare counts how the line of a file differs from the list as it was.
func (p *printer) compare(it *fileItem) {
	status := statusAdded
	switch p.former.See(it.name, it.digest.slice()) {
	case update.Added:
		p.added++
	case update.Changed:
		p.changed++
		status = statusChanged
	default:
		return
	}
	if p.verbose {
		p.differs(it.name, status)
	}
}

// differs reports a file of --update. An error shows when the report ends.
func (p *printer) differs(name, status string) {
	p.line = p.line[:0]
	if p.json {
		o := p.object(&fileItem{name: name, result: result{err: errNoDigest}})
		o.Status, o.Error = status, ""
		p.line = object.Append(p.line, o)
	} else {
		p.appendVerdict(name, strings.ToUpper(status))
	}
	p.report.Write(p.line)
}

// reportRemoved reports the files that are in the list as it was, but not in the new
// list. The list as it was must still be in its place.
func (p *printer) reportRemoved() error {
	if p.former == nil {
		return nil
	}
	p.removed = p.former.Removed()
	if !p.verbose {
		return nil
	}
	return p.former.EachRemoved(func(name string) error { p.differs(name, statusRemoved); return nil })
}

// endReport ends the report of --update, with a summary if the list was replaced.
func (p *printer) endReport(replaced bool) error {
	switch {
	case p.former == nil || !replaced:
	case p.json:
		p.report.Write(object.Append(nil, map[string]any{"summary": struct {
			List      string `json:"list"`
			ListBytes []byte `json:"list_bytes,omitempty"`
			Added     int    `json:"added"`
			Removed   int    `json:"removed"`
			Changed   int    `json:"changed"`
			Damaged   int    `json:"damaged,omitempty"`
		}{p.options.update, object.Lossless(p.options.update), p.added, p.removed, p.changed, p.damaged}}))
	default:
		fmt.Fprintf(p.report, "%s: %d added, %d removed, %d changed", message.Quote(p.options.update), p.added, p.removed, p.changed)
		if p.damaged > 0 {
			fmt.Fprintf(p.report, ", %d DAMAGED", p.damaged)
		}
		p.report.WriteByte('\n')
	}
	return p.report.Flush()
}

var errNoDigest = errors.New("no digest is printed")

// exitStatus returns the exit status.
func (p *printer) exitStatus() int {
	switch {
	case p.damaged > 0:
		return 4
	case p.failed, p.unheard:
		return 1
	case p.unlisted:
		return 2
	case p.moved:
		return 3
	}
	return 0
}

// fileError reports a file that has no digest, once.
func (p *printer) fileError(it *fileItem) error {
	p.failed = true
	if !p.json || p.status {
		return p.complain(message.Quote(it.name) + ": " + message.Reason(it.err))
	}
	o := p.object(it)
	if it.check != nil {
		o.Status, o.OK = p.statusOf(it), new(bool)
	}
	p.line = object.Append(p.line[:0], o)
	return p.writeLine()
}

// appendDigest appends the line of a list.
func (p *printer) appendDigest(it *fileItem) {
	end, name := byte('\n'), it.name
	b := p.line
	switch {
	case p.zero && p.tag:
		end = 0
		b = append(append(append(b, "SHA256 ("...), name...), ") = "...)
		b = hex.AppendEncode(b, it.digest.slice())
	case p.zero:
		end = 0
		b = append(append(hex.AppendEncode(b, it.digest.slice()), ' ', p.mark()), name...)
	case p.tag:
		b = checklist.AppendTagged(b, it.digest.slice(), name)
	default:
		b = checklist.AppendStandard(b, it.digest.slice(), p.mark(), name)
	}
	b = append(b, end)
	if it.composite != "" {
		// A comment to everything that reads lists.
		prefix := ""
		if !p.zero {
			prefix, name = checklist.EscapeName(name)
		}
		b = append(b, "# "...)
		b = append(b, prefix...)
		b = append(append(append(b, "SHA256 composite ("...), name...), ") = "...)
		b = append(append(b, it.composite...), ", parts of "...)
		b = strconv.AppendInt(b, p.partSize, 10)
		b = append(b, end)
	}
	p.line = b
}

// mark is the byte between the blank behind a digest and the name.
func (p *printer) mark() byte {
	if p.mode == 'b' {
		return '*'
	}
	return ' '
}

// The statuses of a file that is checked.
const (
	statusOK         = "ok"
	statusPresent    = "present" // not read, with --fast
	statusFailed     = "failed"
	statusAdded      = "added"
	statusRemoved    = "removed"
	statusChanged    = "changed"
	statusDamaged    = "damaged"
	statusUnreadable = "unreadable"
	statusMissing    = "missing"
	statusMoved      = "moved"
	statusUnlisted   = "unlisted"
)

func (p *printer) object(it *fileItem) object.File {
	o := object.File{Name: it.name, NameBytes: object.Lossless(it.name)}
	if it.err != nil {
		o.Error = message.Reason(it.err)
	} else {
		o.Digest, o.Size = hex.EncodeToString(it.digest.slice()), &it.size // none with --fast
		if it.composite != "" {
			o.Composite, o.PartSize = it.composite, p.partSize
		}
	}
	if it.check != nil && it.check.listed {
		o.Expected = hex.EncodeToString(it.check.want.slice())
	}
	return o
}

// malformed reports a line that could not be read.
func (p *printer) malformed(it *malformedItem) error {
	what := "improperly formatted SHA256 checksum line"
	if it.list.bag != nil {
		what = it.err.Error()
	} else if it.err == errZero || it.err == errNoZero {
		what += " (" + it.list.hint + ")"
	}
	if p.json && !p.status {
		p.line = object.Append(p.line[:0], struct {
			List      string `json:"list"`
			ListBytes []byte `json:"list_bytes,omitempty"`
			Line      int    `json:"line"`
			Error     string `json:"error"`
		}{it.list.name, object.Lossless(it.list.name), it.line, what})
		return p.writeLine()
	}
	if !p.warn && it.list.bag == nil || p.status {
		return nil
	}
	return p.complain(fmt.Sprintf("%s: %d: %s", it.list.shown, it.line, what))
}

// statusOf returns what became of a file that a list names.
func (p *printer) statusOf(it *fileItem) string {
	switch {
	case errors.Is(it.err, fs.ErrNotExist):
		return statusMissing
	case it.err != nil:
		return statusUnreadable
	case p.fast:
		return statusPresent
	case it.digest == it.check.want:
		return statusOK
	case it.check.list.records == nil:
		return statusFailed
	}
	switch it.check.list.records.Origin(it.name, [sha256.Size]byte(it.check.want.slice()), it.stamp) {
	case update.Written:
		return statusChanged
	case update.Damaged:
		return statusDamaged
	}
	return statusFailed
}

// verdict prints whether a listed file is what its list says.
func (p *printer) verdict(it *fileItem) error {
	status := p.statusOf(it)
	word := "OK"
	switch {
	case status == statusMissing && it.check.list.audit:
		it.check.list.missing.add(it.name, it.check.want) // it may turn up elsewhere
		return nil
	case status == statusMissing && p.ignoreMissing:
		return nil
	case it.err != nil:
		word = "FAILED open or read"
		it.check.list.unreadable++
		if err := p.fileError(it); err != nil || p.json {
			return err
		}
	case status == statusOK:
		it.check.list.matched++
	case status == statusPresent:
		word = "PRESENT"
		it.check.list.matched++
	case status == statusChanged:
		word = "CHANGED"
		it.check.list.changed++
	case status == statusDamaged:
		word = "DAMAGED"
		it.check.list.damaged++
		p.damaged++
	default:
		word = "FAILED"
		it.check.list.mismatched++
	}
	ok := status == statusOK || status == statusPresent
	if p.status || ok && p.quiet {
		return nil
	}
	p.line = p.line[:0]
	if p.json {
		o := p.object(it)
		o.OK, o.Status = &ok, status
		p.line = object.Append(p.line, o)
	} else {
		p.appendVerdict(it.name, word)
	}
	return p.writeLine()
}

// appendVerdict appends a name and what is said of it.
func (p *printer) appendVerdict(name, word string) {
	// As in coreutils, a name is escaped only if it would not stay on its line otherwise.
	prefix := ""
	if strings.Contains(name, "\n") {
		prefix, name = checklist.EscapeName(name)
	}
	p.line = fmt.Appendf(p.line, "%s%s: %s\n", prefix, name, word)
}

// found prints what an audit says of a file that the list does not name.
func (p *printer) found(it *fileItem) error {
	if it.err != nil {
		return p.fileError(it)
	}
	from, moved := "", false
	if !p.fast && it.size > 0 { // all empty files have one digest
		from, moved = it.check.list.missing.take(it.digest)
	}
	status, word := statusUnlisted, "UNLISTED"
	if moved {
		it.check.list.moved++
		p.moved = true
		status, word = statusMoved, "MOVED from "+message.Quote(from)
	} else {
		it.check.list.unlisted++
		p.unlisted = true
	}
	if p.status {
		return nil
	}
	p.line = p.line[:0]
	if p.json {
		o := p.object(it)
		o.OK, o.Status, o.From, o.FromBytes = new(bool), status, from, object.Lossless(from)
		p.line = object.Append(p.line, o)
	} else {
		p.appendVerdict(it.name, word)
	}
	return p.writeLine()
}

// lost prints the files of an audit that are nowhere.
func (p *printer) lost(l *list) (count int, err error) {
	if p.ignoreMissing {
		return 0, nil
	}
	for name := range l.missing.lost() {
		count++
		if p.status {
			continue
		}
		p.line = p.line[:0]
		if p.json {
			o := p.object(&fileItem{name: name, result: result{err: fs.ErrNotExist}})
			o.OK, o.Status, o.Error = new(bool), statusMissing, ""
			p.line = object.Append(p.line, o)
		} else {
			p.appendVerdict(name, "MISSING")
		}
		if err := p.writeLine(); err != nil {
			return count, err
		}
	}
	return count, nil
}

// summary ends a checksum list.
func (p *printer) summary(l *list) error {
	missing, err := p.lost(l)
	if err != nil {
		return err
	}
	if l.records != nil && l.records.Err() != nil {
		if err := p.item(errorItem("%s: %s", message.Quote(update.StampsOf(l.name)), message.Reason(l.records.Err()))); err != nil {
			return err
		}
	}
	mayBeEmpty := l.bag != nil || l.audit && l.proper+l.malformed == 0 // a payload, or a tree
	nothing := l.matched+l.moved == 0 && !mayBeEmpty
	if nothing || l.mismatched+l.changed+l.damaged+l.unreadable+missing > 0 || p.strict && l.malformed > 0 {
		p.failed = true
	}
	// In a bag, files that no line lists are not verified, and neither are lines that are
	// improper or about a file outside.
	if p.bag != "" && l.moved+l.unlisted+l.malformed > 0 {
		p.failed = true
	}
	noLines := "no properly formatted checksum lines found"
	if l.hint != "" {
		noLines += " (" + l.hint + ")"
	}
	const noFile = "no file was verified"
	if p.json && !p.status {
		o := struct {
			List       string `json:"list"`
			ListBytes  []byte `json:"list_bytes,omitempty"`
			Matched    int    `json:"ok"`
			Mismatched int    `json:"failed"`
			Unreadable int    `json:"unreadable"`
			Malformed  int    `json:"malformed"`
			Changed    int    `json:"changed,omitempty"`
			Damaged    int    `json:"damaged,omitempty"`
			Missing    int    `json:"missing,omitempty"`
			Moved      int    `json:"moved,omitempty"`
			Unlisted   int    `json:"unlisted,omitempty"`
			Error      string `json:"error,omitempty"`
		}{l.name, object.Lossless(l.name), l.matched, l.mismatched, l.unreadable, l.malformed, l.changed, l.damaged, missing, l.moved, l.unlisted, ""}
		switch {
		case l.proper == 0 && !mayBeEmpty:
			o.Error = noLines
		case nothing && p.narrows():
			o.Error = noFile
		}
		p.line = object.Append(p.line[:0], struct {
			Summary any `json:"summary"`
		}{o})
		return p.writeLine()
	}
	if l.proper == 0 && !mayBeEmpty {
		return p.complain(l.shown + ": " + noLines)
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
		{l.changed, "listed file has changed", "listed files have changed"},
		{l.damaged, "listed file is DAMAGED: it has another digest, but the same size and time", "listed files are DAMAGED: they have other digests, but the same sizes and times"},
		{missing, "listed file is missing", "listed files are missing"},
		{l.moved, "listed file has moved", "listed files have moved"},
		{l.unlisted, "file is not listed", "files are not listed"},
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
	if l.hint != "" {
		if err := p.complain(l.shown + ": " + l.hint); err != nil {
			return err
		}
	}
	if nothing && p.narrows() {
		return p.complain(l.shown + ": " + noFile)
	}
	return nil
}

// What is said of a list of --zero that was not read as one, and of one that was and is none.
const (
	zeroHint   = "lines end with NUL; -z reads them"
	noZeroHint = "no line ends with NUL; leave out -z"
)

// narrows reports whether the options may leave nothing of a list to verify.
func (o *options) narrows() bool { return o.ignoreMissing || len(o.filters) > 0 }
