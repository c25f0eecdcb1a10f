package streams

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/parts"
)

// PartsOptions are the options of [Parts]. The zero value is ready to use.
type PartsOptions struct {
	// Workers is the number of goroutines that hash; 0 means GOMAXPROCS. Parts starts at
	// most 1024, at most one for each part, and at most one for each 128 KiB. Each needs
	// 4 MiB of memory and a second goroutine, which reads ahead. Later calls use that memory
	// again, until it is collected.
	Workers int
	// InOrder has Parts read r once from its beginning to its end, on the goroutine
	// that called it, for disks that seek. Workers does not matter then, and parts of
	// more than 512 KiB are hashed one after the other. If InOrder is false, a worker reads
	// 2 MiB in order if that much holds a whole part for each lane. If parts are longer, a
	// worker takes several, and reads an equal piece of each in turn, 2 MiB in each round.
	InOrder bool
	// Progress, if it is not nil, is called on the goroutine that called Parts, each time
	// that bytes were hashed. Its parameters are the number of parts that were hashed so
	// far, and the number of bytes that were hashed so far.
	Progress func(done int, bytes int64)
}

// maxParts is the largest number of parts: their digests must fit a slice.
const maxParts = min(math.MaxInt/sha256.Size, math.MaxInt32)

// Parts reads size bytes of r, from offset 0 on, and returns the SHA-256 digests of its
// parts of partSize bytes, such as the blocks of a file. The last part may be shorter.
// If size is 0, it returns no digest.
//
// If the object can be read only in order, [NewBlocks] hashes its parts.
//
// Parts hashes an object of up to 128 KiB on the calling goroutine. It does the same with
// up to 2 MiB that one worker can read at once, such as a single part. It hashes longer
// objects on o.Workers goroutines, many parts side by side on each. Other goroutines read
// ahead: they call r.ReadAt concurrently and out of order. With AVX-512 each worker hashes
// 1.6 to 2.9 times as fast as one SHA-256 over the whole object.
//
// Without InOrder, Parts takes memory for all digests, 32 bytes for each part, before it reads
// the parts. For more than 2^20 parts, it first reads the last byte, to see whether r has size
// bytes.
//
// It is an error if size is below 0, if partSize is below 1, or if there are 2^31 parts
// or more (on 32-bit ports 2^26). If r ends before size bytes, the error is
// [io.ErrUnexpectedEOF]. If r.ReadAt fails, the error is that of r.ReadAt. Both are
// wrapped with the offset. When ctx is done, Parts returns ctx.Err().
//
// Parts returns only when all its calls of r.ReadAt have returned and all its goroutines
// have ended: then the caller may close r. If r.ReadAt panics, Parts panics with the same
// value, on the goroutine that called it. A fault in reading, as in a memory-mapped file
// that was truncated, also panics there if this goroutine has set
// [runtime/debug.SetPanicOnFault]. If r.ReadAt ends a goroutine that Parts started, by
// [runtime.Goexit], Parts returns an error.
//
// Parts panics if o.Workers is negative.
func Parts(ctx context.Context, r io.ReaderAt, size, partSize int64, o PartsOptions) ([][sha256.Size]byte, error) {
	if o.Workers < 0 {
		panic(fmt.Sprintf("streams: Parts: Workers is %d; expected 0 or more", o.Workers))
	}
	n, wrong := countParts(size, partSize)
	if err := parts.Check(ctx, "streams", r, size, wrong); err != nil {
		return nil, err
	}
	if o.InOrder {
		return sumInOrder(ctx, r, size, partSize, n, o.Progress)
	}
	digests, err := parts.Digests(ctx, "streams", r, size, n)
	if err != nil || n == 0 {
		return digests, err
	}
	p := parts.Parts{R: r, Size: size, PartSize: partSize, Workers: o.Workers, Progress: o.Progress, Package: "streams"}
	if err := p.Sum(ctx, digests); err != nil {
		return nil, err
	}
	return digests, nil
}

// countParts returns the number of parts, or what is wrong with partSize. size may be negative.
func countParts(size, partSize int64) (int64, error) {
	if partSize < 1 {
		return 0, fmt.Errorf("streams: part size %d; expected at least 1", partSize)
	}
	n := parts.CeilDiv(max(0, size), partSize)
	if n > maxParts {
		return 0, fmt.Errorf("streams: %d parts of %d bytes; expected at most %d parts", n, partSize, maxParts)
	}
	return n, nil
}

// sumInOrder is Parts with InOrder, for n parts.
func sumInOrder(ctx context.Context, r io.ReaderAt, size, partSize, n int64, progress func(done int, bytes int64)) ([][sha256.Size]byte, error) {
	// For a size that is far too large, there might not be memory for all digests.
	digests := make([][sha256.Size]byte, 0, min(n, parts.ManyDigests))
	hashed := int64(0)
	b := Blocks{size: partSize, digests: func(some [][sha256.Size]byte) error {
		digests = append(digests, some...)
		return nil
	}}
	for off := int64(0); off < size; {
		p := b.room()
		p = p[:min(int64(len(p)), size-off)]
		if err := parts.ReadFull(ctx, r, p, off); err != nil {
			return nil, parts.Failed(ctx, "streams", err)
		}
		// What fails in filled and Close is b.digests, and this one does not.
		b.filled(p)
		if off += int64(len(p)); off == size {
			b.Close()
		}
		if now := off - int64(len(b.held)); now > hashed && progress != nil {
			hashed = now
			progress(len(digests), hashed)
		}
	}
	return digests, nil
}
