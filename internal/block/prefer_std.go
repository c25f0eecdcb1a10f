//go:build !purego && !amd64 && !arm64

package block

// preferStd is set where this package has no kernel: crypto/sha256 may.
const preferStd = true
