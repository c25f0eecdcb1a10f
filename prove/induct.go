package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Any number of blocks, of turns and of streams, by induction over the loop of
// blocks.
//
// An abstract state is a machine at the head of that loop, with J blocks of the
// turn done and R left, for any J and R. It holds numbers and addresses that
// are linear in the symbols, and words made of inputs: the hash value so far,
// and the blocks from the next one on. All else is undefined. It holds what all
// arrivals at the head have in common. From it the kernel runs again: with the
// last block left, to the end of the last turn and of another turn; and with
// more left. At the end of a turn the states must be the specification's; at
// the head the terms are put back to what they mean there. When nothing is lost
// any more, that was the step of the induction.
//
// Kernels may be in one of two phases at the head, with buffers exchanged.

// A call says how a kernel is called. Proofs of streams and of nodes differ in
// it.
type call struct {
	lanes int
	nodes bool
	turns bool // several streams: Kernel.Blocks
	// single is that there is one turn, and nothing known of the ring.
	single bool
	// step is the number of blocks that a round of the loop does, least the
	// smallest number that is left at its head.
	step, least int64
}

func stateName(i int) string { return fmt.Sprintf("h%d", i) }
func blockName(i int) string { return fmt.Sprintf("m%d", i) }

func messageWord(name string, i int64) word { return input(fmt.Sprintf("%s[%d]", name, i)) }

// messageBlock is block b, counted from the next block.
func messageBlock(name string, b int64) (m block) {
	for i := range m {
		m[i] = messageWord(name, 16*b+int64(i))
	}
	return m
}

func hashValue(name string) (h state) {
	for i := range h {
		h[i] = input(fmt.Sprintf("%s[%d]", name, i))
	}
	return h
}

func (m *machine) stateRegion(i int, next, shared bool) {
	r := m.region(stateName(i), linear{}, linear{}, true, true)
	r.shared = shared
	if r.next = next; !next {
		r.hi = number(32)
	}
	r.hasState()
}

// message is memory of big-endian words, named from lo on.
func (m *machine) message(name string, lo, hi linear) *region {
	r := m.region(name, lo, hi, true, false)
	r.lazy = func(off int64) (word, bool) { return swapBytes(messageWord(name, off/4)), true }
	return r
}

// entry is a machine at a kernel's entry, with n blocks a turn.
func (c call) entry(k *code, n, turns linear) *machine {
	L := int64(c.lanes)
	mem := &machine{mem: map[string]*region{}}
	var args []argument
	ptr := func(name string, at linear) value { return address(mem.mem[name], at) }
	switch left := of(symA, 64).plus(n.times(64)); {
	case c.nodes:
		mem.message("src", of(symA, 64*L), of(symA, 64*L).plus(n.times(64*L)))
		mem.region("dst", of(symA, 32*L), of(symA, 32*L).plus(n.times(32*L)), false, true)
		args = []argument{{"dst", ptr("dst", of(symA, 32*L))}, {"src", ptr("src", of(symA, 64*L))}, {"n", counted(n.times(L))}}
	case !c.turns:
		mem.stateRegion(0, false, false)
		mem.message(blockName(0), of(symA, 64), left)
		args = []argument{{"h", ptr(stateName(0), linear{})}, {"p", ptr(blockName(0), of(symA, 64))}, {"n", counted(n)}}
	default:
		// The pointers of the first lanes-1 streams follow once more.
		end := of(symF, 8).plus(of(symD, 8), number(8*L))
		ring := counted(of(symF, 1).plus(of(symD, 1), number(1)))
		if c.single {
			end, ring, turns = of(symF, 8).plus(number(8*L)), data(unknown(), unknown()), number(1)
		}
		for _, name := range []string{"hs", "ps"} {
			mem.region(name, of(symF, 8), end, true, false).lanes = L
		}
		for i := range 2 * c.lanes {
			next := i >= c.lanes
			mem.stateRegion(i, next, true)
			b := mem.message(blockName(i), of(symA, 64), left)
			b.next, b.lanes = next, L
			mem.mem["hs"].cells[int64(8*i)], mem.mem["ps"].cells[int64(8*i)] = ptr(stateName(i), linear{}), ptr(blockName(i), linear{})
		}
		args = []argument{{"states", ptr("hs", linear{})}, {"data", ptr("ps", linear{})}, {"ring", ring},
			{"first", counted(of(symF, 1))}, {"at", counted(of(symA, 1))}, {"slice", counted(n)}, {"turns", counted(turns)}}
	}
	m := k.entry(args)
	maps.Copy(m.mem, mem.mem)
	return m
}

// left puts the regions of messages at J blocks done, R left.
func (c call) left(m *machine) {
	L := int64(c.lanes)
	done, all := of(symA, 1).plus(of(symJ, 1)), of(symA, 1).plus(of(symJ, 1), of(symR, 1))
	if c.nodes {
		m.mem["src"].lo, m.mem["src"].hi = done.times(64*L), all.times(64*L)
		m.mem["dst"].lo, m.mem["dst"].hi = done.times(32*L), all.times(32*L)
		return
	}
	for i := range c.lanes {
		r := m.mem[blockName(i)]
		r.lo, r.hi = done.times(64), all.times(64)
	}
}

// everywhere applies f to all numbers and addresses of a machine.
func (m *machine) everywhere(f func(linear) linear) {
	for i := range m.gp {
		m.gp[i].at = f(m.gp[i].at)
	}
	for _, r := range m.mem {
		r.lo, r.hi = f(r.lo), f(r.hi)
		for o, v := range r.cells {
			v.at = f(v.at)
			r.cells[o] = v
		}
	}
}

// A renaming puts inputs in the place of what they mean at the next arrival.
type renaming struct {
	words   map[word]word
	known   map[word]word
	input   func(name string) string // or ""
	numbers func(linear) linear
	region  func(name string) string // or ""
}

// word is w in the terms of the next arrival, or 0.
func (r *renaming) word(w word) word {
	if x, ok := r.known[w]; ok {
		return x
	}
	x := r.rename(w)
	r.known[w] = x
	return x
}

func (r *renaming) rename(w word) word {
	if x, ok := r.words[w]; ok || w == 0 {
		return x
	}
	switch n := nodes[w]; n.kind {
	case anInput:
		if n.bound {
			return 0
		}
		if name := r.input(n.name); name != "" {
			return input(name)
		}
	case aSum:
		s := constant(n.konst)
		for _, t := range n.terms {
			x := r.word(t.w)
			if x == 0 {
				return 0
			}
			s = add(s, multiple(x, t.factor))
		}
		return s
	case aLogic:
		xs := make([]word, len(n.cols))
		for i, c := range n.cols {
			x := r.word(word(c >> 5))
			if x == 0 {
				return 0
			}
			xs[i] = rotateRight(x, int(c&31))
		}
		return compose(n.fs, xs)
	}
	return 0
}

// compose is a function of words, one for all bits or one for each, by Shannon's
// expansion.
func compose(fs []table, xs []word) word {
	if len(xs) == 0 {
		return fromColumns(nil, slices.Clone(fs))
	}
	k := len(xs) - 1
	lo, hi := make([]table, len(fs)), make([]table, len(fs))
	for i, f := range fs {
		lo[i] = f & isZero[k]
		lo[i] |= lo[i] << (1 << k)
		hi[i] = f &^ isZero[k]
		hi[i] |= hi[i] >> (1 << k)
	}
	return logic(choice, xs[k], compose(hi, xs[:k]), compose(lo, xs[:k]))
}

// A snapshot is what is known at the head.
type snapshot struct {
	gp    [33]value
	v     [32]vector
	k     [8]value
	dirty bool
	room  int64
	words map[string]map[int64]word
	cells map[string]map[int64]value
	parts map[string]*region // aligned ones of the stack
}

// take makes a snapshot of a machine that has arrived.
func take(m *machine, r *renaming) *snapshot {
	s := &snapshot{dirty: m.dirty, room: m.room, words: map[string]map[int64]word{}, cells: map[string]map[int64]value{}, parts: map[string]*region{}}
	renamed := func(v value) value {
		switch v.kind {
		case aNumber:
			v.at = r.numbers(v.at)
		case anAddress:
			name := r.region(v.region.name)
			if name == "" {
				return value{}
			}
			v.at, v.region = r.numbers(v.at), &region{name: name}
		case aData:
			// The upper half may be undefined for its own.
			if v.lo, v.hi = r.word(v.lo), r.word(v.hi); v.lo == 0 {
				return value{}
			} else if v.hi == 0 {
				return v
			}
			return data(v.lo, v.hi)
		}
		return v
	}
	for i, v := range m.gp {
		s.gp[i] = renamed(v)
	}
	for i := range m.v {
		for j, w := range m.v[i] {
			s.v[i][j] = r.word(w)
		}
	}
	for i, v := range m.k {
		if s.k[i] = renamed(v); s.k[i].kind == aData && s.k[i].hi == 0 {
			s.k[i] = value{}
		}
	}
	for name, g := range m.mem {
		to := r.region(name)
		if to == "" || fixed(name) || name == "dst" {
			continue
		}
		s.words[to], s.cells[to] = map[int64]word{}, map[int64]value{}
		if g.slack > 0 {
			s.parts[name] = g
		}
		for o, w := range g.words {
			if x := r.word(w); x != 0 {
				s.words[to][o] = x
			}
		}
		for o, v := range g.cells {
			if x := renamed(v); x.kind != undefined && (x.kind != aData || x.hi != 0) {
				s.cells[to][o] = x
			}
		}
	}
	return s
}

// fixed says whether a region never changes.
func fixed(name string) bool {
	return name == "hs" || name == "ps" || strings.HasPrefix(name, "table ")
}

func same(a, b value) bool {
	if a.kind == anAddress && b.kind == anAddress && a.region.name == b.region.name {
		a.region, b.region = nil, nil
	}
	return a == b
}

// meet leaves in s what t has as well, when s's numbers are taken as at says. It
// returns what is lost.
func (s *snapshot) meet(t *snapshot, at func(linear) linear) (lost []string) {
	lose := func(format string, a ...any) { lost = append(lost, fmt.Sprintf(format, a...)) }
	differ := func(v, w value) bool {
		if v.kind == aNumber || v.kind == anAddress {
			v.at = at(v.at)
		}
		return v.kind != undefined && !same(v, w)
	}
	for i, v := range s.gp {
		if differ(v, t.gp[i]) {
			lose("register %d: %v, %v", i, v, t.gp[i])
			s.gp[i] = value{}
		}
	}
	for i := range s.v {
		for j, w := range s.v[i] {
			if w != 0 && w != t.v[i][j] {
				lose("vector %d, word %d", i, j)
				s.v[i][j] = 0
			}
		}
	}
	for i, v := range s.k {
		if differ(v, t.k[i]) {
			lose("mask %d", i)
			s.k[i] = value{}
		}
	}
	if t.dirty && !s.dirty {
		s.dirty = true
		lose("upper parts")
	}
	if t.room < s.room {
		s.room = t.room
		lose("room in the stack")
	}
	for name := range s.words {
		for o, w := range s.words[name] {
			if w != t.words[name][o] {
				lose("%s[%d]", name, o)
				delete(s.words[name], o)
			}
		}
		for o, v := range s.cells[name] {
			if differ(v, t.cells[name][o]) {
				lose("%s[%d]: %v, %v", name, o, v, t.cells[name][o])
				delete(s.cells[name], o)
			}
		}
	}
	for name, g := range t.parts {
		if h := s.parts[name]; h == nil || h.used < g.used {
			s.parts[name] = g
			lose("%s is used up to %d", name, g.used)
		}
	}
	return lost
}

// start is a machine at the head, with the memory of one that has been there.
func (s *snapshot) start(like *machine) *machine {
	m := like.clone()
	m.f, m.steps, m.count, m.zeros, m.facts, m.ended, m.dirty, m.room = flags{}, 0, 0, nil, nil, false, s.dirty, s.room
	m.entered, m.lacks = false, false
	for name, g := range s.parts {
		if m.mem[name] == nil {
			m.mem[name] = &region{}
		}
		*m.mem[name] = *g
	}
	m.gp, m.k = s.gp, s.k
	for i := range m.gp {
		m.gp[i] = m.gp[i].in(m.mem)
		if v := &m.gp[i]; v.kind == aData && v.hi == 0 {
			v.hi = unknown()
		}
	}
	for i := range m.v {
		for j, w := range s.v[i] {
			if w == 0 {
				w = unknown()
			}
			m.v[i][j] = w
		}
	}
	for name, g := range m.mem {
		g.firstRead, g.lastRead, g.firstWrite, g.lastWrite, g.written = 0, 0, 0, 0, 0
		if fixed(name) || g.next {
			continue
		}
		g.words, g.cells = maps.Clone(s.words[name]), map[int64]value{}
		if g.words == nil {
			g.words = map[int64]word{}
		}
		for o, v := range s.cells[name] {
			g.cells[o] = v.in(m.mem)
		}
	}
	return m
}

func expect(what string, got, want word) {
	if got != want {
		// Of two long sums that differ little, show prints the same beginning.
		refuse("%s is not what the specification says:\n\tgot  %s\n\twant %s\n\tgot is more by %s", what, show(got, 2), show(want, 2), show(add(got, negative(want)), 2))
	}
}

// An induction is the proof of a kernel.
type induction struct {
	call
	code *code
	head int64
	// progress is how far it came, in steps.
	progress int
	memo     map[[2]int64]state
}

func (d *induction) progressed() int { return d.progress }

// compressed is the hash value of a lane after n more blocks.
func (d *induction) compressed(lane int, n int64) state {
	if n == 0 {
		return hashValue(stateName(lane))
	}
	k := [2]int64{int64(lane), n}
	s, ok := d.memo[k]
	if !ok {
		s = compress(d.compressed(lane, n-1), messageBlock(blockName(lane), n-1))
		d.memo[k] = s
	}
	return s
}

// stored checks what n more blocks have left in memory.
func (d *induction) stored(m *machine, n int64) {
	if d.nodes {
		d.digests(m, n)
		return
	}
	for i := range d.lanes {
		r := m.mem[stateName(i)]
		for j, w := range d.compressed(i, n) {
			expect(fmt.Sprintf("word %d of the state of lane %d, after %d blocks,", j, i, n), r.words[int64(4*j)], w)
		}
		// Streams of the next turn may be the same as in this one.
		if next := m.mem[stateName(i+d.lanes)]; d.turns && next.firstRead > 0 {
			for k := range d.lanes {
				if m.mem[stateName(k)].lastWrite > next.firstRead {
					refuse("a state of the next turn is read before all of this one are written")
				}
			}
		}
		if next := m.mem[stateName(i+d.lanes)]; d.turns && next.firstWrite > 0 {
			refuse("a state of the next turn is written")
		}
	}
}

// digests checks what groups of nodes have written: all of the next n groups' digests.
func (d *induction) digests(m *machine, n int64) {
	dst := m.mem["dst"]
	all := n * int64(d.lanes)
	if int64(len(dst.words)) != 8*all {
		refuse("%d words are written of %d digests", len(dst.words), all)
	}
	for i := range all {
		for j, w := range compress(compress(initialState(), messageBlock("src", i)), padding()) {
			expect(fmt.Sprintf("word %d of digest %d", j, i), dst.words[32*i+int64(4*j)], swapBytes(w))
		}
	}
}

// renaming is to the next block, or to the next turn.
func (d *induction) renaming(blocks int64, turn, wrapped bool) *renaming {
	r := &renaming{words: map[word]word{}, known: map[word]word{}}
	L := int64(d.lanes)
	own := func(name string) (i int, rest string, ok bool) {
		_, err := fmt.Sscanf(name, "h%d", &i)
		if err != nil {
			_, err = fmt.Sscanf(name, "m%d", &i)
		}
		_, rest, _ = strings.Cut(name, "[")
		return i, rest, err == nil
	}
	r.region = func(name string) string {
		i, _, ok := own(name)
		switch {
		case !ok || !turn && i < d.lanes:
			return name
		case !turn:
			return ""
		case i >= d.lanes:
			return fmt.Sprintf("%c%d", name[0], i-d.lanes)
		}
		return ""
	}
	r.input = func(name string) string {
		if strings.Contains(name, "pointer, ") || strings.Contains(name, "address, ") {
			return name
		}
		region, index, ok := strings.Cut(name, "[")
		if !ok {
			return ""
		}
		var t int64
		fmt.Sscanf(index, "%d]", &t)
		switch i, _, _ := own(name); {
		case region == "src":
			t -= 16 * L * blocks
		case turn && i < d.lanes:
			return ""
		case turn:
			region = r.region(region)
		case i >= d.lanes:
		case region[0] == 'h' && blocks > 0: // what is known of the value before is in words
			return ""
		case region[0] == 'm':
			t -= 16 * blocks
		}
		if t < 0 {
			return ""
		}
		return fmt.Sprintf("%s[%d]", region, t)
	}
	if !turn && !d.nodes {
		for i := range d.lanes {
			to := hashValue(stateName(i))
			for j, w := range d.compressed(i, blocks) {
				r.words[w] = to[j]
			}
		}
	}
	switch {
	case !turn: // J is J'-blocks, R is R'+blocks
		r.numbers = func(l linear) linear {
			return l.plus(number((l.c[symR] - l.c[symJ]) * blocks))
		}
	default: // the last block is done: R was 1, J is R'-1
		r.numbers = func(l linear) linear {
			l = l.plus(number(l.c[symT])) // T is T'+1
			j := of(symR, 1).plus(number(-1))
			if !wrapped { // F is F'-L, D is D'+L
				return l.plus(number(L*(l.c[symD]-l.c[symF]))).with(symJ, j)
			}
			// The next turn begins n further on, with stream F+L-streams: A is A'-R',
			// D is L-1-F', F is D'+2F'-L+1.
			f, dd := of(symD, 1).plus(of(symF, 2), number(1-L)), number(L-1).minus(of(symF, 1))
			cf, cd := l.c[symF], l.c[symD]
			l.c[symF], l.c[symD] = 0, 0
			return l.plus(f.times(cf), dd.times(cd)).with(symA, of(symA, 1).minus(of(symR, 1))).with(symJ, j)
		}
	}
	return r
}

// prove does the induction, or refuses.
func (d *induction) prove() {
	d.memo = map[[2]int64]state{}
	same := func(l linear) linear { return l }
	// Calls that do not reach the loop: nothing to do, or fewer blocks than it takes.
	for n := range d.least {
		m := d.entry(d.code, number(n), of(symT, 1))
		for _, m := range d.code.run(m, 0, -1) {
			d.stored(m, n)
		}
	}
	var states [2]*snapshot
	var like *machine
	var todo []int
	arrive := func(phase int, t *snapshot, at func(linear) linear) {
		if lost := states[phase].meet(t, at); len(lost) > 0 && !slices.Contains(todo, phase) {
			todo = append(todo, phase)
		}
	}
	ready := func(m *machine) *machine {
		m.least[symR], m.least[symT] = d.least, 1
		return m
	}
	first := func(l linear) linear { return l.with(symJ, linear{}) }
	entries, arrived := []*snapshot{}, []*machine{}
	for _, m := range d.code.run(ready(d.entry(d.code, of(symR, 1), of(symT, 1))), 0, d.head) {
		if m.ended {
			refuse("the loop is not reached")
		}
		if d.nodes && len(m.mem["dst"].words) > 0 {
			refuse("a digest is written before the loop")
		}
		d.left(m)
		like = m
		entries, arrived = append(entries, take(m, d.renaming(0, false, false))), append(arrived, m.clone())
	}
	// What numbers become with blocks done is guessed: from the first block.
	begin := entries[0].start(like)
	first0 := func(m *machine) { m.everywhere(first) }
	first0(begin)
	ready(begin).least[symR] = d.least + d.step
	ends := d.code.run(begin, d.head, d.head)
	back := slices.IndexFunc(ends, func(m *machine) bool { return !m.ended })
	if back < 0 {
		refuse("it ends with blocks left, always")
	}
	after := take(ends[back], d.renaming(d.step, false, false))
	guess := func(v, w value) value { // v without blocks done, w after the first ones
		v0 := v.at
		w.at = w.at.minus(v0)
		if v.kind == w.kind && w.at.known() && !v0.known() && v.kind != aData && w.at.n%d.step == 0 {
			v.at.c[symJ] = w.at.n / d.step
		}
		return v
	}
	for _, s := range entries {
		for i := range s.gp {
			s.gp[i] = guess(s.gp[i], after.gp[i])
		}
		for name := range s.cells {
			for o, v := range s.cells[name] {
				s.cells[name][o] = guess(v, after.cells[name][o])
			}
		}
	}
	states[0] = entries[0]
	for _, s := range entries[1:] {
		arrive(0, s, same)
	}
	d.progress++
	for _, m := range arrived {
		m.noStateWritten("the loop begins")
	}
	todo = []int{0}
	for len(todo) > 0 { // each round but one has lost something
		phase := todo[0]
		todo = todo[1:]
		d.progress++
		from := func(least, exact int64, turns int64) []*machine {
			m := ready(states[phase].start(like))
			d.left(m)
			m.next = turns > 1 && exact == 1
			m.least[symT], m.least[symR] = turns, least
			m.everywhere(func(l linear) linear {
				if exact > 0 {
					l = l.with(symR, number(exact))
				}
				if turns == 1 && exact > 0 {
					l = l.with(symT, number(1))
				}
				return l
			})
			return d.code.run(m, d.head, d.head)
		}
		next := 1 - phase
		to := func(t *snapshot, at func(linear) linear) {
			if states[next] == nil {
				states[next] = t
				todo = append(todo, next)
				return
			}
			arrive(next, t, at)
		}
		// Blocks are left. This case comes first, since it makes states.
		for _, m := range from(d.least+d.step, 0, 1) {
			if m.ended {
				refuse("it ends with blocks left")
			}
			if d.nodes {
				d.digests(m, d.step)
			}
			m.noStateWritten("the next block begins")
			to(take(m, d.renaming(d.step, false, false)), same)
		}
		for r := d.least; r < d.least+d.step; r++ {
			for _, m := range from(1, r, 1) {
				if !m.ended {
					refuse("it goes on with no block left")
				}
				d.stored(m, r)
			}
		}
		if !d.turns || d.single {
			continue
		}
		for _, m := range from(1, 1, 2) {
			if m.ended {
				refuse("it ends with turns left")
			}
			d.stored(m, 1)
			to(take(m, d.renaming(1, true, m.wrapped(int64(d.lanes)))), first)
		}
	}
}
