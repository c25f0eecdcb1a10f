// Package cpu reports what this machine's CPU can do and what it is like. What
// follows from features, vendor and model is computed by pure functions, which
// tables specify; only detect asks the hardware.
package cpu

import (
	"math/bits"
	"runtime"
	"strings"
)

// Features is a set of extensions of an instruction set.
type Features uint32

// The extensions that kernels need, or that distinguish CPUs. What every CPU of
// an architecture has that Go runs on is not among them: SSE2, Advanced SIMD.
const (
	SSSE3 Features = 1 << iota
	AVX
	AVX2
	BMI2
	SHA
	AVX512F
	AVX512BW
	AVX512VL
	AVX512FP16 // of Intel's cores since Sapphire Rapids
	SHA2       // of arm64
	LSE        // of arm64: the atomic instructions of Armv8.1

	endOfFeatures
)

// AVX512 is what is meant by AVX-512 where no single kernel is meant.
const AVX512 = AVX512F | AVX512BW | AVX512VL

var featureNames = [...]string{"SSSE3", "AVX", "AVX2", "BMI2", "SHA", "AVX512F", "AVX512BW", "AVX512VL", "AVX512FP16", "SHA2", "LSE"}

// Has reports whether all of g are in f.
func (f Features) Has(g Features) bool { return f&g == g }

// All returns the extensions in f, one by one.
func (f Features) All() []Features {
	var all []Features
	for one := Features(1); one < endOfFeatures; one <<= 1 {
		if f&one != 0 {
			all = append(all, one)
		}
	}
	return all
}

// String returns the names of f's extensions, joined by +.
func (f Features) String() string {
	var names []string
	for _, one := range f.All() {
		names = append(names, featureNames[bits.TrailingZeros32(uint32(one))])
	}
	return strings.Join(names, "+")
}

// A CPU is what a machine says of itself.
type CPU struct {
	// Arch is the GOARCH.
	Arch string
	// Vendor is the one that CPUID names, "GenuineIntel" for example.
	Vendor string
	// Family and Model are CPUID's as displayed, extended parts added.
	Family, Model int
	// Features are the features whose registers the operating system saves.
	Features Features
}

// Usable returns the features of c that kernels may use under an operating
// system. macOS saves the registers of AVX-512, but Go's signal handling there
// loses part of them: golang.org/issue/49233.
func (c CPU) Usable(goos string) Features {
	if goos == "darwin" || goos == "ios" {
		return c.Features &^ (AVX512 | AVX512FP16)
	}
	return c.Features
}

// usable and microarch are what the functions below return.
var usable, microarch = standIn(detect(), runtime.GOOS, standInFor)

// Usable returns the features of this machine that kernels may use.
func Usable() Features { return usable }

// This returns the microarchitecture of this machine's CPU.
func This() Microarch { return microarch }
