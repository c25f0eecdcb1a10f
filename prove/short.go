package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// Routines for short messages. Those for lists are proved for lists of any length, by induction
// over the loop of the list. J of the list's slots are done and R are left. The slot at hand is A behind the
// first one, the next one F further on. What belongs to it has number N: message N, the
// head of message N, or the digest that goes D·N behind where digests begin, which is P.
// Here D is the distance of digests, or the number of bytes in front of a message.

// A routine is proved as kernels are, but is in no catalog.
type routine struct {
	blocks.Spec
	shown string // for which calls
	proof func(d listProof) proof
	// everyLength is set if the routine has no loop, or a loop of few turns: the prover runs it for
	// every length.
	everyLength bool
}

var routines = []routine{
	{blocks.Spec{Name: "padShort_avx512", Arch: "amd64", Needs: withMasks}, ofPadding, newPaddingProof, false},
	{blocks.Spec{Name: "padShort_ssse3", Arch: "amd64"}, ofPadding, newPaddingProof, false},
	{blocks.Spec{Name: "putDigests_avx512", Arch: "amd64", Needs: withMasks}, ofDigests, newDigestsProof, false},
	{blocks.Spec{Name: "putDigests_ssse3", Arch: "amd64", Needs: cpu.SSSE3}, ofDigests, newDigestsProof, false},
	{blocks.Spec{Name: "padShort_neon", Arch: "arm64"}, ofPadding, newPaddingProof, false},
	{blocks.Spec{Name: "putDigests_neon", Arch: "arm64"}, ofDigests, newDigestsProof, false},
	{blocks.Spec{Name: "append_avx512", Arch: "amd64", Needs: withMasks}, ofAppends, newAppendProof, true},
	{blocks.Spec{Name: "write_avx512shani", Arch: "amd64", Needs: withMasks | cpu.SSSE3 | cpu.SHA}, ofPieces, newWriteProof, true},
	{blocks.Spec{Name: "finish_avx512shani", Arch: "amd64", Needs: withMasks | cpu.SSSE3 | cpu.SHA}, ofEnds, newFinishProof, true},
}

const (
	withMasks = cpu.BMI2 | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL
	ofPadding = "any messages, every length behind every length"
	ofDigests = "any digests, every size"
	ofPieces  = "every length that one call gets behind 1 to 63 bytes, if together they fill a block"
	ofAppends = "every length behind every length, at most a block"
	ofEnds    = "every length that one call gets behind every length, any length in front"
)

func newPaddingProof(d listProof) proof { return &paddingProof{listProof: d, inFront: belowABlock()} }

// belowABlock are the lengths that fill no block.
func belowABlock() (lengths []int) {
	for n := range blocks.Size {
		lengths = append(lengths, n)
	}
	return lengths
}

func newDigestsProof(d listProof) proof { return &digestsProof{d} }

func newWriteProof(d listProof) proof { return &writeProof{code: d.code, held: belowABlock()[1:]} }

func newAppendProof(d listProof) proof { return &appendProof{code: d.code, held: belowABlock()} }

func newFinishProof(d listProof) proof { return &finishProof{code: d.code, before: belowABlock()} }

// routineNamed finds a routine, or returns nil.
func routineNamed(name string) *routine {
	if i := slices.IndexFunc(routines, func(r routine) bool { return r.Name == name }); i >= 0 {
		return &routines[i]
	}
	return nil
}

// provable are the kernels and the routines.
func provable() []blocks.Spec {
	all := blocks.Catalog()
	for _, r := range routines {
		all = append(all, r.Spec)
	}
	return all
}

// The layout of a slot.
const (
	slotState = int64(unsafe.Offsetof(blocks.Slot{}.H))
	slotSize  = int64(unsafe.Sizeof(blocks.Slot{}))
)

// An octet is 8 bits.
type octet [8]fn

// octets are the first n bytes in memory of words, which are inputs of a name.
func octets(name string, n int) []octet {
	r := make([]octet, 0, n+3)
	for i := range (n + 3) / 4 {
		r = append(r, octetsOf(messageWord(name, int64(i)))...)
	}
	return r[:n]
}

// octetsOf are the bytes of a word in memory.
func octetsOf(w word) []octet {
	b := bitsOf(w)
	return []octet{octet(b[:8]), octet(b[8:16]), octet(b[16:24]), octet(b[24:])}
}

// octetOf is a byte that is known.
func octetOf(c byte) (o octet) {
	for i := range o {
		if c>>i&1 != 0 {
			o[i] = fnTrue
		}
	}
	return o
}

// inMemory are the words that bytes are in memory, with zeros behind them.
func inMemory(octets []octet) (words []word) {
	for len(octets) > 0 {
		var b [32]fn
		for i := range min(4, len(octets)) {
			copy(b[8*i:], octets[i][:])
		}
		words, octets = append(words, fromBits(&b)), octets[min(4, len(octets)):]
	}
	return words
}

// hasOctets has a region of bytes hold inputs of its name.
func (r *region) hasOctets() {
	r.bytes, r.lazy = true, func(off int64) (word, bool) { return messageWord(r.name, off/4), true }
}

// hasState has a region hold the words of a state, inputs of its name.
func (r *region) hasState() {
	for i, w := range hashValue(r.name) {
		r.words[int64(4*i)] = w
	}
}

// hasBytes has a region of bytes hold these.
func (r *region) hasBytes(octets []octet) {
	words := inMemory(octets)
	r.bytes, r.lazy = true, func(off int64) (word, bool) { return words[off/4], true }
}

// A listProof is the proof of a routine.
type listProof struct {
	code *code
	head int64
	// progress is how far it came, in rounds of the induction.
	progress int
}

func (d *listProof) progressed() int { return d.progress }

// list is memory with what both routines have: the slots, of which the part from an
// offset on is used, and their numbers.
func list(n linear, from int64) (mem *machine, slots, numbers value) {
	mem = &machine{mem: map[string]*region{}}
	s := mem.region("slots", of(symA, 1).plus(number(from)), of(symA, 1).plus(number(slotSize)), false, true)
	l := mem.region("numbers", of(symJ, 2), of(symJ, 2).plus(n.times(2)), true, false)
	l.bytes, l.half = true, counted(of(symN, 1))
	if numbers = address(l, of(symJ, 2)); n == (linear{}) { // an empty list may be anywhere
		numbers = data(unknown(), unknown())
	}
	return mem, address(s, of(symA, 1)), numbers
}

// entry is a machine at the entry.
func (d *listProof) entry(mem *machine, args []argument) *machine {
	m := d.code.entry(args)
	maps.Copy(m.mem, mem.mem)
	m.least[symD] = -1 << 50 // it may be large: nothing is compared with it
	return m
}

// atSlot is a machine at the head: nothing is written yet that belongs to the slot there.
func (s *snapshot) atSlot(like *machine) *machine {
	m := s.start(like)
	for _, name := range []string{"slots", "dst"} {
		if r := m.mem[name]; r != nil {
			clear(r.words)
		}
	}
	return m
}

// left makes the slot at hand the last one, or not the last one.
func (m *machine) left(last bool) {
	if m.least[symR] = 2; last {
		m.least[symR] = 1
		m.everywhere(func(l linear) linear { return l.with(symR, number(1)) })
	}
}

func sameNumber(l linear) linear { return l }

// identity leaves all as it is, but for some words.
func identity(words map[word]word) *renaming {
	name := func(s string) string { return s }
	return &renaming{words: words, known: map[word]word{}, region: name, numbers: sameNumber, input: name}
}

// arrive is a snapshot of a machine at the head, in terms of the slot there, with done
// slots between: none or one. What depends on the number of a slot is lost.
func arrive(m *machine, done int64, kept map[word]word) *snapshot {
	m = m.clone()
	lasting := func(v value) value {
		if v.at.c[symN] != 0 || v.at.c[symP] != 0 {
			return value{}
		}
		return v
	}
	for i, v := range m.gp {
		m.gp[i] = lasting(v)
	}
	for _, r := range m.mem {
		for o, v := range r.cells {
			r.cells[o] = lasting(v)
		}
	}
	return take(m, &renaming{
		words: kept, known: map[word]word{},
		region: func(name string) string { return name },
		numbers: func(l linear) linear { // J is J'-1, R is R'+1, A is A'-F
			l.n += (l.c[symR] - l.c[symJ]) * done
			l.c[symF] -= l.c[symA] * done
			return l
		},
		input: func(name string) string {
			for _, lasting := range []string{"return address, ", "frame pointer, ", "h[", "rest["} {
				if strings.HasPrefix(name, lasting) {
					return name
				}
			}
			return ""
		},
	})
}

// ends checks whether a machine is at the end of the routine if the last slot is done,
// and at the head if not.
func (d *listProof) ends(m *machine, last bool) {
	switch {
	case last && !m.ended:
		refuse("it goes on with no slot left")
	case !last && m.ended:
		refuse("it ends with slots left")
	}
}

// hasWords checks that words have been written, and no others.
func (r *region) hasWords(want map[int64]word) {
	for _, off := range slices.Sorted(maps.Keys(want)) {
		expect(fmt.Sprintf("%s[%d]", r.name, off), r.words[off], want[off])
	}
	for off, w := range r.words {
		if want[off] == 0 {
			expect(fmt.Sprintf("%s[%d], which is not to be written,", r.name, off), w, 0)
		}
	}
}

// ---- Digests

// A digestsProof is the proof of a routine that stores digests.
type digestsProof struct{ listProof }

// entry is a machine at the entry, with n slots, for the first size bytes of digests. The
// states may be set to h then.
func (d *digestsProof) entry(n linear, size value, h bool) *machine {
	mem, slots, numbers := list(n, slotState)
	mem.mem["slots"].read = true
	mem.mem["slots"].lazy = func(off int64) (word, bool) { return messageWord("state", off/4), true }
	dst := mem.region("dst", of(symP, 1), of(symP, 1).plus(size.at), false, true)
	dst.hasOctets()
	next := numeric(0)
	if h {
		r := mem.region("h", linear{}, number(32), true, false)
		r.hasState()
		next = address(r, linear{})
	}
	return d.listProof.entry(mem, []argument{{"dst", address(dst, linear{})}, {"size", size}, {"stride", counted(of(symD, 1))},
		{"numbers", numbers}, {"n", counted(n)}, {"slots", slots}, {"slotStride", counted(of(symF, 1))}, {"h", next}})
}

// stored checks what the slot at hand has led to.
func (d *digestsProof) stored(m *machine, size int, h bool) {
	var digest []octet
	for i := range 8 {
		digest = append(digest, octetsOf(swapBytes(messageWord("state", int64(i))))...)
	}
	all := (size + 3) / 4 * 4 // of which the last ones are as they were
	digest = append(digest[:size], octets("dst", all)[size:]...)
	want := map[int64]word{}
	for i, w := range inMemory(digest) {
		want[int64(4*i)] = w
	}
	m.mem["dst"].hasWords(want)
	clear(want)
	for i, w := range hashValue("h") {
		if h {
			want[int64(4*i)] = w
		}
	}
	m.mem["slots"].hasWords(want)
}

func (d *digestsProof) prove() {
	for _, h := range []bool{false, true} {
		for size := range blocks.DigestSize + 1 {
			d.sized(size, h)
		}
	}
}

func (d *digestsProof) sized(size int, h bool) {
	for _, m := range d.code.run(d.entry(number(0), numeric(int64(size)), h), 0, -1) {
		m.mem["dst"].hasWords(nil)
		m.mem["slots"].hasWords(nil)
	}
	var known *snapshot
	var like *machine
	for _, m := range d.code.run(d.entry(of(symR, 1), numeric(int64(size)), h), 0, d.head) {
		if m.ended {
			refuse("the loop is not reached")
		}
		m.mem["dst"].hasWords(nil)
		m.mem["slots"].hasWords(nil)
		known, like = d.meet(known, like, arrive(m, 0, map[word]word{}), m)
	}
	for again := true; again; {
		again = false
		d.progress++
		for _, last := range []bool{true, false} {
			m := known.atSlot(like)
			m.left(last)
			for _, m := range d.code.run(m, d.head, d.head) {
				d.ends(m, last)
				d.stored(m, size, h)
				if !last && !m.ended && len(known.meet(arrive(m, 1, map[word]word{}), sameNumber)) > 0 {
					again = true
				}
			}
		}
	}
}

// meet leaves in s what t has as well, and returns a machine that has been there. Without
// s, it is t.
func (d *listProof) meet(s *snapshot, like *machine, t *snapshot, m *machine) (*snapshot, *machine) {
	if s == nil {
		return t, m
	}
	s.meet(t, sameNumber)
	return s, like
}

// ---- Padding

// A paddingProof is the proof of a routine that puts messages together. The proof of each
// length in front has two parts, between which is the instruction that looks up where the
// message is. The first part puts the front together, of a rest and a head, and does not
// depend on the message. The second part does not depend on how long the head is: in
// place of the front it has inputs.
type paddingProof struct {
	listProof
	inFront []int // the lengths in front
}

// entry is a machine at the entry, with n slots, for messages behind before bytes, of
// which the last ones are a head.
func (d *paddingProof) entry(n linear, before, head int) *machine {
	mem, slots, numbers := list(n, 0)
	mem.mem["slots"].bytes = true
	mem.mem["slots"].lazy = func(off int64) (word, bool) { return messageWord("slot", off/4), true }
	msgs := mem.region("msgs", of(symN, 24), of(symN, 24).plus(number(24)), true, false)
	mem.region("text", linear{}, linear{}, true, false).hasOctets()
	h := mem.region("h", linear{}, number(32), true, false)
	h.hasState()
	rest := mem.region("rest", linear{}, number(blocks.Size), true, false)
	for i, w := range full(octets("rest", before-head)) {
		rest.words[int64(4*i)] = w
	}
	heads := mem.region("heads", of(symN, int64(head)), of(symN, int64(head)).plus(number(int64(head))), true, false)
	heads.hasOctets()
	at := address(heads, linear{})
	if head == 0 { // there may be none
		at = data(unknown(), unknown())
	}
	return d.listProof.entry(mem, []argument{{"slots", slots}, {"stride", counted(of(symF, 1))}, {"msgs", address(msgs, linear{})},
		{"numbers", numbers}, {"n", counted(n)}, {"h", address(h, linear{})}, {"rest", address(rest, linear{})},
		{"before", numeric(int64(before))}, {"heads", at}, {"headSize", numeric(int64(head))}, {"length", counted(of(symD, 1))}})
}

// full are the words of a block that begins with some bytes, with zeros behind them.
func full(octets []octet) (v vector) {
	for i := range v {
		v[i] = constant(0)
	}
	copy(v[:], inMemory(octets))
	return v
}

// padded is a message of n bytes behind before bytes, with FIPS 180-4's padding, section
// 5.1.1.
func padded(before, n int) []word {
	return paddedTo(append(octets("front", before), octets("text", n)...), of(symD, 1).plus(number(int64(n))))
}

// paddedTo is an end of a message with its padding: the bit 1, zeros, and the number of bits as 64
// bits. The message has `length` bytes.
func paddedTo(end []octet, length linear) []word {
	p := append(end, octetOf(0x80))
	for len(p)%blocks.Size != blocks.Size-8 {
		p = append(p, octetOf(0))
	}
	bits := counted(length.times(8)).reversed()
	return append(inMemory(p), bits.lo, bits.hi)
}

// looksUp says whether an instruction reads where the message is, or how long.
func (d *paddingProof) looksUp(m *machine, at int64) bool {
	in, where := d.code.at(at), m.addressAMD64
	if d.code.arm {
		where = m.addressARM64
	}
	return in != nil && in.op != "lea" && slices.ContainsFunc(in.args, func(o operand) bool {
		return o.kind == 'm' && o.base >= 0 && !o.pre && where(o).region == m.mem["msgs"]
	})
}

func (d *paddingProof) prove() {
	for _, before := range d.inFront {
		forget()
		d.behind(before)
	}
}

// A front is a machine that is about to look up a message.
type front struct {
	*machine
	head int
}

// words are what is in front of the message, of so many bytes.
func (f *front) words(before int) vector {
	return full(append(octets("rest", before-f.head), octets("heads", f.head)...))
}

// from are words by their offsets, from the first one's on.
func (v vector) from(off int64) map[int64]word {
	words := map[int64]word{}
	for i, w := range v {
		words[off+int64(4*i)] = w
	}
	return words
}

// behind proves the routine for messages behind before bytes.
func (d *paddingProof) behind(before int) {
	states, likes := make([]*snapshot, before+1), make([]*machine, before+1)
	for head := range states {
		for _, m := range d.code.run(d.entry(number(0), before, head), 0, -1) {
			m.mem["slots"].hasWords(nil)
		}
		for _, m := range d.code.run(d.entry(of(symR, 1), before, head), 0, d.head) {
			if m.ended {
				refuse("the loop is not reached")
			}
			m.mem["slots"].hasWords(nil)
			states[head], likes[head] = d.meet(states[head], likes[head], arrive(m, 0, map[word]word{}), m)
		}
	}
	// What is lost is found with one message, then the proof is of all.
	longest := blocks.MaxShort*blocks.Size - 9 - before
	for few := true; ; {
		d.progress++
		fronts := map[int64][]front{}
		for head, s := range states {
			for _, m := range d.code.runTo(s.atSlot(likes[head]), d.head, d.looksUp) {
				d.ends(m, false)
				f := front{m, head}
				if want := f.words(before); len(m.mem["slots"].words) > 0 {
					m.mem["slots"].hasWords(want.from(0))
				}
				fronts[m.at] = append(fronts[m.at], f)
			}
		}
		lengths := longest + 1
		if few {
			lengths = 1
		}
		again := false
		for at, fronts := range fronts {
			kept, end, like, stacked := d.message(at, fronts, before, lengths)
			for _, f := range fronts {
				s := d.restored(f, kept, end, like, stacked)
				if len(states[f.head].meet(s, sameNumber)) > 0 {
					again = true
				}
			}
		}
		if !again && !few {
			return
		}
		few = again
	}
}

// kept has an input for each register whose content depends on the head. A register that no
// front knows has none.
type kept struct {
	gp [33]value
	v  [32]vector
	k  [8]value
}

// message proves the second part, with fronts in a number of ways, for messages of fewer
// than so many bytes. It returns what is known at the next slot, in terms of what is kept,
// a machine that has been there, and whether the stack is another one.
func (d *paddingProof) message(at int64, fronts []front, before, lengths int) (keep kept, end *snapshot, like *machine, stacked bool) {
	known := take(fronts[0].machine, identity(map[word]word{}))
	for _, f := range fronts[1:] {
		known.meet(take(f.machine, identity(map[word]word{})), sameNumber)
	}
	words := map[word]word{}
	token := func() word {
		w := unknown()
		words[w] = w
		return w
	}
	for i := range known.v {
		if !slices.ContainsFunc(fronts, func(f front) bool {
			return f.v[i] != f.words(before)
		}) {
			known.v[i] = full(octets("front", before))
		}
		for j, w := range known.v[i] {
			if w == 0 {
				keep.v[i][j] = token()
				known.v[i][j] = keep.v[i][j]
			}
		}
	}
	// What fronts have written to the slot is the same, or is not known.
	if !slices.ContainsFunc(fronts, func(f front) bool { return len(f.mem["slots"].words) == 0 }) {
		known.words["slots"] = full(octets("front", before)).from(0)
	}
	differ := func(keep, known []value, of func(f front) []value) {
		for i, v := range known {
			if v.kind == undefined && slices.ContainsFunc(fronts, func(f front) bool { return of(f)[i].kind != undefined }) {
				keep[i] = data(token(), token())
				known[i] = keep[i]
			}
		}
	}
	differ(keep.gp[:], known.gp[:], func(f front) []value { return f.gp[:] })
	differ(keep.k[:], known.k[:], func(f front) []value { return f.k[:] })
	for n := range lengths {
		want := map[int64]word{}
		for i, w := range padded(before, n) {
			want[int64(4*i)] = w
		}
		for i, w := range hashValue("h") {
			want[slotState+int64(4*i)] = w
		}
		for _, last := range []bool{true, false} {
			m := known.start(fronts[0].machine)
			m.left(last)
			text, msgs := m.mem["text"], m.mem["msgs"]
			text.hi = number(int64(n))
			msgs.cells[0], msgs.cells[8] = address(text, linear{}), numeric(int64(n))
			if n == 0 { // it may be nowhere
				msgs.cells[0] = data(unknown(), unknown())
			}
			for _, m := range d.code.run(m, at, d.head) {
				d.ends(m, last)
				m.mem["slots"].hasWords(want)
				if !last && !m.ended {
					stacked = stacked || m.mem["stack"].lastWrite > 0
					end, like = d.meet(end, like, arrive(m, 1, words), m)
				}
			}
		}
	}
	return keep, end, like, stacked
}

// restored is what is known at the next slot behind a front, in its own terms.
func (d *paddingProof) restored(f front, keep kept, end *snapshot, like *machine, stacked bool) *snapshot {
	own := arrive(f.machine, 1, map[word]word{})
	words := map[word]word{}
	for i := range keep.v {
		for j, w := range keep.v[i] {
			words[w] = own.v[i][j]
		}
	}
	delete(words, 0)
	s := take(end.start(like), identity(words))
	// A register that still holds its input gets its own value back.
	both := func(s, end, keep, own []value) {
		for i, k := range keep {
			if k.kind != undefined && end[i] == k {
				s[i] = own[i]
			}
		}
	}
	both(s.gp[:], end.gp[:], keep.gp[:], own.gp[:])
	both(s.k[:], end.k[:], keep.k[:], own.k[:])
	if !stacked {
		s.words["stack"], s.cells["stack"] = own.words["stack"], own.cells["stack"]
	}
	return s
}
