package block

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// A wideSlot is a Slot within something larger, as in package lanes.
type wideSlot struct {
	Slot
	other [3 * Size]byte
}

const wideStride = unsafe.Sizeof(wideSlot{})

// forEachShort runs f with the routines of Go and with those of vector registers.
func forEachShort(t *testing.T, f func(t *testing.T)) {
	defer selectKernels(current().Selection)
	for r, k := range shortRoutines {
		name := k.Name
		if name == "" {
			name = "generic"
		}
		t.Run(name, func(t *testing.T) {
			in := shortRoutine(r)
			if in != inGo && (len(headers) == 0 || k.Arch != headers[0].Arch || !cpu.Usable().Has(k.Needs)) {
				t.Skipf("this machine cannot run %s", name)
			}
			selectKernels(Selection{Single: "generic", Allowed: func(k Spec) bool { return k.Name == name }})
			if got := current().short; got != in {
				t.Fatalf("in use is %q", shortRoutines[got].Name)
			}
			f(t)
		})
	}
}

// TestShortInVectors says which lists of equal messages are put together, by what puts
// them together.
func TestShortInVectors(t *testing.T) {
	forEachShort(t, func(t *testing.T) {
		in := current().short
		for whole, want := range map[bool]bool{false: in != inGo, true: in == inAVX512} {
			if got := ShortInVectors(whole); got != want {
				t.Errorf("of whole blocks %t: %t", whole, got)
			}
		}
	})
}

// TestShortRoutines says which routines are in use where some are disabled.
func TestShortRoutines(t *testing.T) {
	if len(headers) == 0 {
		t.Skip("this build has no routines for short messages")
	}
	for _, tt := range []struct {
		arch     string
		usable   cpu.Features
		disabled string
		want     shortRoutine
	}{
		{"amd64", ^cpu.Features(0), "", inAVX512},
		{"amd64", ^cpu.Features(0), "short_avx512", inSSSE3},
		{"amd64", ^cpu.Features(0), "short_avx512 short_ssse3", inGo},
		{"amd64", ^cpu.Features(0), "short_ssse3", inAVX512},
		{"amd64", cpu.SSSE3, "", inSSSE3},
		{"amd64", cpu.AVX | cpu.AVX2 | cpu.BMI2, "", inGo},
		{"amd64", 0, "", inGo},
		{"arm64", 0, "", inNEON},
		{"arm64", ^cpu.Features(0), "short_neon", inGo},
	} {
		if tt.arch != headers[0].Arch {
			continue
		}
		s := Selection{Allowed: func(k Spec) bool { return !slices.Contains(strings.Fields(tt.disabled), k.Name) }}
		if got := s.short(tt.usable); got != tt.want {
			t.Errorf("with %v, without %q: %q", tt.usable, tt.disabled, shortRoutines[got].Name)
		}
	}
	s := Selection{}
	if got := s.short(^cpu.Features(0)); got != inGo {
		t.Errorf("where nothing is allowed: %q", shortRoutines[got].Name)
	}
}

// padded is what PadShort has to write: what f has in front of message i, the message m,
// and the padding of FIPS 180-4, section 5.1.1.
func (f *Front) padded(m []byte, i int) []byte {
	p := slices.Clone(f.Rest[:f.Before])
	copy(p[f.Before-f.HeadSize:], f.Heads[i*f.HeadSize:][:f.HeadSize])
	p = append(append(p, m...), 0x80)
	for len(p)%Size != Size-8 {
		p = append(p, 0)
	}
	return binary.BigEndian.AppendUint64(p, (f.Len+uint64(len(m)))<<3)
}

// check runs PadShort for messages and compares all that it writes.
func (f *Front) check(t *testing.T, msgs [][]byte, numbers []uint16) {
	t.Helper()
	slots, want := make([]wideSlot, len(numbers)+1), make([]wideSlot, len(numbers)+1)
	for i := range slots {
		for j := range slots[i].Scratch {
			slots[i].Scratch[j], want[i].Scratch[j] = 0xa5, 0xa5
		}
	}
	PadShort(&slots[0].Slot, wideStride, f, msgs, numbers)
	for i, number := range numbers {
		want[i].H = f.H
		p := f.padded(msgs[number], int(number))
		copy(want[i].Scratch[:], p)
		if !bytes.Equal(slots[i].Scratch[:len(p)], p) || slots[i].H != f.H {
			t.Fatalf("%d bytes behind %d, of them %d of a head, number %d: state %x and\n%x, want\n%x",
				len(msgs[number]), f.Before, f.HeadSize, number, slots[i].H, slots[i].Scratch[:len(p)], p)
		}
		if rest := slots[i].Scratch[len(p):]; len(p) <= MaxShort*Size && !bytes.Equal(rest[len(rest)-Size:], bytes.Repeat([]byte{0xa5}, Size)) {
			t.Fatalf("%d bytes behind %d: the last block of the scratch is touched", len(msgs[number]), f.Before)
		}
		if slots[i].other != want[i].other {
			t.Fatalf("%d bytes behind %d: what is beside the slot is touched", len(msgs[number]), f.Before)
		}
	}
	if last := len(numbers); slots[last] != want[last] {
		t.Fatal("the slot behind the last one is touched")
	}
}

// longest returns the largest number of bytes of a message that PadShort takes behind f.
func (f *Front) longest() int { return MaxShort*Size - 9 - f.Before }

// TestPadShort tests every length of message behind every length of front, with a head
// and without, right behind and right before memory that cannot be read.
func TestPadShort(t *testing.T) {
	forEachShort(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		b, heads := guard.New(t, 300), guard.New(t, 4*Size)
		randomBytes(r, b.Bytes())
		randomBytes(r, heads.Bytes())
		step := 1
		if testing.Short() {
			step = 3
		}
		for before := 0; before < Size; before += step {
			for _, head := range []int{0, 1, before / 2, before} {
				if head > before {
					continue
				}
				f := Front{H: IV224, Before: before, HeadSize: head, Len: uint64(before) + r.Uint64N(1<<40)<<6}
				randomBytes(r, f.Rest[:before-head])
				f.Heads = heads.Tail(2 * head)
				if before%2 == 0 {
					f.Heads = heads.Head(2 * head)
				}
				for n := 0; n <= f.longest(); n++ {
					f.check(t, [][]byte{b.Head(n), b.Tail(n)}, []uint16{0, 1})
				}
			}
		}
	})
}

// TestPadShortNumbers tests lists of which numbers choose some, in any order, more than
// once, and none.
func TestPadShortNumbers(t *testing.T) {
	forEachShort(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		data := make([]byte, 100*Size)
		randomBytes(r, data)
		for range 300 {
			f := Front{H: IV256, Before: r.IntN(Size), Len: r.Uint64() >> 3}
			f.HeadSize = r.IntN(f.Before + 1)
			f.Heads = data[:100*f.HeadSize]
			copy(f.Rest[:f.Before-f.HeadSize], data[500:])
			msgs := make([][]byte, 100)
			for i := range msgs {
				if i%7 > 0 { // else nil
					msgs[i] = data[r.IntN(700):][:r.IntN(f.longest()+1)]
				}
			}
			numbers := make([]uint16, r.IntN(70))
			for i := range numbers {
				numbers[i] = uint16(r.IntN(len(msgs)))
			}
			f.check(t, msgs, numbers)
		}
	})
}

// TestPadForAllInputs decides Pad, PadShort and PutDigests for all contents. They move,
// shift and OR bits: for each length of rest they are right for all contents if they are
// for no bit and for each single bit, whatever was there before.
func TestPadForAllInputs(t *testing.T) {
	for n := range Size {
		for bit := -1; bit < 8*n+64; bit++ {
			for _, was := range []byte{0, 0xff} {
				rest, length := make([]byte, n), uint64(0)
				if bit >= 8*n {
					length = 1 << (bit - 8*n)
				} else if bit >= 0 {
					rest[bit/8] = 1 << (bit % 8)
				}
				var tail, want [MaxTail]byte
				for i := range tail {
					tail[i], want[i] = was, was
				}
				f := Front{Len: length - uint64(n)}
				end := copy(want[:], f.padded(rest, 0))
				if got := Pad(&tail, rest, length); got != end || tail != want {
					t.Fatalf("%d bytes, bit %d: %d\n%x, want %d\n%x", n, bit, got, tail, end, want)
				}
			}
		}
	}
	forEachShort(t, func(t *testing.T) {
		befores := []int{0, 1, 7, 31, 32, 55, 56, 63}
		lengths := []int{0, 1, 7, 8, 9, 55, 56, 57, 63, 64, 65, 119, 120, 128, 183, 184}
		if testing.Short() {
			befores = []int{0, 33}
		}
		for _, before := range befores {
			for _, n := range lengths {
				n = min(n, MaxShort*Size-9-before)
				head := before / 2
				bits := 8 * (before + n)
				for bit := -1; bit < bits+64; bit++ {
					f := Front{Before: before, HeadSize: head, Heads: make([]byte, head)}
					m := make([]byte, n)
					switch at, one := bit/8, byte(1)<<(max(bit, 0)%8); {
					case bit < 0:
					case bit >= bits:
						f.Len = 1 << (bit - bits)
					case at < before-head:
						f.Rest[at] = one
					case at < before:
						f.Heads[at-(before-head)] = one
					default:
						m[at-before] = one
					}
					f.check(t, [][]byte{m}, []uint16{0})
				}
			}
		}
		for bit := -1; bit < 256; bit++ {
			var slot Slot
			var got, want [DigestSize]byte
			if bit >= 0 {
				slot.H[bit/32] = 1 << (bit % 32)
				want[bit/32*4+3-bit%32/8] = 1 << (bit % 8)
			}
			PutDigests(got[:], DigestSize, 0, []uint16{0}, &slot, 0, nil)
			if got != want {
				t.Fatalf("bit %d: %x, want %x", bit, got, want)
			}
		}
	})
}

// TestPutDigests tests rows of any size and distance, in any order, that end where memory
// cannot be written, and the states that follow.
func TestPutDigests(t *testing.T) {
	forEachShort(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for size := 0; size <= DigestSize; size++ {
			for _, stride := range []int{size, size + 1, 64} {
				for _, n := range []int{0, 1, 2, 17, 33} {
					slots := make([]wideSlot, n+1)
					numbers := make([]uint16, n)
					for i := range numbers {
						numbers[i] = uint16(i)
						for j := range slots[i].H {
							slots[i].H[j] = r.Uint32()
						}
					}
					r.Shuffle(n, func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
					length := max(0, (n-1)*stride) + size*min(n, 1)
					got := guard.New(t, 33*Size).Tail(length)
					want := make([]byte, length)
					before := slices.Clone(slots)
					next := &IV224
					if n%2 == 0 {
						next = nil
					}
					for i, number := range numbers {
						var sum [DigestSize]byte
						PutDigest(&sum, &slots[i].H)
						copy(want[int(number)*stride:][:size], sum[:])
						if next != nil {
							before[i].H = *next
						}
					}
					PutDigests(got, size, stride, numbers, &slots[0].Slot, wideStride, next)
					if !bytes.Equal(got, want) {
						t.Fatalf("%d of %d bytes, %d apart: %x, want %x", n, size, stride, got, want)
					}
					if !slices.Equal(slots, before) {
						t.Fatalf("%d of %d bytes, %d apart: other slots than expected", n, size, stride)
					}
				}
			}
		}
	})
}
