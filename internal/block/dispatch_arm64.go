//go:build !purego

package block

var kernels []Kernel

func compress(h *State, p *byte, n int) {
	if useStd {
		x1_std(h, p, n)
	} else {
		generic(h, p, n)
	}
}
