//go:build !linux

package terminal

// ResetSignals does nothing: signals do what the Go runtime makes of them.
func ResetSignals() {}
