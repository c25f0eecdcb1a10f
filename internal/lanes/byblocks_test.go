package lanes_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

func width() int { return lanes.Width() }

// prefixOf returns the prefix that begin is.
func prefixOf(begin []byte) *lanes.Prefix {
	whole := len(begin) &^ (block.Size - 1)
	p := &lanes.Prefix{H: block.IV256, Rest: begin[whole:], Len: uint64(len(begin))}
	block.Compress(&p.H, begin[:whole])
	return p
}

// bytesOf returns a length of which the padded message has so many blocks, behind
// so many bytes of a prefix: the least one, the largest, or one between.
func bytesOf(r *rand.Rand, blocks, rest int) int {
	least, most := max(0, (blocks-1)*block.Size-8-rest), blocks*block.Size-9-rest
	switch r.IntN(4) {
	case 0:
		return least
	case 1:
		return max(0, most)
	default:
		return least + r.IntN(max(1, most-least+1))
	}
}

// checkSums compares the digests of begin and each message with crypto/sha256's.
func checkSums(t *testing.T, what string, begin []byte, msgs [][]byte) {
	t.Helper()
	dst := make([][32]byte, len(msgs))
	lanes.SumManyAfter(dst, prefixOf(begin), msgs)
	for i, m := range msgs {
		if want := sha256.Sum256(append(begin[:len(begin):len(begin)], m...)); dst[i] != want {
			t.Fatalf("%s: digest %d of %d, of %d bytes behind %d: %x, want %x", what, i, len(msgs), len(m), len(begin), dst[i], want)
		}
	}
}

// TestEveryMixOfBlocks tests lists in which there are messages of any of 1 to 5
// blocks, or of some of these numbers: every set of them, every count of messages
// up to three times the lanes.
func TestEveryMixOfBlocks(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		data := hashtest.Data(5 * block.Size)
		most, step := 3*width(), 1
		if testing.Short() {
			step = 7
		}
		for set := 1; set < 1<<5; set++ {
			for n := 1; n <= most; n += step {
				msgs := make([][]byte, n)
				for i := range msgs {
					blocks := 1 + r.IntN(5)
					for set>>(blocks-1)&1 == 0 {
						blocks = 1 + r.IntN(5)
					}
					msgs[i] = data[:bytesOf(r, blocks, 0)]
				}
				checkSums(t, fmt.Sprintf("set %05b", set), nil, msgs)
			}
		}
	})
}

// TestUnequalBehindPrefixes tests lists of unequal messages behind prefixes of 0 to
// 130 bytes: short ones, and more and longer ones, up to twice as many blocks as
// may go by their numbers.
func TestUnequalBehindPrefixes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		data := hashtest.Data(128 * block.Size)
		step := 1
		if testing.Short() {
			step = 13
		}
		for length := 0; length <= 130; length += step {
			begin := data[len(data)-length:]
			for _, blocks := range []int{2, 4, 5, 9, 128} {
				n := 1 + r.IntN(3*width())
				if blocks == 9 {
					n += 9 * width()
				}
				msgs := make([][]byte, n)
				for i := range msgs {
					msgs[i] = data[:min(bytesOf(r, 1+r.IntN(blocks), length%block.Size), len(data))]
				}
				checkSums(t, fmt.Sprintf("up to %d blocks", blocks), begin, msgs)
			}
		}
	})
}

// TestUnequalNested tests digests of digests of unequal messages, each digest and
// each message behind a prefix of one block.
func TestUnequalNested(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		data := hashtest.Data(20 * block.Size)
		inner, outer := data[:block.Size], data[block.Size:2*block.Size]
		for _, blocks := range []int{1, 2, 3, 4, 5, 9} {
			for _, n := range []int{1, 2, 3, 5, width() + 1, 3*width() - 1, 10 * width()} {
				msgs := make([][]byte, n)
				for i := range msgs {
					msgs[i] = data[:bytesOf(r, 1+r.IntN(blocks), 0)]
				}
				dst := make([][32]byte, n)
				lanes.SumNested(dst, prefixOf(inner), prefixOf(outer), msgs)
				for i, m := range msgs {
					d := sha256.Sum256(append(inner[:len(inner):len(inner)], m...))
					if want := sha256.Sum256(append(outer[:len(outer):len(outer)], d[:]...)); dst[i] != want {
						t.Fatalf("digest %d of %d, of %d bytes: %x, want %x", i, n, len(m), dst[i], want)
					}
				}
			}
		}
	})
}

// keys are the states after keys of one block, for SumNestedEach.
type keys [][2]block.State

func (k keys) States(i int) (inner, outer *block.State) { return &k[i][0], &k[i][1] }

// TestFewMessages tests lists around the number from which lanes pay: behind prefixes and
// heads, with one key and with keys, and as rows.
func TestFewMessages(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		data := hashtest.Data(2000)
		sum := func(parts ...[]byte) [32]byte { return sha256.Sum256(slices.Concat(parts...)) }
		for n := 1; n <= 9; n++ {
			for _, size := range []int{0, 1, 36, 55, 56, 64, 100, 300} {
				msgs := make([][]byte, n)
				for i := range msgs {
					msgs[i] = data[i:][:size]
				}
				dst, want := make([][32]byte, n), make([][32]byte, n)
				check := func(what string) {
					t.Helper()
					if !slices.Equal(dst, want) {
						t.Fatalf("%s: %d messages of %d bytes: %x, want %x", what, n, size, dst, want)
					}
				}
				for _, before := range []int{0, 1, 27, 63, 64, 100} {
					begin, heads := data[500:500+before], data[700:]
					for i, m := range msgs {
						want[i] = sum(begin, m)
					}
					lanes.SumManyAfter(dst, prefixOf(begin), msgs)
					check("behind a prefix")
					clear(dst)
					lanes.SumRows(&lanes.Rows{Data: unsafe.Slice(&dst[0][0], 32*n), Size: 32, Stride: 32}, prefixOf(begin),
						&lanes.Rows{Data: data, Size: size, Stride: 1}, n)
					check("rows")
					if head := 63 - before; head > 0 {
						for i, m := range msgs {
							want[i] = sum(begin, heads[i*head:][:head], m)
						}
						lanes.SumHeaded(dst, *prefixOf(begin), heads, head, msgs)
						check("behind a head")
					}
				}
				states := make(keys, n)
				for i, m := range msgs {
					inner, outer := data[100+i:][:64], data[200+i:][:64]
					states[i] = [2]block.State{prefixOf(inner).H, prefixOf(outer).H}
					d := sum(inner, m)
					want[i] = sum(outer, d[:])
				}
				lanes.SumNestedEach(dst, states, msgs)
				check("with a key for each")
				inner, outer := data[300:364], data[400:464]
				for i, m := range msgs {
					d := sum(inner, m)
					want[i] = sum(outer, d[:])
				}
				lanes.SumNested(dst, prefixOf(inner), prefixOf(outer), msgs)
				check("with one key")
			}
		}
	})
}

// TestLongShortLists tests lists of more messages than are sorted at a time, behind
// prefixes and heads, with digests of their own for each place.
func TestLongShortLists(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		const n, size = 2*4096 + 100, 29
		data := hashtest.Data(n + 200)
		begin, heads := data[:3], make([]byte, n*size)
		for i := range heads {
			heads[i] = byte(r.Uint32())
		}
		for _, tt := range []struct{ longest, most int }{{20, 0}, {200, 0}, {200, 20}, {200, 90}, {200, 150}, {200, 200}} {
			msgs := make([][]byte, n)
			for i := range msgs {
				msgs[i] = data[i:][:r.IntN(tt.longest+1)]
				if tt.most > 0 && i/4096 != 1 { // as many blocks, in some windows
					msgs[i] = data[i:][:tt.most]
				}
			}
			checkSums(t, "a long list", begin, msgs)
			dst := make([][32]byte, n)
			lanes.SumHeaded(dst, *prefixOf(begin), heads, size, msgs)
			for i, m := range msgs {
				message := append(append(begin[:3:3], heads[i*size:][:size]...), m...)
				if want := sha256.Sum256(message); dst[i] != want {
					t.Fatalf("digest %d with a head, of %d bytes: %x, want %x", i, len(m), dst[i], want)
				}
			}
		}
	})
}

// TestListsBesideGuards tests messages that end right before memory that cannot be
// accessed, of one length and of several: what is fetched ahead of their blocks
// lies there.
func TestListsBesideGuards(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		n := 2*width() + 3
		buffers := make([]*guard.Buffer, n)
		for i := range buffers {
			buffers[i] = guard.New(t, 1500)
			copy(buffers[i].Bytes(), hashtest.Data(len(buffers[i].Bytes())))
		}
		for _, size := range []int{0, 1, 55, 64, 200, 256, 257, 1000, 1472} {
			equal, unequal := make([][]byte, n), make([][]byte, n)
			for i, b := range buffers {
				equal[i], unequal[i] = b.Tail(size), b.Tail(size*(i+1)/n)
			}
			for _, length := range []int{0, 7, 64} {
				if err := guard.Faults(func() {
					checkSums(t, "equal", hashtest.Data(length), equal)
					checkSums(t, "unequal", hashtest.Data(length), unequal)
				}); err != nil {
					t.Fatalf("%d bytes behind %d: %v", size, length, err)
				}
			}
		}
	})
}

// TestUnevenMessages tests lists of which one message is so long that they go one after the
// other, though they are more than there are lanes.
func TestUnevenMessages(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		data := hashtest.Data(200_000)
		const n = 40
		msgs, dst, want := make([][]byte, n), make([][32]byte, n), make([][32]byte, n)
		states := make(keys, n)
		for i := range msgs {
			msgs[i] = data[i:][:10*i]
			if i == 17 {
				msgs[i] = data
			}
			inner, outer := data[100+i:][:64], data[200+i:][:64]
			states[i] = [2]block.State{prefixOf(inner).H, prefixOf(outer).H}
			d := sha256.Sum256(slices.Concat(inner, msgs[i]))
			want[i] = sha256.Sum256(slices.Concat(outer, d[:]))
		}
		if lanes.SumNestedEach(dst, states, msgs); !slices.Equal(dst, want) {
			t.Errorf("keyed: %x, want %x", dst, want)
		}
	})
}
