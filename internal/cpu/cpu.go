// Package cpu reports what this machine's CPU can do and what it is like. What
// follows from features, vendor and model is computed by pure functions, which
// tables specify; only detect asks the hardware.
package cpu

import (
	"math/bits"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
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

// builtOn says which extension each extension includes: without the second, the first
// cannot be used. A base comes before what is built on it.
var builtOn = [...][2]Features{
	{AVX, SSSE3}, {AVX2, AVX}, {AVX512F, AVX2}, {AVX512BW, AVX512F}, {AVX512VL, AVX512F}, {AVX512FP16, AVX512BW},
}

// without returns f without g and without what is built on g.
func (f Features) without(g Features) Features {
	f &^= g
	for _, pair := range builtOn {
		if !f.Has(pair[1]) {
			f &^= pair[0]
		}
	}
	return f
}

// Usable returns the features of c that kernels may use under an operating system
// whose signals leave the registers of the others as they were.
//
//   - macOS saves the registers of AVX-512, but Go's signal handling there loses part of
//     them: golang.org/issue/49233.
//   - NetBSD loses the bits of vector registers from 128 on: golang.org/issue/80285.
//     Kernels for AVX keep nothing there.
func (c CPU) Usable(goos string) Features {
	switch goos {
	case "darwin", "ios":
		return c.Features.without(AVX512F)
	case "netbsd":
		return c.Features.without(AVX2)
	}
	return c.Features.without(0)
}

// switchedOff returns the features that a value of GODEBUG switches off, by the fields
// cpu.NAME=off and cpu.all=off. Of several fields for a feature the last counts.
func switchedOff(godebug string) Features {
	var off Features
	for field := range strings.SplitSeq(godebug, ",") {
		name, value, _ := strings.Cut(field, "=")
		name, ok := strings.CutPrefix(name, "cpu.")
		if !ok {
			continue
		}
		f := named(name)
		switch value {
		case "off":
			off |= f
		case "on":
			off &^= f
		}
	}
	return off
}

// named returns the feature that Go's option cpu.name switches, all features for "all",
// or none.
func named(name string) Features {
	switch name {
	case "all":
		return endOfFeatures - 1
	case "atomics":
		return LSE
	}
	if i := slices.IndexFunc(featureNames[:], func(f string) bool { return strings.ToLower(f) == name }); i >= 0 {
		return 1 << i
	}
	return 0
}

// thisMachine returns what the functions below return. It asks the CPU and reads the
// environment at first use.
var thisMachine = sync.OnceValues(func() (Features, Microarch) {
	f, m := standIn(detect(), runtime.GOOS, standInFor)
	return f.without(switchedOff(os.Getenv("GODEBUG"))), m
})

// Usable returns the features of this machine that kernels may use. The environment
// variable GODEBUG can switch features off, as for Go's own packages.
func Usable() Features {
	usable, _ := thisMachine()
	return usable
}

// This returns the microarchitecture of this machine's CPU.
func This() Microarch {
	_, microarch := thisMachine()
	return microarch
}
