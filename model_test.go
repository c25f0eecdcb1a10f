package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// A model has two hashes of each kind of this package, which take turns, and
// crypto/sha256's in their place.
type model struct {
	t      *testing.T
	server *sha256.Server
	hashes [2][]pair // of each kind
	source []byte    // what is written is taken from it
	steps  []step    // done so far
}

// A step is what is done to one hash of each kind, or with all of them.
type step struct {
	operation
	which int // 0 or 1: of the two hashes
	n     int // bytes
}

func (s step) String() string { return fmt.Sprintf("%v(%d, %d)", s.operation, s.which, s.n) }

type operation int

const (
	opWrite operation = iota
	opSum
	opReset
	opClone         // the clone becomes the other hash, and both go on
	opMarshal       // gives the bytes of crypto/sha256
	opUnmarshal     // a state after n bytes
	opUnmarshalHalf // of a state
	opWriteHashes   // n bytes to one hash, some to the other, and some more to the one, of each kind
	opSumHashes
	opClose // the server
	operations
)

func (o operation) String() string {
	return [operations]string{
		"Write", "Sum", "Reset", "Clone", "MarshalBinary", "UnmarshalBinary", "UnmarshalBinary of half a state",
		"WriteHashes", "SumHashes", "Close",
	}[o]
}

// hasLength reports whether steps of o use n.
func (o operation) hasLength() bool { return o == opWrite || o == opUnmarshal || o == opWriteHashes }

// modelSource is what models write: after most bytes, from the start again.
var modelSource = hashtest.Data(100_000)

func newModel(t *testing.T) *model {
	newStd, newStd224 := hashtest.WithClone(stdsha256.New), hashtest.WithClone(stdsha256.New224)
	m := &model{t: t, server: sha256.NewServer(), source: modelSource}
	for which := range m.hashes {
		m.hashes[which] = []pair{
			{sha256.New(), newStd()},
			{sha256.New224(), newStd224()},
			{m.server.New(), newStd()},
			{(*sha256.Server)(nil).New(), newStd()},
		}
	}
	return m
}

// take returns a copy of the next n bytes of the source.
func (m *model) take(n int) []byte {
	if n > len(m.source) {
		m.source = modelSource
	}
	p := bytes.Clone(m.source[:n])
	m.source = m.source[n:]
	return p
}

// run does steps one after the other and then compares all digests.
func (m *model) run(steps ...step) {
	m.t.Helper()
	for _, s := range steps {
		m.steps = append(m.steps, s)
		m.do(s)
	}
	for which := range m.hashes {
		m.do(step{operation: opSum, which: which})
	}
	m.server.Close()
}

func (m *model) do(s step) {
	m.t.Helper()
	switch s.operation {
	case opWriteHashes:
		m.writeHashes(s)
	case opSumHashes:
		m.sumHashes()
	case opClose:
		m.server.Close()
	default:
		for kind := range m.hashes[s.which] {
			m.doOne(s, kind)
		}
	}
}

// doOne does s to the hash of one kind.
func (m *model) doOne(s step, kind int) {
	m.t.Helper()
	one := m.hashes[s.which][kind]
	switch s.operation {
	case opWrite:
		p := m.take(s.n)
		one.want.Write(p)
		if n, err := one.h.Write(p); n != len(p) || err != nil {
			m.t.Fatalf("%v: Write of kind %d returns %d, %v", m.steps, kind, n, err)
		}
		clear(p) // it is not read any more
	case opSum:
		m.compare(kind, one.h.Sum([]byte("x")), one.want.Sum([]byte("x")))
	case opReset:
		one.h.Reset()
		one.want.Reset()
	case opClone:
		m.hashes[1-s.which][kind] = pair{cloneOf(m.t, one.h), cloneOf(m.t, one.want)}
	case opMarshal:
		m.compare(kind, marshal(m.t, one.h), marshal(m.t, one.want))
	case opUnmarshal:
		one.want.Reset()
		one.want.Write(m.take(s.n))
		unmarshal(m.t, one.h, marshal(m.t, one.want))
	case opUnmarshalHalf:
		state := marshal(m.t, one.want)
		if one.h.(hashtest.Hash).UnmarshalBinary(state[:len(state)/2]) == nil {
			m.t.Fatalf("%v: no error of kind %d", m.steps, kind)
		}
	}
}

func (m *model) writeHashes(s step) {
	var hs []hash.Hash
	var data [][]byte
	for i, n := range []int{s.n, s.n / 3, 70} {
		for _, one := range m.hashes[(s.which+i)%2] {
			p := m.take(n)
			one.want.Write(p)
			hs, data = append(hs, one.h), append(data, p)
		}
	}
	sha256.WriteHashes(hs, data)
	for _, p := range data {
		clear(p)
	}
}

func (m *model) sumHashes() {
	m.t.Helper()
	all := slices.DeleteFunc(slices.Concat(m.hashes[0], m.hashes[1]), func(p pair) bool { return p.h.Size() != sha256.Size })
	hs := make([]hash.Hash, len(all))
	for i := range all {
		hs[i] = all[i].h
	}
	sums := make([][sha256.Size]byte, len(hs))
	sha256.SumHashes(sums, hs)
	for i := range all {
		m.compare(i, sums[i][:], all[i].want.Sum(nil))
	}
}

func (m *model) compare(kind int, got, want []byte) {
	m.t.Helper()
	if !bytes.Equal(got, want) {
		m.t.Fatalf("%v: kind %d: %x, want %x", m.steps, kind, got, want)
	}
}

// edges are the lengths around which a hash changes what it does: those of
// nothing, of a block, of what a Server does for itself, and of what its hashes
// hold back; and what is missing from one to the other.
var edges = []int{0, 1, 63, 64, 65, 2047, 2048, 2049, 30_720, 30_721, 32_704, 32_760, 32_767, 32_768, 32_769}

// TestEveryOperationAtTheEdges does every operation to two hashes that have been
// written to and will be, each length being one of edges. What fails first is
// short: lengths grow.
func TestEveryOperationAtTheEdges(t *testing.T) {
	edges := edges
	if testing.Short() {
		edges = []int{0, 63, 64, 2048, 30_721, 32_760, 32_767, 32_768}
	}
	for _, a := range edges {
		for _, b := range edges {
			for op := range operations {
				for _, n := range edges {
					newModel(t).run(step{opWrite, 0, a}, step{opWrite, 1, b}, step{op, 0, n}, step{opWrite, 0, b}, step{opWrite, 1, a})
					if !op.hasLength() {
						break
					}
				}
			}
		}
	}
}

// FuzzOperations does any operations in any order, mostly with lengths near those
// of edges.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{})
	for n := 50; n <= 1600; n *= 2 {
		f.Add(hashtest.Data(n))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		p := program(input)
		p.force(t)
		var steps []step
		for len(p) > 0 && len(steps) < 200 {
			s := step{operation: operation(p.number(2 * int(operations))), which: p.number(2)}
			if s.operation >= operations {
				s.operation = opWrite
			}
			if s.hasLength() {
				switch p.number(4) {
				case 0:
					s.n = p.number(300)
				case 1:
					s.n = p.number(40_000)
				default:
					s.n = max(0, edges[p.number(len(edges))]+p.number(5)-2)
				}
			}
			steps = append(steps, s)
		}
		newModel(t).run(steps...)
	})
}

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

// FuzzWriteHashes writes to a set of hashes of all kinds, in any order and any sizes.
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
