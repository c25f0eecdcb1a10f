//go:build !linux

package main

import "syscall"

// resetSignals does nothing: signals do what the Go runtime makes of them.
func resetSignals() {}

// dieOf does nothing: the exit status tells of the signal.
func dieOf(syscall.Signal) {}
