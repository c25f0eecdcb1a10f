package guard

import (
	"os"
	"testing"
	"unsafe"
)

func TestBuffersBorderOnGuards(t *testing.T) {
	if !Guarded {
		t.Skip("this port has no guard pages")
	}
	for _, size := range []int{0, 1, 100, 4096, 100000} {
		b := New(t, size)
		all := b.Bytes()
		if len(all) < size {
			t.Errorf("New(%d) has %d bytes", size, len(all))
		}
		if err := Faults(func() { clear(all) }); err != nil {
			t.Errorf("New(%d): writing the buffer: %v", size, err)
		}
		first, last := unsafe.Pointer(&b.Head(1)[0]), unsafe.Pointer(&b.Tail(1)[0])
		for name, p := range map[string]unsafe.Pointer{
			"before": unsafe.Add(first, -1),
			"after":  unsafe.Add(last, 1),
		} {
			if err := Faults(func() { sink = *(*byte)(p) }); err == nil {
				t.Errorf("New(%d): reading the byte %s the buffer does not fault", size, name)
			}
			if err := Faults(func() { *(*byte)(p) = 1 }); err == nil {
				t.Errorf("New(%d): writing the byte %s the buffer does not fault", size, name)
			}
		}
	}
}

// sink keeps the compiler from dropping reads.
var sink byte

func TestSlicesHaveNoRoomToGrow(t *testing.T) {
	b := New(t, 100)
	for name, s := range map[string][]byte{"Head": b.Head(10), "Tail": b.Tail(10), "Bytes": b.Bytes()} {
		if cap(s) != len(s) {
			t.Errorf("%s: capacity %d, length %d", name, cap(s), len(s))
		}
	}
}

func TestFaultsLetsOtherPanicsThrough(t *testing.T) {
	for name, f := range map[string]func(){
		"a panic of the program's": func() { panic("other") },
		"an index out of range":    func() { sink = []byte{}[len(os.Args)] },
		"a nil pointer":            func() { sink = *pointer },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a nil pointer" && !hasAddresses() {
				t.Skip("faults have no address here: this could be one")
			}
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			err := Faults(f)
			t.Errorf("Faults returns %v", err)
		})
	}
}

// pointer is nil, which the compiler does not know.
var pointer *byte

func TestZeros(t *testing.T) {
	const n = 4<<30 + 1
	p := Zeros(t, n)
	if int64(len(p)) != n || p[0] != 0 || p[len(p)-1] != 0 {
		t.Errorf("%d bytes", len(p))
	}
}
