package main

import (
	"fmt"
	"maps"
	"slices"
)

// The numbers that a proof is about, whatever they are. A call compresses blocks
// of streams, or groups of nodes; J of a turn are done and R are left. The turn
// began with block A. T turns are left, this one included. The turn is of
// streams F and following, and D more streams follow the first of these. Routines for
// short messages have other numbers: see short.go.
const (
	symJ = iota
	symR
	symA
	symT
	symF
	symD
	symN
	symP
	symbols
)

// A linear is n + c[symJ]·J + c[symR]·R + …. All its values are far below 2^63.
type linear struct {
	n int64
	c [symbols]int64
}

func number(n int64) linear { return linear{n: n} }

// of is a multiple of a symbol.
func of(symbol int, factor int64) (l linear) {
	l.c[symbol] = factor
	return l
}

func (l linear) plus(ms ...linear) linear {
	for _, m := range ms {
		l.n += m.n
		for i := range l.c {
			l.c[i] += m.c[i]
		}
	}
	return l
}

func (l linear) times(f int64) linear {
	l.n *= f
	for i := range l.c {
		l.c[i] *= f
	}
	return l
}

func (l linear) minus(m linear) linear { return l.plus(m.times(-1)) }
func (l linear) known() bool           { return l.c == [symbols]int64{} }

// with puts something in the place of a symbol.
func (l linear) with(symbol int, x linear) linear {
	f := l.c[symbol]
	l.c[symbol] = 0
	return l.plus(x.times(f))
}

func (l linear) String() string {
	s := fmt.Sprintf("%d", l.n)
	for i, c := range l.c {
		if c != 0 {
			s += fmt.Sprintf("%+d·%c", c, "JRATFDNP"[i])
		}
	}
	return s
}

// A value is what a 64-bit register holds.
type value struct {
	kind   uint8
	region *region // of an address
	at     linear  // a number, or where in the region
	lo, hi word    // data
}

const (
	undefined = iota
	aNumber
	anAddress
	aData
)

func numeric(n int64) value              { return value{kind: aNumber, at: number(n)} }
func counted(l linear) value             { return value{kind: aNumber, at: l} }
func address(r *region, at linear) value { return value{kind: anAddress, region: r, at: at} }
func (v value) symbolic() bool           { return !v.at.known() }
func (v value) isNumber() bool           { return v.kind == aNumber && !v.symbolic() }
func (v value) moved(n int64) value      { v.at.n += n; return v }

func data(lo, hi word) value {
	a, ok := isConstant(lo)
	b, ok2 := isConstant(hi)
	if ok && ok2 {
		return numeric(int64(uint64(b)<<32 | uint64(a)))
	}
	return value{kind: aData, lo: lo, hi: hi}
}

// low and high are the halves, as data.
func (v value) low() word  { return v.half(0) }
func (v value) high() word { return v.half(32) }

func (v value) half(shift int) word {
	switch {
	case v.isNumber():
		return constant(uint32(uint64(v.at.n) >> shift))
	case v.kind == aData && shift == 0:
		return v.lo
	case v.kind == aData:
		return v.hi
	}
	refuse("%v is used as data", v)
	return 0
}

// num is a number that is known.
func (v value) num() int64 {
	if !v.isNumber() {
		refuse("%v is not a number that is known", v)
	}
	return v.at.n
}

// checked refuses numbers that might not fit: counts are below 2^41, so 2^16 times each
// and 2^40 more are far below 2^63.
func (v value) checked() value {
	if !v.symbolic() {
		return v
	}
	for _, c := range v.at.c {
		if c > 1<<16 || c < -1<<16 {
			refuse("%v may not fit into 64 bits", v)
		}
	}
	if v.at.n > 1<<40 || v.at.n < -1<<40 {
		refuse("%v may not fit into 64 bits", v)
	}
	return v
}

func (v value) String() string {
	switch v.kind {
	case aNumber:
		return v.at.String()
	case anAddress:
		return fmt.Sprintf("&%s[%v]", v.region.name, v.at)
	case aData:
		return "{" + show(v.lo, 1) + ", " + show(v.hi, 1) + "}"
	}
	return "undefined"
}

// plus adds addresses, numbers and data.
func (v value) plus(w value) value {
	switch {
	case v.kind == aNumber && w.kind == anAddress:
		return w.plus(v)
	case w.kind == aNumber && (v.kind == aNumber || v.kind == anAddress):
		v.at = v.at.plus(w.at)
		return v
	}
	return joined(addBits(v.bits(), w.bits()))
}

// shiftedLeft multiplies a number by a power of two.
func (l linear) shiftedLeft(n int64) linear {
	if n > 16 {
		refuse("%v is shifted left by %d", l, n)
	}
	return l.times(1 << n)
}

// shiftedRight divides a number, which is not negative, by a power of two of which all
// parts are multiples.
func (m *machine) shiftedRight(l linear, n int64) linear {
	if !m.nonnegative(l) {
		refuse("%v is shifted right, and may be negative", l)
	}
	for _, c := range append(l.c[:], l.n) {
		if c&(1<<n-1) != 0 {
			refuse("%v is shifted right by %d", l, n)
		}
	}
	l.n >>= n
	for i := range l.c {
		l.c[i] >>= n
	}
	return l
}

// ---- 64 bits of data

type bits64 [64]fn

func (v value) bits() (b bits64) {
	copy(b[:32], bitsOf(v.low())[:])
	copy(b[32:], bitsOf(v.high())[:])
	return b
}

func joined(b bits64) value {
	return data(fromBits((*[32]fn)(b[:32])), fromBits((*[32]fn)(b[32:])))
}

func addBits(x, y bits64) (r bits64) {
	carry := fnFalse
	for i := range r {
		r[i] = apply(xor3, x[i], y[i], carry)
		if i < 63 {
			carry = apply(majority, x[i], y[i], carry)
		}
	}
	return r
}

// shifted is to the left, or to the right if n is negative.
func (x bits64) shifted(n int) (r bits64) {
	for i := range r {
		if j := i - n; j >= 0 && j < 64 {
			r[i] = x[j]
		}
	}
	return r
}

// times multiplies: with a known number, or N with D.
func (v value) times(w value) value {
	if v.isNumber() || v == counted(of(symD, 1)) {
		v, w = w, v
	}
	switch {
	case v == counted(of(symN, 1)) && w == counted(of(symD, 1)):
		return counted(of(symP, 1))
	case v.kind == aNumber && v.symbolic():
		return counted(v.at.times(w.num()))
	}
	return v.timesConstant(w.num())
}

// reversed has the bytes in reverse order. Those of a number that is not known have a
// name.
func (v value) reversed() value {
	if v.kind == aNumber && v.symbolic() {
		name := fmt.Sprintf("%v with reversed bytes", v.at)
		return data(input(name+", low"), input(name+", high"))
	}
	return data(swapBytes(v.high()), swapBytes(v.low()))
}

// timesConstant multiplies data.
func (v value) timesConstant(c int64) value {
	x, r := v.bits(), bits64{}
	for i := range 64 {
		if c>>i&1 != 0 {
			r = addBits(r, x.shifted(i))
		}
	}
	return joined(r)
}

// ---- memory

// A region is memory of its own. Nothing is known of where it is but, for some,
// that it begins at a multiple of align. It is used from lo to hi: accesses are
// a known number of bytes behind lo.
type region struct {
	name        string
	lo, hi      linear
	align       int64
	read, write bool
	words       map[int64]word  // by their distance to lo
	cells       map[int64]value // of 8 bytes, addresses and counts
	lazy        func(off int64) (word, bool)
	bytes       bool  // may be accessed at any byte
	half        value // what the first 16 bits are, if they are a number
	// Of the pointers of lanes streams, from F on, and of the pointers of the
	// next turn.
	lanes int64
	next  bool // belongs to the next turn
	// A state that another lane may have as well, without a stream.
	shared bool
	// Where an aligned part of the stack has been measured from, by how much it may
	// be below, and how much of it is used.
	from, slack, used int64
	written           int64 // up to where
	// Steps.
	firstRead, lastRead, firstWrite, lastWrite int
}

type vector [16]word

// flags are what the last instruction left, as far as it is modelled.
type flags struct {
	carry, zero, sign, overflow bool
	carryOK, zeroOK, signOK     bool // signOK: sign and overflow
	// undecided is the difference that has been compared, if its sign is
	// unknown and does not depend on data.
	undecided *linear
	isZero    word // not 0: zero says whether this is 0
	cpu       bool // zero says whether the CPU has something
	wraps     bool // carry says whether an address in the stack has passed 0
	// guarded is that the stack guard has been compared with something room bytes below
	// the stack pointer at the entry.
	guarded bool
	room    int64
}

// A machine is the state of a CPU and its memory.
type machine struct {
	code *code
	arm  bool
	// declared names the arguments and the results.
	declared []string
	gp       [33]value
	v        [32]vector
	k        [8]value
	f        flags
	dirty    bool // the upper part of a vector register 0 to 15 is in use
	mem      map[string]*region

	least [symbols]int64 // of each symbol; below 0: nothing is known of it
	facts []linear       // which are 0 or more
	next  bool           // another turn follows when this block is done
	room  int64          // in the stack, below the stack pointer at the entry

	at     int64  // where it has stopped
	steps  int    // accesses to memory
	count  int    // instructions
	saving bool   // arm64: the caller's frame pointer is stored, alone or with the return address
	forks  bool   // branches may depend on whether data is 0: both ways are gone
	zeros  []word // what the way has found to be 0
	ended  bool   // by returning, not at the head
	again  bool   // there was no room in the stack

	entered bool // the way has begun at the entry
	lacks   bool // the way is taken if there is too little stack
}

const (
	sp      = 4 // amd64's numbers
	bp      = 5
	armSP   = 31
	armZero = 32
	armLR   = 30
	armFP   = 29
	armG    = 28

	// returnAt is where in the stack the return address is on amd64. Arguments
	// follow, and on arm64 they do so behind as many bytes.
	returnAt = 1 << 20

	// stackSmall is how far below the stack guard a function of Go may go, and
	// stackBig a number that all addresses are above: see internal/abi.
	stackSmall = 128
	stackBig   = 4096
)

// nonnegative says whether l is 0 or more in any case.
func (m *machine) nonnegative(l linear) bool {
	l = l.reduced()
	bounded := func(l linear) bool {
		for i, c := range l.c {
			if c < 0 || c > 0 && m.least[i] < 0 {
				return false
			}
			l.n += c * m.least[i]
		}
		return l.n >= 0
	}
	return bounded(l) || slices.ContainsFunc(m.facts, func(f linear) bool { return bounded(l.minus(f)) })
}

// wrapped says whether the next turn begins with one of the first streams again.
func (m *machine) wrapped(lanes int64) bool {
	behind := number(lanes - 1).minus(of(symD, 1))
	switch {
	case m.nonnegative(behind):
		return true
	case m.nonnegative(behind.times(-1).plus(number(-1))):
		return false
	}
	refuse("the next turn's streams are wanted before they are known")
	return false
}

func (m *machine) region(name string, lo, hi linear, read, write bool) *region {
	r := &region{name: name, lo: lo, hi: hi, read: read, write: write, words: map[int64]word{}, cells: map[int64]value{}}
	m.mem[name] = r
	return r
}

// reduced divides by what all factors have in common, and rounds down: it is 0 or
// more if l is.
func (l linear) reduced() linear {
	g := int64(0)
	for _, c := range l.c {
		for c = max(c, -c); c != 0; {
			g, c = c, g%c
		}
	}
	if g == 0 {
		return l
	}
	for i := range l.c {
		l.c[i] /= g
	}
	rest := (l.n%g + g) % g
	l.n = (l.n - rest) / g
	return l
}

// clone copies a machine and its memory.
func (m *machine) clone() *machine {
	c := *m
	c.zeros, c.facts = slices.Clone(m.zeros), slices.Clone(m.facts)
	c.mem = map[string]*region{}
	for n, r := range m.mem {
		s := *r
		s.words, s.cells = maps.Clone(r.words), maps.Clone(r.cells)
		c.mem[n] = &s
	}
	for i := range c.gp {
		c.gp[i] = c.gp[i].in(c.mem)
	}
	for _, r := range c.mem {
		for o, v := range r.cells {
			r.cells[o] = v.in(c.mem)
		}
	}
	return &c
}

// in is the same value, with addresses in other memory.
func (v value) in(mem map[string]*region) value {
	if v.kind == anAddress {
		if v.region = mem[v.region.name]; v.region == nil {
			return value{}
		}
	}
	return v
}

func (m *machine) stackPointer() int64 {
	v := m.gp[sp]
	if m.arm {
		v = m.gp[armSP]
	}
	if v.kind != anAddress || v.region != m.mem["stack"] || v.symbolic() {
		refuse("the stack pointer is %v", v)
	}
	return v.at.n
}

// stackMoved checks the stack pointer when it has a new value, and forgets what is below:
// a signal handler may overwrite that.
func (m *machine) stackMoved() {
	at, st := m.stackPointer(), m.mem["stack"]
	depth := returnAt - at
	if depth > m.room {
		refuse("a frame of %d bytes, but there may be only %d", depth, m.room)
	}
	if depth < 0 {
		refuse("the stack pointer is above the kernel's frame")
	}
	if m.arm && at%16 != 0 {
		refuse("the stack pointer is no multiple of 16")
	}
	maps.DeleteFunc(st.words, func(off int64, _ word) bool { return off < at })
	maps.DeleteFunc(st.cells, func(off int64, v value) bool {
		// Go's frames on arm64 have the caller's frame pointer there.
		saved := m.arm && off == at-8 && v == address(st, number(returnAt-8))
		return off < at && !saved
	})
	for _, r := range m.mem {
		if r.slack > 0 && r.from-r.slack < at {
			clear(r.words)
			clear(r.cells)
		}
	}
}

// frameEnd is where the caller's frame begins: with its frame pointer on arm64, which is
// below the return address.
func (m *machine) frameEnd() int64 {
	if m.arm {
		return returnAt - 8
	}
	return returnAt
}

// locate checks that n bytes may be accessed, and says where they are.
func (m *machine) locate(a value, n int64, write bool) (*region, int64) {
	if a.kind != anAddress {
		refuse("memory at %v, which is no address", a)
	}
	r := a.region
	if write && !r.write || !write && !r.read {
		refuse("%d bytes at %v may not be read or written", n, a)
	}
	lo, hi := r.lo, r.hi
	if r.next {
		if !m.next {
			panic("an address of another turn is known")
		}
		if lo = (linear{}); r.hi != (linear{}) { // blocks
			if lo = of(symA, 64); m.wrapped(r.lanes) {
				lo = lo.plus(of(symJ, 64), number(64)) // R is 1
			}
			hi = lo.plus(number(64))
		} else {
			hi = number(32)
		}
	}
	rel := a.at.minus(lo)
	switch {
	case r.name == "hs" || r.name == "ps":
		if rel.known() && rel.n >= 0 && rel.n+n <= 8*r.lanes {
			break
		}
		if m.least[symT] < 2 || n != 8 {
			refuse("%d bytes at %v are not pointers of this turn", n, a)
		}
		turn := number(8 * r.lanes)
		if m.wrapped(r.lanes) {
			turn = number(8 * (r.lanes - 1)).minus(of(symD, 8)).minus(of(symF, 8))
		}
		if rel = rel.minus(turn); !rel.known() || rel.n < 0 || rel.n+n > 8*r.lanes {
			refuse("%d bytes at %v are not pointers of the next turn", n, a)
		}
		rel.n += 8 * r.lanes
	case !rel.known() || rel.n < 0:
		refuse("%d bytes at %v are not where they should be, from %v on", n, a, lo)
	case r.slack > 0:
		m.locateAligned(r, a, rel.n, n)
	case !m.nonnegative(hi.minus(lo).minus(number(rel.n + n))):
		refuse("%d bytes at %v are beyond the end, %v", n, a, hi)
	}
	if (rel.n|n)&3 != 0 && !r.bytes {
		refuse("%d bytes at %v are no words", n, a)
	}
	if r.name == "stack" {
		// On arm64 the frame pointer may be saved there, right below the frame to be.
		if rel.n < m.stackPointer() && (!m.saving || rel.n < returnAt-m.room-8) {
			refuse("%d bytes at %v are below the stack pointer", n, a)
		}
		if write && rel.n < returnAt+8 && rel.n+n > m.frameEnd() {
			refuse("%d bytes at %v are the caller's", n, a)
		}
		for _, s := range m.mem {
			if s.slack > 0 && rel.n < s.from+s.used && rel.n+n > s.from-s.slack {
				refuse("%d bytes at %v are where the aligned part of the stack may be", n, a)
			}
		}
	}
	if r.name == "src" {
		// A node, and all nodes in front of it, are read before any part of its digest is
		// written. So nodes may be hashed in place, and the digest of a node that is hashed
		// alone may overlap the node in any way. How far digests reach may be counted from
		// the same group as where nodes begin.
		if dst := m.mem["dst"]; rel.n < (dst.written+31)/32*64 {
			refuse("%d bytes at %v are read after digests were written up to %d", n, a, dst.written)
		}
	}
	if r.shared && !write && !r.next {
		m.noStateWritten(fmt.Sprintf("%d bytes at %v are read", n, a))
	}
	if m.steps++; write {
		r.written = max(r.written, rel.n+n)
		if r.lastWrite = m.steps; r.firstWrite == 0 {
			r.firstWrite = m.steps
		}
	} else if r.lastRead = m.steps; r.firstRead == 0 {
		r.firstRead = m.steps
	}
	return r, rel.n
}

// noStateWritten refuses what happens if a state of this turn has been written by then:
// lanes without streams may share a state, so what one has is not there any more when
// another has written.
func (m *machine) noStateWritten(what string) {
	for name, r := range m.mem {
		if r.shared && r.lastWrite > 0 {
			refuse("%s after %s was written: a state may be that of several lanes", what, name)
		}
	}
}

// locateAligned checks that a part of the stack that begins at a multiple of
// something, somewhere in slack bytes below from, is in this frame and hits
// nothing else there, wherever it begins.
func (m *machine) locateAligned(r *region, a value, off, n int64) {
	if r.from-r.slack < m.stackPointer() {
		refuse("%d bytes at %v may be below the stack pointer", n, a)
	}
	if off+n <= r.used {
		return
	}
	if r.used = off + n; r.from+r.used > m.frameEnd() {
		refuse("%d bytes at %v may be beyond the frame", n, a)
	}
	for _, o := range m.mem {
		if o != r && o.slack > 0 && r.from-r.slack < o.from+o.used && r.from+r.used > o.from-o.slack {
			refuse("%d bytes at %v may be where another aligned part of the stack is", n, a)
		}
	}
	st := m.mem["stack"]
	hit := func(o, size int64) bool { return o < r.from+r.used && o+size > r.from-r.slack }
	for o := range st.words {
		if hit(o, 4) {
			refuse("%d bytes at %v may be where something else is", n, a)
		}
	}
	for o := range st.cells {
		if hit(o, 8) {
			refuse("%d bytes at %v may be where something else is", n, a)
		}
	}
}

// alignedDown is an address in the stack, rounded down to a multiple: somewhere
// in a part of the stack, which becomes a region of its own.
func (m *machine) alignedDown(a value, to int64) value {
	if a.kind != anAddress || a.symbolic() || a.region != m.mem["stack"] {
		if a.kind == anAddress && a.region.align >= to && !a.symbolic() {
			a.at.n &= -to
			return a
		}
		refuse("%v is rounded", a)
	}
	unit := int64(8)
	if m.arm {
		unit = 16
	}
	name := fmt.Sprintf("aligned %d %d", a.at.n, to)
	r := m.mem[name]
	if r == nil {
		r = m.region(name, linear{}, linear{}, true, true)
		// The stack pointer is a multiple of unit.
		if to <= unit {
			refuse("%v is rounded to %d", a, to)
		}
		r.from, r.slack, r.align = a.at.n&-unit, to-unit, to
	}
	return address(r, linear{})
}

func (m *machine) load32(a value) word {
	r, off := m.locate(a, 4, false)
	if off&3 != 0 {
		return m.loadBytes(a, 1, 0xf)[0]
	}
	return r.word(off)
}

// word is what memory has at an offset.
func (r *region) word(off int64) word {
	if w, ok := r.words[off]; ok {
		return w
	}
	if r.lazy != nil {
		if w, ok := r.lazy(off); ok {
			return w
		}
	}
	refuse("the word at %s[%d] was never written, or is an address or count", r.name, off)
	return 0
}

// load16 reads a number of 16 bits.
func (m *machine) load16(a value) value {
	r, off := m.locate(a, 2, false)
	if off == 0 && r.half.kind != undefined {
		return r.half
	}
	return data(m.loadBytes(a, 1, 3)[0], constant(0))
}

func (m *machine) store32(a value, w word) {
	r, off := m.locate(a, 4, true)
	if off&3 != 0 {
		m.storeBytes(a, vector{w}, 1, 0xf)
		return
	}
	delete(r.cells, off)
	delete(r.cells, off-4)
	r.words[off] = w
}

func (m *machine) load64(a value) value {
	r, off := m.locate(a, 8, false)
	if v, ok := r.cells[off]; ok {
		return v
	}
	return data(m.load32(a), m.load32(a.moved(4)))
}

func (m *machine) store64(a value, v value) {
	if v.kind == aData || v.isNumber() {
		m.store32(a, v.low())
		m.store32(a.moved(4), v.high())
		return
	}
	r, off := m.locate(a, 8, true)
	if r.name != "stack" && r.slack == 0 {
		refuse("%v is stored outside of the stack", v)
	}
	for _, o := range []int64{-4, 0, 4} {
		delete(r.cells, off+o)
	}
	delete(r.words, off)
	delete(r.words, off+4)
	if v.kind == undefined {
		refuse("an undefined value is stored")
	}
	r.cells[off] = v
}

func (m *machine) loadVector(a value, words int) (r vector) {
	for i := range words {
		r[i] = m.load32(a.moved(int64(4 * i)))
	}
	return r
}

func (m *machine) storeVector(a value, x vector, words int) {
	if r, off := m.locate(a, 4, true); off&3 != 0 && r.bytes {
		m.storeBytes(a, x, words, 1<<(4*words)-1)
		return
	}
	for i := range words {
		m.store32(a.moved(int64(4*i)), x[i])
	}
}

// loadBytes reads the bytes of words of which the mask has the bit. The others are 0.
func (m *machine) loadBytes(a value, words int, mask uint64) (x vector) {
	m.prefetch(a) // which is all that a CPU may do with what the mask leaves out
	var at word
	var from *[32]fn
	for i := range words {
		var b [32]fn
		for j := 4 * i; j < 4*i+4; j++ {
			if mask>>j&1 == 0 {
				continue
			}
			r, off := m.locate(a.moved(int64(j)), 1, false)
			if w := r.word(off &^ 3); w != at {
				at, from = w, bitsOf(w)
			}
			copy(b[8*(j&3):], from[8*(off&3):][:8])
		}
		x[i] = fromBits(&b)
	}
	return x
}

// storeBytes writes the bytes of words of which the mask has the bit.
func (m *machine) storeBytes(a value, x vector, words int, mask uint64) {
	m.prefetch(a)
	var to *region
	var at int64
	var b [32]fn // of the word there
	for i := range words {
		if mask>>(4*i)&0xf == 0 {
			continue
		}
		from := bitsOf(x[i])
		for j := 4 * i; j < 4*i+4; j++ {
			if mask>>j&1 == 0 {
				continue
			}
			r, off := m.locate(a.moved(int64(j)), 1, true)
			if word := off &^ 3; to == nil || word != at {
				if to != nil {
					to.words[at] = fromBits(&b)
				}
				if len(r.cells) > 0 {
					panic("bytes are stored where addresses or counts are")
				}
				to, at, b = r, word, *bitsOf(r.word(word))
			}
			copy(b[8*(off&3):], from[8*(j&3):][:8])
		}
	}
	if to != nil {
		to.words[at] = fromBits(&b)
	}
}

// mustBeMultiple refuses an address that is not known to be a multiple of n.
func (m *machine) mustBeMultiple(a value, n int64) {
	if a.kind != anAddress || a.symbolic() || a.region.align < n || a.at.n%n != 0 {
		refuse("%v is not known to be a multiple of %d", a, n)
	}
}

// prefetch checks an address that is fetched ahead. Any address will do, if it does not
// depend on data.
func (m *machine) prefetch(at value) {
	if at.kind != anAddress && at.kind != aNumber {
		refuse("what is fetched ahead depends on %v", at)
	}
}

// ---- flags

// compare sets the flags of a - b.
func (m *machine) compare(a, b value, size int) {
	m.f = flags{}
	if a.isNumber() && b.isNumber() {
		x, y := a.at.n, b.at.n
		d := x - y
		m.f.carry = uint64(x) < uint64(y)
		if size == 4 {
			x, y = int64(int32(x)), int64(int32(y))
			d = int64(int32(x - y))
			m.f.carry = uint32(x) < uint32(y)
		}
		m.f.zero, m.f.sign, m.f.overflow = d == 0, d < 0, (d < 0) != (x < y)
		m.f.carryOK, m.f.zeroOK, m.f.signOK = true, true, true
		return
	}
	switch st := m.mem["stack"]; {
	case a.kind == anAddress && b.isNumber():
		// In the stack, of which the frame is above any small number.
		inStack := a.region == st && !a.symbolic() && a.at.n >= returnAt-m.room
		m.f.carryOK = inStack && 0 <= b.at.n && b.at.n <= stackBig
		m.f.zeroOK = m.f.carryOK
		m.f.wraps = inStack && stackBig < b.at.n && b.at.n <= returnAt // no frame is larger
		return
	case a.kind == anAddress && a.region == st && !a.symbolic() && b == address(m.mem["stack guard"], linear{}):
		m.f.guarded, m.f.room = true, returnAt-a.at.n
		return
	case a.kind == anAddress && b.kind == anAddress && a.region == b.region && m.isNear(a) && m.isNear(b):
	case a.kind == aNumber && b.kind == aNumber && size == 8 && m.nonnegative(a.at) && m.nonnegative(b.at):
	case a.kind == aData && b.kind != anAddress, b.kind == aData && a.kind != anAddress:
		return // nothing is known
	default:
		refuse("%v is compared with %v", a, b)
	}
	d := a.at.minus(b.at)
	m.decide(d)
}

// isNear says whether an address is no further from an object than this is long: no
// object is so near to either end of the address space.
func (m *machine) isNear(a value) bool {
	long := a.region.hi
	if a.region.slack > 0 {
		long = number(a.region.used)
	}
	return m.nonnegative(a.at.plus(long)) && m.nonnegative(long.times(2).minus(a.at))
}

// decide sets the flags of a difference, of numbers other than data.
func (m *machine) decide(d linear) {
	m.f = flags{}
	switch {
	case d.known():
		m.f = flags{carry: d.n < 0, zero: d.n == 0, sign: d.n < 0, carryOK: true, zeroOK: true, signOK: true}
	case m.nonnegative(d.plus(number(-1))):
		m.f = flags{carryOK: true, zeroOK: true, signOK: true}
	case m.nonnegative(d):
		m.f = flags{carryOK: true, signOK: true}
	case m.nonnegative(d.times(-1).plus(number(-1))):
		m.f = flags{carry: true, sign: true, carryOK: true, zeroOK: true, signOK: true}
	default:
		m.f.undecided = &d
	}
}

// fork goes both ways where a difference may or may not be negative, what the CPU
// has may or may not be there, or data may or may not be 0. In both, the
// instruction at hand comes again.
func (m *machine) fork(condition string) *machine {
	var other *machine
	switch {
	case m.f.guarded:
		if !slices.Contains([]string{"a", "ae", "b", "be"}, condition) {
			refuse("the stack guard is not compared as an address")
		}
		other = m.clone()
		other.lacks = true
		m.room = max(m.room, m.f.room+stackSmall)
		other.f, m.f = flags{carryOK: true, carry: true, zeroOK: true}, flags{carryOK: true, zeroOK: true}
	case m.f.wraps:
		other = m.clone()
		other.lacks = true
		other.f, m.f = flags{carryOK: true, carry: true}, flags{carryOK: true}
	case m.f.undecided != nil:
		d := *m.f.undecided
		other = m.clone()
		other.facts = append(other.facts, d.times(-1).plus(number(-1)).reduced())
		m.facts = append(m.facts, d.reduced())
		other.decide(d)
		m.decide(d)
	case m.f.cpu:
		other = m.clone()
		other.f, m.f = flags{zeroOK: true, zero: true}, flags{zeroOK: true}
	case m.f.isZero != 0 && m.forks:
		other = m.clone()
		other.zeros = append(other.zeros, m.f.isZero)
		other.f, m.f = flags{zeroOK: true, zero: true}, flags{zeroOK: true}
	}
	return other
}

// resultFlags sets zero and sign.
func (m *machine) resultFlags(v value, size int) {
	f := &m.f
	f.zeroOK, f.signOK, f.isZero = false, false, 0
	switch {
	case v.kind == anAddress: // which is not 0
		f.zero, f.zeroOK = false, true
	case v.isNumber():
		n := v.at.n
		if size == 4 {
			n = int64(int32(n))
		}
		f.zero, f.sign, f.zeroOK, f.signOK = n == 0, n < 0, true, true
	case v.kind == aNumber && size == 8:
		m.decide(v.at)
		m.f.carryOK, m.f.undecided = false, nil
	case v.kind == aData && (size == 4 || v.hi == constant(0)):
		f.isZero = v.low()
	}
}

// test says whether a condition holds, or that it is not known yet.
func (m *machine) test(c string) (holds, ok bool) {
	f := &m.f
	switch c {
	case "e":
		return f.zero, f.zeroOK
	case "b":
		return f.carry, f.carryOK
	case "be":
		return f.carry || f.zero, f.carryOK && f.zeroOK
	case "l":
		return f.sign != f.overflow, f.signOK
	case "le":
		return f.zero || f.sign != f.overflow, f.zeroOK && f.signOK
	case "ne", "ae", "a", "ge", "g":
		holds, ok = m.test(map[string]string{"ne": "e", "ae": "b", "a": "be", "ge": "l", "g": "le"}[c])
		return !holds, ok
	}
	panic("no condition " + c)
}
