package timing

import (
	"math"
	"runtime"
	"time"
)

// KnowsCycles reports whether timings are in cycles, too: every core of these
// architectures adds two registers in one cycle, and so for an exclusive or. The
// clock of Windows is too coarse to time a few thousand of them.
const KnowsCycles = (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && runtime.GOOS != "windows"

// resolution returns the shortest time that the clock can distinguish from
// none.
func resolution() time.Duration {
	shortest := time.Duration(math.MaxInt64)
	for range 3 {
		start := time.Now()
		took := time.Duration(0)
		for took <= 0 {
			took = time.Since(start)
		}
		shortest = min(shortest, took)
	}
	return shortest
}

const (
	chainLength = 16384 // operations: a few microseconds
	chainUnroll = 8     // of them in a round of the loop, whose own work fits beside them
)

// frequency returns the clock frequency of this core, now, in hertz, or 0 where
// it cannot be known. An interrupt could only make it look lower: the best of a
// few short measurements counts.
func frequency() float64 {
	if !KnowsCycles {
		return 0
	}
	shortest := time.Duration(math.MaxInt64)
	for range 3 {
		start := time.Now()
		sink = chain(sink, y, z)
		shortest = min(shortest, max(1, time.Since(start)))
	}
	return chainLength / shortest.Seconds()
}

// The compiler can neither leave the chain out nor know what it adds.
var sink, y, z uint64 = 1, 3, 5

// chain makes chainLength operations, each of which needs the result of the one
// before. Additions alone the compiler would put together, and some cores add
// constants for nothing.
//
//go:noinline
func chain(x, y, z uint64) uint64 {
	for range chainLength / chainUnroll {
		x = (x + y) ^ z
		x = (x + y) ^ z
		x = (x + y) ^ z
		x = (x + y) ^ z
	}
	return x
}
