package sha256

import (
	"hash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/combine"
)

// A Server hashes the writes of many goroutines side by side. Each goroutine writes to
// its own hash, for example by [io.Copy]. A goroutine with many messages at hand calls
// [SumMany] or [WriteHashes] instead: they are faster.
//
// A Server has no goroutine and no timer. The writers do the work, by flat combining: one
// writer, the combiner, also hashes for the others until its own work is done. If a write
// meets no write of another goroutine, the next writes are hashed alone, each by its own
// goroutine. Any number of goroutines may use a Server. The zero Server is ready for use.
// The hashes of a nil *Server work like the hashes of the function [New].
//
// Only one goroutine at a time may use a hash of a Server. If two goroutines use a hash at
// the same time, its digest is wrong or a call panics, as with the hashes of the function
// [New]. The digests of other hashes stay right: no goroutine writes to memory that can
// belong to another hash. A hash may pass from one goroutine to another. The hash then
// takes a new buffer, and leaves the old buffer to the garbage collector.
//
// A hash buffers writes of less than 32 KiB until they add up to 32 KiB, except writes
// that are hashed alone. So an unfinished hash may hold 32 KiB of memory. A request asks
// to have data hashed side by side with the data of other goroutines. Each of these makes
// a request: a buffer that fills up; a write of 32 KiB or more; a call of Sum256 with 2 KiB
// or more; a call that needs the hash's state, with 2 KiB or more in the buffer. Such
// calls are Sum, Clone, MarshalBinary, AppendBinary, and functions that take the hash as
// a prefix. A request can wait:
//
//   - for a lane, while earlier requests occupy all lanes. A request of less than 16 MiB
//     does not wait for requests that are at least four times as long: its goroutine hashes
//     the data alone, at once;
//   - for a processor, while other goroutines keep all GOMAXPROCS processors busy. In
//     such programs, hashes of the function [New] are faster.
//
// On WebAssembly the Go scheduler does not preempt goroutines, so a writer yields after
// every 32 KiB.
//
// Reading the data of a Write can fault, for example in a mapped file that was
// truncated. The fault occurs in the goroutine that called Write, as without a Server.
//
// To let packages that call crypto.SHA256.New use the hashes of a Server, call
// crypto.RegisterHash(crypto.SHA256, server.New) before other goroutines start. Do not do
// so under GODEBUG=fips140=only. There crypto/rsa and TLS 1.3 refuse hashes from outside
// the validated module: crypto/rsa returns an error, and TLS 1.3 panics.
type Server struct {
	made   sync.Once
	shards []*combine.Shard // made at the first use, one for every procsPerShard Ps
	next   atomic.Uint32    // counts calls of nextShard, which chooses round robin
}

// procsPerShard is the number of Ps of the Go scheduler that share a shard. The goroutines
// on that many Ps make enough requests to fill the lanes of a kernel. They seldom wait for
// the shard's lock: no goroutine hashes while it holds the lock.
const procsPerShard = 16

// NewServer returns a new Server.
func NewServer() *Server { return new(Server) }

// makeShards makes the shards of s at the first call.
func (s *Server) makeShards() {
	s.made.Do(func() {
		s.shards = make([]*combine.Shard, (runtime.GOMAXPROCS(0)+procsPerShard-1)/procsPerShard)
		for i := range s.shards {
			s.shards[i] = combine.NewShard(len(s.shards))
		}
	})
}

// New returns a new [hash.Hash] that computes the SHA-256 digest. It implements the
// same interfaces as the hashes of the function [New].
func (s *Server) New() hash.Hash {
	d := &serverHash{shard: s.nextShard()}
	d.startOver() // Reset's other work would take 7 ns
	return d
}

// Sum256 returns the SHA-256 digest of data. It hashes data of 2 KiB or more side by
// side with the writes of other goroutines.
func (s *Server) Sum256(data []byte) [Size]byte {
	shard := s.nextShard()
	if !combine.Preempts && shard != nil {
		var d digest
		d.Reset()
		d.inSlices(shard, data)
		var sum [Size]byte
		d.Sum(sum[:0])
		return sum
	}
	if len(data) < combine.MinRequest || !shard.Meets() || shard.Solo(len(data)) {
		return Sum256(data)
	}
	r := combine.NewRequest()
	whole := len(data) &^ (BlockSize - 1)
	j := &r.Job
	j.H = block.IV256
	tail := block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), data[whole:], uint64(len(data)))
	j.Set(&j.H, data[:whole], j.Scratch[:tail], nil)
	shard.Do(r)
	var sum [Size]byte
	block.PutDigest(&sum, &j.H)
	r.Release()
	return sum
}

// Close waits until no goroutine hashes for another goroutine. After Close, all hashes
// of s work like the hashes of the function [New]. Close returns nil, and may be called
// more than once.
func (s *Server) Close() error {
	if s != nil {
		s.makeShards()
		for _, shard := range s.shards {
			shard.Close()
		}
	}
	return nil
}

// nextShard returns a shard of s, round robin, or nil if s is nil.
func (s *Server) nextShard() *combine.Shard {
	if s == nil {
		return nil
	}
	s.makeShards()
	if len(s.shards) == 1 {
		return s.shards[0]
	}
	return s.shards[s.next.Add(1)%uint32(len(s.shards))]
}
