package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// laneShape says how a lane kernel is laid out on its machine.
type laneShape struct {
	machine func(*emitter) machine
	// groups is how many registers' worth of lanes run interleaved.
	groups int
	// scheduleInRegisters keeps W in registers 16 to 31, else it is in scratch.
	scheduleInRegisters bool
	// preload brings the next block in and transposes it during the last 16
	// rounds, which leave room for that: they have no message schedule.
	preload bool
	// spreadConstants makes a table of K in which each word stands four times.
	spreadConstants bool
	splitAdd        bool
}

// laneFrame names the general registers of lane kernels and their scratch.
type laneFrame struct {
	states, pointers Register // the arguments h and p
	count            Register // blocks left
	offset           Register // of the block in each stream
	k                Register // the constants
	rounds           Register // counts within a block
	lane             [2]Register
	w, w8, nextW     Register                  // the schedule in memory, its second half, and the next block's
	order            Mem                       // the byte order, over the width of a register
	saved            func(group, word int) Mem // the state before the block
}

// laneKernel generates a kernel that compresses one stream in each lane:
//
//	for each turn: load the states
//	    for each block:
//	        save the state
//	        load 16 words of each lane, byte-swapped and transposed, into W
//	        48 rounds, each with a step of the message schedule
//	        16 rounds
//	        add the saved state
//	    store the states
//
// The rounds are loops, so that they stay in the cache of decoded instructions:
// of 8 rounds, after which the halves of W change places, or of 16 if W is in
// registers.
func laneKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		e := &emitter{c: c}
		m := shape.machine(e)
		width := m.bits() / 8
		lanes := shape.groups * m.bits() / 32

		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s compresses n blocks of each of %d streams, one 32-bit word of each in a", name, lanes),
			"register, in turns: see Kernel.Blocks.")
		c.SignatureExpr(streamsSignature)

		f := laneFrame{
			states: RDI, pointers: RSI, count: RCX, offset: RBX, k: RAX, rounds: RDX,
			lane: [2]Register{R8, R9}, w: R10, w8: R11, nextW: R13,
		}
		scratch := &arena{base: R12, align: width}
		f.order = scratch.take(width)
		saved := scratch.take(8 * shape.groups * width)
		f.saved = func(group, word int) Mem { return saved.Offset(width * (8*group + word)) }
		var w, nextW Mem
		if !shape.scheduleInRegisters {
			w = scratch.take(16 * shape.groups * width)
		}
		var high Mem
		if shape.preload && !shape.scheduleInRegisters {
			nextW = scratch.take(16 * shape.groups * width)
		} else if shape.preload {
			high = scratch.take(8 * width)
		}
		local := c.AllocLocal(scratch.size + 64)

		turns := streamTurns{c, lanes, f.states, f.pointers, f.offset, f.count, f.lane}
		turns.begin("done")
		c.LEAQ(local.Offset(63), R12)
		c.ANDQ(I8(-64), R12)
		if !shape.scheduleInRegisters {
			c.LEAQ(w, f.w)
			c.LEAQ(w.Offset(8*width), f.w8)
		}
		if shape.preload && !shape.scheduleInRegisters {
			c.LEAQ(nextW, f.nextW)
		}

		// Registers: the groups' states first, then their temporaries, then W.
		groups := make([]*group, shape.groups)
		next := 0
		take := func() Register { next++; return m.reg(next - 1) }
		for i := range groups {
			groups[i] = newGroup(m, shape.splitAdd)
			for j := range groups[i].v {
				groups[i].v[j] = take()
			}
		}
		for _, g := range groups {
			for j := range g.t {
				g.t[j] = take()
			}
		}
		for i, g := range groups {
			for j := range g.w {
				switch {
				case shape.scheduleInRegisters:
					g.w[j] = take()
				case j < 8:
					g.w[j] = Mem{Base: f.w, Disp: width * (16*i + j)}
				default:
					g.w[j] = Mem{Base: f.w8, Disp: width * (16*i + j - 8)}
				}
			}
		}
		// To load states renames registers: each time begins with the same names.
		var named []group
		for _, g := range groups {
			named = append(named, *g)
		}
		loadStates := func() {
			for i, g := range groups {
				g.v, g.t = named[i].v, named[i].t
				f.loadStates(g, i)
			}
		}
		// Those of the first turn before its blocks: both take long to load.
		loadStates()
		start := groups[0].v
		table := kTable(c, name, shape.spreadConstants)
		pairs := pairing(c, name, m)

		mask := groups[0].t[7]
		m.broadcastQuarter(mask, byteOrder(c, name))
		m.store(f.order, mask)

		loadBlock := func() {
			for i, g := range groups {
				for part := range 4 {
					half := []Register{f.w, f.w8}[part/2]
					g.loadPart(part, f.blockWords(g, i, 16*part), &f.order, half, [4]Register(g.t[2:6]), [2]Register(g.t[6:8]))
				}
			}
		}
		switch {
		case !shape.preload:
		case shape.scheduleInRegisters:
			f.loadRegisters(groups[0], high)
		default:
			for i, g := range groups {
				for part := range 4 {
					f.preloadMemory(g, i, part%2, part < 2, Mem{Base: f.w, Disp: 16 * width * i}, [4]Register(g.t[2:6]), [2]Register(g.t[6:8]))
				}
			}
		}
		c.Label("block")
		for i, g := range groups {
			for j, v := range g.v {
				m.store(f.saved(i, j), v)
			}
		}
		if !shape.preload {
			loadBlock()
		}
		c.ADDQ(Imm(64), f.offset)
		c.LEAQ(table, f.k)
		k := constants{base: f.k, spread: shape.spreadConstants}

		all := func(do func(i int, g *group)) {
			parts := make([]func(), len(groups))
			for i, g := range groups {
				parts[i] = func() { do(i, g) }
			}
			e.interleave(parts...)
		}
		loop := func(label string, times int, body func()) {
			start := groups[0].v
			c.MOVL(U32(times), f.rounds.(GPPhysical).As32())
			c.Label(label)
			body()
			c.DECL(f.rounds.(GPPhysical).As32())
			c.JNZ(LabelRef(label))
			if groups[0].v != start {
				panic("the working variables are not where the loop expects them")
			}
		}
		// nextRounds moves K and, if it is in memory, W on by a unit of rounds.
		unit := 8
		if shape.scheduleInRegisters {
			unit = 16
		}
		nextRounds := func() {
			c.ADDQ(U32(k.word(unit).Disp), f.k)
			if !shape.scheduleInRegisters {
				c.XCHGQ(f.w, f.w8)
			}
		}
		all(func(_ int, g *group) { g.begin() })
		loop("scheduled", 48/unit, func() {
			for t := range unit {
				all(func(_ int, g *group) {
					g.round(t, k, t)
					g.schedule(t + 16)
				})
			}
			nextRounds()
		})
		rounds := func(g *group, first, n int) func() {
			return func() {
				for t := first; t < first+n; t++ {
					g.round(t, k, t)
				}
			}
		}
		addSaved := func(i int, g *group) func() {
			return func() {
				for j, v := range g.v {
					m.add(v, v, f.saved(i, j))
				}
			}
		}
		last := func(label string) {
			loop(label, 16/unit, func() {
				all(func(_ int, g *group) { rounds(g, 0, unit)() })
				nextRounds()
			})
			all(func(i int, g *group) { addSaved(i, g)() })
		}
		if shape.preload {
			c.CMPQ(f.count, Imm(1))
			c.JNE(LabelRef("preload"))
			turns.over("final")
			turns.nextBlocks()
			c.Label("preload")
		}
		switch {
		case !shape.preload:
			last("last")
		case shape.scheduleInRegisters:
			f.preloadRegisters(groups[0], rounds, addSaved(0, groups[0]), high)
		default:
			// Eight rounds of both groups beside the next block of one of them.
			g0, g1 := groups[0], groups[1]
			loop("last", 2, func() {
				for part := range 4 {
					e.interleave(rounds(g0, 2*part, 2), rounds(g1, 2*part, 2), func() {
						f.preloadMemory(g0, 0, part%2, part < 2, Mem{Base: f.nextW},
							[4]Register{g0.t[5], g0.t[6], g1.t[5], g1.t[6]}, [2]Register{g0.t[7], g1.t[7]})
					})
				}
				c.ADDQ(U32(16*width), f.nextW)
				c.ADDQ(Imm(uint64(8*g0.lanes())), f.pointers)
				nextRounds()
			})
			all(func(i int, g *group) { addSaved(i, g)() })
			c.SUBQ(U32(16*width*len(groups)), f.nextW)
			c.SUBQ(U32(8*lanes), f.pointers)
			c.XCHGQ(f.w, f.nextW)
			c.LEAQ(Mem{Base: f.w, Disp: 8 * width}, f.w8)
		}
		if groups[0].v != start {
			panic("the working variables are not where the loop expects them")
		}
		c.DECQ(f.count)
		c.JNZ(LabelRef("block"))
		if shape.preload {
			c.JMP(LabelRef("store"))
			c.Label("final")
			last("finalRounds")
			c.Label("store")
		}
		for i, g := range groups {
			f.storeStates(g, i, pairs)
		}
		if shape.preload {
			c.CMPQ(turns.arg("turns"), Imm(0))
			c.JEQ(LabelRef("leave"))
		} else {
			turns.over("leave")
			turns.nextBlocks()
		}
		turns.nextStates()
		loadStates()
		if groups[0].v != start {
			panic("the working variables are not where the loop expects them")
		}
		turns.again("block")
		c.Label("leave")
		m.leave()
		c.Label("done")
		c.RET()
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

// blockWords returns where the bytes at disp of the blocks of group i are.
func (f *laneFrame) blockWords(g *group, i, disp int) func(lane int) Mem {
	return f.words(g.m, Mem{Base: f.pointers, Disp: 8 * g.lanes() * i}, f.offset, disp)
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
// A block is loaded by four calls: both halves of the lanes 8 to 15, whose words
// are kept, and of the lanes 0 to 7, with which join puts them together. So each
// line is read twice at about the same time. loadPart reads it four times, with
// all the other lanes in between, and streams that are a multiple of 4 KiB apart
// then push each other out of the set of the first-level cache that they share:
// with that, x32_avx512 was slower by 10% there, and x16_avx512 by 3%.
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

// preloadMemory loads half of the next block of group i into the schedule at w.
// The lanes 8 to 15 come first, and wait where the result will be.
func (f *laneFrame) preloadMemory(g *group, i, half int, high bool, w Mem, rows [4]Register, t [2]Register) {
	m := g.m.(avx512)
	words, free := f.loadHalf(g, i, half, high, rows, t)
	for j, x := range words {
		first := w.Offset(64 * (8*half + j))
		if !high {
			join(m, x, free[j%2], x, first)
			m.store(first.Offset(64*4), free[j%2])
		}
		m.store(first, x)
	}
}

// A registerLoader brings a block into the registers of the schedule. The lanes 8
// to 15 come first, and wait at high.
type registerLoader struct {
	f    *laneFrame
	g    *group
	high Mem
}

func (l registerLoader) w(t int) Register { return l.g.w[t].(Register) }

func (l registerLoader) waiting(half, j int) Mem { return l.high.Offset(64 * (4*half + j)) }

// load is loadHalf, with words to up to to+3 of the schedule as temporaries.
func (l registerLoader) load(half int, high bool, to int) [4]Register {
	rows := [4]Register{l.w(to), l.w(to + 1), l.w(to + 2), l.w(to + 3)}
	words, _ := l.f.loadHalf(l.g, 0, half, high, rows, [2]Register{l.g.t[6], l.g.t[7]})
	return words
}

// loadHigh loads both halves of the lanes 8 to 15.
func (l registerLoader) loadHigh() {
	for half := range 2 {
		for j, x := range l.load(half, true, 0) {
			l.g.m.store(l.waiting(half, j), x)
		}
	}
}

// join puts a half of the lanes 0 to 7 together with what waits.
func (l registerLoader) join(half int, low [4]Register) {
	// Word 2 first: its register is wanted for word 0.
	for _, j := range [4]int{2, 0, 1, 3} {
		join(l.g.m.(avx512), l.w(8*half+j), l.w(8*half+j+4), low[j], l.waiting(half, j))
	}
}

// loadRegisters loads the first block.
func (f *laneFrame) loadRegisters(g *group, high Mem) {
	l := registerLoader{f, g, high}
	l.loadHigh()
	l.join(0, l.load(0, false, 0))
	l.join(1, l.load(1, false, 8))
}

// preloadRegisters does the last 16 rounds of a block in a group and adds the
// saved state, and loads the next block as far as rounds have freed registers.
func (f *laneFrame) preloadRegisters(g *group, rounds func(g *group, first, n int) func(), addSaved func(), high Mem) {
	e, l := g.m.emitter(), registerLoader{f, g, high}
	rounds(g, 0, 4)()
	e.interleave(rounds(g, 4, 4), l.loadHigh)
	e.interleave(rounds(g, 8, 4), func() { l.join(0, l.load(0, false, 0)) })
	var low [4]Register
	e.interleave(rounds(g, 12, 4), func() { low = l.load(1, false, 8) })
	e.interleave(addSaved, func() { l.join(1, low) })
}

// loadStates transposes the states of a group's lanes into its variables.
func (f *laneFrame) loadStates(g *group, i int) {
	pointers := Mem{Base: f.states, Disp: 8 * g.lanes() * i}
	if m, ok := g.m.(avx512); ok {
		at := f.words(m, pointers, nil, 0)
		low, free := loadHalves(m, at, 0, nil, [4]Register(g.v[:4]), [2]Register(g.t[:2]))
		high, free := loadHalves(m, at, 8, nil, [4]Register(g.v[4:]), free)
		for j := range 4 {
			join(m, low[j], free[0], low[j], high[j])
			g.v[j], g.v[4+j] = low[j], free[0]
			free[0] = high[j]
		}
		copy(g.t[:], free[:])
		return
	}
	for c := range 2 {
		rows := [4]Register(g.v[4*c : 4*c+4])
		words, spare := loadWords(g.m, f.words(g.m, pointers, nil, 16*c), nil, rows, [2]Register(g.t[:2]))
		copy(g.v[4*c:], words[:])
		copy(g.t[:], spare[:])
	}
}

// storeStates is the inverse of loadStates.
func (f *laneFrame) storeStates(g *group, i int, pairs Mem) {
	storeWords(g, f.words(g.m, Mem{Base: f.states, Disp: 8 * g.lanes() * i}, nil, 0), pairs)
}

// storeWords stores the eight variables of each of a group's lanes where at says.
// pairs are the tables of pairing, for AVX-512.
func storeWords(g *group, at func(lane int) Mem, pairs Mem) {
	// fourWords returns registers of which number j holds words 4*c to 4*c+3 of
	// lane 4*q+j in quarter q.
	fourWords := func(c int) [4]Register {
		rows, spare := transpose(g.m, [4]Register(g.v[4*c:4*c+4]), [2]Register(g.t[:2]))
		copy(g.t[:], spare[:])
		return rows
	}
	if m, ok := g.m.(avx512); ok {
		low, high := fourWords(0), fourWords(1)
		tables := g.t[1:3]
		for half, table := range tables {
			m.load(table, pairs.Offset(64*half))
		}
		for j, x := range low {
			m.move(g.t[0], x)
			for half, two := range [2]Register{g.t[0], x} {
				m.pair(two, high[j], tables[half])
				m.extractHalf(at(8*half+j), 0, two)
				m.extractHalf(at(8*half+4+j), 1, two)
			}
		}
		return
	}
	for c := range 2 {
		for j, row := range fourWords(c) {
			for q := range g.m.bits() / 128 {
				g.m.extract(at(4*q+j).Offset(16*c), q, row)
			}
		}
	}
}

// An arena hands out aligned pieces of a kernel's frame.
type arena struct {
	base  Register
	align int
	size  int
}

func (a *arena) take(n int) Mem {
	m := Mem{Base: a.base, Disp: a.size}
	a.size += (n + a.align - 1) / a.align * a.align
	return m
}
