package cpu

import "slices"

// A Microarch is a set of CPUs on which kernels cost about the same, as far as
// the choice between them goes.
type Microarch int

const (
	Unknown Microarch = iota
	Zen5
	Zen4
	Zen3
	Zen1
	IceLake
	GoldenCove
	IntelAVX512SHA
	IntelAVX512
	SHAOnly
	AVX2Only
	Older
	ArmSHA2
	ArmSHA2v80
	ArmNEON
)

const (
	upToAVX  = SSSE3 | AVX
	upToAVX2 = upToAVX | AVX2 | BMI2
)

// microarchs says what the microarchitectures are called in this package, which
// CPUs they mean, and the features that these have at most.
var microarchs = [...]struct {
	name, about string
	arch        string // "": any
	features    Features
}{
	Unknown:        {"Unknown", "unknown", "", upToAVX2 | SHA | AVX512},
	Zen5:           {"Zen5", "Zen 5 and later", "amd64", upToAVX2 | SHA | AVX512},
	Zen4:           {"Zen4", "Zen 4, or Zen 5 with 256-bit units", "amd64", upToAVX2 | SHA | AVX512},
	Zen3:           {"Zen3", "Zen 3", "amd64", upToAVX2 | SHA},
	Zen1:           {"Zen1", "Zen 1 and 2", "amd64", upToAVX2 | SHA},
	IceLake:        {"IceLake", "Ice Lake, Tiger Lake, Rocket Lake", "amd64", upToAVX2 | SHA | AVX512},
	GoldenCove:     {"GoldenCove", "Sapphire Rapids, Emerald Rapids", "amd64", upToAVX2 | SHA | AVX512},
	IntelAVX512SHA: {"IntelAVX512SHA", "Intel with AVX-512 and SHA, since Granite Rapids", "amd64", upToAVX2 | SHA | AVX512},
	IntelAVX512:    {"IntelAVX512", "Intel with AVX-512, without SHA", "amd64", upToAVX2 | AVX512},
	SHAOnly:        {"SHAOnly", "SHA without AVX-512", "amd64", upToAVX2 | SHA},
	AVX2Only:       {"AVX2Only", "AVX2 without SHA", "amd64", upToAVX2},
	Older:          {"Older", "SSSE3 or AVX", "amd64", upToAVX},
	ArmSHA2:        {"ArmSHA2", "arm64 with SHA2", "arm64", SHA2 | LSE},
	ArmSHA2v80:     {"ArmSHA2v80", "arm64 with SHA2, of Armv8.0", "arm64", SHA2},
	ArmNEON:        {"ArmNEON", "arm64 without SHA2", "arm64", 0},
}

// Microarchs returns all of them.
func Microarchs() []Microarch {
	var ms []Microarch
	for m := range microarchs {
		ms = append(ms, Microarch(m))
	}
	return ms
}

// Features returns what CPUs of this microarchitecture have at most.
func (m Microarch) Features() Features { return microarchs[m].features }

// On reports whether CPUs of the architecture goarch can be of m.
func (m Microarch) On(goarch string) bool {
	return microarchs[m].arch == "" || microarchs[m].arch == goarch
}

// String says which CPUs are meant.
func (m Microarch) String() string { return microarchs[m].about }

// GoString returns the constant's name.
func (m Microarch) GoString() string { return "cpu." + microarchs[m].name }

// MarshalText returns the constant's name, without the package.
func (m Microarch) MarshalText() ([]byte, error) { return []byte(microarchs[m].name), nil }

// Microarch returns the microarchitecture of c. Where vendor, family and model
// name it, it counts even if a hypervisor hides features: which kernels can run
// is another question. Elsewhere the features that are left decide.
func (c CPU) Microarch() Microarch {
	amd := c.Vendor == "AuthenticAMD" || c.Vendor == "HygonGenuine" // whose cores are Zen 1
	intel := c.Vendor == "GenuineIntel"
	avx512, sha := c.Features.Has(AVX512), c.Features.Has(SHA)
	switch {
	case c.Arch == "arm64":
		return c.microarchOfARM()
	case c.Arch != "amd64":
		return Unknown
	case amd && c.Family >= 0x17:
		return c.microarchOfZen()
	case intel && c.Family == 6 && slices.Contains(iceLakeModels, c.Model) && !c.Features.Has(AVX512FP16):
		return IceLake
	case intel && avx512 && sha && c.Family == 6 && slices.Contains(goldenCoveModels, c.Model):
		return GoldenCove
	case intel && avx512 && sha:
		return IntelAVX512SHA
	case intel && avx512:
		return IntelAVX512
	case avx512:
		return Unknown
	case sha:
		return SHAOnly
	case c.Features.Has(AVX2):
		return AVX2Only
	}
	return Older
}

// iceLakeModels are the models of Intel's family 6 whose cores need more than
// five cycles for SHA256MSG1 and for SHA256MSG2, which hold up the rounds.
// Sapphire Rapids and Alder Lake need less. A hypervisor may name one of these models on
// a later core; AVX512FP16 gives that core away.
var iceLakeModels = []int{
	0x6a, 0x6c, 0x7d, 0x7e, 0x9d, // Ice Lake
	0x8c, 0x8d, // Tiger Lake
	0xa7, // Rocket Lake
}

// goldenCoveModels are the models of Intel's family 6 that have the costs of Emerald Rapids, where
// 32 lanes of AVX-512 cost less, per lane, than 16. Sapphire Rapids was not measured; its cores are
// alike. If a hypervisor names one of these models on Granite Rapids, 32 lanes cost 2% more there.
var goldenCoveModels = []int{
	0x8f, // Sapphire Rapids
	0xcf, // Emerald Rapids
}

// microarchOfZen distinguishes AMD's Zen cores, and Hygon's.
func (c CPU) microarchOfZen() Microarch {
	const modelRange = 0x10 // AMD assigns models to designs in ranges
	models := c.Model / modelRange * modelRange
	switch {
	case c.Family == 0x1a && (models == 0x20 || models == 0x60): // Strix Point and Krackan Point
		return Zen4
	case c.Family >= 0x1a:
		return Zen5
	case c.Family == 0x19 && (models == 0x10 || models >= 0x60):
		return Zen4
	case c.Family == 0x19:
		return Zen3
	}
	return Zen1
}

// microarchOfARM goes by features: on most systems programs cannot find out
// which core it is, nor whether the next instruction will run on a larger or a
// smaller one. Cortex-A55, A76, Neoverse and Apple's cores have LSE, Cortex-A53
// to A73 do not.
func (c CPU) microarchOfARM() Microarch {
	switch {
	case c.Features.Has(SHA2 | LSE):
		return ArmSHA2
	case c.Features.Has(SHA2):
		return ArmSHA2v80
	}
	return ArmNEON
}
