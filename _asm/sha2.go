package main

import "fmt"

// The SHA2 instructions of arm64 hold the state of one stream in two
// registers, abcd and efgh, in the order of memory. SHA256H and SHA256H2 do
// four rounds: one makes the new abcd, the other the new efgh, each out of both
// old ones and four words of W+K. SHA256SU0 and SHA256SU1 compute four words of
// the message schedule.
//
// Each of the two has a latency of 4 cycles or more, and most cores issue one a
// cycle. So one stream leaves more than half of the unit idle; interleaved
// kernels fill it.

// sha2Stream is one of the interleaved streams.
type sha2Stream struct {
	abcd, efgh vreg    // the state
	msg        [4]vreg // the last 16 words of the schedule
	wk         vreg    // W+K of four rounds
	old        vreg    // abcd before the four rounds
}

// sha2Streams are the streams of a kernel and the registers that they share.
type sha2Streams struct {
	*armFunc
	streams []sha2Stream
	// k are the registers that hold K. With 16 of them all of it stays there,
	// else they are loaded in turn.
	k []vreg
	// spare are the registers that are left.
	spare []vreg
}

// newSHA2Streams allots the registers to n streams, n = 1, 2 or 4: V0 on to the
// states, then the schedules, then temporaries. Streams i and i+2 share old.
func newSHA2Streams(f *armFunc, n int) *sha2Streams {
	s := &sha2Streams{armFunc: f, streams: make([]sha2Stream, n), spare: vregs(0, 32)}
	take := func(n int) []vreg {
		rs := s.spare[:n]
		s.spare = s.spare[n:]
		return rs
	}
	for i := range s.streams {
		s.streams[i].abcd, s.streams[i].efgh = take(1)[0], take(1)[0]
	}
	for i := range s.streams {
		s.streams[i].msg = [4]vreg(take(4))
	}
	for i := range s.streams {
		s.streams[i].wk = take(1)[0]
		if i < 2 {
			s.streams[i].old = take(1)[0]
		} else {
			s.streams[i].old = s.streams[i-2].old
		}
	}
	if n == 1 {
		s.k = take(16)
	} else {
		s.k = take(2)
	}
	return s
}

// constants returns the register of K[4i] to K[4i+3].
func (s *sha2Streams) constants(i int) vreg {
	k := s.k[i%len(s.k)]
	if len(s.k) < 16 {
		s.do("FMOVQ", at(16*i, armK), k.f())
	}
	return k
}

// loadConstants prepares for constants, outside the loop.
func (s *sha2Streams) loadConstants() {
	s.do("MOVD", "$·tableK(SB)", armK)
	if len(s.k) == 16 {
		for i, k := range s.k {
			s.do("FMOVQ", at(16*i, armK), k.f())
		}
	}
}

// loadBlock loads a stream's block, byte-swapped.
func (s *sha2Streams) loadBlock(st sha2Stream, offset int, base string) {
	for i, m := range st.msg {
		s.do("FMOVQ", at(offset+16*i, base), m.f())
		s.do("VREV32", m.b16(), m.b16())
	}
}

// compress does the rounds of one block.
func (s *sha2Streams) compress() {
	for i := range 16 {
		k := s.constants(i)
		for _, st := range s.streams {
			s.do("VADD", k.s4(), st.msg[i%4].s4(), st.wk.s4())
			s.fourRounds(st, st.wk)
			if i < 12 {
				s.schedule(st, i)
			}
		}
	}
}

// fourRounds does the four rounds of which wk holds W+K.
func (s *sha2Streams) fourRounds(st sha2Stream, wk vreg) {
	s.do("VMOV", st.abcd.b16(), st.old.b16())
	s.do("SHA256H", wk.s4(), st.efgh, st.abcd)
	s.do("SHA256H2", wk.s4(), st.old, st.efgh)
}

// schedule replaces words 4i to 4i+3 of the message schedule by those 16 words
// later: W(t) = σ1(W(t-2)) + W(t-7) + σ0(W(t-15)) + W(t-16). SU0 adds σ0, SU1
// the rest.
func (s *sha2Streams) schedule(st sha2Stream, i int) {
	w16, w12, w8, w4 := st.msg[i%4], st.msg[(i+1)%4], st.msg[(i+2)%4], st.msg[(i+3)%4]
	s.do("SHA256SU0", w12.s4(), w16.s4())
	s.do("SHA256SU1", w4.s4(), w8.s4(), w16.s4())
}

// add adds the state in saved to the state of a stream.
func (s *sha2Streams) add(st sha2Stream, saved []vreg) {
	s.do("VADD", saved[0].s4(), st.abcd.s4(), st.abcd.s4())
	s.do("VADD", saved[1].s4(), st.efgh.s4(), st.efgh.s4())
}

// sha2Kernel generates a kernel of n interleaved streams: n = 1, 2 or 4.
func sha2Kernel(n int) func(f *armFunc) {
	return func(f *armFunc) {
		if n == 1 {
			f.doc = []string{f.name + " compresses n blocks at p into h with the SHA2 instructions."}
		} else {
			f.doc = []string{
				fmt.Sprintf("%s compresses blocks of each of %d streams, interleaved, with the", f.name, n),
				"SHA2 instructions, in turns: see Kernel.Blocks.",
			}
		}
		s := newSHA2Streams(f, n)
		hs, ps := []string{armH}, []string{armP}
		const armAhead, armFetched = "R8", "R9" // of one stream
		if n == 1 {
			f.signature = streamSignature
			f.loadArgs("h", "p")
			f.do("MOVD", armN, armAhead)
		} else {
			f.loadStreams()
		}
		s.loadConstants()
		if n > 1 {
			f.label("turn")
			hs = []string{"R4", "R5", "R6", "R7"}[:n]
			ps = []string{"R8", "R9", "R10", "R11"}[:n]
			for i := range n {
				f.do("MOVD", at(8*i, armH), hs[i])
				f.do("MOVD", at(8*i, armP), ps[i])
				f.do("ADD", armAt+"<<6", ps[i])
			}
		}
		for i, st := range s.streams {
			f.do("FLDPQ", at(0, hs[i]), pair(st.abcd, st.efgh))
		}
		// The state before the block is kept in registers, or in the frame.
		inRegisters := len(s.spare) >= 2*n
		const frame = 16 // the offset from RSP
		if !inRegisters {
			f.frame = frame - 8 + 32*n
		}

		f.label("block")
		for i, st := range s.streams {
			if inRegisters {
				f.do("VMOV", st.abcd.b16(), s.spare[2*i].b16())
				f.do("VMOV", st.efgh.b16(), s.spare[2*i+1].b16())
			} else {
				f.do("FSTPQ", pair(st.abcd, st.efgh), at(frame+32*i, "RSP"))
			}
			s.loadBlock(st, 0, ps[i])
			if n > 1 {
				f.fetch(ps[i])
			} else {
				f.do("ADD", armAhead, ps[i], armFetched)
				f.do("PRFM", at(0, armFetched), "PLDL1KEEP")
			}
			f.do("ADD", imm(64), ps[i])
		}
		s.compress()
		for i, st := range s.streams {
			if inRegisters {
				s.add(st, s.spare[2*i:])
			} else {
				saved := st.msg[:2] // free by now
				f.do("FLDPQ", at(frame+32*i, "RSP"), pair(saved[0], saved[1]))
				s.add(st, saved)
			}
		}
		f.do("SUB", imm(1), armN)
		f.branch("CBNZ", armN, "block")

		for i, st := range s.streams {
			f.do("FSTPQ", pair(st.abcd, st.efgh), at(0, hs[i]))
		}
		if n > 1 {
			f.turnEnds(n)
		}
		f.label("done")
		f.branch("RET")
	}
}

// sha2NodeKernel generates a kernel of n interleaved nodes of 64 bytes: n = 1, 2
// or 4. A node has two blocks: one that is compressed from the initial state,
// and one of which W+K is a table.
func sha2NodeKernel(n int) func(f *armFunc) {
	return func(f *armFunc) {
		f.signature = nodesSignature
		if n == 1 {
			f.doc = []string{
				f.name + " hashes n nodes of 64 bytes at src into dst with the SHA2",
				"instructions. dst may be src.",
			}
		} else {
			f.doc = []string{
				fmt.Sprintf("%s hashes n nodes of 64 bytes at src into dst, %d interleaved, with the", f.name, n),
				fmt.Sprintf("SHA2 instructions. n is a multiple of %d; dst may be src.", n),
			}
		}
		s := newSHA2Streams(f, n)
		const iv, nodeK = "R8", "R9"

		f.loadArgs("dst", "src")
		s.loadConstants()
		f.do("MOVD", "$·tableIV256(SB)", iv)
		f.do("MOVD", "$·tableNodeK(SB)", nodeK)

		f.label("nodes")
		for i, st := range s.streams {
			f.do("FLDPQ", at(0, iv), pair(st.abcd, st.efgh))
			s.loadBlock(st, 64*i, armP)
		}
		s.compress()
		// The schedules' registers are free now. In them the second block's state
		// before it is kept, and the first stream's have W+K in turn.
		for _, st := range s.streams {
			saved := st.msg[2:]
			f.do("FLDPQ", at(0, iv), pair(saved[0], saved[1]))
			s.add(st, saved)
			f.do("VMOV", st.abcd.b16(), saved[0].b16())
			f.do("VMOV", st.efgh.b16(), saved[1].b16())
		}
		for i := range 16 {
			wk := s.streams[0].msg[i%2]
			f.do("FMOVQ", at(16*i, nodeK), wk.f())
			for _, st := range s.streams {
				s.fourRounds(st, wk)
			}
		}
		for i, st := range s.streams {
			s.add(st, st.msg[2:])
			f.do("VREV32", st.abcd.b16(), st.abcd.b16())
			f.do("VREV32", st.efgh.b16(), st.efgh.b16())
			f.do("FSTPQ", pair(st.abcd, st.efgh), at(32*i, armH))
		}
		f.do("ADD", imm(64*n), armP)
		f.do("ADD", imm(32*n), armH)
		f.do("SUB", imm(n), armN)
		f.branch("CBNZ", armN, "nodes")

		f.label("done")
		f.branch("RET")
	}
}
