package main

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand"
	"testing"
)

// The specification, on constants, is SHA-256 as Go has it.
func TestSpecification(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		forget()
		var m [64]byte
		rng.Read(m[:])
		var b block
		for i := range b {
			b[i] = constant(binary.BigEndian.Uint32(m[4*i:]))
		}
		h := compress(compress(initialState(), b), padding())
		want := sha256.Sum256(m[:])
		for i, w := range h {
			if c, ok := isConstant(w); !ok || c != binary.BigEndian.Uint32(want[4*i:]) {
				t.Fatal(i, c, ok)
			}
		}
	}
}

// Every rule of the domain is an identity: random expressions over inputs, built
// up by its operations, have the value that the same operations have on numbers.
func TestIdentities(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for trial := range 300 {
		forget()
		precise = trial%2 == 1
		names := []word{input("a"), input("b"), input("c"), input("d")}
		values := map[word]uint32{}
		type pair struct {
			w word
			v uint32
		}
		var ps []pair
		for _, n := range names {
			v := rng.Uint32()
			values[n] = v
			ps = append(ps, pair{n, v})
		}
		for range 6 {
			v := rng.Uint32() >> rng.Intn(32)
			ps = append(ps, pair{constant(v), v})
		}
		for range 200 {
			x, y, z := ps[rng.Intn(len(ps))], ps[rng.Intn(len(ps))], ps[rng.Intn(len(ps))]
			n := rng.Intn(32)
			var p pair
			ok := func() (ok bool) {
				defer func() {
					if e := recover(); e != nil {
						if _, is := e.(refusal); !is {
							panic(e)
						}
					}
				}()
				switch rng.Intn(9) {
				case 0, 1:
					p = pair{add(x.w, y.w), x.v + y.v}
				case 2:
					p = pair{negative(x.w), -x.v}
				case 3:
					f := uint8(rng.Intn(256))
					p.w = logic(f, x.w, y.w, z.w)
					for i := range 32 {
						k := x.v>>i&1<<2 | y.v>>i&1<<1 | z.v>>i&1
						p.v |= uint32(f>>k&1) << i
					}
				case 4:
					p = pair{rotateRight(x.w, n), x.v>>n | x.v<<(32-n)}
				case 5:
					p = pair{shiftRight(x.w, n), x.v >> n}
				case 6:
					p = pair{shiftLeft(x.w, n), x.v << n}
				case 7:
					p = pair{swapBytes(x.w), x.v<<24 | x.v>>24 | x.v>>8&0xff00 | x.v<<8&0xff0000}
				case 8:
					p = pair{addOrMerge(shiftLeft(x.w, n), shiftRight(y.w, 32-n)), x.v<<n + uint32(uint64(y.v)>>(32-n))}
				}
				return true
			}()
			if !ok {
				continue
			}
			if got := evaluate(p.w, values); got != p.v {
				t.Fatalf("trial %d: %s is %#x, want %#x", trial, show(p.w, 3), got, p.v)
			}
			ps = append(ps, p)
		}
	}
}

// evaluate is the value of a node, by what nodes mean.
func evaluate(w word, values map[word]uint32) uint32 {
	if v, ok := values[w]; ok {
		return v
	}
	n := nodes[w]
	var v uint32
	bit := func(name uint32) int { return int(evaluate(word(name>>5), values)>>(name&31)) & 1 }
	switch n.kind {
	case aSum:
		v = n.konst
		for _, t := range n.terms {
			v += t.factor * evaluate(t.w, values)
		}
	case aLogic:
		for i := range 32 {
			index := 0
			for j, c := range n.cols {
				index |= bit(uint32(c)&^31|(uint32(c)+uint32(i))&31) << j
			}
			v |= uint32(n.fs[i%len(n.fs)]>>index&1) << i
		}
	case aLoose:
		for i, f := range n.bits {
			index := 0
			for j, u := range f.vars[:f.n] {
				index |= bit(u) << j
			}
			v |= uint32(f.f>>index&1) << i
		}
	}
	values[w] = v
	return v
}
