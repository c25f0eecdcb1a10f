package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Search kernels, for every place of the last digit, with and without a block that
// follows, and any number of groups: by induction over the loop of groups.

// A nonceLayout is what Nonces.Reset of internal/block makes of its arguments: a
// model of that function, which a test compares with it.
type nonceLayout struct {
	words map[int64]word // by offset in Nonces
	first int            // the digits are in words first and first+1
	shift int            // bits behind them there
}

const nonceSize = 840

func layoutOf(h state, p block, last int, more *block, limit word) nonceLayout {
	c := nonceLayout{words: map[int64]word{}, first: max(last/4-1, 0)}
	c.shift = 8 * (4*c.first + 7 - last)
	put := func(off int, ws ...word) {
		for i, w := range ws {
			c.words[int64(off+4*i)] = w
		}
	}
	sign := constant(1 << 31) // adding it inverts the highest bit
	mask := uint64(1)<<c.shift - 1
	put(0, and(p[c.first+1], constant(uint32(mask))), and(p[c.first], constant(uint32(mask>>32))))
	put(8, constant(uint32(c.shift)), constant(uint32(c.first)), constant(0), add(h[0], sign), add(limit, sign))
	w := p
	w[c.first], w[c.first+1] = constant(0), constant(0)
	var kw block
	for t := range kw {
		kw[t] = add(constant(roundConstants[t]), w[t])
	}
	v := h
	for t := range c.first + 1 {
		if t == c.first&^3 {
			put(60, v[:]...)
		}
		t1 := sum(v[7], bigSigma1(v[4]), ch(v[4], v[5], v[6]), kw[t])
		t2 := add(bigSigma0(v[0]), maj(v[0], v[1], v[2]))
		v = state{add(t1, t2), v[0], v[1], v[2], add(v[3], t1), v[4], v[5], v[6]}
	}
	v[7] = add(v[7], constant(roundConstants[c.first+1]))
	for i, x := range v {
		put(28+4*((i-c.first-1)&7), x)
	}
	put(92, h[:]...)
	put(124, w[:]...)
	put(188, kw[:]...)
	var ws [32]word
	for i := range ws {
		ws[i] = constant(0)
	}
	copy(ws[:], w[:])
	var differs [32]bool
	differs[c.first], differs[c.first+1] = true, true
	var terms [2]uint32
	for t := range 16 {
		fixed := sum(ws[t], smallSigma0(ws[t+1]), ws[t+9], smallSigma1(ws[t+14]))
		for i, d := range [4]bool{differs[t], differs[t+1], differs[t+9], differs[t+14]} {
			if d {
				differs[t+16] = true
				terms[t/8] |= 1 << (4*(t%8) + i)
			}
		}
		if !differs[t+16] {
			ws[t+16] = fixed
		}
		put(252+4*t, fixed)
	}
	put(316, constant(terms[0]), constant(terms[1]))
	for i := range 32 {
		digits := (uint64("0123456789abcdef"[i%16]-'0') + uint64(i/16)<<8) << c.shift
		put(580+4*i, constant(uint32(digits>>32)))
		put(708+4*i, constant(uint32(digits)))
	}
	if more != nil {
		put(16, constant(1))
		for t, x := range schedule(*more) {
			put(324+4*t, add(x, constant(roundConstants[t])))
		}
	}
	return c
}

// hexDigit is the character of a digit of four bits.
func hexDigit(d [4]fn) (r [8]fn) {
	for i := range r {
		level := make([]fn, 16)
		for n := range level {
			if "0123456789abcdef"[n]>>i&1 != 0 {
				level[n] = fnTrue
			}
		}
		for _, b := range d {
			for n := range len(level) / 2 {
				level[n] = apply(choice, b, level[2*n+1], level[2*n])
			}
			level = level[:len(level)/2]
		}
		r[i] = level[0]
	}
	return r
}

// A search is the proof of a search kernel for a place of the last digit.
type search struct {
	code  *code
	lanes int
	last  int
	more  *block
	head  int64
	// progress is how far it came, in groups.
	progress int
	layout   nonceLayout
	h        state
	msg      block
	limit    word
}

// nonce is the first one of a group: any multiple of 16 or of the lanes, and class
// times the lanes.
func (s *search) nonce(class int) word {
	return add(constant(uint32(class*s.lanes)), multiple(input("nonce"), uint32(max(16, s.lanes))))
}

// digits are the two words with digits of the lanes' messages, of the group that
// begins with nonce n.
func (s *search) digits(n word) (ws [][2]word) {
	for i := range s.lanes {
		number := bitsOf(add(n, constant(uint32(i))))
		m := s.msg
		for d := range 8 - s.layout.shift/8 {
			at := s.last - d
			character := hexDigit([4]fn(number[4*d : 4*d+4]))
			w := *bitsOf(m[at/4])
			copy(w[8*(3-at%4):], character[:])
			m[at/4] = fromBits(&w)
		}
		ws = append(ws, [2]word(m[s.layout.first:]))
	}
	return ws
}

// substitute names inputs that replace such words from there on: what holds for
// any words holds for these. Words that have an input already keep it.
func substitute(ws [][2]word, name string, in map[word]word) {
	for i, w := range slices.Concat(flat(ws)...) {
		if _, ok := in[w]; !ok && nodes[w].kind >= aLogic {
			in[w] = input(fmt.Sprintf("%s %d", name, i))
		}
	}
}

func flat(ws [][2]word) (r [][]word) {
	for i := range ws {
		r = append(r, ws[i][:])
	}
	return r
}

// hits is the word with a bit for each lane of a group whose digest begins with a
// word of at most the limit.
func (s *search) hits(ws [][2]word, in map[word]word) word {
	var hits [32]fn
	for i := range s.lanes {
		m := s.msg
		for j, w := range ws[i] {
			if x, ok := in[w]; ok {
				w = x
			}
			m[s.layout.first+j] = w
		}
		v := compress(s.h, m)
		if s.more != nil {
			v = compress(v, *s.more)
		}
		sign := constant(1 << 31)
		hits[i] = bitsOf(not(greater(add(v[0], sign), add(s.limit, sign))))[0]
	}
	return fromBits(&hits)
}

// entry is a machine at the kernel's entry, with that many groups to do.
func (s *search) entry(class int, groups linear) *machine {
	mem := &machine{mem: map[string]*region{}}
	c := mem.region("nonces", linear{}, number(nonceSize), true, false)
	c.words = s.layout.words
	n := value{kind: aData, lo: s.nonce(class), hi: unknown()}
	m := s.code.entry([]argument{{"c", address(c, linear{})}, {"n", n}, {"groups", counted(groups)}}, "hits", "left")
	m.mem["nonces"] = c
	return m
}

func (s *search) progressed() int { return s.progress }

func (s *search) prove() {
	s.h, s.msg, s.limit = hashValue("h"), messageBlock("p", 0), input("limit")
	s.layout = layoutOf(s.h, s.msg, s.last, s.more, s.limit)
	classes := max(1, 16/s.lanes)
	identity := func(l linear) linear { return l }
	result := func(m *machine) (hits word, left value) {
		st := m.mem["stack"]
		hits = st.words[returnAt+8+24]
		if v, ok := st.cells[returnAt+8+32]; ok {
			return hits, v
		}
		if lo, hi := st.words[returnAt+8+32], st.words[returnAt+8+36]; lo != 0 && hi != 0 {
			left = data(lo, hi)
		}
		return hits, left
	}
	nothing := func(m *machine) {
		if hits, left := result(m); hits != constant(0) || !same(left, numeric(0)) {
			refuse("without a hit, hits are %s and left is %v", show(hits, 1), left)
		}
	}
	for _, m := range s.code.run(s.entry(0, number(0)), 0, -1) {
		nothing(m)
	}
	// The inputs for the digits of a group, and of the next one: kernels may
	// make these already.
	now, then := make([]map[word]word, classes), make([]map[word]word, classes)
	want, nexts := make([]word, classes), make([][][2]word, classes)
	for class := range classes {
		own, next := s.digits(s.nonce(class)), s.digits(add(s.nonce(class), constant(uint32(s.lanes))))
		nexts[class] = next
		now[class] = map[word]word{}
		substitute(own, "digits", now[class])
		then[class] = maps.Clone(now[class])
		substitute(next, "next digits", then[class])
		want[class] = s.hits(own, now[class])
	}
	// nextDigits are the names that inputs of then have at the next head.
	nextDigits := func(class int) map[word]word {
		names, r := map[word]word{}, map[word]word{}
		substitute(nexts[class], "digits", names)
		for w, name := range names {
			r[then[class][w]] = name
		}
		return r
	}
	renaming := func(class int) *renaming {
		r := &renaming{words: map[word]word{}, known: map[word]word{}, numbers: identity, region: func(name string) string { return name }}
		r.input = func(name string) string {
			if strings.Contains(name, "digits ") && class >= 0 {
				return ""
			}
			return name
		}
		if class < 0 {
			return r
		}
		r.words = nextDigits(class)
		r.numbers = func(l linear) linear { return l.plus(number(l.c[symR])) } // R is R'+1
		if class == classes-1 {
			r.words[input("nonce")] = add(input("nonce"), constant(^uint32(0)))
		}
		return r
	}
	states := make([]*snapshot, classes)
	likes := make([]*machine, classes)
	var todo []int
	for class := range classes {
		substitutes = now[class]
		for _, m := range s.code.run(s.entry(class, of(symR, 1)), 0, s.head) {
			if m.ended {
				refuse("the loop is not reached")
			}
			t := take(m, renaming(-1))
			if states[class] == nil {
				states[class], likes[class] = t, m
				todo = append(todo, class)
			} else {
				states[class].meet(t, identity)
			}
		}
	}
	for len(todo) > 0 {
		class := todo[0]
		todo = todo[1:]
		s.progress++
		substitutes = then[class]
		for _, exact := range []bool{true, false} {
			m := states[class].start(likes[class])
			m.forks = true // a hit ends the search: no branch in front of the loop may depend on data
			left := of(symR, 1)
			if exact {
				left = number(1)
				m.everywhere(func(l linear) linear { return l.with(symR, left) })
			}
			m.least[symR] = 2
			outcomes := 0
			for _, m := range s.code.run(m, s.head, s.head) {
				outcomes++
				switch {
				case len(m.zeros) == 0 && m.ended:
					hits, l := result(m)
					expect("the word of hits", hits, want[class])
					if !same(l, counted(left)) {
						refuse("with a hit, left is %v", l)
					}
				case len(m.zeros) != 1:
					refuse("a group ends after %d conditions", len(m.zeros))
				case exact && m.ended:
					expect("the word that is 0", m.zeros[0], want[class])
					if hits, l := result(m); hits != constant(0) && hits != m.zeros[0] || !same(l, numeric(0)) {
						refuse("without a hit, hits are %s and left is %v", show(hits, 1), l)
					}
				case !exact && !m.ended:
					expect("the word that is 0", m.zeros[0], want[class])
					next := (class + 1) % classes
					if lost := states[next].meet(take(m, renaming(class)), identity); len(lost) > 0 {
						todo = append(todo, next)
					}
				default:
					refuse("it ends with groups left, or goes on without")
				}
			}
			if outcomes != 2 {
				refuse("a group ends in %d ways", outcomes)
			}
		}
	}
}
