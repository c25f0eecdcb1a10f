package cpu

import "github.com/klauspost/cpuid/v2"

// detect asks the CPU. cpuid answers for AVX and AVX-512 only if the operating
// system saves their registers.
func detect() CPU {
	c := CPU{Arch: "amd64", Vendor: cpuid.CPU.VendorString, Family: cpuid.CPU.Family, Model: cpuid.CPU.Model}
	for _, f := range []struct {
		id      cpuid.FeatureID
		feature Features
	}{
		{cpuid.SSSE3, SSSE3}, {cpuid.AVX, AVX}, {cpuid.AVX2, AVX2}, {cpuid.BMI2, BMI2}, {cpuid.SHA, SHA},
		{cpuid.AVX512F, AVX512F}, {cpuid.AVX512BW, AVX512BW}, {cpuid.AVX512VL, AVX512VL},
		{cpuid.AVX512FP16, AVX512FP16},
	} {
		if cpuid.CPU.Supports(f.id) {
			c.Features |= f.feature
		}
	}
	return c
}
