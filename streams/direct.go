package streams

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/workers"
)

const (
	// chunkSize is the size of the buffers into which the goroutine that hashes reads
	// streams. A buffer holds several short streams, one behind the other, or pieces of
	// long streams.
	chunkSize = 3 * readSize
	// maxDirectOpen and maxBatch bound the memory of these buffers, to 64 pieces of long
	// streams or 256 short streams. That is enough for all lanes, and stays in a core's
	// cache.
	maxDirectOpen = 64
	maxBatch      = 256
	// The goroutine that hashes also reads, as long as reading a piece takes at most
	// maxDirectRead on average, or maxDirectReadOnOneP on one P. A piece that another
	// goroutine has read costs about 1 µs more. On one P, this cost pays only for streams
	// that block.
	maxDirectRead       = 2 * time.Microsecond
	maxDirectReadOnOneP = 20 * time.Microsecond
	// A watch looks at reading at intervals that double, from firstLook up to
	// longestLook.
	firstLook   = 100 * time.Microsecond
	longestLook = 1600 * time.Microsecond
)

// Memory of calls that have ended, for later calls. chunks are only of calls that have read
// all of their streams: after an error, a stream might still write to a chunk, though its
// Read has returned.
var (
	chunks  = sync.Pool{New: func() any { return new([chunkSize]byte) }}
	batches = sync.Pool{New: func() any { return new(batch) }}
)

// direct is a call of Sum whose goroutine opens, reads and hashes all streams itself.
// While that goroutine is in a call of open or of a method of a stream, a timer may take
// the streams over. Then other goroutines read and hash the streams, and this goroutine
// only reads.
type direct struct {
	*readers
	group *workers.Group // of the goroutines that read
	batch *batch
	slots []*slot // with open streams
	spare *slot   // without an open stream
	slot  *slot   // of the piece that is being read

	// The pieces in batch are in chunks. The next one goes to chunks[at], behind used
	// bytes.
	chunks   []*[chunkSize]byte
	at, used int

	// reads is twice the number of pieces whose reading has begun, plus 1 while one is
	// being read; or takenOver. What the timer needs is written before reads.
	reads   atomic.Int64
	hashing atomic.Int64 // nanoseconds so far

	watch watch
	// For the goroutines that read after the streams were taken over.
	over    bool
	ctx     context.Context
	reading sync.WaitGroup
}

const takenOver = -1

// A watch checks from time to time how long a direct takes to read.
type watch struct {
	mu       sync.Mutex
	timer    *time.Timer // nil: not started
	interval time.Duration
	ended    bool
	left     chan struct{} // receives if the timer's function finds that the watch has ended
	// What the last look saw.
	time            time.Time
	pieces, hashing int64
}

func (r *readers) direct(ctx context.Context) error {
	d := &direct{readers: r, batch: batches.Get().(*batch)}
	d.group, d.ctx = workers.New(ctx, errExited)
	defer d.end()
	for d.fill() {
		begin := time.Now()
		r.hashAll(d.batch)
		d.hashing.Add(int64(time.Since(begin)))
		d.at, d.used = 0, 0
	}
	if d.over {
		d.send(d.ctx, d.slot)
		d.over = false
		d.reading.Done()
		d.group.Wait()
	}
	return d.group.Err()
}

// end ends the goroutines of d, closes its streams and gives back its memory, even if a
// stream or Progress has panicked.
func (d *direct) end() {
	d.group.Cancel()
	d.watch.end()
	if d.over {
		d.reading.Done()
		d.group.Wait()
	}
	d.closeAll()
	if d.done == len(d.dst) && len(d.errs) == 0 {
		for _, c := range d.chunks {
			chunks.Put(c)
		}
	}
	if d.batch.cap() <= 2*maxBatch {
		d.batch.forget()
		batches.Put(d.batch)
	}
}

// closeAll closes the streams that are open, even if closing one of them panics.
func (d *direct) closeAll() {
	for _, s := range append(d.slots, d.slot) {
		if s != nil && s.stream != nil {
			defer s.close()
		}
	}
}

// fill reads pieces into the batch: the next one of each open stream, then those of new
// streams. It returns false if there are none, or if the streams were taken over.
func (d *direct) fill() bool {
	for i := len(d.slots) - 1; i >= 0 && d.ctx.Err() == nil; i-- {
		s := d.slots[i]
		if !d.read(s) {
			return false
		}
		if s.stream == nil {
			last := len(d.slots) - 1
			d.slots[i], d.slots = d.slots[last], d.slots[:last]
			d.spare = s
		}
	}
	maxOpen := min(d.maxOpen, maxDirectOpen)
	for len(d.slots) < maxOpen && d.batch.len() < maxBatch && d.at*chunkSize < maxOpen*readSize &&
		int(d.taken.Load()) < len(d.dst) && d.ctx.Err() == nil {
		s := d.spare
		if s == nil {
			s = new(slot)
		}
		d.spare = nil
		if !d.read(s) {
			return false
		}
		if s.stream == nil {
			d.spare = s
		} else {
			d.slots = append(d.slots, s)
		}
	}
	return d.batch.len() > 0
}

// read reads the next piece of the stream of s, or the first one of the next stream. It
// returns false if the streams were taken over.
func (d *direct) read(s *slot) bool {
	d.slot = s
	if len(d.dst) > 1 || s.begun {
		// If there is only one stream, nothing else can be done while its first piece is
		// read.
		d.startWatch()
	}
	room := d.room()
	during := d.reads.Load() + 3
	d.reads.Store(during)
	var p piece
	ok := true
	if s.stream == nil {
		p, ok = d.next(d.ctx, s)
	}
	if s.stream != nil {
		p, ok = s.read(d.ctx, room)
	}
	if !d.reads.CompareAndSwap(during, during-1) {
		d.watch.mu.Lock() // waits until all is taken over
		defer d.watch.mu.Unlock()
		if ok {
			d.pieces <- p
		}
		return false
	}
	d.slot = nil
	if ok {
		d.used += len(p.data)
		d.batch.add(p)
	}
	return true
}

// room returns room for a piece.
func (d *direct) room() []byte {
	if d.used > chunkSize-readSize {
		d.at, d.used = d.at+1, 0
	}
	if d.at == len(d.chunks) {
		d.chunks = append(d.chunks, chunks.Get().(*[chunkSize]byte))
	}
	return d.chunks[d.at][d.used:][:readSize]
}

// startWatch starts the watch, once.
func (d *direct) startWatch() {
	w := &d.watch
	if w.timer != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = make(chan struct{}, 1)
	w.time, w.interval = time.Now(), firstLook
	w.timer = time.AfterFunc(w.interval, d.look)
}

// look takes the streams over if a piece is being read, and reading blocks or takes long
// on average. Otherwise it has the timer call it again.
func (d *direct) look() {
	w := &d.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		w.left <- struct{}{}
		return
	}
	limit := maxDirectRead
	if runtime.GOMAXPROCS(0) == 1 {
		limit = maxDirectReadOnOneP
	}
	now, reads, hashing := time.Now(), d.reads.Load(), d.hashing.Load()
	took := now.Sub(w.time) - time.Duration(hashing-w.hashing)
	if reads&1 == 1 && took > limit*time.Duration(max(1, reads/2-w.pieces)) &&
		d.reads.CompareAndSwap(reads, takenOver) {
		d.takeOver()
		return
	}
	w.time, w.pieces, w.hashing = now, reads/2, hashing
	w.interval = min(2*w.interval, longestLook)
	w.timer.Reset(w.interval)
}

// end ends the watch. After that, the timer's function does not run any more.
func (w *watch) end() {
	w.mu.Lock()
	if w.timer == nil || w.ended {
		w.mu.Unlock()
		return
	}
	w.ended = true
	stopped := w.timer.Stop()
	w.mu.Unlock()
	if !stopped {
		<-w.left
	}
}

// takeOver starts goroutines that read the open streams and the streams that follow, and
// one goroutine that hashes. The goroutine that called Sum is in the middle of a piece,
// and reads on.
func (d *direct) takeOver() {
	d.watch.ended, d.over = true, true
	d.pieces = make(chan piece, 2*d.maxOpen)
	d.reading.Add(1)
	others := d.maxOpen - 1
	for _, s := range d.slots {
		if s != d.slot {
			d.startReader(s)
			others--
		}
	}
	for range others {
		d.startReader(new(slot))
	}
	go func() {
		d.reading.Wait()
		close(d.pieces)
	}()
	d.group.Go(func() error {
		defer func() { // Progress may panic
			d.group.Cancel()
			for p := range d.pieces {
				p.release()
			}
		}()
		d.hash(d.batch)
		return nil
	})
}

func (d *direct) startReader(s *slot) {
	d.reading.Add(1)
	d.group.Go(func() error {
		defer d.reading.Done()
		d.send(d.ctx, s)
		return nil
	})
}
