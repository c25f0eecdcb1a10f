package main

import (
	"math"
	"runtime"
	"testing"
)

// A set of lines has those that were added, whatever their numbers are, and no others.
func TestLineSet(t *testing.T) {
	lines := []int64{0, 1, 63, 64, 65, 127, 128, 1 << 32, math.MaxInt64, -1, -64, -65, math.MinInt64}
	s := make(lineSet)
	for i, line := range lines {
		if s.has(line) {
			t.Errorf("%d is there before it is added", line)
		}
		s.add(line)
		s.add(line)
		for j, other := range lines {
			if s.has(other) != (j <= i) {
				t.Errorf("after %d lines: %d is there: %v", i+1, other, s.has(other))
			}
		}
	}
}

// That all lines of a long shard are read again takes less than a byte a line.
func TestLineSetIsSmall(t *testing.T) {
	const lines = 2_000_000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	s := make(lineSet)
	for line := range int64(lines) {
		s.add(line)
	}
	if now := heap(); now > before+lines {
		t.Errorf("%d bytes for %d lines", now-before, lines)
	}
	runtime.KeepAlive(s)
}
