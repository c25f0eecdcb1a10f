//go:build !linux

package main

// enoughDescriptors reports whether the program may have as many files open as the
// Go runtime needs.
func enoughDescriptors() bool { return true }

// Whether a standard descriptor was closed is not known here: the Go runtime has
// put /dev/null in its place.
func stdinClosed() bool  { return false }
func stdoutClosed() bool { return false }
