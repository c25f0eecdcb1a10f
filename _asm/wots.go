package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// WOTS kernels follow the chains of WOTS+ as SLH-DSA has them with SHA-256 (FIPS 205,
// section 11.2): a step is one block behind a midstate, and the digest goes into the
// next step's block. There it begins two bytes into a word, behind an address of which
// the last word counts the steps.

// The values of a lane, in words, in the order in which c has them.
const (
	wotsState = 0              // the midstate, as the registers have it: f, e, b, a, h, g, d, c
	wotsBlock = wotsState + 8  // the block without the digest
	wotsU     = wotsBlock + 16 // the digest so far
	wotsMask  = wotsU + 8      // of words 4 to 7 of the digest: which bits the block takes
	wotsWords = wotsMask + 4
)

// wotsOrders move four words of the digest two bytes on: into the four words of the
// block that have their first bytes, and into the four after these. 0x80 is for
// bytes that are not from the four words.
var wotsOrders = [2][4]uint32{
	{0x80808080, 0x80800302, 0x01000706, 0x05040b0a},
	{0x09080f0e, 0x0d0c8080, 0x80808080, 0x80808080},
}

// wotsShaKernel generates a kernel that does a step of groups of four chains,
// interleaved, with the SHA extensions:
//
//	for each group:
//	    the block is what c has, and the digest
//	    count the step in c
//	    64 rounds
//	    add the midstate; that is the digest in c
//
// All groups do a step before one does its next, which would wait for the digest.
func wotsShaKernel(c *Context, name string) {
	const n = 4
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("%s does a step of n groups of %d chains of WOTS+, interleaved, with the SHA", name, n),
		"extensions: see WotsKernel.Follow.")
	c.SignatureExpr("func(c *uint32, n int)")

	args, count, k, state := RDI, RCX, RAX, RSI
	scratch := &arena{base: RDX, align: 16}
	blocks, schedules := scratch.take(48*n), scratch.take(64*n)
	local := c.AllocLocal(scratch.size + 16)
	orders := c.StaticGlobal(name + "_orders")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, order := range wotsOrders {
		for _, w := range order {
			c.AppendDatum(U32(w))
		}
	}
	for _, w := range [4]uint32{1: 1 << 16} {
		c.AppendDatum(U32(w))
	}
	at := func(i, word int) Mem { return Mem{Base: args, Disp: 4 * (wotsWords*i + word)} }
	streams := make([]shaStream, n)
	next := 3
	for i := range streams {
		s := &streams[i]
		s.abef, s.cdgh = vec(next).AsX(), vec(next+1).AsX()
		next += 2
		s.saved = at(i, wotsState)
		s.load = func(word int, x Register) {
			if word == 0 {
				c.MOVOU(at(i, wotsBlock), x)
			} else {
				c.MOVOA(blocks.Offset(48*i+16*(word-1)), x)
			}
		}
	}
	schedulesInMemory(streams, schedules)

	clearUpperHalves(c)
	loadChainArgs(c, args, count)
	c.LEAQ(local.Offset(15), RDX)
	c.ANDQ(I8(-16), RDX)
	c.LEAQ(kTable(c, name, false), k)

	c.Label("group")
	// The registers of the schedule are free here.
	low, high, one := X11, X12, X13
	c.MOVOU(orders, low)
	c.MOVOU(orders.Offset(16), high)
	c.MOVOU(orders.Offset(32), one)
	for i, s := range streams {
		to := func(words int) Mem { return blocks.Offset(48*i + 4*(words-4)) }
		x, y, t := X0, X1, X2
		c.MOVOU(at(i, wotsU), x)
		c.MOVOU(at(i, wotsU+4), y)
		c.MOVOU(at(i, wotsMask), t)
		c.PAND(t, y)

		c.MOVOU(at(i, wotsBlock+4), t)
		c.MOVOA(t, s.abef)
		c.PADDD(one, s.abef)
		c.MOVOU(s.abef, at(i, wotsBlock+4))
		c.MOVOA(x, s.abef)
		c.PSHUFB(low, s.abef)
		c.PADDD(s.abef, t)
		c.MOVOA(t, to(4))

		c.MOVOU(at(i, wotsBlock+8), t)
		c.PSHUFB(high, x)
		c.MOVOA(y, s.abef)
		c.PSHUFB(low, s.abef)
		c.POR(s.abef, x)
		c.PADDD(x, t)
		c.MOVOA(t, to(8))

		c.MOVOU(at(i, wotsBlock+12), t)
		c.PSHUFB(high, y)
		c.PADDD(y, t)
		c.MOVOA(t, to(12))
	}
	for _, s := range streams {
		c.MOVOU(s.saved, s.abef)
		c.MOVOU(s.saved.Offset(16), s.cdgh)
	}
	roundsInOrder(c, streams, k, orders, fourStreams)
	for i, s := range streams {
		s.addSaved(c)
		c.LEAQ(at(i, wotsU), state)
		storeState(c, s, state)
	}
	c.ADDQ(U32(4*wotsWords*n), args)
	c.DECQ(count)
	c.JNZ(LabelRef("group"))
	c.Label("done")
	c.RET()
}
