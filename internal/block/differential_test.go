package block

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// minCases is the least number of cases that a kernel's differential test runs.
const minCases = 1000

// cases is how many each runs.
func cases() int {
	if testing.Short() {
		return minCases
	}
	return 8 * minCases
}

// A subject is an implementation that the differential test covers. A kernel
// for a new operation is a new loop in subjects.
type subject struct {
	name      string
	supported bool
	// run compares n random cases with an oracle. What it calls is forced by
	// name: it is the implementation's own function.
	run func(t *testing.T, r *rand.Rand, n int)
}

func subjects() []subject {
	s := []subject{
		{"generic", true, differGeneric},
		{"x1_std", true, differBlocks(Kernel{Header{Spec: Spec{Lanes: 1}, Max: MaxPlain}, single(x1_std)})},
	}
	for _, k := range Kernels() {
		s = append(s, subject{k.Name, k.Supported, differBlocks(k)})
	}
	for _, k := range NodeKernels() {
		s = append(s, subject{k.Name, k.Supported, differNodes(k)})
	}
	for _, k := range SearchKernels() {
		s = append(s, subject{k.Name, k.Supported, differSearch(k)})
	}
	for _, k := range ChainKernels() {
		s = append(s, subject{k.Name, k.Supported, differChains(k)})
	}
	for _, k := range WotsKernels() {
		s = append(s, subject{k.Name, k.Supported, differWots(k)})
	}
	return s
}

// tested counts the cases of each subject that passed in this process.
var tested = map[string]int{}

func TestDifferential(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			if !s.supported {
				t.Skipf("this machine cannot run %s", s.name)
			}
			n := cases()
			seed := maphash.String(maphash.MakeSeed(), s.name)
			t.Logf("seed %#x", seed)
			s.run(t, rand.New(rand.NewPCG(seed, 0)), n)
			if !t.Failed() {
				tested[s.name] += n
				fmt.Printf("kernel=%s cases=%d\n", s.name, n)
			}
		})
	}
}

// TestMain fails the run, whatever was asked of it, unless the differential
// test of every kernel that SHA256SIMD_REQUIRE names passed in it.
func TestMain(m *testing.M) {
	code := m.Run()
	// Neither a listing nor a fuzzing worker is a run of the tests.
	if flag.Lookup("test.list").Value.String() == "" && flag.Lookup("test.fuzzworker").Value.String() == "false" {
		for _, complaint := range unmet(os.Getenv("SHA256SIMD_REQUIRE"), subjects(), tested) {
			fmt.Fprintln(os.Stderr, "SHA256SIMD_REQUIRE:", complaint)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// unmet says what is missing of the kernels that require names.
func unmet(require string, subjects []subject, tested map[string]int) []string {
	var complaints []string
	for name := range strings.SplitSeq(require, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		i := slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })
		switch {
		case i < 0:
			complaints = append(complaints, fmt.Sprintf("%s: no kernel of this build has that name", name))
		case !subjects[i].supported:
			complaints = append(complaints, fmt.Sprintf("%s: this machine cannot run it", name))
		case tested[name] < minCases:
			complaints = append(complaints, fmt.Sprintf("%s: its differential test did not pass in this run", name))
		}
	}
	return complaints
}

func TestRequire(t *testing.T) {
	subjects := []subject{{name: "x1_ran", supported: true}, {name: "x2_idle", supported: true}, {name: "x4_alien"}}
	ran := map[string]int{"x1_ran": minCases}
	for _, tt := range []struct {
		require string
		want    string
	}{
		{"", ""},
		{"x1_ran", ""},
		{" x1_ran ,", ""},
		{"x2_idle", "x2_idle: its differential test did not pass in this run"},
		{"x4_alien", "x4_alien: this machine cannot run it"},
		{"x1_ran,x9_none", "x9_none: no kernel of this build has that name"},
		{"x2_idle,x1_ran,x9_none", "x2_idle: its differential test did not pass in this run; x9_none: no kernel of this build has that name"},
	} {
		if got := strings.Join(unmet(tt.require, subjects, ran), "; "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.require, got, tt.want)
		}
	}
}

// differGeneric compares the oracle with crypto/sha256, whose states are read
// and set through their marshalled form.
func differGeneric(t *testing.T, r *rand.Rand, n int) {
	p := make([]byte, 8*Size)
	for range n {
		blocks := r.IntN(len(p)/Size + 1)
		randomBytes(r, p)
		h := randomState(r)
		want := stdBlocks(t, h, p[:blocks*Size])
		generic(&h, &p[0], blocks)
		if h != want {
			t.Fatalf("%d blocks: state %08x, crypto/sha256 has %08x", blocks, h, want)
		}
	}
}

// stdBlocks returns h after the blocks of p, by crypto/sha256.
func stdBlocks(t *testing.T, h State, p []byte) State {
	t.Helper()
	d := sha256.New()
	b := []byte("sha\x03")
	for _, v := range h {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = append(b, make([]byte, Size+8)...)
	if err := d.(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
		t.Fatalf("forging a state: %v", err)
	}
	d.Write(p)
	b, err := d.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatalf("reading a state: %v", err)
	}
	for i := range h {
		h[i] = binary.BigEndian.Uint32(b[4+4*i:])
	}
	return h
}

// A stream is what differBlocks gives a kernel to compress.
type stream struct {
	input *guard.Buffer
	copy  []byte // of the input
	state *guard.Buffer

	h      *State // where the state is this time
	p      *byte  // where its blocks, counted from 0, would begin
	blocks []int  // the first ones of its turns
}

// kernelTurns are arguments of Kernel.Blocks.
type kernelTurns struct{ ring, first, at, slice, turns int }

// maxStreams is how many times the lanes of a kernel the streams of its ring
// are at most: more than twice as many, so that some turns are all of streams in
// the middle.
const maxStreams = 3

// differBlocks compares a streaming kernel with the oracle: distinct data and
// states in the streams, now and then shared data and adjacent states, one turn
// or several, block counts up to the most it takes, from the first block or from
// another, every alignment of the data and every one that Go gives to states, and
// guards right before or right after each.
func differBlocks(k Kernel) func(t *testing.T, r *rand.Rand, n int) {
	return func(t *testing.T, r *rand.Rand, n int) {
		all := make([]stream, maxStreams*k.Lanes)
		packed := newCanary(t, len(all)*int(unsafe.Sizeof(State{})))
		stateMemories := []*guard.Buffer{packed}
		for i := range all {
			s := &all[i]
			s.input = guard.New(t, k.Max*Size+Size)
			randomBytes(r, s.input.Bytes())
			s.copy = bytes.Clone(s.input.Bytes())
			s.state = newCanary(t, 1)
			stateMemories = append(stateMemories, s.state)
		}
		const pointer = int(unsafe.Sizeof(uintptr(0)))
		most := len(all) + k.Lanes // pointers
		hs, ps := guard.New(t, most*pointer), guard.New(t, most*pointer)

		for i := range n {
			c := turnsOf(r, i, k)
			streams := all[:c.ring]
			pointers := c.follow(k.Lanes, streams)
			placeStates(r, i, streams, packed)
			placeInputs(r, i, streams, c)
			h := unsafe.Slice((**State)(unsafe.Pointer(&place(r, hs, pointers*pointer)[0])), pointers)
			p := unsafe.Slice((**byte)(unsafe.Pointer(&place(r, ps, pointers*pointer)[0])), pointers)
			for j := range pointers {
				s := streams[j%c.ring]
				h[j], p[j] = s.h, Advance(s.p, j/c.ring*c.slice)
			}
			want := make([]State, c.ring)
			for j, s := range streams {
				*s.h = randomState(r)
				want[j] = *s.h
				for _, first := range s.blocks {
					generic(&want[j], Advance(s.p, first), c.slice)
				}
			}
			hsBefore, psBefore := slices.Clone(h), slices.Clone(p)

			if err := guard.Faults(func() { k.Blocks(&h[0], &p[0], c.ring, c.first, c.at, c.slice, c.turns) }); err != nil {
				t.Fatalf("case %d, %+v: %v", i, c, err)
			}

			for j, s := range streams {
				if *s.h != want[j] {
					t.Fatalf("case %d, %+v, stream %d: state %08x, the oracle has %08x", i, c, j, *s.h, want[j])
				}
				*s.h = canaryState
			}
			for _, m := range stateMemories {
				if !isCanary(m.Bytes()) {
					t.Fatalf("case %d, %+v: memory beside the states changed", i, c)
				}
			}
			if !slices.Equal(h, hsBefore) || !slices.Equal(p, psBefore) {
				t.Fatalf("case %d, %+v: pointers changed", i, c)
			}
		}
		for j, s := range all {
			if !bytes.Equal(s.input.Bytes(), s.copy) {
				t.Errorf("the input of stream %d changed", j)
			}
		}
	}
}

// turnsOf returns the turns of a case: every other time it is one.
func turnsOf(r *rand.Rand, i int, k Kernel) kernelTurns {
	c := kernelTurns{ring: k.Lanes, at: r.IntN(2) * r.IntN(3*k.Max), slice: blockCount(r, i, k.Max), turns: 1}
	if i%2 == 1 {
		c.ring += r.IntN((maxStreams-1)*k.Lanes + 1)
		c.first = r.IntN(c.ring)
		c.turns += r.IntN(min(40, k.Max/max(1, c.slice)))
	}
	return c
}

// follow tells the streams which are their turns, and returns how many pointers
// these take: first to last, and those in front of the first.
func (c kernelTurns) follow(lanes int, streams []stream) (pointers int) {
	for j := range streams {
		streams[j].blocks = nil
	}
	first, at := c.first, c.at
	for range c.turns {
		for i := first; i < first+lanes; i++ {
			s := &streams[i%c.ring]
			s.blocks = append(s.blocks, at+i/c.ring*c.slice)
		}
		pointers = max(pointers, first+lanes)
		if first += lanes; first >= c.ring {
			first -= c.ring
			at += c.slice
		}
	}
	return pointers
}

// Memory in which states are put holds the canary wherever none is.
const canary = 0xc5

var canaryState = State{
	canary * 0x01010101, canary * 0x01010101, canary * 0x01010101, canary * 0x01010101,
	canary * 0x01010101, canary * 0x01010101, canary * 0x01010101, canary * 0x01010101,
}

func newCanary(t *testing.T, size int) *guard.Buffer {
	b := guard.New(t, size)
	for i := range b.Bytes() {
		b.Bytes()[i] = canary
	}
	return b
}

func isCanary(p []byte) bool { return bytes.Count(p, []byte{canary}) == len(p) }

// blockCount returns the number of blocks of case i: mostly a small one, now and
// then the most that one call takes.
func blockCount(r *rand.Rand, i, most int) int {
	switch {
	case i%101 == 0:
		return most - r.IntN(2)
	case i%31 == 0:
		return r.IntN(min(most, 40) + 1)
	}
	return min(r.IntN(6), most)
}

// placeStates chooses where the states of a case are: each at one end of its
// own buffer, anywhere in it, or all of them side by side in a random order.
func placeStates(r *rand.Rand, i int, streams []stream, packed *guard.Buffer) {
	const size = int(unsafe.Sizeof(State{}))
	if i%5 == 4 {
		memory := place(r, packed, len(streams)*size)
		for j, k := range r.Perm(len(streams)) {
			streams[j].h = (*State)(unsafe.Pointer(&memory[k*size]))
		}
		return
	}
	for j := range streams {
		s := &streams[j]
		where := place(r, s.state, size)
		if r.IntN(2) == 0 {
			const alignment = int(unsafe.Alignof(State{}))
			where = s.state.Bytes()[r.IntN((len(s.state.Bytes())-size)/alignment)*alignment:]
		}
		s.h = (*State)(unsafe.Pointer(&where[0]))
	}
}

// placeInputs chooses where the blocks of a case are: at one end of each stream's
// buffer, or up to 63 bytes away from it; sometimes all streams of a single turn read
// the same ones.
func placeInputs(r *rand.Rand, i int, streams []stream, c kernelTurns) {
	for j := range streams {
		s := &streams[j]
		if shared := i%14 == 6; shared && j > 0 {
			s.p = streams[0].p
			continue
		}
		blocks := unsafe.SliceData(window(r, i+j, s.input, len(s.blocks)*c.slice*Size))
		first := 0
		if len(s.blocks) > 0 {
			first = s.blocks[0]
		}
		s.p = Advance(blocks, -first)
	}
}

// place returns n bytes at one end of b.
func place(r *rand.Rand, b *guard.Buffer, n int) []byte {
	if r.IntN(2) == 0 {
		return b.Head(n)
	}
	return b.Tail(n)
}

// differNodes compares a node kernel with the oracle: digests in place and
// elsewhere, every alignment, and guards right before or right after both.
func differNodes(k NodeKernel) func(t *testing.T, r *rand.Rand, n int) {
	return func(t *testing.T, r *rand.Rand, n int) {
		most := 2 * k.Max
		src, dst := guard.New(t, most*NodeSize+Size), guard.New(t, most*DigestSize+Size)
		for i := range n {
			groups := i % 4
			if i%101 == 0 {
				groups = most / k.Lanes
			}
			nodes := groups * k.Lanes
			in := window(r, i, src, nodes*NodeSize)
			randomBytes(r, in)
			want := make([]byte, nodes*DigestSize)
			for j := range nodes {
				h := IV256
				generic(&h, &in[j*NodeSize], 1)
				generic(&h, &nodePadding[0], 1)
				PutDigest((*[DigestSize]byte)(want[j*DigestSize:]), &h)
			}
			out, memory := in, src.Bytes()
			if inPlace := r.IntN(3) == 0; !inPlace {
				out, memory = window(r, i/4, dst, nodes*DigestSize), dst.Bytes()
			}
			wantMemory := bytes.Clone(memory)
			copy(wantMemory[offsetIn(out, memory):], want)

			if err := guard.Faults(func() { k.Hash(out, in) }); err != nil {
				t.Fatalf("case %d, %d nodes: %v", i, nodes, err)
			}

			if !bytes.Equal(out[:len(want)], want) {
				t.Fatalf("case %d, %d nodes: wrong digests", i, nodes)
			}
			if !bytes.Equal(memory, wantMemory) {
				t.Fatalf("case %d, %d nodes: memory beside the digests changed", i, nodes)
			}
		}
	}
}

// window returns n bytes of b, at one end or up to 63 bytes away from it.
func window(r *rand.Rand, i int, b *guard.Buffer, n int) []byte {
	all := b.Bytes()
	distance := 0
	if r.IntN(2) == 0 {
		distance = i % Size
	}
	if r.IntN(2) == 0 {
		return all[distance : distance+n : distance+n]
	}
	end := len(all) - distance
	return all[end-n : end : end]
}

// offsetIn returns where in all p is.
func offsetIn(p, all []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(p))) - uintptr(unsafe.Pointer(unsafe.SliceData(all))))
}

func randomState(r *rand.Rand) (h State) {
	for i := range h {
		h[i] = r.Uint32()
	}
	return h
}

func randomBytes(r *rand.Rand, p []byte) {
	for len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, r.Uint64())
		p = p[8:]
	}
	for i := range p {
		p[i] = byte(r.Uint32())
	}
}
