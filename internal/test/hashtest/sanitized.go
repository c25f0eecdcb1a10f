//go:build race || msan || asan

package hashtest

// Sanitized says whether a sanitizer is built in. It allocates, and the race
// detector has goroutines run in random order.
const Sanitized = true
