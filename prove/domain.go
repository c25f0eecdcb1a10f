package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A word is a value of 32 bits, a function of named inputs. Words are numbers of
// nodes, and nodes are kept once: equal words are equal for all inputs, since
// every rule of this file is an identity. The reverse does not hold: a proof that
// fails says nothing of the kernel yet.
//
// A node is an input, a sum or logic. A sum is a constant plus multiples of
// other nodes, modulo 2^32. Logic is 32 Boolean functions, one for each bit,
// each of at most 6 bits of inputs and of sums.
type word int32 // 0 means none

const (
	anInput = iota
	aSum
	aLogic // with columns
	aLoose // with bits, more than 6 columns in all
)

type term struct {
	w      word // an input or a logic node
	factor uint32
}

type node struct {
	kind  uint8
	bound bool // an input that means something here alone: it is never renamed
	konst uint32
	terms []term   // by word
	cols  []column // by number
	fs    []table  // of all bits, or of each
	bits  *[32]fn
	name  string
}

// A column c means bit (i + c%32) % 32 of word c/32 in the function of bit i.
type column uint32

// A table is the truth table of six variables: bit j of it is the value where
// variable v is bit v of j. Most functions depend on fewer.
type table uint64

// An fn is a function of n named bits; bit i of word w has the name 32·w + i.
// Equal functions are equal values.
type fn struct {
	f    table
	n    uint8
	vars [6]uint32
}

var (
	nodes           []node
	inputs          map[string]word
	interned        map[string]word
	sums            map[[2]word]word
	logics          map[[4]word]word
	fnFalse, fnTrue = fn{}, fn{f: ^table(0)}
	precise         bool             // see addConstant
	substitutes     map[word]word    // inputs that replace sums, wherever a kernel makes these
	leasts          map[word][2]word // the two words of each result of least
	isZero          = [6]table{0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff}
	tableOf0        = ^isZero[0]
)

// forget begins again, without nodes. It keeps their memory for those to come.
func forget() {
	clear(nodes)
	nodes = append(nodes[:0], node{name: "nothing"})
	inputs, interned = map[string]word{}, map[string]word{}
	sums, logics = map[[2]word]word{}, map[[4]word]word{}
	precise, substitutes, leasts = false, map[word]word{}, map[word][2]word{}
}

// A refusal is why a proof is none.
type refusal struct {
	why string
	by  string // the line that refuses
}

func (r refusal) Error() string { return r.why }

// permits says which refusals are left out, by their lines: none, but in tests.
var permits = func(by string) bool { return false }

func refuse(format string, a ...any) {
	_, file, line, _ := runtime.Caller(1)
	if by := fmt.Sprintf("%s:%d", filepath.Base(file), line); !permits(by) {
		panic(refusal{fmt.Sprintf(format, a...), by})
	}
}

func newNode(n node) word {
	nodes = append(nodes, n)
	return word(len(nodes) - 1)
}

// input returns the input of a name.
func input(name string) word {
	w, ok := inputs[name]
	if !ok {
		w = newNode(node{kind: anInput, name: name})
		inputs[name] = w
	}
	return w
}

// unknown returns an input that no other word depends on yet.
func unknown() word {
	return newNode(node{kind: anInput, bound: true, name: fmt.Sprint("unknown ", len(nodes))})
}

// result returns the input that stands for what a function makes of two words.
func result(of string, x, y word) word {
	w := input(fmt.Sprintf("%s of %d and %d", of, x, y))
	nodes[w].bound = true
	return w
}

// ---- sums

func constant(c uint32) word { return sumOf(c, nil) }

// isConstant says whether a word is one.
func isConstant(w word) (uint32, bool) {
	n := &nodes[w]
	return n.konst, n.kind == aSum && len(n.terms) == 0
}

func sumOf(c uint32, terms []term) word {
	if c == 0 && len(terms) == 1 && terms[0].factor == 1 {
		return terms[0].w
	}
	key := append(make([]byte, 0, 5+8*len(terms)), aSum)
	key = binary.LittleEndian.AppendUint32(key, c)
	for _, t := range terms {
		key = binary.LittleEndian.AppendUint32(key, uint32(t.w))
		key = binary.LittleEndian.AppendUint32(key, t.factor)
	}
	if w, ok := interned[string(key)]; ok {
		return w
	}
	var w word
	if precise && len(terms) == 1 && terms[0].factor == 1 && nodes[terms[0].w].kind >= aLogic {
		w = addConstant(bitsOf(terms[0].w), c)
	}
	if w == 0 {
		w = newNode(node{kind: aSum, konst: c, terms: terms})
	}
	interned[string(key)] = w
	return w
}

func parts(w word) (uint32, []term) {
	if n := &nodes[w]; n.kind == aSum {
		return n.konst, n.terms
	}
	return 0, []term{{w, 1}}
}

func add(a, b word) word {
	if a > b {
		a, b = b, a
	}
	if w, ok := sums[[2]word{a, b}]; ok {
		return w
	}
	c, x := parts(a)
	d, y := parts(b)
	terms := make([]term, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].w < y[0].w:
			terms, x = append(terms, x[0]), x[1:]
		case x[0].w > y[0].w:
			terms, y = append(terms, y[0]), y[1:]
		default:
			if f := x[0].factor + y[0].factor; f != 0 {
				terms = append(terms, term{x[0].w, f})
			}
			x, y = x[1:], y[1:]
		}
	}
	w := sumOf(c+d, append(append(terms, x...), y...))
	sums[[2]word{a, b}] = w
	return w
}

func sum(ws ...word) word {
	r := ws[0]
	for _, w := range ws[1:] {
		r = add(r, w)
	}
	return r
}

// multiple returns c·a.
func multiple(a word, c uint32) word {
	k, x := parts(a)
	var terms []term
	for _, t := range x {
		if t.factor*c != 0 {
			terms = append(terms, term{t.w, t.factor * c})
		}
	}
	return sumOf(k*c, terms)
}

func negative(a word) word { return multiple(a, ^uint32(0)) }

// addConstant adds bit by bit, or returns 0 if that makes functions of more than
// 6 bits. Sums are made so where precise is set: where digits are made of numbers.
func addConstant(x *[32]fn, c uint32) word {
	var r [32]fn
	carry := fnFalse
	for i := range r {
		y := fnFalse
		if c>>i&1 != 0 {
			y = fnTrue
		}
		if _, ok := union(x[i], carry); !ok {
			return 0
		}
		r[i] = apply(xor3, x[i], y, carry)
		carry = apply(majority, x[i], y, carry)
	}
	return fromBits(&r)
}

// ---- truth tables

// Functions of three bits, as VPTERNLOGD numbers them.
const (
	andOf    = 0xc0 // of the first two
	orOf     = 0xfc
	xorOf    = 0x3c
	andNotOf = 0x0c // the second without the first
	notOf    = 0x0f // of the first
	xor3     = 0x96
	majority = 0xe8
	choice   = 0xca // of the second where the first is set, else of the third
)

// swap exchanges variables v and v+1.
func (f table) swap(v int) table {
	up, down := ^isZero[v]&isZero[v+1], isZero[v]&^isZero[v+1]
	return f&^(up|down) | f&up<<(1<<v) | f&down>>(1<<v)
}

// move moves the variable at from to the place to, and the variables between by
// one place.
func (f table) move(from, to int) table {
	for ; from > to; from-- {
		f = f.swap(from - 1)
	}
	for ; from < to; from++ {
		f = f.swap(from)
	}
	return f
}

func (f table) dependsOn(v int) bool { return f&isZero[v] != f>>(1<<v)&isZero[v] }

// spread gives variables of own, in order, the places they have in all.
func spread[V uint32 | column](f table, own, all []V) table {
	n := len(own)
	for i, v := range all {
		if len(own) > 0 && own[0] == v {
			own = own[1:]
		} else {
			f = f.move(n, i)
			n++
		}
	}
	return f
}

func combine(f uint8, a, b, c table) (r table) {
	for i := range 8 {
		if f>>i&1 == 0 {
			continue
		}
		x, y, z := a, b, c
		if i&4 == 0 {
			x = ^x
		}
		if i&2 == 0 {
			y = ^y
		}
		if i&1 == 0 {
			z = ^z
		}
		r |= x & y & z
	}
	return r
}

// merge adds what is new of more to a list in order.
func merge[V uint32 | column](vars, more []V) []V {
	for _, v := range more {
		if i, found := slices.BinarySearch(vars, v); !found {
			vars = slices.Insert(vars, i, v)
		}
	}
	return vars
}

// ---- bits

func named(w word, i int) fn {
	return fn{f: tableOf0, n: 1, vars: [6]uint32{uint32(w)<<5 | uint32(i)}}
}

func union(fs ...fn) ([]uint32, bool) {
	vars := make([]uint32, 0, 18)
	for _, f := range fs {
		vars = merge(vars, f.vars[:f.n])
	}
	return vars, len(vars) <= 6
}

// apply is a function of three bits.
func apply(f uint8, a, b, c fn) fn {
	vars, ok := union(a, b, c)
	if !ok {
		refuse("a Boolean function of more than 6 bits")
	}
	t := combine(f, spread(a.f, a.vars[:a.n], vars), spread(b.f, b.vars[:b.n], vars), spread(c.f, c.vars[:c.n], vars))
	for i := len(vars) - 1; i >= 0; i-- {
		if !t.dependsOn(i) {
			t = t.move(i, 5)
			vars = slices.Delete(vars, i, i+1)
		}
	}
	r := fn{f: t, n: uint8(len(vars))}
	copy(r.vars[:], vars)
	return r
}

// bitsOf takes a word apart.
func bitsOf(w word) *[32]fn {
	if b := nodes[w].bits; b != nil {
		return b
	}
	cols, fs := columnsOf(w)
	var r [32]fn
	for i := range r {
		t := fs[i%len(fs)]
		b := fn{f: t}
		if len(cols) > 0 {
			// Columns are in order, but their bits need not be.
			b = fn{}
			vars := make([]uint32, 0, len(b.vars))
			for _, c := range cols {
				vars = append(vars, uint32(c)&^31|(uint32(c)+uint32(i))&31)
			}
			for k := len(vars) - 1; k >= 0; k-- {
				if !t.dependsOn(k) {
					t = t.move(k, 5)
					vars = slices.Delete(vars, k, k+1)
				}
			}
			t = sortVars(t, vars)
			b = fn{f: t, n: uint8(len(vars))}
			copy(b.vars[:], vars)
		}
		r[i] = b
	}
	return &r
}

func sortVars[V uint32 | column](t table, vars []V) table {
	for i := range vars {
		for j := i; j > 0 && vars[j] < vars[j-1]; j-- {
			vars[j], vars[j-1] = vars[j-1], vars[j]
			t = t.swap(j - 1)
		}
	}
	return t
}

// fromBits is the word of 32 functions.
func fromBits(b *[32]fn) word {
	var cols []column
	for i, f := range b {
		for _, v := range f.vars[:f.n] {
			cols = merge(cols, []column{column(v&^31 | (v-uint32(i))&31)})
		}
	}
	if len(cols) <= 6 {
		fs := make([]table, 32)
		for i, f := range b {
			own := make([]column, f.n)
			for j, v := range f.vars[:f.n] {
				own[j] = column(v&^31 | (v-uint32(i))&31)
			}
			t := sortVars(f.f, own)
			fs[i] = spread(t, own, cols)
		}
		return fromColumns(cols, fs)
	}
	key := append(make([]byte, 0, 1+32*33), aLoose)
	for _, f := range b {
		key = append(key, f.n)
		key = binary.LittleEndian.AppendUint64(key, uint64(f.f))
		for _, v := range f.vars[:f.n] {
			key = binary.LittleEndian.AppendUint32(key, v)
		}
	}
	if w, ok := interned[string(key)]; ok {
		return w
	}
	c := *b
	w := newNode(node{kind: aLoose, bits: &c})
	interned[string(key)] = w
	return w
}

// ---- columns

// columnsOf is a word as functions of columns, one for all bits or one for each.
// It is not for words with bits.
func columnsOf(w word) ([]column, []table) {
	n := &nodes[w]
	if n.fs != nil {
		return n.cols, n.fs
	}
	c, ok := isConstant(w)
	if !ok {
		n.cols, n.fs = []column{column(w) << 5}, []table{tableOf0}
		if n.kind == aSum && precise {
			// Below the lowest bit of all factors there is the constant alone.
			low := 32
			for _, t := range n.terms {
				low = min(low, bits.TrailingZeros32(t.factor))
			}
			if low > 0 {
				konst, rest := n.konst, sumOf(n.konst>>low<<low, n.terms)
				fs := make([]table, 32)
				for i := range fs {
					fs[i] = tableOf0
					if i < low {
						fs[i] = -table(konst >> i & 1)
					}
				}
				nodes[w].cols, nodes[w].fs = []column{column(rest) << 5}, fs
			}
		}
		return nodes[w].cols, nodes[w].fs
	}
	switch c {
	case 0:
		n.fs = []table{0}
	case ^uint32(0):
		n.fs = []table{^table(0)}
	default:
		n.fs = make([]table, 32)
		for i := range n.fs {
			n.fs[i] = -table(c >> i & 1)
		}
	}
	return nil, n.fs
}

// fromColumns is the word of functions of columns, which are in order. It owns
// both.
func fromColumns(cols []column, fs []table) word {
	for k := len(cols) - 1; k >= 0; k-- {
		if slices.ContainsFunc(fs, func(f table) bool { return f.dependsOn(k) }) {
			continue
		}
		for i := range fs {
			fs[i] = fs[i].move(k, 5)
		}
		cols = slices.Delete(cols, k, k+1)
	}
	same := true
	for _, f := range fs {
		same = same && f == fs[0]
	}
	if same {
		fs = fs[:1]
	}
	if len(cols) == 0 {
		c := uint32(0)
		for i := range 32 {
			c |= uint32(fs[i%len(fs)]&1) << i
		}
		return constant(c)
	}
	if len(cols) == 1 && len(fs) == 1 && cols[0]&31 == 0 && fs[0] == tableOf0 {
		return word(cols[0] >> 5)
	}
	key := append(make([]byte, 0, 2+4*len(cols)+8*len(fs)), aLogic, byte(len(cols)))
	for _, c := range cols {
		key = binary.LittleEndian.AppendUint32(key, uint32(c))
	}
	for _, f := range fs {
		key = binary.LittleEndian.AppendUint64(key, uint64(f))
	}
	if w, ok := interned[string(key)]; ok {
		return w
	}
	w := newNode(node{kind: aLogic, cols: slices.Clone(cols), fs: slices.Clone(fs)})
	interned[string(key)] = w
	return w
}

// logic is a function of three words, bit by bit.
func logic(f uint8, a, b, c word) word {
	key := [4]word{word(f), a, b, c}
	if w, ok := logics[key]; ok {
		return w
	}
	w := logicOf(f, a, b, c)
	logics[key] = w
	return w
}

func logicOf(f uint8, a, b, c word) word {
	if nodes[a].kind != aLoose && nodes[b].kind != aLoose && nodes[c].kind != aLoose {
		ac, af := columnsOf(a)
		bc, bf := columnsOf(b)
		cc, cf := columnsOf(c)
		cols := merge(merge(slices.Clone(ac), bc), cc)
		if len(cols) <= 6 {
			fs := make([]table, max(len(af), len(bf), len(cf)))
			for i := range fs {
				fs[i] = combine(f, spread(af[i%len(af)], ac, cols), spread(bf[i%len(bf)], bc, cols), spread(cf[i%len(cf)], cc, cols))
			}
			return fromColumns(cols, fs)
		}
	}
	x, y, z := bitsOf(a), bitsOf(b), bitsOf(c)
	var r [32]fn
	for i := range r {
		r[i] = apply(f, x[i], y[i], z[i])
	}
	return fromBits(&r)
}

func and(a, b word) word { return logic(andOf, a, b, a) }
func or(a, b word) word  { return logic(orOf, a, b, a) }
func xor(a, b word) word { return logic(xorOf, a, b, a) }
func not(a word) word    { return logic(notOf, a, a, a) }

func rotateRight(a word, n int) word {
	if nodes[a].kind == aLoose {
		return pick(a, func(i int) int { return (i + n) & 31 })
	}
	cols, fs := columnsOf(a)
	moved := make([]column, len(cols))
	for i, c := range cols {
		moved[i] = c&^31 | (c+column(n))&31
	}
	r := make([]table, len(fs))
	for i := range r {
		r[i] = sortVars(fs[(i+n)%len(fs)], slices.Clone(moved))
	}
	slices.Sort(moved)
	return fromColumns(moved, r)
}

func shiftRight(a word, n int) word { return and(rotateRight(a, n), constant(^uint32(0)>>n)) }
func shiftLeft(a word, n int) word  { return and(rotateRight(a, 32-n), constant(^uint32(0)<<n)) }

// pick takes bit i from bit from(i), and 0 where that is negative.
func pick(a word, from func(i int) int) word {
	x := bitsOf(a)
	var r [32]fn
	for i := range r {
		if j := from(i); j >= 0 {
			r[i] = x[j]
		}
	}
	return fromBits(&r)
}

// swapBytes turns the order of bytes around.
func swapBytes(a word) word { return pick(a, func(i int) int { return i&7 | 24 - i&^7 }) }

// addOrMerge is a + b; where no bit can be set in both it is their union.
func addOrMerge(a, b word) word {
	if and(a, b) == constant(0) {
		return or(a, b)
	}
	return add(a, b)
}

// greater is the word of ones where a > b, signed, of zeros elsewhere: of two
// constants, or an input of one bit.
func greater(a, b word) word {
	x, ok := isConstant(a)
	y, ok2 := isConstant(b)
	if ok && ok2 {
		if int32(x) > int32(y) {
			return constant(^uint32(0))
		}
		return constant(0)
	}
	f := named(result("the order", a, b), 0)
	var r [32]fn
	for i := range r {
		r[i] = f
	}
	return fromBits(&r)
}

// least is the smaller one of two words, unsigned.
func least(a, b word) word {
	w := result("the least", a, b)
	leasts[w] = [2]word{a, b}
	return w
}

// isLeast is the word of ones where w, a least word, is the second of its two, of zeros
// elsewhere.
func isLeast(w, second word) word {
	of, ok := leasts[w]
	if !ok || of[1] != second {
		refuse("words are compared that are not a least one and one of its two")
	}
	// It is if it is not above the other.
	return not(greater(add(second, constant(1<<31)), add(of[0], constant(1<<31))))
}

// show says what a word is, roughly.
func show(w word, depth int) string {
	n := &nodes[w]
	if n.kind == anInput {
		return n.name
	}
	if c, ok := isConstant(w); ok {
		return fmt.Sprintf("%#x", c)
	}
	var s []string
	if n.kind == aSum {
		s = append(s, fmt.Sprintf("%#x", n.konst))
		for _, t := range n.terms {
			if len(s) > 6 || depth == 0 {
				s = append(s, fmt.Sprintf("… (%d terms)", len(n.terms)))
				break
			}
			s = append(s, fmt.Sprintf("%d·%s", int32(t.factor), show(t.w, depth-1)))
		}
		return "(" + strings.Join(s, " + ") + ")"
	}
	if n.kind == aLoose {
		return "bits"
	}
	for _, c := range n.cols {
		v := "…"
		if depth > 0 {
			v = show(word(c>>5), depth-1)
		}
		s = append(s, fmt.Sprintf("%s>>>%d", v, c&31))
	}
	return fmt.Sprintf("f%x(%s)", uint64(n.fs[0]), strings.Join(s, ", "))
}
