package sha256

import (
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Info describes the kernels selected for this machine, for logs and bug reports.
type Info struct {
	// Single is the kernel for one message. A kernel's name consists of its number
	// of lanes and its instruction set, as in x1_shani. Single is "x1_std" if
	// crypto/sha256 does the work, and "generic" for plain Go.
	Single string
	// Many is the kernel for enough messages to fill its lanes. It is the same as
	// Single if messages are hashed one at a time. Messages of one length may fill more
	// lanes, of another kernel.
	Many string
	// Lanes is the number of messages that Many hashes side by side.
	Lanes int
	// Features are the instruction sets of this machine for which there are kernels,
	// as words of SHA256SIMD_DISABLE. Disabled ones are included; what GODEBUG switches
	// off is not.
	Features []string
	// Ignored are the words of SHA256SIMD_DISABLE that name nothing on any
	// architecture.
	Ignored []string
}

// Selected reports which kernels this process uses.
func Selected() Info {
	info := Info{Single: block.Single(), Features: lanes.Features(), Ignored: lanes.Ignored()}
	info.Lanes, info.Many = lanes.Width(), lanes.StreamKernel()
	if info.Lanes == 1 {
		info.Many = info.Single
	}
	return info
}
