//go:build unix && !boringcrypto

package guard

import (
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Guarded reports whether buffers border on pages that cannot be accessed.
const Guarded = true

func allocate(tb testing.TB, size, page int) ([]byte, error) {
	all, err := mmap(tb, page+size+page, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		return nil, err
	}
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := protect(guard); err != nil {
			return nil, fmt.Errorf("protecting a guard page: %w", err)
		}
	}
	return all[page : page+size], nil
}

func protect(pages []byte) error { return unix.Mprotect(pages, unix.PROT_NONE) }

func zeros(tb testing.TB, n int) ([]byte, error) {
	return mmap(tb, n, unix.PROT_READ)
}

func mmap(tb testing.TB, size, protection int) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, size, protection, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(mem); err != nil {
			tb.Errorf("guard: unmapping %d bytes: %v", size, err)
		}
	})
	return mem, nil
}

// hasAddresses reports whether a fault says at which address. Emulators of arm
// and ppc64le say 0 of every one, and Go takes it for a nil pointer's;
// ppc64le's emulator also says what its stack held before.
var hasAddresses = sync.OnceValue(func() (yes bool) {
	mem, err := unix.Mmap(-1, 0, 1, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return true
	}
	defer unix.Munmap(mem)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault, ok := recover().(interface{ Addr() uintptr })
		yes = ok && fault.Addr() == uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	}()
	return mem[0] != 0 // faults
})
