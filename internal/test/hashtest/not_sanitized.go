//go:build !race && !msan && !asan

package hashtest

// Sanitized says whether a sanitizer is built in.
const Sanitized = false
