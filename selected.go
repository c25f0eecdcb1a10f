package sha256

import (
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Info says what was selected for this machine, for logs and bug reports.
type Info struct {
	// Single is the kernel for one message, named by how many messages it takes and
	// its instruction set: x1_shani, for example. It is "x1_std" where crypto/sha256
	// does the work, and "generic" for plain Go.
	Single string
	// Many is the kernel for many messages, when there are enough to fill it; the
	// same as Single where messages are hashed one at a time.
	Many string
	// Lanes is how many messages Many hashes side by side.
	Lanes int
	// Features are the instruction sets of this machine that kernels could use,
	// by the words of SHA256SIMD_DISABLE, whether disabled or not.
	Features []string
	// Unknown are the words of SHA256SIMD_DISABLE that name nothing on any
	// architecture.
	Unknown []string
}

// Selected reports which kernels this process uses.
func Selected() Info {
	info := Info{Single: block.Single(), Features: lanes.Features(), Unknown: lanes.Unknown()}
	info.Lanes, info.Many = lanes.Width()
	if info.Lanes == 1 {
		info.Many = info.Single
	}
	return info
}
