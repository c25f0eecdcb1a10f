// Package memory tells the garbage collector what a run has to keep.
package memory

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Most is what the garbage collector keeps to. Otherwise it would let garbage
// take as much again as the buffers and all that waits.
const Most = 48 << 20

// held is what names, directories and records take. Beyond what they may take of
// Most, the limit rises with them: the collector cannot free them, and would try
// and try.
var held atomic.Int64

const mostHeld = 8 << 20

// Hold counts bytes that are kept from now on, or given back if they are negative. It is safe
// for concurrent use.
func Hold(bytes int64) {
	if after := held.Add(bytes); max(after, after-bytes) > mostHeld {
		Limit()
	}
}

// limiting has the last limit that is set count all that is held.
var limiting sync.Mutex

// Limit makes the garbage collector keep to the limit.
func Limit() {
	limiting.Lock()
	defer limiting.Unlock()
	debug.SetMemoryLimit(Most + max(0, held.Load()-mostHeld))
}

// Held returns how many bytes are kept.
func Held() int64 { return held.Load() }

// Append appends to a slice that is kept until the run ends.
func Append[T any](s []T, v T) []T {
	before := cap(s)
	if s = append(s, v); cap(s) != before {
		Hold(int64(cap(s)-before) * int64(unsafe.Sizeof(v)))
	}
	return s
}
