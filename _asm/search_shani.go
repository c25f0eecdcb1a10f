package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// shaSearchKernel generates a kernel that tries four nonces side by side. It
// begins with the four rounds that the first of the digits belongs to. Of the
// schedule it leaves nothing out: the rounds take up the whole time.
func shaSearchKernel(c *Context, name string) {
	const n = 4
	field := searchFunction(c, name,
		fmt.Sprintf("%s tries %d nonces a group, interleaved, with the SHA extensions.", name, n),
		"See SearchKernel.Search.")
	k, rounds := RAX, EBX
	quad, quadOffset := R11L, R13 // which four words the digits begin in, and where those are

	// Registers: X0 W+K, X1 temporary, from X3 the states, from X11 the newest four
	// words of each stream's schedule, X15 K of four rounds. The next four words are
	// computed in spare. Each four words depend on the four before, and by way of a
	// store and a load that chain would take longer than the rounds do.
	shaK := X15
	e := &emitter{c: c}
	m := sse{e}
	scratch := &arena{base: R12, align: 16}
	limit, sum := scratch.take(16), scratch.take(16)
	pairs := scratch.take(32)                      // the words with digits of the next group, lane by lane
	masks := scratch.take(32)                      // PSHUFB's, that put the digits into these words and the next
	start, h := scratch.take(32), scratch.take(32) // as abef and cdgh
	streams := make([]shaStream, n)
	type words struct{ w, wk Mem } // W[0] to W[63]; K added to W[0] to W[19]
	schedules := make([]words, n)
	newest := make([]Register, n)
	spare := Register(X2)
	for i := range streams {
		streams[i].abef, streams[i].cdgh = vec(3+2*i).AsX(), vec(4+2*i).AsX()
		newest[i] = vec(11 + i).AsX()
		schedules[i] = words{scratch.take(256), scratch.take(80)}
	}
	local := c.AllocLocal(scratch.size + 16)
	in := func(name string) constants { return constants{base: RDI, disp: field(name).Disp} }

	clearUpperHalves(c)
	c.XORL(EAX, EAX)
	c.TESTQ(searchGroups, searchGroups)
	c.JLE(LabelRef("done"))
	c.LEAQ(local.Offset(15), R12)
	c.ANDQ(I8(-16), R12)
	c.MOVL(field("shift"), ECX)
	c.MOVL(field("first"), quad)
	c.MOVL(quad, R9L)
	c.ANDL(Imm(3), R9L)
	c.NEGQ(R9)
	c.LEAQ(wordPlaces(c, name), R8)
	for j := range 2 {
		c.MOVOU(Mem{Base: R8, Index: R9, Scale: 4, Disp: 16 + 16*j}, shaTmp)
		c.MOVOA(shaTmp, masks.Offset(16*j))
	}
	c.SHRL(Imm(2), quad)
	c.MOVL(quad, R13L)
	c.SHLL(Imm(4), R13L)
	m.broadcastConstant(shaTmp, in("limit"), 0)
	c.MOVOA(shaTmp, limit)
	m.broadcastConstant(shaTmp, in("base"), 0)
	c.MOVOA(shaTmp, sum)
	for _, state := range []struct {
		from string
		to   Mem
	}{{"quad", start}, {"h", h}} {
		c.LEAQ(field(state.from), R9)
		loadState(c, streams[0], R9)
		c.MOVOA(streams[0].abef, state.to)
		c.MOVOA(streams[0].cdgh, state.to.Offset(16))
	}
	for i := range 4 {
		c.MOVOU(field("w").Offset(16*i), shaTmp)
		c.MOVOU(field("kw").Offset(16*i), X2)
		for _, s := range schedules {
			c.MOVOA(shaTmp, s.w.Offset(16*i))
			c.MOVOA(X2, s.wk.Offset(16*i))
		}
	}

	// nextPairs leaves W[first] and W[first+1] of the lanes of the next group in
	// pairs, and nextWords puts the words of lane i where they belong.
	nextPairs := func() {
		low, high, both := X15, spare, shaWK
		noncePair(c, field)
		c.MOVL(searchNonce, R9L)
		c.ANDL(Imm(15), R9L)
		c.ADDL(Imm(n), searchNonce)
		c.MOVQ(R8, shaTmp)
		c.PSHUFD(Imm(0x00), shaTmp, low)
		c.PSHUFD(Imm(0x55), shaTmp, high)
		c.MOVOU(field("low").Idx(R9, 4), shaTmp)
		c.PADDD(shaTmp, low)
		c.MOVOU(field("high").Idx(R9, 4), shaTmp)
		c.PADDD(shaTmp, high)
		c.MOVOA(high, both)
		c.PUNPCKLLQ(low, both)
		c.PUNPCKHLQ(low, high)
		c.MOVOA(both, pairs)
		c.MOVOA(high, pairs.Offset(16))
	}
	nextWords := func(i int) {
		s, digits, word := schedules[i], shaTmp, spare
		for j := range 2 {
			c.MOVQ(pairs.Offset(8*i), digits)
			c.PSHUFB(masks.Offset(16*j), digits)
			for _, to := range []struct {
				name  string
				words Mem
			}{{"w", s.w}, {"kw", s.wk}} {
				c.MOVOU(field(to.name).Offset(16*j).Idx(quadOffset, 1), word)
				c.PADDD(digits, word)
				c.MOVOA(word, to.words.Offset(16*j).Idx(quadOffset, 1))
			}
		}
	}
	nextPairs()
	for i := range n {
		nextWords(i)
	}

	c.Label("group")
	for _, s := range streams {
		c.MOVOA(start, s.abef)
		c.MOVOA(start.Offset(16), s.cdgh)
	}
	c.LEAQ(Mem{Symbol: Symbol{Name: "·tableK"}, Base: StaticBase}, k)
	label := func(quad int) string { return fmt.Sprintf("quad_%d", quad) }
	dispatch(c, quad, 0, 3, label)
	for i := range 4 {
		c.Label(label(i))
		for j, s := range streams {
			s.roundsOf(c, schedules[j].wk.Offset(16*i))
		}
	}
	for i := 4; i < 16; i++ {
		// Words 0 to 15 have been used up when the words from 32 on are computed:
		// the next group's take their place while there are rounds to wait for.
		if i == 8 {
			nextPairs()
		}
		if i > 8 && i <= 8+n {
			nextWords(i - 9)
		}
		for j := range streams {
			s, w := &streams[j], func(i int) Mem { return schedules[j].w.Offset(16 * i) }
			x, w4 := spare, Op(newest[j])
			if i == 4 {
				w4 = w(3)
			}
			s.schedule(c, x, w(i-4), w(i-3), w(i-2), w4)
			if i < 14 { // the last eight words are not read from memory
				c.MOVOA(x, w(i))
			}
			newest[j], spare = x, newest[j]
			c.MOVOA(x, shaWK)
			if j == 0 {
				c.MOVOU(Mem{Base: k, Disp: 16 * i}, shaK)
			}
			c.PADDD(shaK, shaWK)
			s.roundsOfWK(c)
		}
	}

	// as sets shaTmp to a of the four states.
	as := func() {
		c.MOVOA(streams[0].abef, shaTmp)
		c.PUNPCKHLQ(streams[1].abef, shaTmp)
		c.MOVOA(streams[2].abef, X2)
		c.PUNPCKHLQ(streams[3].abef, X2)
		c.PUNPCKHQDQ(X2, shaTmp)
	}
	c.CMPL(field("more"), Imm(0))
	c.JEQ(LabelRef("compare"))
	as()
	m.broadcastConstant(X2, in("base"), 0)
	c.PADDD(X2, shaTmp)
	c.MOVOA(shaTmp, sum)
	for _, s := range streams {
		c.PADDD(h, s.abef)
		c.PADDD(h.Offset(16), s.cdgh)
	}
	c.LEAQ(field("kw2"), k)
	c.MOVL(U32(16), rounds)
	c.Label("constant")
	for _, s := range streams {
		s.roundsOf(c, Mem{Base: k})
	}
	c.ADDQ(Imm(16), k)
	c.DECL(rounds)
	c.JNZ(LabelRef("constant"))

	c.Label("compare")
	as()
	c.PADDD(sum, shaTmp)
	m.notAbove(RAX, shaTmp, limit)
	searchNext(c, m.leave)
}

// wordPlaces defines PSHUFB masks that move the two lowest words of a register
// to words i and i+1 of two registers, with zeros around them. The masks for i
// are the 32 bytes at 16-4i.
func wordPlaces(c *Context, name string) Mem {
	m := c.StaticGlobal(name + "_places")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, d := range []uint64{zeroBytes, zeroBytes, 0x0706050403020100, zeroBytes, zeroBytes, zeroBytes} {
		c.AppendDatum(U64(d))
	}
	return m
}

// zeroBytes is what makes PSHUFB set eight bytes to zero.
const zeroBytes = 0x8080808080808080
