package lanes

import "github.com/sha256-simd/sha256-simd/internal/block"

// A class is a set of CPUs on which the kernels cost about the same, as far as
// the choice between them goes.
type class string

const (
	zen5           class = "Zen 5 and later"
	zen4           class = "Zen 4, or Zen 5 with 256-bit units"
	zen1           class = "Zen 1 to 3"
	iceLake        class = "Ice Lake, Tiger Lake, Rocket Lake"
	intelAVX512SHA class = "Intel with AVX-512 and SHA, later than these"
	intelAVX512    class = "Intel with AVX-512, without SHA"
	shaOnly        class = "SHA without AVX-512"
	avx2Only       class = "AVX2 without SHA"
	older          class = "SSSE3 or AVX"
	armSHA2        class = "arm64 with SHA2"
	armSHA2v80     class = "arm64 with SHA2, of Armv8.0"
	armNEON        class = "arm64 without SHA2"
	unknown        class = "unknown"
)

// A cpu is what the class of an x86 CPU depends on, in the terms of CPUID:
// family and model as displayed, extended parts added.
type cpu struct {
	vendor            vendor
	family, model     int
	sha, avx512, avx2 bool
}

type vendor int

const (
	otherVendor vendor = iota
	intel
	amd // and Hygon, whose cores are Zen 1
)

// classify returns the class of a CPU. Where vendor, family and model name the
// microarchitecture, it counts even if a hypervisor hides features: what can be
// enabled is the plan's concern. Elsewhere the features that are left decide.
func classify(c cpu) class {
	switch {
	case c.vendor == amd && c.family >= 0x17:
		return classifyZen(c)
	case c.vendor == intel && block.IceLake(c.family, c.model):
		return iceLake
	case c.vendor == intel && c.avx512 && c.sha:
		return intelAVX512SHA
	case c.vendor == intel && c.avx512:
		return intelAVX512
	case c.avx512:
		return unknown
	case c.sha:
		return shaOnly
	case c.avx2:
		return avx2Only
	}
	return older
}

// classifyZen tells AMD's Zen cores, and Hygon's, apart.
func classifyZen(c cpu) class {
	const modelRange = 0x10 // AMD assigns models to designs in ranges
	models := c.model / modelRange * modelRange
	switch {
	case c.family == 0x1a && (models == 0x20 || models == 0x60): // Strix Point and Krackan Point
		return zen4
	case c.family >= 0x1a:
		return zen5
	case c.family == 0x19 && (models == 0x10 || models >= 0x60):
		return zen4
	}
	return zen1
}

// classifyARM returns the class of an arm64 CPU. Which core it is, programs
// cannot tell on most systems, nor whether the next instruction will run on a
// larger or a smaller one. LSE, the atomic instructions, came with Armv8.1: it
// tells Cortex-A55, A76, Neoverse and Apple's cores from Cortex-A53 to A73.
func classifyARM(sha2, lse bool) class {
	switch {
	case sha2 && lse:
		return armSHA2
	case sha2:
		return armSHA2v80
	}
	return armNEON
}
