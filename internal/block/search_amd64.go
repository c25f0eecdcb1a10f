//go:build !purego

package block

var searchKernels = []SearchKernel{
	{Name: "search_x32_avx512", Lanes: 32, MaxBatches: 128, Supported: hasAVX512},
	{Name: "search_x4_shani", Lanes: 4, MaxBatches: 384, Supported: hasSHANI},
	{Name: "search_x8_avx2", Lanes: 8, MaxBatches: 96, Supported: hasAVX2},
	{Name: "search_x4_avx", Lanes: 4, MaxBatches: 96, Supported: hasAVX},
	{Name: "search_x4_ssse3", Lanes: 4, MaxBatches: 96, Supported: hasSSSE3},
}

// search runs the kernel of that name.
func search(name string, c *Nonces, n uint32, batches int) (hits uint32, left int) {
	switch name {
	case "search_x32_avx512":
		return search_x32_avx512(c, n, batches)
	case "search_x4_shani":
		return search_x4_shani(c, n, batches)
	case "search_x8_avx2":
		return search_x8_avx2(c, n, batches)
	case "search_x4_avx":
		return search_x4_avx(c, n, batches)
	case "search_x4_ssse3":
		return search_x4_ssse3(c, n, batches)
	}
	panic("sha256: no search kernel " + name)
}
