//go:build !purego

package block

import "golang.org/x/sys/cpu"

// MaxBatches is for 50 µs, by llvm-mca, on a Cortex-A53 at 1.4 GHz.
var searchKernels = []SearchKernel{
	{Name: "search_x4_sha2", Lanes: 4, MaxBatches: 80, Supported: cpu.ARM64.HasSHA2},
}

// search runs the kernel of that name.
func search(name string, c *Nonces, n uint32, batches int) (hits uint32, left int) {
	if name == "search_x4_sha2" {
		return search_x4_sha2(c, n, batches)
	}
	panic("sha256: no search kernel " + name)
}
