package sha256

import "github.com/sha256-simd/sha256-simd/internal/block"

// Info says what was selected for this machine, for logs and bug reports.
type Info struct {
	// Single is the kernel for one message: lanes_isa, such as x1_shani; "x1_std"
	// where crypto/sha256 does the work, or "generic" for plain Go.
	Single string
	// Many is the widest kernel for many messages; the same as Single where
	// there is none.
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
	single := block.Single()
	info := Info{Single: single, Many: single, Lanes: 1, Features: block.Features(), Unknown: block.Unknown()}
	for _, k := range block.Kernels() {
		if k.Enabled && k.Lanes > info.Lanes {
			info.Many, info.Lanes = k.Name, k.Lanes
		}
	}
	return info
}
