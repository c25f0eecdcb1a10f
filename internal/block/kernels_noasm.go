//go:build purego || !(amd64 || arm64)

package block

var headers []Header

func streamKernel(name string) func(states **State, data **byte, ring, first, at, slice, turns int) {
	panic("sha256: no stream kernel " + name)
}

func nodeKernel(name string) func(dst, src *byte, n int) { panic("sha256: no node kernel " + name) }

func compress(c *choice, h *State, p *byte, n int) {
	switch {
	case c == nil || uint(n-1) >= uint(c.maxStream):
		compressParts(h, p, n)
	case c.single == useStd:
		x1_std(h, p, n)
	default:
		generic(h, p, n)
	}
}

func hashNode(c *choice, dst *[DigestSize]byte, src *[NodeSize]byte) {
	hashNodeByBlocks(c, dst, src)
}

func search(name string, _ *Nonces, _ uint32, _ int) (hits uint32, left int) {
	panic("sha256: no search kernel " + name)
}

func advance(name string, _ *uint32, _ int, _ *[8]uint32) { panic("sha256: no chain kernel " + name) }

func follow(name string, _ *uint32, _ int) { panic("sha256: no WOTS kernel " + name) }

func fetch(*[]byte, int) {}
