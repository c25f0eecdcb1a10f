//go:build !race

// Package race reports to the race detector what assembly reads and writes: it
// cannot see that by itself. Without the detector its functions do nothing.
package race

// Enabled says whether the race detector is part of this build.
const Enabled = false

// Read does nothing without the race detector.
func Read([]byte) {}

// Write does nothing without the race detector.
func Write([]byte) {}
