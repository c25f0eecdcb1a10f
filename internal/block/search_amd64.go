//go:build !purego

package block

// AVX-512 comes before the SHA extensions, unlike in the choice of streaming
// kernels: without loads and transposes it wins wherever both exist.
var searchKernels = []SearchKernel{
	{Name: "search_x32_avx512", Lanes: 32, MaxBatches: 128, search: search_x32_avx512, Supported: hasAVX512},
	{Name: "search_x4_shani", Lanes: 4, MaxBatches: 512, search: search_x4_shani, Supported: hasSHANI},
	{Name: "search_x8_avx2", Lanes: 8, MaxBatches: 128, search: search_x8_avx2, Supported: hasAVX2},
	{Name: "search_x4_avx", Lanes: 4, MaxBatches: 128, search: search_x4_avx, Supported: hasAVX},
	{Name: "search_x4_ssse3", Lanes: 4, MaxBatches: 128, search: search_x4_ssse3, Supported: hasSSSE3},
}
