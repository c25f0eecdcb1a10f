//go:build !race

package block

// RaceRead does nothing without the race detector.
func RaceRead([]byte) {}

// RaceWrite does nothing without the race detector.
func RaceWrite([]byte) {}
