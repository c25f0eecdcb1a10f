package main

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"iter"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/streams"
)

// programs is what the patches in compat/upstream change, from the program's input to its
// digests: with all that is read and copied, without what else the program does.
func programs() section {
	return section{
		title: "Programs",
		about: "What programs with a patch in compat/upstream hash, read and copied as they do, by CPU time: blocks of 16 KiB that are written " +
			"32 KiB at a time (torrent), blocks of 128 KiB of a reader (syncthing), chunks of a reader, each in memory of its own (boxo), " +
			"the entries of a transaction and their tree (immudb).",
		rows: []row{
			writtenBlocks(16<<10, 4<<20),
			blocksRead(128<<10, 64<<20),
			chunks(256<<10, 64<<20),
			transaction(1000),
		},
	}
}

// blocksInto returns Blocks, and a function that begins to write digests to dst.
func blocksInto(size int) (*streams.Blocks, func(dst [][32]byte)) {
	var left [][32]byte
	b := streams.NewBlocks(size, func(digests [][32]byte) error {
		left = left[copy(left, digests):]
		return nil
	})
	return b, func(dst [][32]byte) {
		b.Reset()
		left = dst
	}
}

func writtenBlocks(size, total int) row {
	return row{
		bench: "BlocksWrite", load: fmt.Sprintf("size=%s/bytes=%s", unit(size), unit(total)),
		bytes: total, digests: total / size, base: "crypto", byCPU: true,
		impls: func() []impl {
			data := random(total)
			b, begin := blocksInto(size)
			write := func(w io.Writer) {
				for p := data; len(p) > 0; p = p[32<<10:] {
					_, err := w.Write(p[:32<<10])
					must(err)
				}
			}
			h := stdsha256.New()
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					begin(dst)
					write(b)
					must(b.Close())
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					write(writerFunc(func(p []byte) (int, error) {
						for at := 0; at < len(p); at += size {
							h.Reset()
							h.Write(p[at : at+size])
							h.Sum(dst[0][:0])
							dst = dst[1:]
						}
						return len(p), nil
					}))
				}},
			}
		},
	}
}

// A writerFunc is an io.Writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func blocksRead(size, total int) row {
	return row{
		bench: "BlocksRead", load: fmt.Sprintf("size=%s/bytes=%s", unit(size), unit(total)),
		bytes: total, digests: total / size, base: "crypto", byCPU: true,
		impls: func() []impl {
			data := random(total)
			b, begin := blocksInto(size)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					begin(dst)
					_, err := b.ReadFrom(bytes.NewReader(data))
					must(err)
					must(b.Close())
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					h, buf, r := stdsha256.New(), make([]byte, 32<<10), bytes.NewReader(data)
					for i := range dst {
						h.Reset()
						_, err := io.CopyBuffer(h, io.LimitReader(r, int64(size)), buf)
						must(err)
						h.Sum(dst[i][:0])
					}
				}},
			}
		},
	}
}

func chunks(size, total int) row {
	return row{
		bench: "Chunks", load: fmt.Sprintf("size=%s/bytes=%s", unit(size), unit(total)),
		bytes: total, digests: total / size, base: "crypto", byCPU: true,
		impls: func() []impl {
			data := random(total)
			// Programs store chunks, and take memory for each of them.
			read := func() iter.Seq2[int, []byte] {
				r := bytes.NewReader(data)
				return func(yield func(int, []byte) bool) {
					for i := range total / size {
						chunk := make([]byte, size)
						_, err := io.ReadFull(r, chunk)
						must(err)
						if !yield(i, chunk) {
							return
						}
					}
				}
			}
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					for i, sum := range sha256.SumSeq(read()) {
						dst[i] = sum
					}
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					for i, chunk := range read() {
						dst[i] = stdsha256.Sum256(chunk)
					}
				}},
			}
		},
	}
}

// transaction is immudb's: keys and values of 8 bytes, and an RFC 6962 tree.
func transaction(n int) row {
	const prefixed = 1 + 2*32
	return row{
		bench: "Transaction", load: fmt.Sprintf("entries=%d", n), digests: 1, base: "crypto", byCPU: true,
		impls: func() []impl {
			values := messages(same(n, 8)...)
			leaf, node := sha256.New(), sha256.New()
			leaf.Write([]byte{0})
			node.Write([]byte{1})
			level, next := make([][32]byte, n), make([][32]byte, n)
			entries := make([][]byte, n)
			entry := func(i int, value *[32]byte) []byte {
				b := make([]byte, 0, 2+2+8+32)
				b = binary.BigEndian.AppendUint16(b, 0)
				b = binary.BigEndian.AppendUint16(b, 8)
				b = binary.BigEndian.AppendUint64(b, uint64(i))
				return append(b, value[:]...)
			}
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					sha256.SumMany(next, values)
					for i := range entries {
						entries[i] = entry(i, &next[i])
					}
					sha256.SumMany(next, entries)
					sha256.SumRows(sha256.RowsOf(level), leaf, sha256.RowsOf(next), n)
					for w := n; w > 1; w = (w + 1) / 2 {
						sha256.SumRows(sha256.RowsOf(level), node, sha256.Rows{Data: sha256.RowsOf(level).Data, Size: 64}, w/2)
						if w%2 > 0 {
							level[w/2] = level[w-1]
						}
					}
					dst[0] = level[0]
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					for i, value := range values {
						sum := stdsha256.Sum256(value)
						digest := stdsha256.Sum256(entry(i, &sum))
						var b [33]byte
						copy(b[1:], digest[:])
						level[i] = stdsha256.Sum256(b[:])
					}
					for w := n; w > 1; w = (w + 1) / 2 {
						b := [prefixed]byte{1}
						for i := range w / 2 {
							copy(b[1:], level[2*i][:])
							copy(b[33:], level[2*i+1][:])
							level[i] = stdsha256.Sum256(b[:])
						}
						if w%2 > 0 {
							level[w/2] = level[w-1]
						}
					}
					dst[0] = level[0]
				}},
			}
		},
	}
}
