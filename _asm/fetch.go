package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	fetchSignature = "(msgs *[]byte, n int)"
	sliceSize      = 24
	// From a longer message its first streamAhead bytes are fetched, for the kernels
	// fetch what follows, and its last block, which is padded.
	fetchShort = 2 * 64
)

// fetchDoc returns the documentation of the function of that name.
func fetchDoc(name string) []string {
	return []string{name + " has the first lines of n messages fetched into the cache, and the last ones."}
}

// fetchAMD64 generates fetch of amd64.
func fetchAMD64(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(fetchDoc(name)...)
	c.SignatureExpr("func" + fetchSignature)
	msgs, n, p, length := RAX, RCX, RDX, RBX
	c.Load(c.Param("msgs"), msgs)
	c.Load(c.Param("n"), n)
	c.TESTQ(n, n)
	c.JZ(LabelRef("done"))
	c.Label("message")
	c.MOVQ(Mem{Base: msgs}, p)
	c.MOVQ(Mem{Base: msgs, Disp: 8}, length)
	c.PREFETCHT0(Mem{Base: p})
	c.PREFETCHT0(Mem{Base: p, Index: length, Scale: 1, Disp: -1})
	c.CMPQ(length, U32(fetchShort))
	c.JHI(LabelRef("long"))
	c.SHRQ(Imm(1), length)
	c.PREFETCHT0(Mem{Base: p, Index: length, Scale: 1})
	c.JMP(LabelRef("next"))
	c.Label("long")
	for at := 64; at < streamAhead; at += 64 {
		c.PREFETCHT0(Mem{Base: p, Disp: at})
	}
	c.PREFETCHT0(Mem{Base: p, Index: length, Scale: 1, Disp: -64})
	c.Label("next")
	c.ADDQ(Imm(sliceSize), msgs)
	c.DECQ(n)
	c.JNZ(LabelRef("message"))
	c.Label("done")
	c.RET()
}

// fetchARM64 generates fetch of arm64.
func fetchARM64(f *armFunc) {
	const msgs, n, p, length, last = "R0", "R1", "R2", "R3", "R4"
	f.doc, f.signature, f.args = fetchDoc(f.name), fetchSignature, 16
	fetch := func(offset int, base string) { f.do("PRFM", at(offset, base), "PLDL1KEEP") }
	f.do("MOVD", "msgs+0(FP)", msgs)
	f.do("MOVD", "n+8(FP)", n)
	f.branch("CBZ", n, "done")
	f.label("message")
	f.do("MOVD", at(0, msgs), p)
	f.do("MOVD", at(8, msgs), length)
	f.do("ADD", length, p, last)
	f.do("SUB", imm(1), last)
	fetch(0, p)
	fetch(0, last)
	f.do("CMP", imm(fetchShort), length)
	f.branch("BHI", "long")
	f.do("ADD", length+">>1", p)
	fetch(0, p)
	f.branch("JMP", "next")
	f.label("long")
	for at := 64; at < streamAhead; at += 64 {
		fetch(at, p)
	}
	f.do("SUB", imm(63), last)
	fetch(0, last)
	f.label("next")
	f.do("ADD", imm(sliceSize), msgs)
	f.do("SUB", imm(1), n)
	f.branch("CBNZ", n, "message")
	f.label("done")
	f.branch("RET")
}
