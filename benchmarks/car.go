package main

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/sha256-simd/sha256-simd"
)

// carInspect checks the blocks of a CAR, as Inspect of ipld/go-car does and as it does
// with the patch in compat/upstream. go-car needs a newer Go than this module, so the
// base is a loop like its own, without what else it does for a block.
func carInspect(shortest, longest int) row {
	sizes := spread(farBytes, shortest, longest)
	return row{
		bench:   "CARInspect",
		load:    fmt.Sprintf("size=%s-%s/n=%d", unit(shortest), unit(longest), len(sizes)),
		bytes:   sum(sizes),
		digests: len(sizes),
		base:    "crypto",
		byCPU:   true,
		impls: func() []impl {
			car := bytes.NewReader(newCAR(sizes))
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					blocks := carBlocks{dst: dst, lanes: make([]carLane, max(16, sha256.Selected().Lanes))}
					must(eachBlock(car, blocks.add))
					must(blocks.wait())
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					h, buf, i := stdsha256.New(), make([]byte, 32<<10), 0
					must(eachBlock(car, func(want [32]byte, block *io.SectionReader) error {
						h.Reset()
						if _, err := io.CopyBuffer(h, block, buf); err != nil {
							return err
						}
						h.Sum(dst[i][:0])
						i++
						return compare(dst[i-1], want)
					}))
				}},
			}
		},
	}
}

// cidPrefix begins the CID of a raw block's SHA-256.
const cidPrefix = "\x01\x55\x12\x20"

// newCAR returns a CAR, less its header, of random blocks: before each block its length
// with the CID, and the CID.
func newCAR(sizes []int) []byte {
	msgs := messages(sizes...)
	digests := make([][32]byte, len(msgs))
	sha256.SumMany(digests, msgs)
	var car []byte
	for i, msg := range msgs {
		car = binary.AppendUvarint(car, uint64(len(cidPrefix)+len(digests[i])+len(msg)))
		car = append(append(append(car, cidPrefix...), digests[i][:]...), msg...)
	}
	return car
}

// eachBlock calls f with the digest and the bytes of each block.
func eachBlock(car *bytes.Reader, f func(want [32]byte, block *io.SectionReader) error) error {
	section := io.NewSectionReader(car, 0, car.Size())
	for at := int64(0); at < car.Size(); {
		if _, err := section.Seek(at, io.SeekStart); err != nil {
			return err
		}
		var head [binary.MaxVarintLen64 + len(cidPrefix) + 32]byte
		n, err := io.ReadFull(section, head[:])
		if err != nil && err != io.ErrUnexpectedEOF {
			return err
		}
		length, k := binary.Uvarint(head[:n])
		cid := head[max(0, k):][:len(cidPrefix)+32]
		if k <= 0 || string(cid[:len(cidPrefix)]) != cidPrefix {
			return fmt.Errorf("CAR: no CID at %d", at)
		}
		data := at + int64(k+len(cid))
		at += int64(k) + int64(length)
		if err := f([32]byte(cid[len(cidPrefix):]), io.NewSectionReader(car, data, at-data)); err != nil {
			return err
		}
	}
	return nil
}

// carBlocks hashes blocks side by side, a piece of each at a time.
type carBlocks struct {
	dst   [][32]byte
	lanes []carLane
	live  int // the first lanes have blocks
	added int

	hashes []hash.Hash
	pieces [][]byte
	sums   [][32]byte
}

type carLane struct {
	index int
	want  [32]byte
	block *io.SectionReader
	left  int64
	h     hash.Hash
	buf   []byte
}

func (b *carBlocks) add(want [32]byte, block *io.SectionReader) error {
	for b.live == len(b.lanes) {
		if err := b.turn(); err != nil {
			return err
		}
	}
	l := &b.lanes[b.live]
	if l.h == nil {
		l.h, l.buf = sha256.New(), make([]byte, 8<<10)
	}
	l.h.Reset()
	l.index, l.want, l.block, l.left = b.added, want, block, block.Size()
	b.added++
	b.live++
	return nil
}

func (b *carBlocks) wait() error {
	for b.live > 0 {
		if err := b.turn(); err != nil {
			return err
		}
	}
	return nil
}

// turn hashes a piece of each block and checks the blocks that end with it.
func (b *carBlocks) turn() error {
	b.hashes, b.pieces = b.hashes[:0], b.pieces[:0]
	for i := range b.live {
		l := &b.lanes[i]
		p := l.buf[:min(l.left, int64(len(l.buf)))]
		if _, err := io.ReadFull(l.block, p); err != nil {
			return err
		}
		l.left -= int64(len(p))
		b.hashes, b.pieces = append(b.hashes, l.h), append(b.pieces, p)
	}
	sha256.WriteHashes(b.hashes, b.pieces)

	end := b.live // the lanes from here on have blocks that end
	for i := 0; i < end; {
		if b.lanes[i].left > 0 {
			i++
			continue
		}
		end--
		b.lanes[i], b.lanes[end] = b.lanes[end], b.lanes[i]
	}
	b.hashes, b.sums = b.hashes[:0], b.sums[:0]
	for _, l := range b.lanes[end:b.live] {
		b.hashes, b.sums = append(b.hashes, l.h), append(b.sums, [32]byte{})
	}
	sha256.SumHashes(b.sums, b.hashes)
	for i, l := range b.lanes[end:b.live] {
		b.dst[l.index] = b.sums[i]
		if err := compare(b.sums[i], l.want); err != nil {
			return err
		}
	}
	b.live = end
	return nil
}

func compare(got, want [32]byte) error {
	if got != want {
		return errors.New("CAR: a block differs from its CID")
	}
	return nil
}
