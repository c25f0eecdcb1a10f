package block

import (
	"sync/atomic"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/race"
)

// Functions for a message that arrives in pieces. They keep the bytes that fill no block yet in
// the block `held`. Reading p may fault: until all of p is read, they change only bytes of held
// that hold nothing. With AVX-512, lengths mispredict no branch, and a block is stored whole, so
// that its parts can be loaded at once.

// joins is set if these functions run in AVX-512. It is not set on CPUs without SHA extensions:
// those of Intel may lower their frequency for registers of 512 bits.
var joins atomic.Bool

// Join appends p to the first n bytes of held. Together, these are one or two blocks, which go
// to x, and less than a block more, which goes to held. x has room for one block more.
func Join(x []byte, held *[Size]byte, n int, p []byte) {
	// Bytes of short pieces that were stored one by one just before are slow to load at once.
	if len(p) >= Size && joins.Load() {
		if race.Enabled {
			race.Read(p)
			race.Write(held[:])
		}
		join(&x[0], held, n, &p[0], len(p))
		return
	}
	*(*[Size]byte)(x) = *held
	copy(x[n:], p)
	*held = [Size]byte(x[len(x)-Size:])
}

// Fill appends p to the first n bytes of held. Together, they are a block.
func Fill(held *[Size]byte, n int, p []byte) {
	if joins.Load() {
		copyInVector(held[n:], p)
		return
	}
	copy(held[n:], p)
}

// Hold sets the first bytes of held to p, which is shorter than a block.
func Hold(held *[Size]byte, p []byte) {
	if joins.Load() {
		copyInVector(held[:], p)
		return
	}
	var x [Size]byte
	copy(held[:], x[:copy(x[:], p)])
}

// copyInVector copies p, at most a block, to dst, which is not empty and has room for p.
func copyInVector(dst, p []byte) {
	if race.Enabled {
		race.Read(p)
		race.Write(dst[:len(p)])
	}
	copyShort(&dst[0], unsafe.SliceData(p), len(p))
}
