//go:build purego || !(amd64 || arm64)

package block

var (
	kernels       []Kernel
	nodeKernels   []NodeKernel
	searchKernels []SearchKernel
)

func compress(h *State, p *byte, n int) {
	if useStd {
		x1_std(h, p, n)
	} else {
		generic(h, p, n)
	}
}

func hashNode(dst *[DigestSize]byte, src *[NodeSize]byte) { hashNodeByBlocks(dst, src) }

func search(name string, _ *Nonces, _ uint32, _ int) (hits uint32, left int) {
	panic("sha256: no search kernel " + name)
}
