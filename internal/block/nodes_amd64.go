//go:build !purego

package block

// maxNodes bounds one call into assembly: the slowest kernel takes about 35 µs
// for as many nodes.
const maxNodes = 512

var useNodeSHANI bool

var nodeKernels = []NodeKernel{
	{Name: "node_x32_avx512", Lanes: 32, hash: node_x32_avx512, Supported: hasAVX512},
	{Name: "node_x16_avx512", Lanes: 16, hash: node_x16_avx512, Supported: hasAVX512},
	{Name: "node_x8_avx2", Lanes: 8, hash: node_x8_avx2, Supported: hasAVX2},
	{Name: "node_x4_shani", Lanes: 4, hash: node_x4_shani, Supported: hasSHANI},
	{Name: "node_x2_avx512shani", Lanes: 2, hash: node_x2_avx512shani, Supported: hasAVX512SHANI, Loses: !hasSlowSchedule},
	{Name: "node_x2_shani", Lanes: 2, hash: node_x2_shani, Supported: hasSHANI},
	{Name: "node_x1_shani", Lanes: 1, hash: node_x1_shani, Supported: hasSHANI, use: &useNodeSHANI},
}

// hashNode calls the kernel directly, as compress does.
func hashNode(dst *[DigestSize]byte, src *[NodeSize]byte) {
	if useNodeSHANI {
		node_x1_shani(&dst[0], &src[0], 1)
	} else {
		hashNodeByBlocks(dst, src)
	}
}
