// Package fixity reads objects and says of each whether it is what it should be.
package fixity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/bits"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sha256-simd/sha256-simd/fleet/internal/checksum"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// An Outcome is what became of a line of a list.
type Outcome string

// Each line has one of these.
const (
	Match      Outcome = "match"      // the digests are the expected ones
	Mismatch   Outcome = "mismatch"   // one is another, or the size is not the list's
	Missing    Outcome = "missing"    // the store has no such object
	Deleted    Outcome = "deleted"    // a delete marker is in its place
	Archived   Outcome = "archived"   // it has to be restored before it can be read
	Unreadable Outcome = "unreadable" // it could not be read, or changed while it was
	Malformed  Outcome = "malformed"  // the line names no object
	New        Outcome = "new"        // no digest is expected: this is it
)

// A Result is what became of a line, and a line of a worker's output.
type Result struct {
	// Line is the line's number in the list that it first stood in, from 1.
	Line    int64   `json:"line"`
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	// SHA256 is the digest, or composite checksum, of what was read, if all was.
	SHA256 string `json:"sha256"`
	// Expected is what the list expects: a digest of SHA-256, and others with their
	// algorithms, such as md5:…, with blanks between.
	Expected string `json:"expected"`
	// Size is the length of the object in bytes, or -1 if it was not read.
	Size  int64  `json:"size"`
	Error string `json:"error"`
	// NameBytes is the name, if that is not UTF-8.
	NameBytes []byte `json:"name_bytes,omitempty"`
	Version   string `json:"version,omitempty"`
	PartSize  int64  `json:"part_size,omitempty"`
	// Computed is what was read in the form of Expected, if that is not a digest of
	// SHA-256 alone.
	Computed string `json:"computed,omitempty"`
	// ETag is what the store said of the contents when they were read, or "".
	ETag string `json:"etag,omitempty"`
	// Modified is when the object was last written, or nil: what the store said when it was
	// opened or, of what was not opened, what the list says.
	Modified *time.Time `json:"modified,omitempty"`
	// ExpectedSize is the size that the list says, unless that is Size, or nil.
	ExpectedSize *int64 `json:"expected_size,omitempty"`
	// Retry says that the object was unreadable for a cause that may pass.
	Retry bool `json:"retry,omitempty"`

	listed int64         // the size that the list says, or -1
	sha256 string        // that the list expects
	checks *checksum.Set // what it expects besides
	// unsure says, of parts whose length the list does not say, what a mismatch may be
	// instead of damage.
	unsure string
}

// Found returns what was read, in the form of Expected.
func (r *Result) Found() string {
	if r.Computed != "" {
		return r.Computed
	}
	return r.SHA256
}

// Check returns an error if no worker writes such a result.
func (r *Result) Check() error {
	switch r.Outcome {
	case Match:
		if r.SHA256 == "" || r.Found() != r.Expected {
			return fmt.Errorf("a match of %q, where %q was expected", r.Found(), r.Expected)
		}
	case New:
		if r.SHA256 == "" || r.Expected != "" {
			return fmt.Errorf("a new digest %q, where %q was expected", r.SHA256, r.Expected)
		}
	case Unreadable:
	case Mismatch, Missing, Deleted, Archived, Malformed:
	default:
		return fmt.Errorf("unknown outcome %q", r.Outcome)
	}
	if r.Retry && r.Outcome != Unreadable {
		return fmt.Errorf("outcome %q, which does not pass", r.Outcome)
	}
	return nil
}

// IsProblem reports whether the object is not as its list says. A delete marker that
// the list names is one, and has no error.
func (r *Result) IsProblem() bool {
	switch r.Outcome {
	case Match, New:
		return false
	case Deleted:
		return r.Error != ""
	}
	return true
}

// Append appends the result to b as a line of JSON.
func (r *Result) Append(b []byte) []byte {
	if r.NameBytes != nil || r.ExpectedSize != nil || r.Retry || r.Version != "" || r.PartSize != 0 || !plain(r.Name) || !plain(r.Error) || !plain(r.Expected) || !plain(r.ETag) {
		return list.AppendJSON(b, r)
	}
	// Nearly all are like this, and reflection would take several times as long as
	// to hash a small object.
	b = strconv.AppendInt(append(b, `{"line":`...), r.Line, 10)
	b = append(append(b, `,"name":"`...), r.Name...)
	b = append(append(b, `","outcome":"`...), r.Outcome...)
	b = append(append(b, `","sha256":"`...), r.SHA256...)
	b = append(append(b, `","expected":"`...), r.Expected...)
	b = strconv.AppendInt(append(b, `","size":`...), r.Size, 10)
	b = append(append(append(b, `,"error":"`...), r.Error...), '"')
	if r.Computed != "" {
		b = append(append(append(b, `,"computed":"`...), r.Computed...), '"')
	}
	if r.ETag != "" {
		b = append(append(append(b, `,"etag":"`...), r.ETag...), '"')
	}
	if r.Modified != nil {
		b = append(r.Modified.AppendFormat(append(b, `,"modified":"`...), time.RFC3339Nano), '"')
	}
	return append(b, "}\n"...)
}

// plain reports whether s is the same in JSON.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// FullName returns the name, which Name only is if it is UTF-8.
func (r *Result) FullName() string {
	if len(r.NameBytes) > 0 {
		return string(r.NameBytes)
	}
	return r.Name
}

// Counts are how many lines had which outcome.
type Counts struct {
	Lines      int64 `json:"lines"`
	Match      int64 `json:"match"`
	Mismatch   int64 `json:"mismatch"`
	Missing    int64 `json:"missing"`
	Deleted    int64 `json:"deleted"`
	Archived   int64 `json:"archived"`
	Unreadable int64 `json:"unreadable"`
	Malformed  int64 `json:"malformed"`
	New        int64 `json:"new"`
	// Problems is how many lines are not as they should be.
	Problems int64 `json:"problems"`
	// Bytes is the length of all objects that have a digest.
	Bytes int64 `json:"bytes"`
}

// Add counts a result.
func (c *Counts) Add(r *Result) {
	c.Lines++
	switch r.Outcome {
	case Match:
		c.Match++
	case Mismatch:
		c.Mismatch++
	case Missing:
		c.Missing++
	case Deleted:
		c.Deleted++
	case Archived:
		c.Archived++
	case Unreadable:
		c.Unreadable++
	case Malformed:
		c.Malformed++
	case New:
		c.New++
	}
	if r.IsProblem() {
		c.Problems++
	}
	if r.SHA256 != "" {
		c.Bytes += r.Size
	}
}

// AddCounts adds the counts of other lines.
func (c *Counts) AddCounts(o *Counts) {
	c.Lines += o.Lines
	c.Match += o.Match
	c.Mismatch += o.Mismatch
	c.Missing += o.Missing
	c.Deleted += o.Deleted
	c.Archived += o.Archived
	c.Unreadable += o.Unreadable
	c.Malformed += o.Malformed
	c.New += o.New
	c.Problems += o.Problems
	c.Bytes += o.Bytes
}

// A Checker checks lists.
type Checker struct {
	Store *store.Store
	// Dir is where relative names begin, or "" for the working directory.
	Dir string
	// Readers is how many objects are read at once.
	Readers int
	// MaxFailures is how many failures in a row of one store, in the order in
	// which they happen, end the work; 0 is any number.
	MaxFailures int
	// MaxMissing is how many files that are missing, one after the other, end the
	// work; 0 is any number. A file system that is not mounted looks like this.
	MaxMissing int
	// Rows has the failures in a row that came before the list. When Run has ended, it
	// has those that are still in a row.
	Rows Rows
	// States, if not nil, keeps how far objects of stores have been read, after each
	// SaveEvery bytes: a Checker that reads one of them later goes on from there.
	States    States
	SaveEvery int64
	// PartSize is the length of the parts of composite checksums whose list does
	// not say it. If it is 0, or does not make their number of parts, usual lengths are tried.
	PartSize int64
	// OnRead, if not nil, gets the number of bytes as they are read. It is called
	// concurrently.
	OnRead func(n int)
}

// Rows are failures in a row, by store.Root.
type Rows map[string]Row

// A Row is how many objects could not be read, and how many are missing, since one was
// read.
type Row struct {
	Failures int `json:"failures"`
	Missing  int `json:"missing"`
}

// A DownError says that a store failed, or had no object, too often.
type DownError struct {
	Root     string // of the store
	Failures int
	Err      error // the last failure
}

func (e *DownError) Error() string {
	if store.IsMissing(e.Err) {
		return fmt.Sprintf("%d files of %s in a row are missing: is their file system mounted? If it is, use --max-missing 0 (the last: %v)", e.Failures, e.Root, e.Err)
	}
	return fmt.Sprintf("%s failed %d times in a row: %v; to go on all the same, use --max-failures 0", e.Root, e.Failures, e.Err)
}

func (e *DownError) Unwrap() error { return e.Err }

// Objects shorter than maxChunk are hashed whole, longer ones a chunk at a time.
// There are buffers of at most that length for each reader: enough that while some
// are read there is a batch to hash.
const (
	maxChunk = 256 << 10
	minChunk = 64 << 10
	inCache  = 4 << 20 // of all long files, and as much again read ahead
	buffers  = 4
)

// Run reads entries until next returns io.EOF and calls done with the result of
// each, as soon as there is one. Both are called by one goroutine at a time. It
// returns nil if every entry had its result, else why not: the error of next,
// done or ctx, or a DownError.
func (c *Checker) Run(parent context.Context, next func() (list.Entry, error), done func(*Result) error) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	readers := max(1, c.Readers)
	w := &work{
		Checker: c,
		ctx:     ctx,
		cancel:  cancel,
		next:    next,
		done:    done,
		pool:    newPool(readers),
		bad:     make(Rows),
	}
	maps.Copy(w.bad, c.Rows)
	w.free.tokens = make(chan struct{}, buffers*readers)

	var reading, hashing sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for e, ok := w.take(); ok; e, ok = w.take() {
				w.read(&e)
			}
		})
	}
	for range runtime.GOMAXPROCS(0) {
		hashing.Go(w.pool.run)
	}
	reading.Wait()
	w.pool.close()
	hashing.Wait()
	c.Rows = w.bad
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// work is a list being checked.
type work struct {
	*Checker
	ctx    context.Context
	cancel context.CancelCauseFunc
	free   bufferList
	pool   *pool

	// Readers call next and done themselves: to wake another goroutine for each
	// small file would take as long as reading it.
	taking sync.Mutex // held during next
	next   func() (list.Entry, error)
	ended  bool
	giving sync.Mutex // held during done
	done   func(*Result) error

	mu  sync.Mutex
	bad Rows
}

// take returns the next entry, or false if there is none to be read any more.
func (w *work) take() (list.Entry, bool) {
	w.taking.Lock()
	defer w.taking.Unlock()
	if w.ended || w.ctx.Err() != nil {
		return list.Entry{}, false
	}
	e, err := w.next()
	if err != nil {
		w.ended = true
		if err != io.EOF {
			w.cancel(fmt.Errorf("reading the list: %w", err))
		}
	}
	return e, err == nil
}

// give hands over a result. When the work is to end, what could not be read may
// be whole.
func (w *work) give(r *Result) {
	w.giving.Lock()
	defer w.giving.Unlock()
	if w.ctx.Err() != nil && r.Outcome == Unreadable {
		return
	}
	if err := w.done(r); err != nil {
		w.done = func(*Result) error { return err }
		w.cancel(err)
	}
}

// read reads an object and sees to it that it gets its result.
func (w *work) read(e *list.Entry) {
	r := &Result{Line: e.Line, Name: e.Name, Expected: e.Expected(), Size: -1, Version: e.Version, PartSize: e.PartSize, listed: e.Size, sha256: e.SHA256}
	if !utf8.ValidString(e.Name) {
		r.NameBytes = []byte(e.Name)
	}
	r.Modified = list.JSONTime(e.Modified)
	if e.Malformed != "" {
		r.Outcome, r.Error = Malformed, e.Malformed
		w.give(r)
		return
	}
	if e.Deleted {
		r.Outcome = Deleted
		w.give(r)
		return
	}
	o, err := w.open(e.Name, e.Version)
	if err != nil {
		w.failed(r, err)
		return
	}
	defer o.Close()
	r.Size, r.ETag, r.Modified = o.Size(), o.ETag(), modified(e, o)
	if e.Checksums != "" {
		err = w.expect(r, e.Checksums)
	}
	switch {
	case err != nil:
	case list.Parts(e.SHA256) == 0 && r.Size < maxChunk:
		err = w.readWhole(r, o)
	default:
		if err = w.sum(r, o); err == nil {
			w.finish(r)
		}
	}
	if err != nil {
		r.Size = -1
		w.failed(r, err)
		return
	}
	w.succeeded(r.FullName())
}

// open opens an object of a list.
func (w *work) open(name, version string) (store.Object, error) {
	if w.inDir(name) {
		name = store.Join(w.Dir, name)
	}
	return w.Store.Open(w.ctx, name, version)
}

// inDir reports whether a name begins at Dir.
func (w *work) inDir(name string) bool { return w.Dir != "" && store.IsRelative(name) }

// modified returns when what is read was last written. The list may say that more exactly,
// but is out of date if the object was replaced.
func modified(e *list.Entry, o store.Object) *time.Time {
	t := o.Modified()
	listed := e.ETag == "" || o.ETag() == "" || e.ETag == o.ETag()
	if !t.IsZero() {
		listed = !e.Modified.IsZero() && store.SameTime(e.Name, e.Modified, t)
	}
	if listed {
		t = e.Modified
	}
	return list.JSONTime(t)
}

// failed gives r the outcome of an object that could not be read.
func (w *work) failed(r *Result, err error) {
	var parts partsError
	r.Outcome, r.Error = outcomeOf(err), reason(err)
	r.Retry = r.Outcome == Unreadable && store.MayPass(err) && !errors.As(err, &parts)
	if r.Outcome == Missing && w.inDir(r.FullName()) {
		r.Error += " (below " + w.Dir + ")" // it may be that only this is wrong
	}
	if r.listed >= 0 {
		r.ExpectedSize = &r.listed
	}
	w.give(r)
	missing := r.Outcome == Missing
	if !missing && (store.OfObject(err) || errors.As(err, &parts)) {
		w.succeeded(r.FullName())
		return
	}
	root := store.Root(r.FullName())
	w.mu.Lock()
	defer w.mu.Unlock()
	bad := w.bad[root]
	defer func() { w.bad[root] = bad }()
	n, limit := &bad.Failures, w.MaxFailures
	if missing {
		bad.Failures = 0
		n, limit = &bad.Missing, w.MaxMissing
		if root != store.FileRoot {
			limit = 0 // a store that is reached says itself what it does not have
		}
	}
	if *n++; limit > 0 && *n >= limit {
		w.cancel(&DownError{root, *n, err})
	}
}

// outcomeOf returns the outcome of an object that could not be read.
func outcomeOf(err error) Outcome {
	switch {
	case store.IsDeleted(err):
		return Deleted
	case store.IsMissing(err):
		return Missing
	case store.IsArchived(err):
		return Archived
	}
	return Unreadable
}

// succeeded notes that the store of an object answers, and has it.
func (w *work) succeeded(name string) {
	if w.MaxFailures == 0 && w.MaxMissing == 0 {
		return
	}
	root := store.Root(name)
	w.mu.Lock()
	delete(w.bad, root)
	w.mu.Unlock()
}

// reason returns the text of err on one line, without the path of a file, which
// the result has.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// expect has r compute checksums besides SHA-256.
func (w *work) expect(r *Result, checksums string) (err error) {
	var sizes []int64
	if n := checksum.Parts(checksums); n > 0 {
		if sizes, err = w.partSizes(r, n); err != nil {
			return err
		}
	}
	r.checks = checksum.New(checksums, sizes)
	return nil
}

// finish gives r, which has its object's digest, its outcome.
func (w *work) finish(r *Result) {
	if r.checks != nil {
		computed, partSize := r.checks.Computed()
		r.Computed = computed
		if r.sha256 != "" {
			r.Computed = r.SHA256 + " " + computed
		}
		r.PartSize = max(r.PartSize, partSize)
	}
	switch r.Expected {
	case "":
		r.Outcome = New
	case r.Found():
		r.Outcome = Match
	default:
		r.Outcome = Mismatch
		if r.unsure != "" && onlyComposite(r.Expected, r.Found()) {
			r.Error = strings.TrimPrefix(r.Error+"; this is no proof of damage: "+r.unsure, "; ")
		}
	}
	if r.listed >= 0 && r.listed != r.Size {
		r.Outcome, r.Error = Mismatch, fmt.Sprintf("%d bytes, not the %d of the list", r.Size, r.listed)
		r.ExpectedSize = &r.listed
	}
	w.give(r)
}

// onlyComposite reports whether all digests that differ are composite.
func onlyComposite(expected, found string) bool {
	other := strings.Fields(found)
	for i, digest := range strings.Fields(expected) {
		if digest != other[i] && checksum.Parts(digest) == 0 {
			return false
		}
	}
	return true
}

// buffer returns a buffer of n bytes, at most maxChunk.
func (w *work) buffer(n int64) []byte {
	select {
	case w.free.tokens <- struct{}{}:
	default:
		w.pool.hurry()
		w.free.tokens <- struct{}{}
	}
	b := w.free.get()
	if int64(cap(b)) < n {
		// Most objects are short: buffers become as long as they have to be.
		b = make([]byte, min(maxChunk, 1<<bits.Len64(uint64(n))))
	}
	return b[:n]
}

// chunk returns how much of a long object to read next. Of files it is the less
// the more there are, for the cache's sake; over a network turns cost more.
func (w *work) chunk(o store.Object) int64 {
	if !o.Local() {
		return maxChunk
	}
	share := w.pool.share(inCache)
	return int64(min(maxChunk, max(minChunk, share-share%minChunk)))
}

// release gives a buffer back.
func (w *work) release(b []byte) {
	w.free.put(b)
	<-w.free.tokens
}

// A bufferList holds buffers that are not in use. The one that was used last,
// which may still be in a cache, is used next.
type bufferList struct {
	tokens chan struct{} // as many as buffers are in use
	mu     sync.Mutex
	list   [][]byte
}

// get returns a buffer, or nil.
func (l *bufferList) get() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.list) - 1
	if n < 0 {
		return nil
	}
	b := l.list[n]
	l.list = l.list[:n]
	return b
}

func (l *bufferList) put(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, b)
}

// fill reads until b is full or the object ends, and reports whether it ended.
func (w *work) fill(o store.Object, b []byte) (n int, ended bool, err error) {
	for n < len(b) {
		k, err := o.Read(b[n:])
		n += k
		if w.OnRead != nil && k > 0 {
			w.OnRead(k)
		}
		if err == io.EOF {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}
