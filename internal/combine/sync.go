//go:build !sha256simd_yields

package combine

import (
	"sync"
	"sync/atomic"
)

// The types by which goroutines synchronize. Builds with the tag sha256simd_yields have
// types in their place that yield at random (sync_yields.go).
type (
	mutex       = sync.Mutex
	rwMutex     = sync.RWMutex
	atomicBool  = atomic.Bool
	atomicInt32 = atomic.Int32
	atomicInt64 = atomic.Int64
)
