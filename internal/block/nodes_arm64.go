//go:build !purego

package block

import "golang.org/x/sys/cpu"

// maxNodes bounds one call into assembly: by llvm-mca the slowest kernel takes
// about 50 µs for as many nodes on a Cortex-A72 at 1.8 GHz.
const maxNodes = 128

var useNodeSHA2 bool

var nodeKernels = []NodeKernel{
	{Name: "node_x4_sha2", Lanes: 4, hash: node_x4_sha2, Supported: cpu.ARM64.HasSHA2},
	{Name: "node_x2_sha2", Lanes: 2, hash: node_x2_sha2, Supported: cpu.ARM64.HasSHA2},
	{Name: "node_x1_sha2", Lanes: 1, hash: node_x1_sha2, Supported: cpu.ARM64.HasSHA2, use: &useNodeSHA2},
	{Name: "node_x4_neon", Lanes: 4, hash: node_x4_neon, Supported: true},
}

// hashNode calls the kernel directly, as compress does.
func hashNode(dst *[DigestSize]byte, src *[NodeSize]byte) {
	if useNodeSHA2 {
		node_x1_sha2(&dst[0], &src[0], 1)
	} else {
		hashNodeByBlocks(dst, src)
	}
}
