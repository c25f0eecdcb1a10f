//go:build purego || !amd64

package block

var searchKernels []SearchKernel
