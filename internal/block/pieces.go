package block

import (
	"sync/atomic"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// Functions for a message that arrives in pieces. They keep the bytes that fill no block yet in
// the block `held`. Reading p may fault: until all of p is read, they change only bytes of held
// that hold nothing.

// inVectors is set if these functions, Finish and FinishBehind use AVX-512.
var inVectors atomic.Bool

// usesVectors returns inVectors for a routine and for what the kernel for one stream needs. Write and
// Finish need the SHA extensions, which may be disabled. Without them, CPUs of Intel may also lower
// their frequency when registers of 512 bits are used.
func usesVectors(in shortRoutine, single cpu.Features) bool {
	return in == inAVX512 && single.Has(cpu.SHA)
}

// InVectors reports whether these functions, Finish and FinishBehind use AVX-512.
func InVectors() bool { return inVectors.Load() }

// MaxOneCall is the largest number of bytes that one call of assembly writes or finishes: its proof goes
// up to there, and more bytes gain little.
const MaxOneCall = 5*Size - 1

// InOneCall reports whether one call of assembly is to write or finish p behind n bytes, which are less
// than a block. It returns false if there are too many bytes, or if the first block, or the 64 bytes from
// the last block boundary on, are on two pages: masked loads of these may be slow (see onTwoPages).
func InOneCall(n int, p []byte) bool {
	end := n + len(p)
	return inVectors.Load() && end <= MaxOneCall && !onTwoPages(p, -n) && !onTwoPages(p, end&^(Size-1)-n)
}

// onTwoPages reports whether 64 bytes lie on two pages. They begin `at` bytes behind the beginning of p,
// or before it if at is negative. If one of the pages is not there, or was never touched, a masked load
// takes 100 ns more, even if the mask leaves out all bytes of that page (Granite Rapids).
func onTwoPages(p []byte, at int) bool {
	const page = 4096
	return (uintptr(unsafe.Pointer(unsafe.SliceData(p)))+uintptr(at))%page > page-Size
}

// Write sets h to the state after the blocks that p completes behind the first n bytes of held. n is 1 to
// 63, and p completes at least one block. What is left of p goes to held. If nothing is left, held stays
// as it is. Vector registers must be in use, and the n bytes and p together have at most MaxOneCall
// bytes. InOneCall says whether Write is fast. Write puts blocks together in registers, so no load of a
// block waits for the stores of a copy. If reading p faults, h and held stay as they were. As in
// finishInVectors, the race detector does not hear of h and held.
func Write(h *State, held *[Size]byte, n int, p []byte) {
	if race.Enabled {
		race.Read(p)
	}
	write(h, held, n, unsafe.SliceData(p), len(p))
}

// Append appends p to the first n bytes of held. Together, these are at most a block. What lies
// behind them stays as it is. Vector registers load and store quarters of held. No load of a kernel,
// Write or Finish spans two quarters. A load that spans two stores waits until all instructions before
// it are retired, so the next message would wait, too. A piece on two pages is copied (see onTwoPages).
func Append(held *[Size]byte, n int, p []byte) {
	if inVectors.Load() && len(p) > 0 && !onTwoPages(p, -n) {
		appendInVectors(held, n, p)
		return
	}
	copy(held[n:], p)
}

// Hold sets the first bytes of held to p, which is shorter than a block. Reading p may fault: until
// all of it is read, held stays as it is, for it may hold other bytes.
func Hold(held *[Size]byte, p []byte) {
	if inVectors.Load() && len(p) > 0 && !onTwoPages(p, 0) {
		appendInVectors(held, 0, p)
		return
	}
	var x [Size]byte
	copy(held[:], x[:copy(x[:], p)])
}

// appendInVectors is Append in vector registers. It stores only when it has read all of p. p is not
// empty: its address is valid.
func appendInVectors(held *[Size]byte, n int, p []byte) {
	if race.Enabled {
		race.Read(p)
		race.Write(held[:])
	}
	appendPiece(held, n, unsafe.SliceData(p), len(p))
}
