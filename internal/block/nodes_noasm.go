//go:build purego || !amd64

package block

var nodeKernels []NodeKernel
