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
	// preload loads the next block ahead, during the last 16 rounds, which leave
	// room for that: they have no message schedule.
	preload bool
	// spreadConstants makes a table of K that has each word four times.
	spreadConstants bool
	form            roundForm // where orders have none
	orders          roundOrders
}

// A laneFrame is what the parts of a lane kernel share.
type laneFrame struct {
	c      *Context
	e      *emitter
	m      machine
	shape  laneShape
	groups groups

	// General registers.
	states, pointers Register // to the lanes' states and to their streams' blocks
	count            Register // blocks left
	offset           Register // of the block in each stream
	k                Register // the constants
	rounds           Register // counts within a block
	lane             [2]Register
	w, w8            Register // the schedule in memory and its second half

	// Memory.
	schedule Mem                       // unless it is in registers
	order    Mem                       // the byte order, over the width of a register
	pairs    Mem                       // the tables of pairing, for AVX-512
	saved    func(group, word int) Mem // the state before the block
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
// A blockLoader says when a block is loaded, and where to. The rounds are loops, so
// that they stay in the cache of decoded instructions: of 8 rounds, after which the
// halves of W change places, or of 16 if W is in registers.
func laneKernel(shape laneShape) func(c *Context, name string) {
	return func(c *Context, name string) {
		e := &emitter{c: c}
		f := &laneFrame{
			c: c, e: e, m: shape.machine(e), shape: shape,
			states: RDI, pointers: RSI, count: RCX, offset: RBX, k: RAX, rounds: RDX,
			lane: [2]Register{R8, R9}, w: R10, w8: R11,
		}
		width := f.m.bits() / 8
		lanes := shape.groups * f.m.bits() / 32

		c.Function(name)
		c.Pragma("noescape")
		c.Doc(fmt.Sprintf("%s compresses blocks of each of %d streams, one 32-bit word of each in a", name, lanes),
			"register, in turns: see Kernel.Blocks.")
		c.SignatureExpr(streamsSignature)

		scratch := &arena{base: R12, align: width}
		f.order = scratch.take(width)
		saved := scratch.take(8 * shape.groups * width)
		f.saved = func(group, word int) Mem { return saved.Offset(width * (8*group + word)) }
		if !shape.scheduleInRegisters {
			f.schedule = scratch.take(16 * shape.groups * width)
		}
		blocks := newBlockLoader(f, scratch)
		local := c.AllocLocal(scratch.size + 64)

		turns := streamTurns{c, lanes, f.states, f.pointers, f.offset, f.count, f.lane}
		turns.begin("done")
		c.LEAQ(local.Offset(63), R12)
		c.ANDQ(I8(-64), R12)
		if !shape.scheduleInRegisters {
			c.LEAQ(f.schedule, f.w)
			c.LEAQ(f.schedule.Offset(8*width), f.w8)
		}
		blocks.point()
		f.groups = newGroups(f.m, shape, f.w, f.w8)

		// The states of the first turn come before its blocks: both take long to load.
		// To load states renames registers: each time begins with the same names.
		names := f.groups.names()
		f.loadStates()
		start := f.groups[0].v
		table := kTable(c, name, shape.spreadConstants)
		f.pairs = pairing(c, name, f.m)
		mask := f.groups[0].t[7]
		f.m.broadcastQuarter(mask, byteOrder(c, name))
		f.m.store(f.order, mask)

		blocks.first()
		c.Label("block")
		for i, g := range f.groups {
			for j, v := range g.v {
				f.m.store(f.saved(i, j), v)
			}
		}
		blocks.begin()
		c.ADDQ(Imm(64), f.offset)
		c.LEAQ(table, f.k)
		f.groups.all(func(_ int, g *group) { g.begin() })
		f.loop("scheduled", 48/f.unit(), func() {
			f.groups.rounds(shape.orders.scheduled, f.unit(), func(_ int, g *group, t int) {
				g.round(t, f.constants(), t)
				g.schedule(t + 16)
			})
			f.nextRounds()
		})
		if shape.preload {
			// The last block of a turn is followed by the first one of the next turn, the
			// last one of all by none.
			c.CMPQ(f.count, Imm(1))
			c.JNE(LabelRef("preload"))
			turns.over("final")
			turns.nextBlocks()
			c.Label("preload")
		}
		blocks.end()
		f.groups.check(start)
		c.DECQ(f.count)
		c.JNZ(LabelRef("block"))
		if shape.preload {
			c.JMP(LabelRef("store"))
			c.Label("final")
			f.lastRounds("finalRounds")
			c.Label("store")
		}
		for i, g := range f.groups {
			f.storeStates(g, i)
		}
		if shape.preload {
			c.CMPQ(turns.arg("turns"), Imm(0))
			c.JEQ(LabelRef("leave"))
		} else {
			turns.over("leave")
			turns.nextBlocks()
		}
		turns.nextStates()
		f.groups.rename(names)
		f.loadStates()
		f.groups.check(start)
		turns.again("block")
		c.Label("leave")
		f.m.leave()
		c.Label("done")
		c.RET()
	}
}

// unit is how many rounds a loop has.
func (f *laneFrame) unit() int {
	if f.shape.scheduleInRegisters {
		return 16
	}
	return 8
}

func (f *laneFrame) constants() constants {
	return constants{base: f.k, spread: f.shape.spreadConstants}
}

// loop emits a loop that runs body times times.
func (f *laneFrame) loop(label string, times int, body func()) {
	f.groups.loop(f.c, label, f.rounds.(GPPhysical), times, body)
}

// nextRounds moves K and, if it is in memory, W on by a unit of rounds.
func (f *laneFrame) nextRounds() {
	f.c.ADDQ(U32(f.constants().word(f.unit()).Disp), f.k)
	if !f.shape.scheduleInRegisters {
		f.c.XCHGQ(f.w, f.w8)
	}
}

// round does round t of a unit, without a step of the schedule.
func (f *laneFrame) round(_ int, g *group, t int) { g.round(t, f.constants(), t) }

// addSaved adds the saved state of group i.
func (f *laneFrame) addSaved(i int, g *group) {
	for j, v := range g.v {
		f.m.add(v, v, f.saved(i, j))
	}
}

// lastRounds does the last 16 rounds of a block and adds the saved state.
func (f *laneFrame) lastRounds(label string) {
	f.loop(label, 16/f.unit(), func() {
		f.groups.rounds(f.shape.orders.plain, f.unit(), f.round)
		f.nextRounds()
	})
	f.groups.all(f.addSaved)
}

// loadStates transposes the states of all lanes into the variables of their groups.
func (f *laneFrame) loadStates() {
	for i, g := range f.groups {
		f.loadStatesOf(g, i)
	}
}

// loadStatesOf is loadStates for group i.
func (f *laneFrame) loadStatesOf(g *group, i int) {
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

// storeStates is the inverse of loadStatesOf.
func (f *laneFrame) storeStates(g *group, i int) {
	storeWords(g, f.words(g.m, Mem{Base: f.states, Disp: 8 * g.lanes() * i}, nil, 0), f.pairs)
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
