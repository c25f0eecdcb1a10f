//go:build race || msan || asan

package hashtest

const sanitized = true
