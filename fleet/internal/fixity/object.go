package fixity

import (
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/fleet/internal/checksum"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// readWhole reads an object that is shorter than maxChunk. The reader goes on
// while it is being hashed.
func (w *work) readWhole(r *Result, o store.Object) error {
	b := w.buffer(r.Size + 1)
	n, ended, err := w.fill(o, b)
	if err == nil && !ended {
		err = store.ErrChanged // it has grown
	}
	if err != nil {
		w.release(b)
		return err
	}
	r.checks.Write(b[:n])
	w.pool.add(&job{data: b[:n], hashed: func(j *job) {
		w.release(b)
		r.SHA256 = hex.EncodeToString(j.sum[:])
		w.finish(r)
	}})
	return nil
}

// reopen opens an object once more. It closes it first: others may wait for the
// descriptor.
func (w *work) reopen(r *Result, o *store.Object) error {
	before := *o
	before.Close()
	again, err := w.open(r.FullName(), r.Version)
	if err != nil {
		return err
	}
	*o = again
	if again.Size() != r.Size || again.ETag() != r.ETag || !again.Modified().Equal(before.Modified()) {
		return store.ErrChanged
	}
	return nil
}

// sum reads an object, and gives r its digest or composite checksum.
func (w *work) sum(r *Result, o store.Object) error {
	r.checks.Reset()
	if list.Parts(r.sha256) > 0 {
		return w.readParts(r, o)
	}
	return w.readLong(r, o)
}

// readLong reads an object of any length.
func (w *work) readLong(r *Result, o store.Object) error {
	h := sha256.New()
	s := w.newSaver(r, o, 0)
	offset, _, err := s.load(h, r.checks)
	for ended := false; err == nil && !ended; {
		var n int64
		n, ended, err = w.stream(h, r.checks, o, s.limit(offset, r.Size+1-offset))
		offset += n
		switch {
		case err != nil:
		case !ended && offset > r.Size:
			err = store.ErrChanged // it has grown
		case !ended:
			err = s.save(offset, h, nil, r.checks)
		}
	}
	if err != nil {
		return err
	}
	s.done()
	r.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// stream writes the next bytes of o to h and checks, at most limit of them, in chunks:
// one is hashed while the next is read. It reports how many there were, and whether
// the object ended with them.
func (w *work) stream(h hash.Hash, checks *checksum.Set, o store.Object, limit int64) (n int64, ended bool, err error) {
	w.pool.begin()
	defer w.pool.end()
	s := newStream(w, h)
	defer s.wait()
	for n < limit && !ended {
		b := w.buffer(min(w.chunk(o), limit-n))
		var k int
		k, ended, err = w.fill(o, b)
		s.wait()
		if err != nil || k == 0 {
			w.release(b)
			return n, ended, err
		}
		n += int64(k)
		s.write(b[:k])
		checks.Write(b[:k])
	}
	return n, ended, nil
}

// A stream takes one object through the pool: one piece at a time, in order.
type stream struct {
	*work
	job    job
	busy   bool // a piece is under way
	hashed chan struct{}
}

func newStream(w *work, h hash.Hash) *stream {
	s := &stream{work: w, hashed: make(chan struct{}, 1)}
	s.job.hash = h
	s.job.hashed = func(*job) { s.hashed <- struct{}{} }
	return s
}

// write has a buffer's data written to the hash. Nothing else may be under way.
func (s *stream) write(data []byte) {
	s.job.data, s.busy = data, true
	s.pool.add(&s.job)
}

// wait waits until nothing is under way.
func (s *stream) wait() {
	if !s.busy {
		return
	}
	s.pool.await(&s.job)
	<-s.hashed
	s.release(s.job.data)
	s.busy = false
}

// readParts computes the composite checksum of an object. If the length of its
// parts is not known, it reads it once for each length that it may be.
func (w *work) readParts(r *Result, o store.Object) error {
	defer func() { o.Close() }()
	sizes, err := w.partSizes(r, list.Parts(r.sha256))
	if err != nil {
		return err
	}
	var sum string
	var refused error // by S3
	for i, size := range sizes {
		if i > 0 {
			if err := w.reopen(r, &o); err != nil {
				return err
			}
			r.checks.Reset()
		}
		var s *saver
		if i == 0 {
			s = w.newSaver(r, o, size) // for one length only: a mismatch shows its checksum
		}
		c, err := w.sumParts(r.checks, o, size, s)
		if err != nil {
			return err
		}
		s.done()
		// A mismatch shows the checksum for the likeliest length.
		if s := c.String(); i == 0 || s == r.sha256 {
			sum, r.PartSize = s, size
			refused = c.CheckS3()
		}
		if sum == r.sha256 {
			break
		}
	}
	if refused != nil && sum != r.sha256 {
		r.Error = refused.Error()
	}
	r.SHA256 = sum
	return nil
}

// sumParts reads an object whose parts are of partSize bytes.
func (w *work) sumParts(checks *checksum.Set, o store.Object, partSize int64, s *saver) (composite.Checksum, error) {
	c := composite.Checksum{Size: o.Size(), PartSize: partSize}
	h := sha256.New()
	offset, parts, err := s.load(h, checks)
	c.Parts = parts
	inPart := offset - int64(len(parts))*partSize
	for ended := false; err == nil && !ended; {
		var n int64
		n, ended, err = w.stream(h, checks, o, s.limit(offset, partSize-inPart))
		offset, inPart = offset+n, inPart+n
		if err == nil && (inPart == partSize || ended && (inPart > 0 || c.Size == 0)) {
			c.Parts = append(c.Parts, [sha256.Size]byte(h.Sum(nil)))
			h.Reset()
			inPart = 0
		}
		if err == nil && !ended {
			err = s.save(offset, h, c.Parts, checks)
		}
	}
	return c, err
}

// maxParts is how many parts an object can have: their digests are kept until the last
// one is there. No upload to S3 has more. What else S3 refuses, other stores take:
// composite.Checksum.CheckS3 says it of a mismatch.
const maxParts = 10_000

// A partsError says why a composite checksum cannot be computed.
type partsError string

func (e partsError) Error() string { return string(e) }

// partSizes returns the lengths that the n parts of an object may have: the one that its
// list says, or an option if it makes so many parts, otherwise usual ones.
func (w *work) partSizes(r *Result, n int) ([]int64, error) {
	sizes := usualSizes(r.Size, n)
	switch {
	case r.PartSize > 0:
		sizes = []int64{r.PartSize}
	case w.PartSize > 0 && (max(r.Size, 1)-1)/w.PartSize+1 == int64(n):
		sizes = []int64{w.PartSize}
		r.unsure = fmt.Sprintf("parts of %d bytes, as --part-size says, do not make the checksum; give their length as part_size in the list", w.PartSize)
	case len(sizes) == 0 && w.PartSize > 0:
		return nil, partsError(fmt.Sprintf("neither --part-size nor a usual part length divides %d bytes into %d parts: give the length as part_size in the list", r.Size, n))
	case len(sizes) == 0:
		return nil, partsError(fmt.Sprintf("no usual part length divides %d bytes into %d parts: give it as --part-size", r.Size, n))
	default:
		r.unsure = "parts of usual lengths do not make the checksum; give their length as part_size in the list, or as --part-size"
	}
	if n == 1 {
		r.unsure = "" // its length is the object's
	}
	if sizes[0] <= (r.Size-1)/maxParts {
		return nil, partsError(fmt.Sprintf("%d bytes are more than %d parts of %d", r.Size, maxParts, sizes[0]))
	}
	return sizes, nil
}

// usualSizes returns the lengths of parts, each a usual one, with which an object
// of size bytes has n parts, the likeliest first.
func usualSizes(size int64, n int) []int64 {
	if n == 1 {
		return []int64{max(size, 1)}
	}
	const mib = 1 << 20
	var sizes []int64
	// What the AWS CLI, the SDKs and the console take, then other numbers of MiB.
	for _, s := range []int64{8, 5, 16, 64, 10, 15, 32, 50, 100, 128, 256, 512, 1024, 25, 20, 40, 80, 160, 320, 640, 5120, 17, 6, 7} {
		if s *= mib; (size+s-1)/s == int64(n) {
			sizes = append(sizes, s)
		}
	}
	return sizes
}
