package block

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// forEachSingle runs f with each implementation of one stream forced, and with
// what this process selected.
func forEachSingle(t *testing.T, f func(t *testing.T)) {
	t.Run("selected", f)
	for _, s := range subjects() {
		restore, ok := Force(s.name)
		if !ok {
			continue
		}
		if Single() == s.name {
			t.Run(s.name, f)
		}
		restore()
	}
}

// TestCompressSplitsLongStreams tests that no call takes more blocks than the
// kernel in use may, and streams of about as many and more.
func TestCompressSplitsLongStreams(t *testing.T) {
	p := make([]byte, 3*MaxPlain*Size+2*Size)
	randomBytes(rand.New(rand.NewPCG(1, 2)), p)
	forEachSingle(t, func(t *testing.T) {
		want := MaxPlain
		for _, k := range Kernels() {
			if k.Name == Single() {
				want = k.Max
			}
		}
		maxStream := current().maxStream
		if maxStream != want {
			t.Errorf("a call takes up to %d blocks, want %d", maxStream, want)
		}
		most := maxStream * Size
		for _, n := range []int{
			0, Size, 2 * Size, most - Size, most, most + Size,
			2*most - Size, 2 * most, 2*most + Size, len(p),
		} {
			got, want := IV256, IV256
			Compress(&got, p[:n])
			generic(&want, &p[0], n/Size)
			if got != want {
				t.Errorf("%d bytes: %08x, want %08x", n, got, want)
			}
		}
	})
}

func TestPad(t *testing.T) {
	for n := range Size {
		for _, whole := range []uint64{0, Size, 4 << 30, 1<<61 - Size} {
			length := whole + uint64(n)
			rest := bytes.Repeat([]byte{0xaa}, n)
			var tail [MaxTail]byte
			for i := range tail {
				tail[i] = 0x55
			}
			size := Pad(&tail, rest, length)

			want := append(bytes.Clone(rest), 0x80)
			for len(want)%Size != Size-8 {
				want = append(want, 0)
			}
			for i := range 8 {
				want = append(want, byte(length<<3>>(56-8*i)))
			}
			if !bytes.Equal(tail[:size], want) {
				t.Errorf("length %d: padded to %x, want %x", length, tail[:size], want)
			}
			if beyond := bytes.Trim(tail[size:], "\x55"); len(beyond) != 0 {
				t.Errorf("length %d: wrote beyond the padding", length)
			}

			tail = [MaxTail]byte(bytes.Repeat([]byte{0x55}, MaxTail))
			clear(tail[copy(tail[:], rest):Size])
			size = PadInPlace(&tail, length)
			if !bytes.Equal(tail[:size], want) {
				t.Errorf("length %d: padded in place to %x, want %x", length, tail[:size], want)
			}
			if beyond := bytes.Trim(tail[size:], "\x55"); len(beyond) != 0 {
				t.Errorf("length %d: wrote beyond the padding in place", length)
			}
		}
	}
}

// finished returns what Finish sets its digest to, by plain Go.
func finished(h State, rest []byte, length uint64) (sum [DigestSize]byte) {
	var tail [MaxTail]byte
	whole := len(rest) &^ (Size - 1)
	size := Pad(&tail, rest[whole:], length)
	padded := slices.Concat(rest[:whole], tail[:size])
	generic(&h, &padded[0], len(padded)/Size)
	PutDigest(&sum, &h)
	return sum
}

// TestFinish compares digests of ends of every length, between guard pages, with those of padded
// ends that plain Go compresses. The end begins at a block boundary of a message of over 4 GiB.
func TestFinish(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const most = MaxOneCall + 2*Size
	buf := guard.New(t, most)
	randomBytes(r, buf.Bytes())
	forEachSingle(t, func(t *testing.T) {
		forEachPieces(t, func(t *testing.T) {
			for _, place := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Head, (*guard.Buffer).Tail} {
				for n := range most {
					rest, length := place(buf, n), 4<<30+uint64(n)
					before := randomState(r)
					want := finished(before, rest, length)
					var got [DigestSize]byte
					h := before
					if Finish(&got, &h, rest, length); got != want {
						t.Fatalf("%d bytes: %x, want %x", n, got, want)
					}
					if h != before {
						t.Fatalf("%d bytes: the state before them is now %x", n, h)
					}
					// At the edge of a page, Finish leaves the end to Go code. The routine is right there, too.
					if InVectors() && n <= MaxOneCall {
						if finishInVectors(&got, &h, nil, rest, length); got != want {
							t.Fatalf("%d bytes in vector registers: %x, want %x", n, got, want)
						}
					}
					if n == 0 {
						if Finish(&got, &h, nil, length); got != want {
							t.Fatalf("nil: %x, want %x", got, want)
						}
					}
					// The digest may overlap the end.
					for _, at := range []int{0, n / 2, n - DigestSize} {
						if at < 0 || at+DigestSize > n {
							continue
						}
						end := slices.Clone(rest)
						sum := (*[DigestSize]byte)(end[at:])
						if Finish(sum, &h, end, length); *sum != want {
							t.Fatalf("%d bytes, with the digest at %d of them: %x, want %x", n, at, *sum, want)
						}
					}
				}
			}
		})
	})
}

// TestFinishBehind compares digests of ends in two pieces of every length, each between guard
// pages, with those that TestFinish takes for right.
func TestFinishBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const most = MaxOneCall + Size
	all := make([]byte, most)
	randomBytes(r, all)
	before := randomState(r)
	var wants [most][DigestSize]byte
	for n := range wants {
		wants[n] = finished(before, all[:n], 4<<30+uint64(n))
	}
	heads, rests := guard.New(t, Size), guard.New(t, most)
	forEachSingle(t, func(t *testing.T) {
		forEachPieces(t, func(t *testing.T) {
			for _, place := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Head, (*guard.Buffer).Tail} {
				for n, want := range wants {
					for k := range min(n+1, Size) {
						first, m := place(heads, k), place(rests, n-k)
						copy(first, all)
						copy(m, all[k:n])
						h, length := before, 4<<30+uint64(n)
						var got [DigestSize]byte
						if FinishBehind(&got, &h, first, m, length); got != want || h != before {
							t.Fatalf("%d bytes behind %d: %x, want %x; the state before them is now %x", n-k, k, got, want, h)
						}
						if InVectors() && n <= MaxOneCall { // at the edge of a page, too
							if finishInVectors(&got, &h, first, m, length); got != want {
								t.Fatalf("%d bytes behind %d in vector registers: %x, want %x", n-k, k, got, want)
							}
						}
						for _, piece := range [][]byte{first, m} { // which the digest may overlap
							if len(piece) < DigestSize {
								continue
							}
							sum := (*[DigestSize]byte)(piece)
							if FinishBehind(sum, &h, first, m, length); *sum != want {
								t.Fatalf("%d bytes behind %d, one of which the digest overlaps: %x, want %x", n-k, k, *sum, want)
							}
							copy(first, all)
							copy(m, all[k:n])
							if !InVectors() || n > MaxOneCall {
								continue
							}
							if finishInVectors(sum, &h, first, m, length); *sum != want {
								t.Fatalf("%d bytes behind %d, one of which the digest overlaps, in vector registers: %x, want %x", n-k, k, *sum, want)
							}
							copy(first, all)
							copy(m, all[k:n])
						}
					}
				}
			}
		})
	})
}

func TestPutDigest(t *testing.T) {
	h := State{0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10, 0x11121314, 0x15161718, 0x191a1b1c, 0x1d1e1f20}
	var got [DigestSize]byte
	PutDigest(&got, &h)
	for i, b := range got {
		if b != byte(i+1) {
			t.Fatalf("%x", got)
		}
	}
}

// TestNearTheEndOfTheStack calls the kernels from every depth of a fresh
// goroutine's stack, so that their frames have to grow it.
func TestNearTheEndOfTheStack(t *testing.T) {
	const depths = 300
	data := make([]byte, 2*Size)
	randomBytes(rand.New(rand.NewPCG(3, 4)), data)
	want := IV256
	generic(&want, &data[0], 2)
	for _, k := range Kernels() {
		if !k.Supported {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			for depth := range depths {
				done := make(chan bool)
				go func() {
					done <- atDepth(depth, func() bool {
						states := make([]State, k.Lanes)
						h, p := make([]*State, k.Lanes), make([]*byte, k.Lanes)
						for i := range k.Lanes {
							states[i] = IV256
							h[i], p[i] = &states[i], &data[0]
						}
						k.Blocks(&h[0], &p[0], k.Lanes, 0, 0, 2, 1)
						for _, s := range states {
							if s != want {
								return false
							}
						}
						return true
					})
				}()
				if !<-done {
					t.Fatalf("depth %d: wrong state", depth)
				}
			}
		})
	}
}

// atDepth calls f with about 64 bytes of stack for each level below it.
//
//go:noinline
func atDepth(depth int, f func() bool) bool {
	var frame [32]byte
	frame[depth%len(frame)] = 1
	ok := false
	if depth == 0 {
		ok = f()
	} else {
		ok = atDepth(depth-1, f)
	}
	runtime.KeepAlive(&frame)
	return ok
}

func TestNodePaddingIsThatOfAMessageOf64Bytes(t *testing.T) {
	var tail [MaxTail]byte
	if n := Pad(&tail, nil, NodeSize); !bytes.Equal(tail[:n], nodePadding[:]) {
		t.Errorf("%x, want %x", nodePadding, tail[:n])
	}
}

func TestHashNode(t *testing.T) {
	forEachSingle(t, func(t *testing.T) {
		src := (*[NodeSize]byte)(guard.New(t, NodeSize).Tail(NodeSize))
		randomBytes(rand.New(rand.NewPCG(5, 0)), src[:])
		want := sha256.Sum256(src[:])
		dst := (*[DigestSize]byte)(guard.New(t, DigestSize).Tail(DigestSize))
		if HashNode(dst, src); *dst != want {
			t.Errorf("%x, want %x", *dst, want)
		}
		if HashNode((*[DigestSize]byte)(src[:]), src); [DigestSize]byte(src[:]) != want {
			t.Errorf("in place: %x, want %x", src[:DigestSize], want)
		}
	})
}

// TestHashBehind tests messages of up to six blocks behind every number of bytes.
func TestHashBehind(t *testing.T) {
	forEachSingle(t, func(t *testing.T) {
		all := make([]byte, 6*Size)
		randomBytes(rand.New(rand.NewPCG(6, 0)), all)
		mem := guard.New(t, len(all))
		for before := range Size {
			for n := before; n <= len(all); n++ {
				m := mem.Tail(n - before)
				copy(m, all[before:n])
				var got [DigestSize]byte
				if HashBehind(&got, all[:before:before], m); got != sha256.Sum256(all[:n]) {
					t.Fatalf("%d bytes behind %d: wrong digest %x", n-before, before, got)
				}
			}
		}
	})
}

// TestHashPadded tests messages whose digest replaces their beginning.
func TestHashPadded(t *testing.T) {
	forEachSingle(t, func(t *testing.T) {
		for n := DigestSize; n <= 2*Size; n++ {
			padded := make([]byte, 3*Size+MaxTail)
			randomBytes(rand.New(rand.NewPCG(7, 0)), padded[:n])
			want := sha256.Sum256(padded[:n])
			whole := n &^ (Size - 1)
			end := Pad((*[MaxTail]byte)(padded[whole:]), bytes.Clone(padded[whole:n]), uint64(n))
			if HashPadded((*[DigestSize]byte)(padded), padded[:whole+end], n); [DigestSize]byte(padded) != want {
				t.Fatalf("%d bytes: %x, want %x", n, padded[:DigestSize], want)
			}
		}
	})
}
