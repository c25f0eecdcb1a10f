package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// A program is fuzzed input, read as a list of numbers.
type program []byte

// number takes a number below n, at most 1<<16, from p. It is 0 at the end.
func (p *program) number(n int) int {
	var b [2]byte
	*p = (*p)[copy(b[:], *p):]
	return int(binary.LittleEndian.Uint16(b[:])) % n
}

// bytes takes up to n bytes from p, and repeats them up to n.
func (p *program) bytes(n int) []byte {
	seed := (*p)[:min(len(*p), 1+n%32)]
	*p = (*p)[len(seed):]
	b := bytes.Repeat(append(bytes.Clone(seed), 0xa5), n/(len(seed)+1)+1)
	return b[:n]
}

// force takes the choice of an implementation from p, and makes it the only one
// in use until the input has been tested. One in two uses what was selected.
func (p *program) force(t *testing.T) {
	names := hashtest.Implementations(block.MaxLanes)
	if i := p.number(2 * len(names)); i < len(names) {
		restore, _ := block.Force(names[i])
		t.Cleanup(restore)
	}
}

// clone returns a clone of h, and spoils h.
func clone(t *testing.T, h hash.Hash) hash.Hash {
	t.Helper()
	c := cloneOf(t, h)
	h.Write([]byte("the clone must not see this"))
	return c
}

func cloneOf(t *testing.T, h hash.Hash) hash.Hash {
	t.Helper()
	c, err := h.(hash.Cloner).Clone()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func marshal(t *testing.T, h hash.Hash) []byte {
	t.Helper()
	state, err := h.(hashtest.State).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func unmarshal(t *testing.T, h hash.Hash, state []byte) {
	t.Helper()
	if err := h.(hashtest.State).UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
}

// FuzzUnmarshal has arbitrary states judged and used as by crypto/sha256.
func FuzzUnmarshal(f *testing.F) {
	for _, v := range variants {
		h := v.std()
		h.Write(hashtest.Data(100))
		state, err := h.(hashtest.State).MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
		f.Add(state[:len(state)-1])
		f.Add(append(bytes.Clone(state), 0))
		f.Add(state[:4])
		f.Add(state[:3])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, state []byte) {
		for _, v := range variants {
			hashtest.CompareUnmarshal(t, state, v.new(), v.std())
		}
	})
}

// FuzzSumMany hashes lists of messages of any lengths, some of them parts of
// each other.
func FuzzSumMany(f *testing.F) {
	f.Add([]byte{})
	f.Add(hashtest.Data(30))
	f.Add(hashtest.Data(300))
	f.Add(bytes.Repeat([]byte{1, 0, 60, 0}, 100))
	f.Fuzz(func(t *testing.T, input []byte) {
		p := program(input)
		p.force(t)
		var msgs [][]byte
		for len(p) > 0 {
			switch kind := p.number(10); {
			case kind == 0:
				msgs = append(msgs, nil)
			case kind == 1 && len(msgs) > 0:
				m := msgs[p.number(len(msgs))]
				msgs = append(msgs, m[p.number(len(m)+1):])
			case kind == 2:
				msgs = append(msgs, p.bytes(p.number(1<<16)))
			default:
				msgs = append(msgs, p.bytes(p.number(200)))
			}
		}
		checkSumMany(t, fmt.Sprint(len(msgs), " messages"), msgs)
	})
}

// FuzzWriteHashes writes to a set of hashes of all kinds by any schedule.
func FuzzWriteHashes(f *testing.F) {
	f.Add([]byte{})
	f.Add(hashtest.Data(50))
	f.Add(hashtest.Data(500))
	f.Add(hashtest.Data(5000))
	f.Fuzz(func(t *testing.T, input []byte) {
		p := program(input)
		p.force(t)
		var order []int
		pairs := make([]pair, 1+p.number(50))
		for i := range pairs {
			pairs[i] = newPair(i, p.number(130), &order)
		}
		for len(p) > 0 {
			var hs []hash.Hash
			var data [][]byte
			for range p.number(80) {
				pair := pairs[p.number(len(pairs))]
				piece := p.bytes(p.number(700))
				hs, data = append(hs, pair.h), append(data, piece)
				pair.want.Write(piece)
			}
			sha256.WriteHashes(hs, data)
			var sums []hash.Hash
			var wants [][]byte
			for _, pair := range pairs {
				if pair.h.Size() == sha256.Size {
					sums, wants = append(sums, pair.h), append(wants, pair.want.Sum(nil))
				} else {
					pair.check(t, "SHA-224")
				}
			}
			dst := make([][sha256.Size]byte, len(sums))
			sha256.SumHashes(dst, sums)
			for i, want := range wants {
				if !bytes.Equal(dst[i][:], want) {
					t.Fatalf("hash %d: %x, want %x", i, dst[i], want)
				}
			}
		}
	})
}

// FuzzSum compares the functions of one message with crypto/sha256's.
func FuzzSum(f *testing.F) {
	for _, n := range []int{0, 1, 55, 56, 64, 119, 120, 1000} {
		f.Add(hashtest.Data(n), uint8(n))
	}
	f.Fuzz(func(t *testing.T, input []byte, offset uint8) {
		p := program(input)
		p.force(t)
		p = p[min(int(offset), len(p)):]
		if got, want := sha256.Sum256(p), stdsha256.Sum256(p); got != want {
			t.Errorf("Sum256 of %x: %x, want %x", p, got, want)
		}
		if got, want := sha256.Sum224(p), stdsha256.Sum224(p); got != want {
			t.Errorf("Sum224 of %x: %x, want %x", p, got, want)
		}
	})
}
