//go:build !purego

package upperhalves

import "github.com/sha256-simd/sha256-simd/internal/cpu"

func dirty() bool {
	switch {
	case cpu.Usable().Has(cpu.AVX512F):
		dirty512()
	case cpu.Usable().Has(cpu.AVX):
		dirty256()
	default:
		return false
	}
	return true
}

func clean() {
	if cpu.Usable().Has(cpu.AVX) {
		zero()
	}
}

func inUse() bool { return cpu.Usable().Has(cpu.AVX) && anyUpper() }

// dirty256 sets all bits of Y0 to Y15.
func dirty256()

// dirty512 sets all bits of Z0 to Z31.
func dirty512()

// zero clears the upper halves of vector registers 0 to 15.
func zero()

// anyUpper reports whether any of Y0 to Y15 has an upper half that is not zero, and
// clears them.
func anyUpper() bool
