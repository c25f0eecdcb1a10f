//go:build !sha256simd_yields

package combine

// randomYields says whether goroutines yield at random.
const randomYields = false
