package fixity

import (
	"hash"
	"runtime"
	"sync"
	"time"

	"github.com/sha256-simd/sha256-simd"
)

// A pool hashes what readers give it, many pieces side by side. Its goroutines
// take turns at gathering a batch: one waits until there is enough of it, or
// readers can do nothing until something is hashed, or for gatherTime.
// Over a slow network that is what saves CPU time: data that trickles in would
// otherwise be hashed one piece at a time.
type pool struct {
	// batch is how many pieces are enough: as many as fill the lanes, or one
	// processor's share of all pieces that there can be.
	batch     int
	gathering sync.Mutex // held while a reader gathers

	mu      sync.Mutex
	change  sync.Cond // of what follows
	queue   []*job
	long    int  // how many objects are being hashed in pieces
	waiting int  // how many of their readers wait for a job in the queue
	rush    bool // do not wait for more
	closed  bool
	timer   *time.Timer // running while there is a queue
}

// A batch is at most maxBatch jobs: several times the lanes, which lengths that
// differ need to be full. It is gathered for patience at most if a reader waits
// for one of its jobs, which is little beside the time that a network takes for a
// chunk, else for gatherTime.
const (
	maxBatch   = 96
	gatherTime = 20 * time.Millisecond
	patience   = time.Millisecond
)

// A job is a whole message or, if it has a hash, a piece of a longer one.
type job struct {
	data    []byte
	hash    hash.Hash
	sum     [sha256.Size]byte // of a whole message
	queued  bool              // guarded by pool.mu, as is awaited
	awaited bool              // a reader can do nothing until it is done
	hashed  func(*job)        // called when it is done
}

// newPool returns a pool for a number of readers.
func newPool(readers int) *pool {
	p := &pool{batch: max(1, min(sha256.Selected().Lanes, readers/runtime.GOMAXPROCS(0)))}
	p.change.L = &p.mu
	p.timer = time.AfterFunc(time.Hour, p.hurry)
	p.timer.Stop()
	return p
}

// begin says that an object is hashed in pieces from now on, and end that it is
// done.
func (p *pool) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.long++
}

func (p *pool) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.long--
	p.rushIfAwaited()
}

// share returns what part of n bytes there is for each of the long objects.
func (p *pool) share(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return n / max(1, p.long)
}

// add queues a job.
func (p *pool) add(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j.queued = true
	p.queue = append(p.queue, j)
	switch len(p.queue) {
	case 1:
		p.timer.Reset(gatherTime)
		p.change.Broadcast()
	case maxBatch:
		p.change.Broadcast()
	}
}

// await says that a reader waits for j.
func (p *pool) await(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !j.queued {
		return
	}
	j.awaited = true
	if p.waiting++; p.waiting == 1 {
		p.timer.Reset(patience)
	}
	p.rushIfAwaited()
}

// rushIfAwaited has what is queued hashed at once if readers wait for enough of
// it, or all readers of long objects wait: one of these may be what takes longest
// in the end.
func (p *pool) rushIfAwaited() {
	if p.waiting > 0 && (p.waiting >= p.batch || p.waiting >= p.long) && !p.rush {
		p.rush = true
		p.change.Broadcast()
	}
}

// hurry has what is queued hashed at once.
func (p *pool) hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 && !p.rush {
		p.rush = true
		p.change.Broadcast()
	}
}

// close lets run return when all is hashed.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.change.Broadcast()
}

// gather appends the next batch to jobs. It is empty at the end.
func (p *pool) gather(jobs []*job) []*job {
	p.gathering.Lock()
	defer p.gathering.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) < maxBatch && !p.closed && !(p.rush && len(p.queue) > 0) {
		p.change.Wait()
	}
	n := min(len(p.queue), maxBatch)
	if p.waiting >= p.batch {
		n -= n % p.batch // pieces are of one length: with the rest, lanes would be idle
	}
	jobs = append(jobs, p.queue[:n]...)
	p.queue = append(p.queue[:0], p.queue[n:]...)
	for _, j := range jobs {
		if j.queued = false; j.awaited {
			j.awaited = false
			p.waiting--
		}
	}
	p.rush = false
	p.rushIfAwaited()
	switch {
	case len(p.queue) == 0:
		p.timer.Stop()
	case p.waiting > 0:
		p.timer.Reset(patience)
	default:
		p.timer.Reset(gatherTime)
	}
	return jobs
}

// run hashes until the pool is closed.
func (p *pool) run() {
	var jobs []*job
	var messages, pieces [][]byte
	var hashes []hash.Hash
	sums := make([][sha256.Size]byte, maxBatch)
	for {
		jobs = p.gather(jobs[:0])
		if len(jobs) == 0 {
			return
		}
		messages, pieces, hashes = messages[:0], pieces[:0], hashes[:0]
		for _, j := range jobs {
			if j.hash == nil {
				messages = append(messages, j.data)
			} else {
				hashes, pieces = append(hashes, j.hash), append(pieces, j.data)
			}
		}
		// Readers wait for pieces.
		sha256.WriteHashes(hashes, pieces)
		for _, j := range jobs {
			if j.hash != nil {
				j.hashed(j)
			}
		}
		sha256.SumMany(sums[:len(messages)], messages)
		i := 0
		for _, j := range jobs {
			if j.hash == nil {
				j.sum = sums[i]
				i++
				j.hashed(j)
			}
		}
	}
}
