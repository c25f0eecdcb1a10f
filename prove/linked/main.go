// Linked links every kernel and routine of an architecture into a program, and fetch. Command
// prove reads them there.
package main

import "github.com/sha256-simd/sha256-simd/internal/block"

func main() {
	for _, k := range block.Kernels() {
		k.Blocks(nil, nil, 0, 0, 0, 0, 0)
	}
	for _, k := range block.NodeKernels() {
		k.Hash(nil, nil)
	}
	for _, k := range block.SearchKernels() {
		k.Search(nil, 0, 0)
	}
	for _, k := range block.ChainKernels() {
		k.Advance(nil, 0, nil)
	}
	for _, k := range block.WotsKernels() {
		k.Follow(nil, 0, 0)
	}
	block.Fetch(nil)
	block.PadShort(nil, 0, nil, nil, nil)
	block.PutDigests(nil, 0, 0, nil, nil, 0, nil)
	var x [block.Size]byte
	h := block.IV256
	var held [block.Size]byte
	block.Write(&h, &held, 1, x[:])
	block.Hold(&held, nil)
	block.FinishBehind((*[block.DigestSize]byte)(held[:]), &block.IV256, nil, nil, 0)
	block.Finish((*[block.DigestSize]byte)(held[:]), &block.IV256, nil, 0)
}
