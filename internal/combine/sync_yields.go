//go:build sha256simd_yields

package combine

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// yieldsAtRandom counts the calls of the function perhaps that yielded.
var yieldsAtRandom atomic.Int64

// perhaps yields with probability 1/2, and then one to four times in a row.
func perhaps() {
	if rand.IntN(2) == 0 {
		return
	}
	yieldsAtRandom.Add(1)
	for range 1 + rand.IntN(4) {
		runtime.Gosched()
	}
}

// around calls f between two calls of perhaps.
func around[T any](f func() T) T {
	perhaps()
	defer perhaps()
	return f()
}

type mutex struct{ m sync.Mutex }

func (m *mutex) Lock()   { perhaps(); m.m.Lock(); perhaps() }
func (m *mutex) Unlock() { perhaps(); m.m.Unlock(); perhaps() }

func (m *mutex) TryLock() bool { return around(m.m.TryLock) }

type rwMutex struct{ m sync.RWMutex }

func (m *rwMutex) Lock()    { perhaps(); m.m.Lock(); perhaps() }
func (m *rwMutex) Unlock()  { perhaps(); m.m.Unlock(); perhaps() }
func (m *rwMutex) RLock()   { perhaps(); m.m.RLock(); perhaps() }
func (m *rwMutex) RUnlock() { perhaps(); m.m.RUnlock(); perhaps() }

type atomicBool struct{ v atomic.Bool }

func (b *atomicBool) Load() bool   { return around(b.v.Load) }
func (b *atomicBool) Store(v bool) { perhaps(); b.v.Store(v); perhaps() }

type atomicInt32 struct{ v atomic.Int32 }

func (i *atomicInt32) Load() int32       { return around(i.v.Load) }
func (i *atomicInt32) Store(n int32)     { perhaps(); i.v.Store(n); perhaps() }
func (i *atomicInt32) Add(n int32) int32 { return around(func() int32 { return i.v.Add(n) }) }

type atomicInt64 struct{ v atomic.Int64 }

func (i *atomicInt64) Load() int64       { return around(i.v.Load) }
func (i *atomicInt64) Store(n int64)     { perhaps(); i.v.Store(n); perhaps() }
func (i *atomicInt64) Add(n int64) int64 { return around(func() int64 { return i.v.Add(n) }) }
