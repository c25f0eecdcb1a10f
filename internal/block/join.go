package block

import (
	"sync/atomic"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// Functions for a message that arrives in pieces. They keep the bytes that fill no block yet in
// the block `held`. Reading p may fault: until all of p is read, they change only bytes of held
// that hold nothing. The routine append has no branch that depends on a length, and join has two.

// inVectors is set if these functions, Finish and FinishBehind use AVX-512.
var inVectors atomic.Bool

// usesVectors returns inVectors for a routine and for what the kernel for one stream needs. Finish
// needs the SHA extensions, which may be disabled. Without them, CPUs of Intel may also lower their
// frequency when registers of 512 bits are used.
func usesVectors(in shortRoutine, single cpu.Features) bool {
	return in == inAVX512 && single.Has(cpu.SHA)
}

// InVectors reports whether these functions, Finish and FinishBehind use AVX-512. Only then may Join
// be called.
func InVectors() bool { return inVectors.Load() }

// JoinsQuickly reports whether neither block of which Join loads a part of p, the first or the last, is
// on two pages (see onTwoPages). p is a block or more.
func JoinsQuickly(n int, p []byte) bool {
	return !onTwoPages(p, -n) && !onTwoPages(p, (n+len(p))&^(Size-1)-n)
}

// Join appends p to the first n bytes of held. Together, these are one or two blocks, which go
// to x, and less than a block more, which goes to held. x overlaps neither p nor held. Blocks are
// stored whole, so that kernels can load any part of them at once. But if the bytes held were
// copied just before, in short pieces, Join waits for them: then copies take less time.
func Join(x *[2 * Size]byte, held *[Size]byte, n int, p []byte) {
	if race.Enabled {
		race.Read(p)
		race.Write(held[:])
	}
	join(&x[0], held, n, &p[0], len(p))
}

// Append appends p to the first n bytes of held. Together, these are at most a block. What lies
// behind them stays as it is. Vector registers load and store quarters of held. No load of a kernel
// or of Finish spans two quarters. A load that spans two stores waits until all instructions before
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
