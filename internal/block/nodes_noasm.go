//go:build purego || !(amd64 || arm64)

package block

var nodeKernels []NodeKernel
