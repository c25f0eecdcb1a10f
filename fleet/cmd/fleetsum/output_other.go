//go:build !linux

package main

// outputClosed is not known on this system.
func outputClosed() bool { return false }
