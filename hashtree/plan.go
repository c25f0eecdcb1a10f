package hashtree

import "github.com/sha256-simd/sha256-simd/internal/block"

func hash(digests, chunks []byte) {
	for _, k := range block.NodeKernels() {
		if k.Enabled {
			n := len(chunks)/64/k.Lanes
			k.Hash(digests, chunks[:n*64*k.Lanes])
			digests = digests[n*k.Lanes*32:]
			chunks = chunks[n*k.Lanes*64:]
		}
	}
	block.HashNodes(digests, chunks)
}
