package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The registers of the arguments of search kernels.
var (
	searchNonce  = ESI
	searchGroups = RDX
)

// searchFunction begins a search kernel: its signature, its documentation and
// the loading of its arguments. It returns where the fields of c, which is in
// RDI, are.
func searchFunction(c *Context, name string, doc ...string) (field func(string) Mem) {
	pkg := blockPackage()
	signature, err := gotypes.ParseSignatureInPackage(pkg, "func(c *Nonces, n uint32, groups int) (hits uint32, left int)")
	if err != nil {
		panic(err)
	}
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(doc...)
	c.Signature(signature)
	c.Load(c.Param("c"), RDI)
	c.Load(c.Param("n"), searchNonce)
	c.Load(c.Param("groups"), searchGroups)

	nonces := gotypes.NewComponent(pkg.Scope().Lookup("Nonces").Type(), Mem{Base: RDI})
	return func(field string) Mem {
		f := nonces.Field(field)
		word, err := f.Resolve()
		if err != nil {
			word, err = f.Index(0).Resolve()
		}
		if err != nil {
			panic(fmt.Sprintf("Nonces.%s: %v", field, err))
		}
		return word.Addr
	}
}

// blockPackage is package block as far as search.go declares it. What that
// file takes from elsewhere stays unknown, hence the ignored errors: the
// package cannot be loaded as a whole, since it needs what is generated here.
func blockPackage() *types.Package {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join("..", "internal", "block", "search.go"), nil, 0)
	if err != nil {
		panic(err)
	}
	config := types.Config{Error: func(error) {}}
	pkg, _ := config.Check("block", fset, []*ast.File{file}, nil)
	return pkg
}

// noncePair computes in R8 words first and first+1 of the block, as one number,
// for the nonce n &^ 15. It changes R9 and R10 and needs the shift in RCX.
func noncePair(c *Context, field func(string) Mem) {
	// The digits move apart, one to a byte, and become letters.
	c.MOVL(searchNonce, R8L)
	c.ANDL(I8(-16), R8L)
	for _, step := range []struct{ shift, mask uint64 }{
		{16, 0x0000ffff0000ffff}, {8, 0x00ff00ff00ff00ff}, {4, 0x0f0f0f0f0f0f0f0f},
	} {
		c.MOVQ(R8, R9)
		c.SHLQ(Imm(step.shift), R9)
		c.ORQ(R9, R8)
		c.MOVQ(U64(step.mask), R9)
		c.ANDQ(R9, R8)
	}
	const each = 0x0101010101010101
	// x + '0', and 'a' - '0' - 10 more where x + 6 is 16 at least.
	c.MOVQ(U64(6*each), R9)
	c.ADDQ(R8, R9)
	c.SHRQ(Imm(4), R9)
	c.MOVQ(U64(each), R10)
	c.ANDQ(R10, R9)
	c.IMUL3Q(Imm('a'-'0'-10), R9, R9)
	c.ADDQ(R9, R8)
	c.MOVQ(U64('0'*each), R9)
	c.ADDQ(R9, R8)
	c.SHLQ(CL, R8)
	c.ADDQ(field("digits"), R8)
}

// dispatch jumps to label(x) for the x in r, from low to high.
func dispatch(c *Context, r Register, low, high int, label func(int) string) {
	if low == high {
		c.JMP(LabelRef(label(low)))
		return
	}
	middle := (low + high + 1) / 2
	upper := fmt.Sprintf("%s_or_more", label(middle))
	c.CMPL(r, Imm(uint64(middle)))
	c.JGE(LabelRef(upper))
	dispatch(c, r, low, middle-1, label)
	c.Label(upper)
	dispatch(c, r, middle, high, label)
}

// searchKernel generates a kernel that tries one nonce in each lane:
//
//	the two words with the digits that differ, from the nonce
//	words 16 to 31 of the schedule, without what is the same for all nonces
//	the rounds after the first of those words, up to 15
//	32 rounds, each with a step of the message schedule
//	16 rounds
//	if there is a second block, 64 rounds of constant W
//	the lanes whose first word of the digest is small enough
//
// The rounds are rolled into loops of 8, after which the working variables are
// in their registers again. Unrolled, the kernel may not fit into the cache of
// decoded instructions, and then takes three times as long.
//
// shape.form is of the rounds without a step of the schedule.
func searchKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		e := &emitter{c: c}
		m := shape.machine(e)
		width := m.bits() / 8
		groupLanes := m.bits() / 32
		lanes := shape.groups * groupLanes

		field := searchFunction(c, name,
			fmt.Sprintf("%s tries %d nonces a group, one in each 32-bit word of a register. See", name, lanes),
			"SearchKernel.Search.")
		first := R11L
		firstWord := R10                // where W[first] is, from W[0]
		terms := [2]Register{R13L, R9L} // the argument's
		w := R8                         // where W of the next round is; 0 in the second block
		k, rounds, entry := RAX, EBX, R14L

		scratch := &arena{base: R12, align: width}
		limit := scratch.take(width)
		base := scratch.take(shape.groups * width)
		wordSize := shape.groups * width
		words := scratch.take(64 * wordSize)
		word := func(t, group int) Mem { return words.Offset(wordSize*t + width*group) }
		pair := scratch.take(8)
		local := c.AllocLocal(scratch.size + 64)

		groups := newGroups(m, shape, nil, nil)
		all := groups.all
		in := func(name string) constants { return constants{base: RDI, disp: field(name).Disp} }

		c.XORL(EAX, EAX)
		c.TESTQ(searchGroups, searchGroups)
		c.JLE(LabelRef("done"))
		c.LEAQ(local.Offset(63), R12)
		c.ANDQ(I8(-64), R12)
		c.MOVL(field("shift"), ECX)
		c.MOVL(field("first"), first)
		x := groups[0].t[0]
		m.broadcastConstant(x, in("limit"), 0)
		m.store(limit, x)
		m.broadcastConstant(x, in("base"), 0)
		for i := range groups {
			m.store(base.Offset(width*i), x)
		}

		c.Label("group")
		noncePair(c, field)
		c.MOVQ(R8, pair)
		c.MOVL(searchNonce, R9L)
		c.ANDL(Imm(15), R9L)
		c.MOVL(first, R10L)
		c.IMUL3Q(Imm(uint64(wordSize)), R10, firstWord)
		all(func(i int, g *group) {
			for j, part := range []struct {
				digits int
				lanes  string
			}{{4, "high"}, {0, "low"}} {
				x, y := g.t[0], g.t[1]
				m.broadcastConstant(x, constants{base: pair.Base, disp: pair.Disp + part.digits}, 0)
				m.load(y, field(part.lanes).Offset(4*groupLanes*i).Idx(R9, 4))
				m.add(x, x, y)
				m.store(word(j, i).Idx(firstWord, 1), x)
			}
			for j, v := range g.v {
				m.broadcastConstant(v, in("vars"), j)
			}
		})

		// Words 16 to 31. The last three are in registers: the chain from W[t-2]
		// to W[t] has no time for a store and a load.
		c.MOVL(field("terms"), terms[0])
		c.MOVL(field("terms").Offset(4), terms[1])
		for t := 16; t < 32; t++ {
			recent := func(g *group, t int) Register { return [3]Register{g.t[0], g.t[1], g.t[7]}[t%3] }
			all(func(_ int, g *group) { m.broadcastConstant(recent(g, t), in("c"), t-16) })
			for i, back := range termsBack {
				bit := 4*(t-16) + i
				when := usedTerms(bit)
				if when == never {
					continue
				}
				skip := fmt.Sprintf("word_%d_not_%d", t, t-back)
				if when == sometimes {
					c.TESTL(U32(1<<(bit%32)), terms[bit/32])
					c.JZ(LabelRef(skip))
				}
				all(func(i int, g *group) {
					var source Op = word(t-back, i)
					if back == 2 && t >= 18 {
						source = recent(g, t-2)
					}
					g.addTerm(recent(g, t), source, back)
				})
				if when == sometimes {
					c.Label(skip)
				}
			}
			all(func(i int, g *group) { m.store(word(t, i), recent(g, t)) })
		}

		// Rounds first+1 to 15: the way into the loop, the number of its passes
		// and the constants depend on first, and so does where a, e and h are, to
		// which the digits are still to be added.
		c.LEAQ(word(16, 0), w)
		c.LEAL(Mem{Base: R11, Disp: 1}, rounds)
		c.MOVL(rounds, entry)
		c.ANDL(Imm(7), entry)
		c.SHRL(Imm(3), rounds)
		c.MOVL(rounds, EAX)
		c.SHLL(Imm(5), EAX)
		c.LEAQ(field("kw").Idx(RAX, 1), k)
		c.XORL(Imm(1), rounds)
		c.INCL(rounds)
		enter := func(t int) string { return fmt.Sprintf("enter_%d", t) }
		round := func(t int) string { return fmt.Sprintf("round_%d", t) }
		dispatch(c, entry, 0, 7, enter)
		for t := range 8 {
			c.Label(enter(t))
			all(func(i int, g *group) {
				g = g.before(t)
				high, low := word(0, i).Idx(firstWord, 1), word(1, i).Idx(firstWord, 1)
				m.add(g.v[0], g.v[0], high)
				m.add(g.v[4], g.v[4], high)
				m.add(g.v[7], g.v[7], low)
				g.begin()
			})
			c.JMP(LabelRef(round(t)))
		}
		c.Label("constant")
		for t := range 8 {
			all(func(_ int, g *group) { m.addConstant(g.v[7], constants{base: k}, t, g.t[2]) })
			c.Label(round(t))
			all(func(_ int, g *group) { g.mix() })
		}
		c.ADDQ(Imm(32), k)
		c.DECL(rounds)
		c.JNZ(LabelRef("constant"))
		c.TESTQ(w, w)
		c.JZ(LabelRef("compare"))

		c.LEAQ(kTable(c, name, shape.spreadConstants), k)
		kt := constants{base: k, spread: shape.spreadConstants}
		c.ADDQ(U32(kt.word(16).Disp), k)
		ahead := func(t, group int) Mem { return Mem{Base: w, Disp: wordSize*t + width*group} }
		addWord := func(g *group, t, group int) { m.add(g.v[7], g.v[7], ahead(t, group)) }
		loop := func(label string, passes uint32, form roundForm, by *roundOrder, part func(i int, g *group, t int)) {
			for _, g := range groups {
				g.form = form
			}
			c.MOVL(U32(passes), rounds)
			c.Label(label)
			groups.rounds(by, 8, part)
			c.ADDQ(U32(8*wordSize), w)
			c.ADDQ(U32(kt.word(8).Disp), k)
			c.DECL(rounds)
			c.JNZ(LabelRef(label))
		}
		loop("scheduled", 4, fewest, shape.orders.scheduled, func(i int, g *group, t int) {
			addWord(g, t, i)
			g.constantRound(kt, t)
			sum := g.t[2]
			m.load(sum, ahead(t, i))
			backs := termsBack[1:]
			if shape.orders.scheduled != nil {
				backs = []int{7, 15, 2} // as in group.schedule
			}
			for _, back := range backs {
				g.addTerm(sum, ahead(t+16-back, i), back)
			}
			m.store(ahead(t+16, i), sum)
		})
		loop("last", 2, shape.form, shape.orders.plain, func(i int, g *group, t int) {
			addWord(g, t, i)
			g.constantRound(kt, t)
		})

		c.CMPL(field("more"), Imm(0))
		c.JEQ(LabelRef("compare"))
		all(func(i int, g *group) {
			sum := g.t[0]
			m.broadcastConstant(sum, in("base"), 0)
			m.add(sum, sum, g.v[0])
			m.store(base.Offset(width*i), sum)
			for j, v := range g.v {
				m.addConstant(v, in("h"), j, g.t[2])
			}
			g.begin()
		})
		c.LEAQ(field("kw2"), k)
		c.XORL(R8L, R8L)
		c.MOVL(U32(8), rounds)
		c.JMP(LabelRef("constant"))

		c.Label("compare")
		for i, g := range groups {
			m.add(g.v[0], g.v[0], base.Offset(width*i))
			if i == 0 {
				m.notAbove(RAX, g.v[0], limit)
				continue
			}
			m.notAbove(R9, g.v[0], limit)
			c.SHLL(Imm(uint64(groupLanes*i)), R9L)
			c.ORL(R9L, EAX)
		}
		c.ADDL(Imm(uint64(lanes)), searchNonce)
		searchNext(c, m.leave)
	}
}

// searchNext ends a search kernel: it goes on with the next group of nonces. If EAX, the
// lanes with a hit, is not zero, or no group is left, it returns.
func searchNext(c *Context, leave func()) {
	c.TESTL(EAX, EAX)
	c.JNZ(LabelRef("leave"))
	c.DECQ(searchGroups)
	c.JNZ(LabelRef("group"))
	c.Label("leave")
	leave()
	c.Label("done")
	c.Store(EAX, c.Return("hits"))
	c.Store(searchGroups, c.Return("left"))
	c.RET()
}

// before returns the group as round t of a block expects it, which renames the
// variables and, for majority, two temporaries in turn.
func (g *group) before(t int) *group {
	b := *g
	for i := range b.v {
		b.v[(i+t)%8] = g.v[i]
	}
	b.t[t%2], b.t[1-t%2] = g.t[0], g.t[1]
	return &b
}

// addTerm adds to sum the term of W[t] that comes from W[t-back].
func (g *group) addTerm(sum Register, word Op, back int) {
	m := g.m
	s, ok := map[int]sigma{15: smallSigma0, 2: smallSigma1}[back]
	if !ok {
		m.add(sum, sum, word)
		return
	}
	x, ok := word.(Register)
	if !ok {
		x = g.t[3]
		m.load(x, word.(Mem))
	}
	m.sigma(g.t[4], g.t[5], g.t[6], x, s)
	m.add(sum, sum, g.t[4])
}

// lastFirst is the largest value of Nonces.first.
const lastFirst = 14

// termsBack says, for each term of W[t] in the order of the bits of
// Nonces.terms, how far back its word is.
var termsBack = [4]int{16, 15, 7, 2}

const (
	never = iota
	sometimes
	always
)

// usedTerms says whether a bit of Nonces.terms is set for no, some or every
// value of Nonces.first.
func usedTerms(bit int) int {
	n := 0
	for first := range lastFirst + 1 {
		var differs [32]bool
		differs[first], differs[first+1] = true, true
		for t := 16; t < 32; t++ {
			for i, back := range termsBack {
				if differs[t-back] {
					differs[t] = true
					if bit == 4*(t-16)+i {
						n++
					}
				}
			}
		}
	}
	switch n {
	case 0:
		return never
	case lastFirst + 1:
		return always
	}
	return sometimes
}
