//go:build (amd64 || arm64) && !purego

package goroutine

// Current returns the ID of the calling goroutine: the address of its descriptor in the
// Go runtime.
//
//go:noescape
func Current() ID
