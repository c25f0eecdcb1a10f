package sha256

import (
	"hash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Server lets goroutines that each have a hash of their own share the lanes
// of this CPU's kernels: what they write at the same time is hashed side by
// side. It is for programs that are written as one goroutine, one hash and
// [io.Copy]; a goroutine that has many messages at hand does better with
// [SumMany] or [WriteMany].
//
// A Server has no goroutine and no timer: the writers do the work. Each works
// for others at most until its own work is done, and one that is alone does only
// its own. Any number of goroutines may use a Server; each of its hashes is
// for one at a time.
//
// Writers wait for each other. If other goroutines keep all GOMAXPROCS
// processors busy, each wait can last as long as these run, and hashes of the
// function [New] are faster. Writes of less than 8 KiB are held back until there
// is that much, so a hash that is not finalized yet may hold 8 KiB of memory.
//
// On WebAssembly, where the Go scheduler interrupts nobody, a writer lets others
// run after every 32 KiB.
//
// If reading what is written faults, as memory mapped from a truncated file does,
// the fault strikes the goroutine that wrote it, as it does without a Server.
//
// The zero Server and the nil *Server never hash side by side.
type Server struct {
	shards []*shard
	turn   atomic.Uint32
}

// procsPerShard is how many Ps of the Go scheduler share a shard: enough to
// fill its lanes, and not so many that they wait for its lock, which is taken
// two or three times for every write of 8 KiB or more.
const procsPerShard = 16

// NewServer returns a new Server.
func NewServer() *Server {
	s := &Server{shards: make([]*shard, (runtime.GOMAXPROCS(0)+procsPerShard-1)/procsPerShard)}
	for i := range s.shards {
		s.shards[i] = newShard(len(s.shards))
	}
	return s
}

// New returns a new [hash.Hash] that computes the SHA-256 digest. It implements
// what the hashes of the function [New] do.
func (s *Server) New() hash.Hash {
	d := &serverHash{shard: s.shard()}
	d.Reset()
	return d
}

// Sum256 returns the SHA-256 digest of data. If that is 2 KiB or more, it is
// hashed side by side with what others write.
func (s *Server) Sum256(data []byte) [Size]byte {
	shard := s.shard()
	if !preempts && shard != nil {
		var d digest
		d.Reset()
		shard.inTurns(&d, data)
		var sum [Size]byte
		d.Sum(sum[:0])
		return sum
	}
	if len(data) < minRequest || !shard.meets() {
		return Sum256(data)
	}
	r := requests.Get().(*request)
	whole := len(data) &^ (BlockSize - 1)
	j := &r.job
	j.H = block.IV256
	tail := block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), data[whole:], uint64(len(data)))
	j.Set(&j.H, data[:whole], j.Scratch[:tail], nil)
	shard.do(r)
	var sum [Size]byte
	block.PutDigest(&sum, &j.H)
	requests.Put(r)
	return sum
}

// requests are those of Sum256; a hash has a request of its own.
var requests = sync.Pool{New: func() any { return newRequest() }}

// Close waits until no goroutine hashes for another. From then on none does:
// the hashes of s, old and new, work like those of the function [New]. Close may
// be called more than once, and returns nil.
func (s *Server) Close() error {
	if s != nil {
		for _, shard := range s.shards {
			shard.close()
		}
	}
	return nil
}

// shard returns the shards of s in turn, nil if it has none.
func (s *Server) shard() *shard {
	if s == nil || len(s.shards) == 0 {
		return nil
	}
	return s.shards[s.turn.Add(1)%uint32(len(s.shards))]
}
