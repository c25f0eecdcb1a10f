//go:build purego || (!amd64 && !arm64)

package cpu

import "runtime"

// detect finds nothing: this build has no kernels.
func detect() CPU { return CPU{Arch: runtime.GOARCH} }
