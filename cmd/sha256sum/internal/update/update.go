// Package update keeps what files were when they were hashed, so that the next run
// hashes only those that have changed.
package update

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// With --update, a second file beside the list keeps what the files were when
// they were hashed: after a line that names the format, one line for each file,
//
//	check digest size modified changed inode name
//
// with times in nanoseconds, and names escaped as in lists. check is the first 8
// bytes of the SHA-256 digest of what follows the blank behind it: a record that was
// damaged is not used. Records are in the order of the list, so that they are read
// along with the walk, and memory does not grow.
const (
	suffix    = ".stamps"
	header    = "# sha256sum stamps " // of all versions
	format    = header + "3"
	checkSize = 8
)

// StampsOf returns the name of the file of a list's records. It is beside the list itself, not
// beside a link to it: so all names of the list have the same records.
func StampsOf(list string) string {
	if target, err := filepath.EvalSymlinks(list); err == nil {
		list = target
	}
	return list + suffix
}

// A Record is what a file was.
type Record struct {
	Name   string
	Digest [sha256.Size]byte
	stamp.Stamp
}

func AppendRecord(b []byte, r *Record) []byte {
	start := len(b)
	b = append(b, strings.Repeat(" ", hex.EncodedLen(checkSize)+1)...)
	body := len(b)
	prefix, name := checklist.EscapeName(r.Name)
	b = hex.AppendEncode(append(b, prefix...), r.Digest[:])
	for _, n := range []int64{r.Size, r.Modified, r.Changed, r.Inode} {
		b = strconv.AppendInt(append(b, ' '), n, 10)
	}
	b = append(append(b, ' '), name...)
	hex.Encode(b[start:], recordCheck(b[body:]))
	return append(b, '\n')
}

func recordCheck(body []byte) []byte {
	sum := sha256.Sum256(body)
	return sum[:checkSize]
}

// ParseRecord undoes AppendRecord. It reports false for what that did not write.
func ParseRecord(line string) (r *Record, ok bool) {
	check, line, _ := strings.Cut(line, " ")
	if check != hex.EncodeToString(recordCheck([]byte(line))) {
		return nil, false
	}
	line, escaped := strings.CutPrefix(line, `\`)
	const name = 5 // behind the digest and four numbers
	fields := strings.SplitN(line, " ", name+1)
	r = new(Record)
	if len(fields) != name+1 {
		return nil, false
	}
	sum, err := checklist.ParseDigest(fields[0])
	if err != nil {
		return nil, false
	}
	r.Digest = [sha256.Size]byte(sum)
	for i, n := range []*int64{&r.Size, &r.Modified, &r.Changed, &r.Inode} {
		if *n, err = strconv.ParseInt(fields[1+i], 10, 64); err != nil {
			return nil, false
		}
	}
	if r.Name = fields[name]; escaped {
		r.Name, err = checklist.UnescapeName(r.Name)
	}
	return r, err == nil
}

// A Reader finds the records of files that it is asked for in their order.
type Reader struct {
	lines *recordLines  // nil if there are none
	next  *Record       // nil at the end
	roots []string      // of the walk, from the current one on
	pass  func(*Record) // if set, takes the records that Find passes over
}

// Open opens the records of a list. A list may have none.
func Open(list string, roots []string) (*Reader, error) {
	r := &Reader{roots: roots}
	lines, err := openRecords(list)
	if err != nil || lines == nil {
		return r, err
	}
	r.lines = lines
	r.advance()
	return r, nil
}

// Close closes the file: Windows replaces none that is open. A goroutine that still reads
// then finds no more records.
func (r *Reader) Close() {
	if r.lines != nil {
		r.lines.file.Close()
	}
}

// Err returns the error that broke the reading off.
func (r *Reader) Err() error {
	if r.lines == nil {
		return nil
	}
	return r.lines.err
}

// recordLines are the records of a list, behind the line that names the format.
type recordLines struct {
	*checklist.Lines
	file *os.File
	err  error // that broke the reading off
}

// openRecords returns the records of a list, or nil if it has none.
func openRecords(list string) (*recordLines, error) {
	name := StampsOf(list)
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// Pipes are not waited for, nor links written through.
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file; expected what an earlier run with --update wrote")
	}
	if own, err := os.Stat(list); err == nil && os.SameFile(own, info) {
		return nil, errors.New("the same file as the list")
	}
	return openFile(name)
}

// errForeign is the error of a file that may be of use to somebody. A run without the
// records of the list would replace it.
var errForeign = errors.New("not replaced: it is not what an earlier run with --update wrote (to begin anew, remove it)")

// openFile returns the records of a file, or nil if it is empty or another version wrote it.
func openFile(name string) (*recordLines, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	l := &recordLines{Lines: checklist.NewLines(f, '\n'), file: f}
	line, _, err := l.Next()
	if err == nil && line == format {
		return l, nil
	}
	f.Close()
	switch {
	case err == io.EOF:
		err = nil
	case err == nil && !strings.HasPrefix(line, header):
		err = errForeign
	}
	return nil, err
}

// next returns the next record that is as it was written, or nil at the end.
func (l *recordLines) next() *Record {
	for {
		line, whole, err := l.Next()
		if err != nil {
			if err != io.EOF {
				l.err = err
			}
			return nil
		}
		if r, ok := ParseRecord(line); whole && ok {
			return r
		}
	}
}

// advance reads the next record.
func (r *Reader) advance() { r.next = r.lines.next() }

// Enter says that the walk has come to a root.
func (r *Reader) Enter(root string) {
	for len(r.roots) > 0 && r.roots[0] != root {
		r.roots = r.roots[1:]
	}
}

// Find returns the record of a file, or nil. Records of files before it, in the
// order of the walk, are gone.
func (r *Reader) Find(name string) *Record {
	for r.next != nil {
		found := r.next
		if found.Name != name && r.isAhead(found.Name, name) {
			return nil
		}
		r.advance()
		if found.Name == name {
			return found
		}
		if r.pass != nil {
			r.pass(found)
		}
	}
	return nil
}

// isAhead reports whether the walk, which is at name, has other still to come.
func (r *Reader) isAhead(other, name string) bool {
	for i, root := range r.roots {
		if isUnder(root, other) {
			return i > 0 || other > name
		}
	}
	return false
}

func isUnder(root, name string) bool {
	return name == root || strings.HasPrefix(name, walk.Join(root, ""))
}

// A Writer writes the records of a new list.
type Writer struct {
	*output.File
	w    *bufio.Writer
	line []byte
}

// Create begins the records of a list. If there were none, whoever may read the list may
// read them.
func Create(list string) (*Writer, error) {
	f, err := output.CreateBeside(list, StampsOf(list))
	if err != nil {
		return nil, err
	}
	s := &Writer{File: f, w: bufio.NewWriter(f)}
	fmt.Fprintln(s.w, format) // an error shows in the end
	return s, nil
}

func (s *Writer) Write(r *Record) error {
	s.line = AppendRecord(s.line[:0], r)
	_, err := s.w.Write(s.line)
	return err
}

// Complete is for a run that does not replace its list. It returns the writer of the
// records that the list then has: those of s, and those of before for all files that s has
// no record of, or one with another digest than is listed. roots are those of the walk. If
// Complete returns another writer than s, s has ended.
func (s *Writer) Complete(list string, roots []string) (*Writer, error) {
	before, err := Open(list, roots)
	if err != nil || before.lines == nil {
		return s, err
	}
	defer before.Close()
	if err := s.w.Flush(); err != nil {
		return s, err
	}
	written, err := openFile(s.Name())
	if err != nil {
		return s, err
	}
	all, err := Create(list)
	if err != nil {
		written.file.Close()
		return s, err
	}
	// If the roots have another order than before, a file may come twice, and its record of
	// before may come later.
	done := make(map[names.Key]bool)
	listed := Index{list: list}
	write := func(r *Record) {
		if key := names.KeyOf(r.Name); !done[key] {
			done[key] = true
			all.Write(r) // an error shows in the end
		}
	}
	before.pass = write
	for r := written.next(); r != nil; r = written.next() {
		for len(before.roots) > 0 && !isUnder(before.roots[0], r.Name) {
			before.roots = before.roots[1:]
		}
		old := before.Find(r.Name)
		switch {
		case old != nil && old.Digest != r.Digest:
			write(old)
		case old != nil || !listed.hasOther(r.Name, r.Digest):
			write(r)
		}
	}
	for ; before.next != nil; before.advance() {
		write(before.next)
	}
	written.file.Close()
	if err := cmp.Or(before.lines.err, written.err, listed.err); err != nil {
		all.Abort()
		return s, err
	}
	s.Abort()
	return all, nil
}

// Commit puts the file in its place.
func (s *Writer) Commit() error {
	if err := s.w.Flush(); err != nil {
		s.Abort()
		return err
	}
	return s.File.Commit()
}
