//go:build purego || amd64 || arm64

package block

// preferStd is not set where this package has kernels, nor under purego, where
// plain Go is what was asked for.
const preferStd = false
