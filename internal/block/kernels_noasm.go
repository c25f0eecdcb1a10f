//go:build purego || !(amd64 || arm64)

package block

var (
	kernels       []Kernel
	nodeKernels   []NodeKernel
	searchKernels []SearchKernel
	chainKernels  []ChainKernel
	wotsKernels   []WotsKernel
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

func advance(name string, _ *uint32, _ int, _ *[8]uint32) { panic("sha256: no chain kernel " + name) }

func follow(name string, _ *uint32, _ int) { panic("sha256: no WOTS kernel " + name) }

func fetch(*[]byte, int) {}
