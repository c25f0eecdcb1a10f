package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
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
