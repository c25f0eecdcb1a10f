package streams

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	// maxHeld is the size of the largest buffer of Blocks.
	maxHeld = 4 << 20
	// largestHeld is the size of the largest block that is held. A larger one is hashed as it
	// comes: the buffer has room for fewer than eight. To copy a block costs a quarter of
	// hashing it, if memory is far from the core, and so few side by side would not save that
	// on a wide kernel. Where kernels have four lanes, four blocks are held, up to the same
	// size.
	largestHeld = maxHeld / 8
	// shortHeld is the size of the buffer if blocks are short. Then it has more blocks
	// than there are lanes.
	shortHeld = 64 << 10
	// maxRead is the largest number of bytes that ReadFrom reads at a time into the buffer.
	// A copy of 1 MiB or more bypasses the cache.
	maxRead = 128 << 10
	// aloneRead is the size of what ReadFrom reads into while blocks are not held.
	aloneRead = 32 << 10
)

// A Blocks splits what is written to it into blocks of one size, and hashes many blocks side
// by side. The last block may be shorter. The zero Blocks is not usable: [NewBlocks] makes
// one. One goroutine at a time may use it.
type Blocks struct {
	size    int64
	digests func([][sha256.Size]byte) error
	err     *error // what the next call returns; a pointer, for the reason given at lists
	resets  int    // counts calls of Reset

	// alone is how many more blocks are hashed as they come. After these, blocks are held.
	// A new buffer costs about as much as it saves when it is filled for the first time.
	alone int
	count int // the number of blocks that are hashed together

	// Of the block at hand, if it is not held.
	begun int64 // its bytes so far
	state block.State
	rest  [block.Size]byte // the bytes that are not in state

	// What escapes to the heap is behind one more pointer: otherwise `digests`, a
	// closure, would escape, too.
	*lists
}

// lists are what Blocks need from the first byte on.
type lists struct {
	held []byte // begins where a block does; has room for count blocks once it is allocated
	read []byte // what ReadFrom reads into, if blocks are not held
	msgs [][]byte
	sums [][sha256.Size]byte
	one  [1][sha256.Size]byte // what sums begins as
}

var (
	errBlocksClosed = errors.New("streams: Blocks: closed")
	// errBlocksInUse is also the error of calls after a panic, such as a fault in reading
	// what was written. And it is the error of a call during which f or a reader called
	// Reset, and of those after it.
	errBlocksInUse = errors.New("streams: Blocks: a call is under way, has panicked, or had its Blocks reset")
)

// NewBlocks returns Blocks of size bytes. They call f with the digests of one block or
// more, in order. f must not keep the slice. Write, ReadFrom and Close call f on the
// goroutine that called them. Close passes the last digests. If f fails, the method that
// called f returns that error, and so does each later call until Reset; until then f is
// not called. After a panic of f or of a reader, or a fault in reading what is written, each
// call returns an error until Reset. f and readers must not call methods of the Blocks.
//
// Blocks hold back as many blocks as there are lanes (see [sha256.Selected]). They hold
// back more blocks if blocks are short, but never more than 4 MiB. A block of more than
// 512 KiB is hashed as it comes, not side by side with others: holding it would cost as
// much time as it saves. The first blocks are also hashed as they come, until there is a
// buffer. If the object can be read at any offset, [Parts] hashes long parts side by
// side, too.
//
// NewBlocks panics if size is below 1 or f is nil.
func NewBlocks(size int, f func(digests [][sha256.Size]byte) error) *Blocks {
	// Short enough to be inlined: then the Blocks may be on the caller's stack.
	b := &Blocks{size: int64(size), digests: f}
	b.check()
	return b
}

// check panics if what NewBlocks was called with makes no sense.
//
//go:noinline
func (b *Blocks) check() {
	if b.size < 1 {
		panic(fmt.Sprintf("streams: NewBlocks: size is %d; expected at least 1", b.size))
	}
	if b.digests == nil {
		panic("streams: NewBlocks: f is nil")
	}
}

// begin makes b ready for its first byte.
func (b *Blocks) begin() {
	if b.lists != nil {
		return
	}
	if b.size < 1 {
		panic("streams: Blocks that NewBlocks did not make")
	}
	l := new(lists)
	l.sums = l.one[:] // not through b: then f would have to be on the heap
	b.lists = l
	b.alone, b.count = math.MaxInt, 1
	if width := lanes.Width(); width > 1 && b.size <= largestHeld {
		size := int(b.size)
		b.count = min(max(width, shortHeld/size), maxHeld/size)
		b.alone = b.count
	}
}

// Reset makes b ready for another stream. It drops what was written and not hashed. b
// keeps its buffer. For many streams, one after the other, Reset costs less than new
// Blocks for each stream.
func (b *Blocks) Reset() {
	b.resets++
	b.err = nil
	b.begun = 0
	if b.lists != nil {
		b.held = b.held[:0]
	}
}

// Write adds p. If p has several blocks, it hashes most of them without a copy. It
// returns the number of bytes of p that it has added. It returns an error if f has failed
// or b is closed.
func (b *Blocks) Write(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, *b.err
	}
	b.err = &errBlocksInUse
	n, err = b.write(p)
	return n, b.ended(err)
}

// ended ends a call with err. If err is not nil, the calls that follow return it, too.
func (b *Blocks) ended(err error) error {
	b.err = nil
	if err != nil {
		failure := err
		b.err = &failure
	}
	return err
}

func (b *Blocks) write(p []byte) (n int, err error) {
	for n < len(p) {
		m, err := b.add(p[n:])
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// ReadFrom adds what r returns, until r ends. It returns the number of bytes that it has
// read. If r fails, ReadFrom returns that error. All bytes that r has returned are added,
// unless f fails, and b can still be used.
func (b *Blocks) ReadFrom(r io.Reader) (n int64, err error) {
	if b.err != nil {
		return 0, *b.err
	}
	for empty := 0; ; {
		room := b.room()
		b.err = &errBlocksInUse
		resets := b.resets
		m, err := r.Read(room)
		if b.resets != resets { // by r
			b.err = &errBlocksInUse
			return n, errBlocksInUse
		}
		b.err = nil
		if m < 0 || m > len(room) {
			return n, fmt.Errorf("streams: Read returned a count of %d for %d bytes", m, len(room))
		}
		n += int64(m)
		if failed := b.filled(room[:m]); failed != nil {
			return n, failed
		}
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		}
		if empty++; m > 0 {
			empty = 0
		}
		if empty == maxEmptyReads {
			return n, io.ErrNoProgress
		}
	}
}

// Close hashes what is left, and calls f with the last digests, if there are any. It
// returns an error if f has failed or b is closed already.
func (b *Blocks) Close() error {
	if b.err != nil {
		return *b.err
	}
	var err error
	switch {
	case b.begun > 0:
		err = b.sumAlone()
	case b.lists != nil && len(b.held) > 0:
		err = b.sumHeld()
	}
	if err != nil {
		return b.ended(err)
	}
	b.err = &errBlocksClosed
	return nil
}

// add adds bytes of p, which is not empty. It returns their number.
func (b *Blocks) add(p []byte) (n int, err error) {
	b.begin()
	if b.begun == 0 && len(b.held) == 0 && b.count > 1 {
		// Blocks are hashed where they are if they would fill the buffer, or if several
		// come at once while blocks are still hashed as they come.
		size := int(b.size)
		if n := min(len(p)/size, b.count); n == b.count || n > 1 && !b.holds() {
			b.hashedAlone(n)
			return n * size, b.sum(p[:n*size])
		}
	}
	if b.holds() {
		if b.held == nil {
			b.held = make([]byte, 0, b.count*int(b.size))
		}
		n := copy(b.held[len(b.held):cap(b.held)], p)
		return n, b.hold(n)
	}
	p = p[:min(int64(len(p)), b.size-b.begun)]
	b.hash(p)
	if b.begun < b.size {
		return len(p), nil
	}
	b.hashedAlone(1)
	return len(p), b.sumAlone()
}

// hash adds p to the block at hand.
func (b *Blocks) hash(p []byte) {
	if b.begun == 0 {
		b.state = block.IV256
	}
	waiting := int(b.begun % block.Size)
	b.begun += int64(len(p))
	if waiting > 0 {
		n := copy(b.rest[waiting:], p)
		if p = p[n:]; waiting+n < block.Size {
			return
		}
		block.Compress(&b.state, b.rest[:])
	}
	whole := len(p) &^ (block.Size - 1)
	block.Compress(&b.state, p[:whole])
	copy(b.rest[:], p[whole:])
}

// holds reports whether what comes next is held.
func (b *Blocks) holds() bool { return b.alone == 0 && b.begun == 0 }

// hashedAlone counts blocks that are hashed as they come.
func (b *Blocks) hashedAlone(n int) {
	if b.alone < math.MaxInt {
		b.alone = max(0, b.alone-n)
	}
}

// room returns memory for bytes that come next.
func (b *Blocks) room() []byte {
	b.begin()
	if b.reads() {
		room := b.held[len(b.held):cap(b.held)]
		return room[:min(len(room), maxRead)]
	}
	if b.read == nil {
		b.read = make([]byte, aloneRead)
	}
	return b.read
}

// reads reports whether the room for what comes next is in the buffer.
func (b *Blocks) reads() bool { return b.holds() && b.held != nil }

// filled adds p, the beginning of what room has returned.
func (b *Blocks) filled(p []byte) error {
	var err error
	if b.reads() {
		err = b.hold(len(p))
	} else {
		_, err = b.write(p)
	}
	return b.ended(err)
}

// hold adds the n bytes behind held. If the buffer is full, hold hashes all that is held.
func (b *Blocks) hold(n int) error {
	b.held = b.held[:len(b.held)+n]
	if len(b.held) < cap(b.held) {
		return nil
	}
	return b.sumHeld()
}

func (b *Blocks) sumHeld() error {
	data := b.held
	b.held = b.held[:0]
	return b.sum(data)
}

// sum hashes the blocks of data side by side.
func (b *Blocks) sum(data []byte) error {
	b.msgs = slices.AppendSeq(b.msgs[:0], slices.Chunk(data, int(b.size)))
	sums := b.roomForDigests(len(b.msgs))
	sha256.SumMany(sums, b.msgs)
	clear(b.msgs)
	return b.deliver(sums)
}

// sumAlone ends the block at hand.
func (b *Blocks) sumAlone() error {
	sums := b.roomForDigests(1)
	block.Finish(&sums[0], &b.state, b.rest[:b.begun%block.Size], uint64(b.begun))
	b.begun = 0
	return b.deliver(sums)
}

// roomForDigests returns memory for n digests.
func (b *Blocks) roomForDigests(n int) [][sha256.Size]byte {
	b.sums = slices.Grow(b.sums[:0], n)[:n]
	return b.sums
}

// deliver calls f.
func (b *Blocks) deliver(digests [][sha256.Size]byte) error {
	b.err = &errBlocksInUse
	resets := b.resets
	err := b.digests(digests)
	if err == nil && b.resets != resets { // by f
		return errBlocksInUse
	}
	return err
}
