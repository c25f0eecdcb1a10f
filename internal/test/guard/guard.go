// Package guard gives tests memory that borders on pages which cannot be
// accessed, so that a read or write just outside of a buffer is a fault and not
// a matter of luck. Where the port has no such pages the memory is ordinary,
// and [Guarded] is false. So it is in builds with BoringCrypto: a fault in its C
// code ends the process.
//
// The memory is not the garbage collector's: pointers kept in it keep nothing
// alive.
package guard

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// A Buffer is memory between two guards.
type Buffer struct {
	mem []byte
}

// New returns a buffer of at least size bytes, all zero, that lives until the
// test ends.
func New(tb testing.TB, size int) *Buffer {
	tb.Helper()
	page := os.Getpagesize()
	size = max(1, (size+page-1)/page) * page
	mem, err := allocate(tb, size, page)
	if err != nil {
		tb.Fatalf("guard: mapping %d bytes: %v", size, err)
	}
	return &Buffer{mem: mem[:len(mem):len(mem)]}
}

// Bytes returns the whole buffer, from guard to guard.
func (b *Buffer) Bytes() []byte { return b.mem }

// Head returns the first n bytes: a guard comes right before them.
func (b *Buffer) Head(n int) []byte { return b.mem[:n:n] }

// Tail returns the last n bytes: a guard comes right after them.
func (b *Buffer) Tail(n int) []byte { return b.mem[len(b.mem)-n:] }

// Protect makes a page of the buffer inaccessible, as where a mapped file has lost a
// part. Pages count from 0.
func (b *Buffer) Protect(tb testing.TB, page int) {
	tb.Helper()
	size := os.Getpagesize()
	if err := protect(b.mem[page*size:][:size]); err != nil {
		tb.Fatalf("guard: protecting page %d: %v", page, err)
	}
}

// Zeros returns n zero bytes that can be read only and take up no memory. It
// skips the test where the port has no such thing, or int does not hold n.
func Zeros(tb testing.TB, n int64) []byte {
	tb.Helper()
	if int64(int(n)) != n {
		tb.Skipf("a slice of %d bytes is too long for this architecture", n)
	}
	mem, err := zeros(tb, int(n))
	if err != nil {
		tb.Skipf("guard: mapping %d zero bytes: %v", n, err)
	}
	return mem
}

// Faults runs f and returns the fault, if memory was accessed in f that cannot
// be. Without it such a fault ends the process and names no test. Under emulators
// that report no addresses, the use of a nil pointer looks the same.
func Faults(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr
		}:
			err = fmt.Errorf("fault at %#x: %w", r.Addr(), r)
		case runtime.Error:
			if !strings.Contains(r.Error(), "nil pointer dereference") || hasAddresses() {
				panic(r)
			}
			err = fmt.Errorf("fault: %w", r)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}
