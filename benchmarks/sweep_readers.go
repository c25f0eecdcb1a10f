package main

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/hashtree/bep52"
	"github.com/sha256-simd/sha256-simd/hashtree/sha256tree"
	"github.com/sha256-simd/sha256-simd/hashtree/verity"
	"github.com/sha256-simd/sha256-simd/streams"
)

// reading is the calls that read streams and objects, and SHA256TREE, whose message may
// be written too.
func (s *sweeper) reading() {
	for _, size := range []int{0, s.between(1, 100), s.between(500, 2000), s.between(3000, 20_000), s.between(50_000, 200_000)} {
		for _, n := range []int{1, 2, s.between(3, 8), s.between(10, 40), s.between(100, 1000)} {
			if n*size <= 3_000_000 {
				s.streams(fmt.Sprintf("size=%d/n=%d", size, n), same(n, size))
			}
		}
	}
	for _, n := range []int{s.between(2, 8), s.between(10, 40), s.between(100, 1000)} {
		most := s.between(100, 5000)
		sizes := make([]int, n)
		for i := range sizes {
			sizes[i] = s.between(0, most)
		}
		s.streams(fmt.Sprintf("size=0-%d/n=%d", most, n), sizes)
	}
	for _, size := range []int{
		0, s.between(1, 1000), 1024, s.between(1025, 4000), 4096, s.between(5000, 16_000), s.between(16_000, 70_000), s.between(100_000, 3_000_000),
	} {
		load := fmt.Sprintf("size=%d", size)
		for _, part := range []int{s.between(1000, 10_000), 64 << 10, 1 << 20} {
			s.parts(fmt.Sprintf("%s/part=%d", load, part), size, part)
		}
		s.verity(load, size, []int{1024, 4096, 65_536}[s.r.IntN(3)], s.between(0, 1)*s.between(1, 32))
		s.bep52(load, size, 16<<10<<s.between(0, 4))
		s.sha256tree(load, size)
	}
}

// A stream is a message that can only be read.
type stream struct{ io.Reader }

func (stream) Close() error { return nil }

func (s *sweeper) streams(load string, sizes []int) {
	s.addReading("streams.Sum", load, len(sizes), func() []impl {
		msgs := messages(sizes...)
		open := func(i int) (io.ReadCloser, error) { return stream{struct{ io.Reader }{bytes.NewReader(msgs[i])}}, nil }
		h, buf := stdsha256.New(), make([]byte, 32<<10)
		return []impl{
			library(func(dst [][32]byte) { must(streams.Sum(context.Background(), dst, open, streams.Options{})) }),
			stdLoop(func(dst [][32]byte) {
				for i := range dst {
					r, err := open(i)
					must(err)
					h.Reset()
					_, err = io.CopyBuffer(h, r, buf)
					must(err)
					h.Sum(dst[i][:0])
					must(r.Close())
				}
			}),
		}
	})
}

// parts is the digests of an object's parts.
func (s *sweeper) parts(load string, size, part int) {
	n := (size + part - 1) / part
	loop := func(object []byte) impl {
		blocks := readBlocks(object, part)
		return stdLoop(func(dst [][32]byte) {
			i := 0
			for b := range blocks {
				dst[i] = stdsha256.Sum256(b)
				i++
			}
		})
	}
	s.addReading("composite.Sum", load, n, func() []impl {
		object := random(size)
		return []impl{library(func(dst [][32]byte) {
			c, err := composite.Sum(context.Background(), bytes.NewReader(object), int64(size), int64(part))
			must(err)
			copy(dst, c.Parts)
		}), loop(object)}
	})
	s.addReading("streams.Parts", load, n, func() []impl {
		object := random(size)
		return []impl{library(func(dst [][32]byte) {
			sums, err := streams.Parts(context.Background(), bytes.NewReader(object), int64(size), int64(part), streams.PartsOptions{})
			must(err)
			copy(dst, sums)
		}), loop(object)}
	})
	// Of an object that is written, each block is a message of a list.
	s.addMany("streams.NewBlocks", load, n, func() []impl {
		object := random(size)
		return []impl{library(func(dst [][32]byte) {
			b := streams.NewBlocks(part, func(d [][32]byte) error { dst = dst[copy(dst, d):]; return nil })
			_, err := b.Write(object)
			must(err)
			must(b.Close())
		}), loop(object)}
	})
	s.addReading("streams.Blocks.ReadFrom", load, n, func() []impl {
		object := random(size)
		var left [][32]byte
		b := streams.NewBlocks(part, func(d [][32]byte) error { left = left[copy(left, d):]; return nil })
		return []impl{library(func(dst [][32]byte) {
			left = dst
			b.Reset()
			_, err := b.ReadFrom(struct{ io.Reader }{bytes.NewReader(object)})
			must(err)
			must(b.Close())
		}), loop(object)}
	})
}

// readBlocks reads an object block by block into a buffer.
func readBlocks(object []byte, size int) func(yield func([]byte) bool) {
	buf := make([]byte, min(size, max(1, len(object))))
	return func(yield func([]byte) bool) {
		r := bytes.NewReader(object)
		for {
			n, err := io.ReadFull(r, buf)
			if n == 0 || !yield(buf[:n]) {
				return
			}
			if err != nil && err != io.ErrUnexpectedEOF {
				must(err)
			}
		}
	}
}

// compositeString is the checksum that S3 writes.
func compositeString(parts [][32]byte) string {
	sum := stdsha256.Sum256(bytesOf(parts))
	return fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(sum[:]), len(parts))
}

// verity is fs-verity and dm-verity with a salt.
func (s *sweeper) verity(load string, size, block, salt int) {
	options := verity.Options{BlockSize: block, Salt: random(salt)}
	load += fmt.Sprintf("/block=%d/salt=%d", block, salt)
	s.addReading("verity.FS", load, 1, func() []impl {
		object := random(size)
		tree := newVerityLoop(object, block, 64, options.Salt)
		return []impl{
			library(func(dst [][32]byte) {
				d, err := verity.FS(context.Background(), bytes.NewReader(object), int64(size), options)
				must(err)
				dst[0] = d
			}),
			stdLoop(func(dst [][32]byte) {
				// The descriptor of the kernel's documentation of fs-verity.
				var d [256]byte
				d[0], d[1], d[3] = 1, 1, byte(salt)
				for 1<<d[2] < block {
					d[2]++
				}
				binary.LittleEndian.PutUint64(d[8:], uint64(size))
				root := tree.root()
				copy(d[16:], root[:])
				copy(d[80:], options.Salt)
				dst[0] = stdsha256.Sum256(d[:])
			}),
		}
	})
	size = max(1, size/block) * block // dm-verity has whole blocks
	s.addReading("verity.DM", fmt.Sprintf("size=%d/block=%d/salt=%d", size, block, salt), 1, func() []impl {
		object := random(size)
		tree := newVerityLoop(object, block, 1, options.Salt)
		return []impl{
			library(func(dst [][32]byte) {
				d, err := verity.DM(context.Background(), bytes.NewReader(object), int64(size), nil, options)
				must(err)
				dst[0] = d
			}),
			stdLoop(func(dst [][32]byte) { dst[0] = tree.root() }),
		}
	})
}

// A verityLoop is the hash tree over an object's blocks.
type verityLoop struct {
	object []byte
	block  int
	salt   int
	// buf has the salt and a block behind it.
	buf []byte
	// levels are buffers for the digests of two levels.
	levels [2][]byte
}

// newVerityLoop returns a tree with a salt, which zeros pad to whole units.
func newVerityLoop(object []byte, block, unit int, salt []byte) *verityLoop {
	padded := (len(salt) + unit - 1) / unit * unit
	v := &verityLoop{object: object, block: block, salt: padded, buf: make([]byte, padded+block)}
	copy(v.buf, salt)
	for i := range v.levels {
		v.levels[i] = make([]byte, 0, 32*(len(object)/block+1))
	}
	return v
}

func (v *verityLoop) root() (root [32]byte) {
	level, above := v.digests(v.levels[0][:0], v.object), v.levels[1]
	if len(level) == 0 {
		return root
	}
	for len(level) > 32 {
		level, above = v.digests(above[:0], level), level
	}
	return [32]byte(level)
}

// digests appends the digests of the blocks of data. Zeros pad the last block.
func (v *verityLoop) digests(dst, data []byte) []byte {
	r := bytes.NewReader(data)
	for r.Len() > 0 {
		n, err := r.Read(v.buf[v.salt:])
		must(err)
		clear(v.buf[v.salt+n:])
		d := stdsha256.Sum256(v.buf)
		dst = append(dst, d[:]...)
	}
	return dst
}

// bep52 is the pieces root and the pieces of a file.
func (s *sweeper) bep52(load string, size, piece int) {
	const block = 16 << 10
	n := (size + block - 1) / block
	s.addReading("bep52.Sum", fmt.Sprintf("%s/piece=%s", load, unit(piece)), 1+n, func() []impl {
		object, level := random(size), make([][32]byte, n)
		blocks, tree := readBlocks(object, block), plainTree(stdsha256.Sum256)
		return []impl{
			library(func(dst [][32]byte) {
				t, err := bep52.Sum(context.Background(), bytes.NewReader(object), int64(size), int64(piece))
				must(err)
				dst[0] = t.Root
				copy(dst[1:], t.Pieces)
			}),
			stdLoop(func(dst [][32]byte) {
				l := level[:0]
				for b := range blocks {
					l = append(l, stdsha256.Sum256(b))
				}
				for height := 0; len(l) > 1; height++ {
					if block<<height == piece {
						copy(dst[1:], l)
					}
					l = tree.climb(l, height)
				}
				if len(l) == 1 {
					dst[0] = l[0]
				}
			}),
		}
	})
}

// sha256tree is SHA256TREE of a message read, in memory and written.
func (s *sweeper) sha256tree(load string, size int) {
	loop := func(m []byte) impl {
		run := sha256treeLoop(m)
		return stdLoop(run)
	}
	s.addReading("sha256tree.Sum", load, 1, func() []impl {
		m := random(size)
		return []impl{library(func(dst [][32]byte) {
			d, err := sha256tree.Sum(context.Background(), bytes.NewReader(m), int64(size))
			must(err)
			dst[0] = d
		}), loop(m)}
	})
	// Each chunk is a message of a list.
	n := max(1, (size+1023)/1024)
	allowance := oneAllowance + eachAllowance*float64(n)
	s.add("sha256tree.Sum256", load, 1, allowance, func() []impl {
		m := random(size)
		return []impl{library(func(dst [][32]byte) { dst[0] = sha256tree.Sum256(m) }), loop(m)}
	})
	write := s.between(max(1, size/10), max(1, size))
	s.add("sha256tree.New", fmt.Sprintf("%s/write=%d", load, write), 1, allowance, func() []impl {
		m := random(size)
		return []impl{library(func(dst [][32]byte) {
			h := sha256tree.New()
			for p := m; len(p) > 0; {
				n := min(write, len(p))
				h.Write(p[:n])
				p = p[n:]
			}
			h.Sum(dst[0][:0])
		}), loop(m)}
	})
}

// sha256treeLoop hashes chunks one by one. Its parents are what crypto/sha256 makes of a
// block with other start words, less these.
func sha256treeLoop(m []byte) func(dst [][32]byte) {
	h := stdsha256.New()
	state := stateOf(h)
	const words = 4 // where the state's words begin
	var start [8]uint32
	for i, p := range []float64{23, 29, 31, 37, 41, 43, 47, 53} {
		_, fraction := math.Modf(math.Sqrt(p))
		start[i] = uint32(fraction * (1 << 32))
		binary.BigEndian.PutUint32(state[words+4*i:], start[i])
	}
	buf, level := make([]byte, 0, len(state)), make([][32]byte, 0, len(m)/1024+1)
	tree := loopTree{
		node: func(left, right *[32]byte) (above [32]byte) {
			must(h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state))
			h.Write(left[:])
			h.Write(right[:])
			b, err := h.(encoding.BinaryAppender).AppendBinary(buf)
			must(err)
			for i := range start {
				binary.BigEndian.PutUint32(above[4*i:], binary.BigEndian.Uint32(b[words+4*i:])-start[i])
			}
			return above
		},
		odd: func(last *[32]byte, _ int) [32]byte { return *last },
	}
	return func(dst [][32]byte) {
		l, p := level[:0], m
		for {
			n := min(1024, len(p))
			l, p = append(l, stdsha256.Sum256(p[:n])), p[n:]
			if len(p) == 0 {
				break
			}
		}
		dst[0] = tree.root(l)
	}
}
