package lanes

import (
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Search returns the kernel to search nonces with, or nil if there is none:
// then nonces are tried as messages.
func Search() *block.SearchKernel { return currentPlan().search }

// preferredSearch returns the enabled kernel that costs least for a nonce on a
// class, or nil. A search kernel is to others of its kind what the kernel for
// streams that does the same rounds is to others of those: measured on Zen 5
// and on Ice Lake, where the orders differ.
func preferredSearch(c class, kernels []block.SearchKernel) *block.SearchKernel {
	var best *block.SearchKernel
	var least int // for block.MaxLanes nonces
	for i := range kernels {
		k := &kernels[i]
		cycles, known := costOf(costs, c, strings.TrimPrefix(k.Name, "search_"))
		if total := cycles * block.MaxLanes / k.Lanes; k.Enabled && known && (best == nil || total < least) {
			best, least = k, total
		}
	}
	return best
}
