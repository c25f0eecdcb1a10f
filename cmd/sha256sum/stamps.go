package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/sha256-simd/sha256-simd"
)

// With --update, a second file beside the list keeps what the files were when
// they were hashed: after a line that names the format, one line for each file,
//
//	digest size modified changed inode name
//
// with times in nanoseconds, and names escaped as in lists. It is in the order of
// the list, so that it is read along with the walk, and memory does not grow.
const (
	stampsSuffix = ".stamps"
	stampsFormat = "# sha256sum stamps 2"
)

// A record is what a file was.
type record struct {
	name   string
	digest [sha256.Size]byte
	stamp
}

func appendRecord(b []byte, r *record) []byte {
	prefix, name := escapeName(r.name)
	b = hex.AppendEncode(append(b, prefix...), r.digest[:])
	for _, n := range []int64{r.size, r.modified, r.changed, r.inode} {
		b = strconv.AppendInt(append(b, ' '), n, 10)
	}
	return append(append(append(b, ' '), name...), '\n')
}

// parseRecord undoes appendRecord. It reports false for what that did not write.
func parseRecord(line string) (r *record, ok bool) {
	line, escaped := strings.CutPrefix(line, `\`)
	const name = 5 // behind the digest and four numbers
	fields := strings.SplitN(line, " ", name+1)
	r = new(record)
	if len(fields) != name+1 || !parseDigest(&r.digest, fields[0]) {
		return nil, false
	}
	for i, n := range []*int64{&r.size, &r.modified, &r.changed, &r.inode} {
		var err error
		if *n, err = strconv.ParseInt(fields[1+i], 10, 64); err != nil {
			return nil, false
		}
	}
	if r.name, ok = fields[name], true; escaped {
		r.name, ok = unescapeName(r.name)
	}
	return r, ok
}

// A stampReader finds the records of files that it is asked for in their order.
type stampReader struct {
	mu    sync.Mutex  // rest is called while the source may still run
	lines *lineReader // nil if there are none
	next  *record     // nil at the end
	roots []string    // of the walk, from the current one on
}

// openStamps opens the records of a list. A list may have none.
func openStamps(list string, roots []string) (*stampReader, error) {
	r := &stampReader{roots: roots}
	f, err := os.Open(list + stampsSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.lines = newLineReader(f, '\n')
	if line, _, err := r.lines.next(); err != nil || line != stampsFormat {
		return r, nil // of another program, or version
	}
	r.advance()
	return r, nil
}

// advance reads the next record. What no run wrote ends the file.
func (r *stampReader) advance() {
	r.next = nil
	if line, whole, err := r.lines.next(); err == nil && whole {
		r.next, _ = parseRecord(line)
	}
}

// enter says that the walk has come to a root.
func (r *stampReader) enter(root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.roots) > 0 && r.roots[0] != root {
		r.roots = r.roots[1:]
	}
}

// find returns the record of a file, or nil. Those of files before it, in the
// order of the walk, are gone.
func (r *stampReader) find(name string) *record {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.next != nil {
		found := r.next
		if found.name != name && r.isAhead(found.name, name) {
			return nil
		}
		r.advance()
		if found.name == name {
			return found
		}
	}
	return nil
}

// isAhead reports whether the walk, which is at name, has other still to come.
func (r *stampReader) isAhead(other, name string) bool {
	for i, root := range r.roots {
		if other == root || strings.HasPrefix(other, join(root, "")) {
			return i > 0 || other > name
		}
	}
	return false
}

// rest hands the records that were not asked for to write, and ends the reading.
func (r *stampReader) rest(write func(*record) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.next != nil {
		if err := write(r.next); err != nil {
			return err
		}
		r.advance()
	}
	return nil
}

// A stampWriter writes the records of a new list.
type stampWriter struct {
	*outputFile
	w    *bufio.Writer
	line []byte
}

func createStamps(list string) (*stampWriter, error) {
	f, err := createOutput(list + stampsSuffix)
	if err != nil {
		return nil, err
	}
	s := &stampWriter{outputFile: f, w: bufio.NewWriter(f)}
	fmt.Fprintln(s.w, stampsFormat) // an error shows in the end
	return s, nil
}

func (s *stampWriter) write(r *record) error {
	s.line = appendRecord(s.line[:0], r)
	_, err := s.w.Write(s.line)
	return err
}

// commit puts the file in its place.
func (s *stampWriter) commit() error {
	if err := s.w.Flush(); err != nil {
		s.abort()
		return err
	}
	return s.outputFile.commit()
}
