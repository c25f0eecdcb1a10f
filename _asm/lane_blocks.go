package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A blockLoader is how the blocks of a lane kernel come into its schedule.
type blockLoader interface {
	// point sets registers that point to scratch.
	point()
	// first comes before the first block.
	first()
	// begin comes at the beginning of a block, when the state is saved.
	begin()
	// end does the last 16 rounds of a block and adds the saved state.
	end()
}

// newBlockLoader returns the blockLoader that the shape of f asks for, with scratch of
// its own.
func newBlockLoader(f *laneFrame, scratch *arena) blockLoader {
	width := f.m.bits() / 8
	switch {
	case !f.shape.preload:
		return loadBlock{f}
	case f.shape.scheduleInRegisters:
		return loadAheadIntoRegisters{f, scratch.take(8 * width)}
	}
	return loadAheadIntoMemory{f, scratch.take(16 * f.shape.groups * width), R13}
}

// loadBlock loads each block at its beginning.
type loadBlock struct{ f *laneFrame }

func (loadBlock) point() {}
func (loadBlock) first() {}

func (l loadBlock) begin() {
	f := l.f
	for i, g := range f.groups {
		for part := range 4 {
			half := []Register{f.w, f.w8}[part/2]
			g.loadPart(part, f.blockWords(g, i, 16*part), &f.order, half, [4]Register(g.t[2:6]), [2]Register(g.t[6:8]))
		}
	}
}

func (l loadBlock) end() { l.f.lastRounds("last") }

// loadAheadIntoMemory loads the next block during the last 16 rounds, into a second
// schedule, which then changes places with the first.
type loadAheadIntoMemory struct {
	f     *laneFrame
	next  Mem      // the second schedule
	nextW Register // points to it
}

func (l loadAheadIntoMemory) point() { l.f.c.LEAQ(l.next, l.nextW) }

func (l loadAheadIntoMemory) first() {
	f := l.f
	for i, g := range f.groups {
		for part := range 4 {
			l.load(g, i, part%2, part < 2, Mem{Base: f.w, Disp: 16 * 64 * i}, [4]Register(g.t[2:6]), [2]Register(g.t[6:8]))
		}
	}
}

func (loadAheadIntoMemory) begin() {}

// end does eight rounds of both groups beside the next block of one of them, twice.
func (l loadAheadIntoMemory) end() {
	f, c := l.f, l.f.c
	g0, g1 := f.groups[0], f.groups[1]
	f.loop("last", 2, func() {
		f.groups.rounds(f.shape.orders.beside, 8, f.round, func() {
			for part := range 4 {
				l.load(g0, 0, part%2, part < 2, Mem{Base: l.nextW},
					[4]Register{g0.t[5], g0.t[6], g1.t[5], g1.t[6]}, [2]Register{g0.t[7], g1.t[7]})
			}
		})
		c.ADDQ(U32(16*64), l.nextW)
		c.ADDQ(Imm(uint64(8*g0.lanes())), f.pointers)
		f.nextRounds()
	})
	f.groups.all(f.addSaved)
	c.SUBQ(U32(16*64*len(f.groups)), l.nextW)
	c.SUBQ(U32(8*g0.lanes()*len(f.groups)), f.pointers)
	c.XCHGQ(f.w, l.nextW)
	c.LEAQ(Mem{Base: f.w, Disp: 8 * 64}, f.w8)
}

// load loads half of the next block of group i into the schedule at w. The lanes 8
// to 15 come first, and wait where the result will be.
func (l loadAheadIntoMemory) load(g *group, i, half int, high bool, w Mem, rows [4]Register, t [2]Register) {
	m := g.m.(avx512)
	words, free := l.f.loadHalf(g, i, half, high, rows, t)
	for j, x := range words {
		first := w.Offset(64 * (8*half + j))
		if !high {
			join(m, x, free[j%2], x, first)
			m.store(first.Offset(64*4), free[j%2])
		}
		m.store(first, x)
	}
}

// loadAheadIntoRegisters loads the next block of a single group during the last 16
// rounds, as far as they have freed registers of the schedule. The lanes 8 to 15 come
// first, and wait at high.
type loadAheadIntoRegisters struct {
	f    *laneFrame
	high Mem
}

func (loadAheadIntoRegisters) point() {}

func (l loadAheadIntoRegisters) first() {
	l.loadHigh()
	l.join(0, l.load(0, false, 0))
	l.join(1, l.load(1, false, 8))
}

func (loadAheadIntoRegisters) begin() {}

func (l loadAheadIntoRegisters) end() {
	f := l.f
	f.groups.rounds(f.shape.orders.beside, 16, f.round, l.first)
	f.addSaved(0, f.groups[0])
}

// w is the register of W[t].
func (l loadAheadIntoRegisters) w(t int) Register { return l.f.groups[0].w[t].(Register) }

// waiting is where word j of a half of the lanes 8 to 15 waits.
func (l loadAheadIntoRegisters) waiting(half, j int) Mem { return l.high.Offset(64 * (4*half + j)) }

// load is loadHalf, with words to up to to+3 of the schedule as temporaries.
func (l loadAheadIntoRegisters) load(half int, high bool, to int) [4]Register {
	g := l.f.groups[0]
	rows := [4]Register{l.w(to), l.w(to + 1), l.w(to + 2), l.w(to + 3)}
	words, _ := l.f.loadHalf(g, 0, half, high, rows, [2]Register{g.t[6], g.t[7]})
	return words
}

// loadHigh loads both halves of the lanes 8 to 15.
func (l loadAheadIntoRegisters) loadHigh() {
	for half := range 2 {
		for j, x := range l.load(half, true, 0) {
			l.f.m.store(l.waiting(half, j), x)
		}
	}
}

// join puts a half of the lanes 0 to 7 together with what waits.
func (l loadAheadIntoRegisters) join(half int, low [4]Register) {
	// Word 2 first: its register is wanted for word 0.
	for _, j := range [4]int{2, 0, 1, 3} {
		join(l.f.m.(avx512), l.w(8*half+j), l.w(8*half+j+4), low[j], l.waiting(half, j))
	}
}

// words returns where the words at disp from a lane's pointer plus index are,
// loading the pointer.
func (f *laneFrame) words(m machine, pointers Mem, index Register, disp int) func(lane int) Mem {
	e := m.emitter()
	return func(lane int) Mem {
		p := f.lane[lane%len(f.lane)]
		e.emit(func() { e.c.MOVQ(pointers.Offset(8*lane), p) })
		words := Mem{Base: p, Disp: disp}
		if index != nil {
			words.Index, words.Scale = index, 1
		}
		return words
	}
}

// blockWords returns where the bytes at disp of the blocks of group i are. A lane's
// stream is fetched, streamAhead of its block, when the block's beginning is loaded.
func (f *laneFrame) blockWords(g *group, i, disp int) func(lane int) Mem {
	at := f.words(g.m, Mem{Base: f.pointers, Disp: 8 * g.lanes() * i}, f.offset, disp)
	if disp > 0 {
		return at
	}
	e := g.m.emitter()
	return func(lane int) Mem {
		words := at(lane)
		e.emit(func() { e.c.PREFETCHT0(words.Offset(streamAhead)) })
		return words
	}
}

// loadWords loads 4 words of each lane, from where at says, transposed:
// register j of the result holds word j of every lane. With order they are
// byte-swapped.
func loadWords(m machine, at func(lane int) Mem, order *Mem, rows [4]Register, t [2]Register) (words [4]Register, free [2]Register) {
	for q := range m.bits() / 128 {
		for j, row := range rows {
			m.insert(row, q, at(4*q+j))
		}
	}
	if order != nil {
		for _, row := range rows {
			m.shuffleBytes(row, *order)
		}
	}
	return transpose(m, rows, t)
}

// loadPart loads words 4·part to 4·part+3 of a block, which are where at says,
// into the schedule: its registers, or the memory at w.
func (g *group) loadPart(part int, at func(lane int) Mem, order *Mem, w Register, rows [4]Register, t [2]Register) {
	for j := range rows {
		if r, ok := g.w[4*part+j].(Register); ok {
			rows[j] = r
		}
	}
	words, free := loadWords(g.m, at, order, rows, t)
	for j, word := range words {
		switch op := g.w[4*part+j].(type) {
		case Mem:
			op.Base = w
			g.m.store(op, word)
		default:
			g.w[4*part+j] = word
		}
	}
	// A register of the schedule may have become a temporary, and the reverse.
	if _, ok := g.w[0].(Register); ok {
		copy(g.t[6:], free[:])
	}
}

// loadHalf loads half of the block of each of eight lanes of group i, as words: of
// the lanes 8 to 15, or else of the lanes 0 to 7. In the result, the quarters of
// register j hold word j of four lanes, word j+4 of these, and both of the four
// others. free are the registers that are free then.
//
// A block is loaded ahead by four calls: both halves of the lanes 8 to 15, whose words
// are kept, and of the lanes 0 to 7, with which join puts them together. So each
// line is read twice at about the same time. loadPart reads it four times, with
// all the other lanes in between. Streams that are a multiple of 4 KiB apart
// share one set of the first-level cache, and then push each other out of it.
// With loadPart x32_avx512 was 10% slower there, and x16_avx512 3%.
func (f *laneFrame) loadHalf(g *group, i, half int, high bool, rows [4]Register, t [2]Register) (words [4]Register, free [2]Register) {
	first := 0
	if high {
		first = 8
	}
	return loadHalves(g.m.(avx512), f.blockWords(g, i, 32*half), first, &f.order, rows, t)
}

// loadHalves loads 8 words of each of eight lanes, from the first on, as words:
// what loadHalf says. With order they are byte-swapped.
func loadHalves(m avx512, at func(lane int) Mem, first int, order *Mem, rows [4]Register, t [2]Register) (words [4]Register, free [2]Register) {
	for j, row := range rows {
		m.insertHalf(row, 0, at(first+j))
		m.insertHalf(row, 1, at(first+j+4))
	}
	if order != nil {
		for _, row := range rows {
			m.shuffleBytes(row, *order)
		}
	}
	return transpose(m, rows, t)
}

// join sets first to word j of all lanes and second to word j+4, from register j
// of loadHalf for the lanes 0 to 7 and for the lanes 8 to 15. first may be low.
func join(m avx512, first, second, low Register, high Op) {
	m.quarters(second, low, high, [4]uint64{1, 3, 1, 3})
	m.quarters(first, low, high, [4]uint64{0, 2, 0, 2})
}
