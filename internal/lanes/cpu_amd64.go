package lanes

import "github.com/klauspost/cpuid/v2"

func classOfThisCPU() class {
	c := cpu{
		family: cpuid.CPU.Family,
		model:  cpuid.CPU.Model,
		sha:    cpuid.CPU.Supports(cpuid.SHA),
		avx512: cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL),
		avx2:   cpuid.CPU.Supports(cpuid.AVX2),
	}
	switch cpuid.CPU.VendorID {
	case cpuid.Intel:
		c.vendor = intel
	case cpuid.AMD, cpuid.Hygon:
		c.vendor = amd
	}
	return classify(c)
}
