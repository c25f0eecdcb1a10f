//go:build !amd64 && !arm64

package cpu

import "runtime"

// detect finds nothing: the architecture has no kernels.
func detect() CPU { return CPU{Arch: runtime.GOARCH} }
