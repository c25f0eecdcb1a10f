//go:build !unix || aix || solaris || illumos

package main

// inBackground reports whether the terminal belongs to another job of the shell.
func inBackground() bool { return false }
