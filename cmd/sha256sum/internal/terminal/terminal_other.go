//go:build !unix || aix || solaris || illumos

package terminal

// inBackground reports whether the terminal belongs to another job of the shell.
func inBackground() bool { return false }
