package main

import (
	"fmt"
	"go/types"
)

// General registers of sha2SearchKernel.
const (
	searchFields = "R0" // the argument c
	searchN      = "R1" // the argument n, counted up
	searchLeft   = "R2" // the argument groups, counted down
	searchQuad   = "R4" // which four words the digits begin in
	searchShift  = "R5" // Nonces.shift and digits
	searchDigits = "R6"
	searchWords  = "R7" // where W[first] of lane 0 is
	searchSixes  = "R8" // 6 in every byte
	searchZeros  = "R9" // '0' in every byte
	searchLetter = "R10"
	searchKW2    = "R11"
	searchHits   = "R12"
)

// sha2SearchKernel generates a kernel that tries four nonces side by side. Of
// each it does what differs, beginning with the four rounds that the first of
// the digits belongs to:
//
//	load the words of this group, and write those of the next in their place
//	4 to 16 rounds
//	48 rounds, with the message schedule
//	if there is a second block, 64 rounds of constant W
//	the lanes whose first word of the digest is small enough
func sha2SearchKernel(f *armFunc) {
	const n = 4
	f.signature = "(c *Nonces, n uint32, groups int) (hits uint32, left int)"
	f.args = 40
	f.doc = []string{
		fmt.Sprintf("%s tries %d nonces a group, interleaved, with the SHA2 instructions.", f.name, n),
		"See SearchKernel.Search.",
	}
	const block = 16 // where from RSP the first lane's is
	f.frame = block - 8 + n*64
	field := nonceFields()
	s := newSHA2Streams(f, n)

	f.do("MOVD", "c+0(FP)", searchFields)
	f.do("MOVWU", "n+8(FP)", searchN)
	f.do("MOVD", "groups+16(FP)", searchLeft)
	f.do("MOVD", imm(0), searchHits)
	f.branch("CBZ", searchLeft, "done")
	s.loadConstants()
	f.do("MOVWU", at(field["first"], searchFields), searchQuad)
	f.do("ADD", imm(block), "RSP", searchWords)
	f.do("ADD", searchQuad+"<<2", searchWords, searchWords)
	f.do("LSR", imm(2), searchQuad, searchQuad)
	f.do("MOVWU", at(field["shift"], searchFields), searchShift)
	f.do("MOVD", at(field["digits"], searchFields), searchDigits)
	f.do("MOVD", "$0x0606060606060606", searchSixes)
	f.do("MOVD", "$0x3030303030303030", searchZeros)
	f.do("MOVD", imm('a'-'0'-10), searchLetter)
	for i, m := range s.streams[0].msg {
		f.do("FMOVQ", at(field["w"]+16*i, searchFields), m.f())
		for lane := range n {
			f.do("FMOVQ", m.f(), at(block+64*lane+16*i, "RSP"))
		}
	}
	f.endBlock()
	s.nextNonces(field)

	f.label("group")
	for lane, st := range s.streams {
		f.do("FLDPQ", at(field["quad"], searchFields), pair(st.abcd, st.efgh))
		for i, m := range st.msg {
			f.do("FMOVQ", at(block+64*lane+16*i, "RSP"), m.f())
		}
	}
	s.nextNonces(field)

	// The rounds before the digits are the same for all nonces.
	f.branch("TBZ", imm(1), searchQuad, "below_2")
	f.branch("TBZ", imm(0), searchQuad, "quad_2")
	f.branch("JMP", "quad_3")
	f.label("below_2")
	f.branch("TBNZ", imm(0), searchQuad, "quad_1")
	for i := range 4 {
		f.label(fmt.Sprintf("quad_%d", i))
		s.fourRoundsOf(i)
	}
	f.label("scheduled")
	for i := 4; i < 16; i++ {
		for _, st := range s.streams {
			s.schedule(st, i-4)
		}
		s.fourRoundsOf(i)
	}

	// The schedules' registers are free now.
	free := s.streams[0].msg
	sum, first, pairs := free[0], free[1], free[2:]
	h := s.streams[1].msg[:2]
	f.do("MOVWU", at(field["more"], searchFields), searchKW2)
	f.do("FLDPQ", at(field["h"], searchFields), pair(h[0], h[1]))
	f.do("VDUP", h[0].String()+".S[0]", sum.s4())
	f.branch("CBZ", searchKW2, "compare")
	for _, st := range s.streams {
		s.add(st, h)
	}
	s.firstWords(sum, pairs)
	f.do("ADD", imm(field["kw2"]), searchFields, searchKW2)
	for i := range 16 {
		wk := s.k[i%2]
		f.do("FMOVQ", at(16*i, searchKW2), wk.f())
		for _, st := range s.streams {
			s.fourRounds(st, wk)
		}
	}

	// A lane has a hit where the smaller of its word and the limit is the word.
	f.label("compare")
	limit, lanes := h[0], h[1]
	s.firstWords(first, pairs)
	f.do("VADD", sum.s4(), first.s4(), first.s4())
	f.do("MOVWU", at(field["limit"], searchFields), searchHits)
	f.do("EOR", "$0x80000000", searchHits, searchHits)
	f.do("VDUP", searchHits, limit.s4())
	f.do("VUMIN", first.s4(), limit.s4(), limit.s4())
	f.do("VCMEQ", first.s4(), limit.s4(), first.s4())
	f.do("VMOVQ", "$0x0000000200000001", "$0x0000000800000004", lanes)
	f.do("VAND", lanes.b16(), first.b16(), first.b16())
	f.do("VADDV", first.s4(), first)
	f.do("VMOV", first.String()+".S[0]", searchHits)
	f.branch("CBNZ", searchHits, "done")
	f.do("SUB", imm(1), searchLeft)
	f.branch("CBNZ", searchLeft, "group")

	f.label("done")
	f.do("MOVW", searchHits, "hits+24(FP)")
	f.do("MOVD", searchLeft, "left+32(FP)")
	f.branch("RET")
}

// fourRoundsOf does rounds 4i to 4i+3 of all streams.
func (s *sha2Streams) fourRoundsOf(i int) {
	k := s.constants(i)
	for _, st := range s.streams {
		s.do("VADD", k.s4(), st.msg[i%4].s4(), st.wk.s4())
		s.fourRounds(st, st.wk)
	}
}

// firstWords brings the first words of four streams' states into d.
func (s *sha2Streams) firstWords(d vreg, tmp []vreg) {
	st := s.streams
	s.do("VZIP1", st[1].abcd.s4(), st[0].abcd.s4(), tmp[0].s4())
	s.do("VZIP1", st[3].abcd.s4(), st[2].abcd.s4(), tmp[1].s4())
	s.do("VZIP1", tmp[1].d2(), tmp[0].d2(), d.d2())
}

// nextNonces writes W[first] and W[first+1] of the four lanes of a group into
// their blocks, and goes on to the next group. It changes wk and old.
func (s *sha2Streams) nextNonces(field map[string]int) {
	const x, y = "R13", "R14"
	// The digits of the nonce &^ 15 move apart, one to a byte, and become letters.
	s.do("AND", "$0xfffffff0", searchN, x)
	for _, step := range []struct {
		shift int
		mask  string
	}{{16, "$0x0000ffff0000ffff"}, {8, "$0x00ff00ff00ff00ff"}, {4, "$0x0f0f0f0f0f0f0f0f"}} {
		s.do("ORR", fmt.Sprintf("%s<<%d", x, step.shift), x, x)
		s.do("AND", step.mask, x, x)
	}
	// x + '0', and 'a' - '0' - 10 more where x + 6 is 16 at least.
	s.do("ADD", searchSixes, x, y)
	s.do("LSR", imm(4), y, y)
	s.do("AND", "$0x0101010101010101", y, y)
	s.do("MADD", searchLetter, x, y, x)
	s.do("ADD", searchZeros, x, x)
	s.do("LSL", searchShift, x, x)
	s.do("ADD", searchDigits, x, x)

	// The share of the last digit of each lane comes from two tables.
	s.do("LSR", imm(32), x, y)
	high, low, share := s.streams[0].wk, s.streams[1].wk, s.streams[0].old
	s.do("VDUP", y, high.s4())
	s.do("VDUP", x, low.s4())
	s.do("AND", imm(15), searchN, y)
	s.do("ADD", y+"<<2", searchFields, y)
	s.do("FMOVQ", at(field["high"], y), share.f())
	s.do("VADD", share.s4(), high.s4(), high.s4())
	s.do("FMOVQ", at(field["low"], y), share.f())
	s.do("VADD", share.s4(), low.s4(), low.s4())
	lanes01, lanes23 := s.streams[2].wk, s.streams[3].wk
	s.do("VZIP1", low.s4(), high.s4(), lanes01.s4())
	s.do("VZIP2", low.s4(), high.s4(), lanes23.s4())
	for i, words := range []vreg{lanes01, lanes23} {
		second := s.streams[i].wk
		s.do("VDUP", words.String()+".D[1]", second.d2())
		s.do("FMOVD", words.f(), at(128*i, searchWords))
		s.do("FMOVD", second.f(), at(128*i+64, searchWords))
	}
	s.do("ADD", imm(4), searchN)
}

// nonceFields returns where the fields of Nonces are on arm64.
func nonceFields() map[string]int {
	nonces := blockPackage().Scope().Lookup("Nonces").Type().Underlying().(*types.Struct)
	var fields []*types.Var
	for i := range nonces.NumFields() {
		fields = append(fields, nonces.Field(i))
	}
	offsets := map[string]int{}
	for i, offset := range types.SizesFor("gc", "arm64").Offsetsof(fields) {
		offsets[fields[i].Name()] = int(offset)
	}
	return offsets
}
