// Package verity computes the hash trees of Linux' fs-verity and dm-verity, both
// of version 1, with SHA-256. Blocks are read and hashed side by side, with
// AVX-512 1.6 to 2.9 times as fast as one SHA-256 over the data.
// Functions may be called concurrently.
//
// Both functions read r as [github.com/sha256-simd/sha256-simd/streams.Parts] does, with
// GOMAXPROCS workers. A call needs 4 MiB for each worker, and some 8 MiB for each level of
// the tree, whatever the size.
package verity

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/parts"
)

// Options are the parameters of a tree. The zero value has blocks of 4096 bytes
// and no salt.
type Options struct {
	// BlockSize is the length of the blocks of the data and of the tree in bytes.
	// 0 means 4096.
	BlockSize int
	// Salt is hashed before each block.
	Salt []byte
}

const (
	defaultBlockSize = 4096

	// fsverity_descriptor of the kernel's include/uapi/linux/fsverity.h.
	fsMinBlockSize = 1 << 10
	fsMaxBlockSize = 64 << 10 // the largest page of any architecture
	fsMaxSalt      = 32
	descriptorSize = 256
	descriptorRoot = 16
	descriptorSalt = 80
	sha256ID       = 1

	// What veritysetup takes.
	dmMinBlockSize = 512
	dmMaxBlockSize = 512 << 10
	dmMaxSalt      = 256

	// window is the number of digests of a level that are taken at a time. It is a
	// multiple of the number of digests in a block of any size.
	window = 1 << 18
)

// FS reads size bytes of r, from offset 0 on, and returns their fs-verity digest,
// which `fsverity digest` prints and the kernel measures: the digest of the descriptor
// without a signature.
//
// It is an error if size is below 0, if the salt is longer than 32 bytes, or if the
// block size is not a power of two from 1024 to 65536.
func FS(ctx context.Context, r io.ReaderAt, size int64, o Options) ([32]byte, error) {
	wrong := o.check(fsMinBlockSize, fsMaxBlockSize, fsMaxSalt)
	if err := parts.Check(ctx, "verity", r, size, wrong); err != nil {
		return [32]byte{}, err
	}
	var prefix []byte
	if len(o.Salt) > 0 { // in a block of its own
		prefix = make([]byte, sha256.BlockSize)
		copy(prefix, o.Salt)
	}
	root, err := newTree(size, o.BlockSize, prefix, nil).sum(ctx, r)
	if err != nil {
		return [32]byte{}, err
	}
	var d [descriptorSize]byte
	d[0] = 1 // version
	d[1] = sha256ID
	for 1<<d[2] < o.BlockSize {
		d[2]++
	}
	d[3] = byte(len(o.Salt))
	binary.LittleEndian.PutUint64(d[8:], uint64(size))
	copy(d[descriptorRoot:], root[:])
	copy(d[descriptorSalt:], o.Salt)
	return sha256.Sum256(d[:]), nil
}

// DM reads size bytes of r, from offset 0 on, and returns the root hash of their dm-verity
// tree, as `veritysetup format --no-superblock` does if the blocks of data and tree have
// one size. If tree is not nil, DM writes the whole hash tree to it, from offset 0 on, the
// highest level at the lowest offset. That level is written last. Data of one block have no
// tree. After an error in the arguments, nothing has been written; after any other error,
// parts of the tree may have been.
//
// It is an error if size is not a positive multiple of the block size, if the salt is
// longer than 256 bytes, or if the block size is not a power of two from 512 to 524288.
func DM(ctx context.Context, r io.ReaderAt, size int64, tree io.WriterAt, o Options) ([32]byte, error) {
	wrong := o.check(dmMinBlockSize, dmMaxBlockSize, dmMaxSalt)
	if wrong == nil && (size == 0 || size%int64(o.BlockSize) != 0) {
		wrong = fmt.Errorf("verity: size %d; expected a positive multiple of the block size %d", size, o.BlockSize)
	}
	if err := parts.Check(ctx, "verity", r, size, wrong); err != nil {
		return [32]byte{}, err
	}
	return newTree(size, o.BlockSize, o.Salt, tree).sum(ctx, r)
}

// check sets the default and returns what is wrong.
func (o *Options) check(minBlock, maxBlock, maxSalt int) error {
	if o.BlockSize == 0 {
		o.BlockSize = defaultBlockSize
	}
	switch b := o.BlockSize; {
	case b < minBlock || b > maxBlock || b&(b-1) != 0:
		return fmt.Errorf("verity: block size %d; expected a power of two from %d to %d", b, minBlock, maxBlock)
	case len(o.Salt) > maxSalt:
		return fmt.Errorf("verity: salt of %d bytes; expected at most %d", len(o.Salt), maxSalt)
	}
	return nil
}

// A tree is a hash tree that is being computed. Level 0 holds the digests of the data's
// blocks, each other level the digests of the blocks of the level below. The last level
// fits a block.
type tree struct {
	size      int64
	blockSize int
	prefix    []byte
	prefixed  hash.Hash // prefix
	out       io.WriterAt
	levels    []level
	root      [32]byte // the digest of the last level, or of the data if that is a block
}

type level struct {
	digests [][32]byte // not yet hashed: they wait for others, to fill blocks
	off     int64      // where the next block is written
}

func newTree(size int64, blockSize int, prefix []byte, out io.WriterAt) *tree {
	t := &tree{size: size, blockSize: blockSize, prefix: prefix, prefixed: sha256.New(), out: out}
	t.prefixed.Write(prefix)
	var blocks []int64 // of each level
	for n := parts.CeilDiv(size, int64(blockSize)); n > 1; {
		n = parts.CeilDiv(n, int64(t.perBlock()))
		blocks = append(blocks, n)
	}
	t.levels = make([]level, len(blocks))
	// The highest level is written first.
	for l := len(blocks) - 2; l >= 0; l-- {
		t.levels[l].off = t.levels[l+1].off + blocks[l+1]*int64(blockSize)
	}
	return t
}

// perBlock returns the number of digests in a block.
func (t *tree) perBlock() int { return t.blockSize / sha256.Size }

// sum returns the root, which is all zeros without data.
func (t *tree) sum(ctx context.Context, r io.ReaderAt) ([32]byte, error) {
	step := window * int64(t.blockSize)
	var digests [][32]byte
	for left := t.size; left > 0; left -= min(left, step) {
		p := parts.Parts{
			R: r, Off: t.size - left, Size: min(left, step), PartSize: int64(t.blockSize), Pad: true, Prefix: t.prefix, Package: "verity",
		}
		if digests == nil {
			digests = make([][32]byte, p.Count())
		}
		digests = digests[:p.Count()]
		if err := p.Sum(ctx, digests); err != nil {
			return [32]byte{}, err
		}
		if err := t.add(0, digests); err != nil {
			return [32]byte{}, err
		}
	}
	for l := range t.levels {
		if err := t.flush(l); err != nil {
			return [32]byte{}, err
		}
	}
	return t.root, nil
}

// add puts digests at the end of a level. They may be kept until the level is
// flushed.
func (t *tree) add(l int, digests [][32]byte) error {
	if l == len(t.levels) {
		t.root = digests[0]
		return nil
	}
	lv := &t.levels[l]
	if len(lv.digests) == 0 {
		lv.digests = digests
	} else {
		lv.digests = append(lv.digests, digests...)
	}
	if len(lv.digests) < window {
		return nil
	}
	return t.flush(l)
}

// flush writes the digests that wait on a level, and hashes them for the next.
func (t *tree) flush(l int) error {
	lv := &t.levels[l]
	if len(lv.digests) == 0 {
		return nil
	}
	sums := make([][32]byte, parts.CeilDiv(len(lv.digests), t.perBlock()))
	// Zeros fill the last block.
	lv.digests = append(lv.digests, make([][32]byte, len(sums)*t.perBlock()-len(lv.digests))...)
	data := sha256.RowsOf(lv.digests).Data
	if t.out != nil {
		n, err := t.out.WriteAt(data, lv.off)
		if err == nil && n != len(data) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return fmt.Errorf("verity: writing the hash tree at offset %d: %w", lv.off, err)
		}
		lv.off += int64(len(data))
	}
	sha256.SumRows(sha256.RowsOf(sums), t.prefixed, sha256.Rows{Data: data, Size: t.blockSize}, len(sums))
	lv.digests = lv.digests[:0]
	return t.add(l+1, sums)
}
