//go:build purego || !(amd64 || arm64)

package block

const maxNodes = 512

var nodeKernels []NodeKernel

func hashNode(dst *[DigestSize]byte, src *[NodeSize]byte) { hashNodeByBlocks(dst, src) }
