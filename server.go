package sha256

import (
	"hash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/combine"
)

// A Server hashes side by side what goroutines write at the same time, each to its own
// hash. It is for programs in which each goroutine has one hash, as for [io.Copy]. A
// goroutine that has many messages at hand does better with [SumMany] or [WriteHashes].
//
// A Server has no goroutine and no timer. The writers do the work, by flat combining:
// one writer, the combiner, hashes for the others too, until its own work is done. A
// goroutine that has met no other goroutine hashes its next writes alone. Any number of
// goroutines may use a Server. The zero Server is ready for use. The hashes of a nil
// *Server work like the hashes of the function [New].
//
// Each hash of a Server is for one goroutine at a time. If two goroutines use a hash
// at the same time, its digest is wrong or a call panics, as with the hashes of the
// function [New]. Other hashes are not affected: a goroutine never writes to memory
// that another goroutine may take for another hash. So, when a goroutine goes on with
// what another has written, the hash takes a new buffer, and leaves the old one to the
// garbage collector.
//
// A hash buffers writes of less than 32 KiB until they add up to 32 KiB. So an
// unfinished hash may hold 32 KiB of memory. A request is a full buffer, a longer
// write, or a Sum256 of 2 KiB or more. A request can wait:
//
//   - for a lane, while earlier requests have all lanes. It does not wait for
//     requests at least four times as long. If there are enough of these to fill the
//     lanes, the goroutine of the short request hashes it alone, at once;
//   - for a processor. If other goroutines keep all GOMAXPROCS processors busy, each
//     wait can last as long as they run. Then hashes of the function [New] are faster.
//
// On WebAssembly the Go scheduler interrupts no goroutine, so a writer yields after
// every 32 KiB.
//
// Reading written memory can fault, as in a mapped file that was truncated. The fault
// then occurs in the goroutine that wrote the memory, as without a Server.
//
// crypto.RegisterHash(crypto.SHA256, server.New), called before other goroutines start,
// gives the hashes of a Server to packages that call crypto.SHA256.New. Do not call it
// under GODEBUG=fips140=only: there crypto/rsa returns an error and TLS 1.3 panics,
// since they refuse all hashes from outside the validated module.
type Server struct {
	made   sync.Once
	shards []*combine.Shard // among which GOMAXPROCS is divided when they are made
	next   atomic.Uint32    // of the shards
}

// procsPerShard is the number of Ps of the Go scheduler that share a shard. They are
// enough to fill its lanes, and few enough to seldom wait for its lock, which every
// request takes two or three times.
const procsPerShard = 16

// NewServer returns a new Server.
func NewServer() *Server { return new(Server) }

// makeShards makes the shards of s, if there are none yet.
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
	d := &serverHash{shard: s.shard()}
	d.Reset()
	return d
}

// Sum256 returns the SHA-256 digest of data. It hashes data of 2 KiB or more side by
// side with the writes of other goroutines.
func (s *Server) Sum256(data []byte) [Size]byte {
	shard := s.shard()
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

// Close waits until no goroutine hashes for another. Afterwards the hashes of s, old
// and new, work like the hashes of the function [New]. Close may be called more than
// once, and returns nil.
func (s *Server) Close() error {
	if s != nil {
		s.makeShards()
		for _, shard := range s.shards {
			shard.Close()
		}
	}
	return nil
}

// shard returns the shards of s round robin, or nil if s is nil.
func (s *Server) shard() *combine.Shard {
	if s == nil {
		return nil
	}
	s.makeShards()
	if len(s.shards) == 1 {
		return s.shards[0]
	}
	return s.shards[s.next.Add(1)%uint32(len(s.shards))]
}
