// Package goroutine identifies goroutines.
package goroutine

// An ID identifies a goroutine as long as it lives. Another goroutine that starts later
// may have the same.
type ID uintptr
