package lanes

import "testing"

// TestClassify classifies real CPUs by what CPUID says on them.
func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		name string
		cpu  cpu
		want class
	}{
		{"AMD K10", cpu{vendor: amd, family: 0x10, model: 0x0a}, older},
		{"AMD Piledriver", cpu{vendor: amd, family: 0x15, model: 0x02}, older},
		{"AMD Excavator", cpu{vendor: amd, family: 0x15, model: 0x65, avx2: true}, avx2Only},
		{"AMD Jaguar", cpu{vendor: amd, family: 0x16, model: 0x00}, older},
		{"Zen, Naples", cpu{vendor: amd, family: 0x17, model: 0x01, sha: true, avx2: true}, zen1},
		{"Zen, Hygon Dhyana", cpu{vendor: amd, family: 0x18, model: 0x01, sha: true, avx2: true}, zen1},
		{"Zen 2, Rome", cpu{vendor: amd, family: 0x17, model: 0x31, sha: true, avx2: true}, zen1},
		{"Zen 2, Matisse", cpu{vendor: amd, family: 0x17, model: 0x71, sha: true, avx2: true}, zen1},
		{"Zen 3, Milan", cpu{vendor: amd, family: 0x19, model: 0x01, sha: true, avx2: true}, zen1},
		{"Zen 3, Vermeer", cpu{vendor: amd, family: 0x19, model: 0x21, sha: true, avx2: true}, zen1},
		{"Zen 3, Rembrandt", cpu{vendor: amd, family: 0x19, model: 0x44, sha: true, avx2: true}, zen1},
		{"Zen 3, Cezanne", cpu{vendor: amd, family: 0x19, model: 0x50, sha: true, avx2: true}, zen1},
		{"Zen 4, Genoa", cpu{vendor: amd, family: 0x19, model: 0x11, sha: true, avx512: true, avx2: true}, zen4},
		{"Zen 4, Raphael", cpu{vendor: amd, family: 0x19, model: 0x61, sha: true, avx512: true, avx2: true}, zen4},
		{"Zen 4, Phoenix", cpu{vendor: amd, family: 0x19, model: 0x74, sha: true, avx512: true, avx2: true}, zen4},
		{"Zen 4c, Bergamo", cpu{vendor: amd, family: 0x19, model: 0xa0, sha: true, avx512: true, avx2: true}, zen4},
		{"Zen 5, Turin", cpu{vendor: amd, family: 0x1a, model: 0x02, sha: true, avx512: true, avx2: true}, zen5},
		{"Zen 5c, Turin Dense", cpu{vendor: amd, family: 0x1a, model: 0x11, sha: true, avx512: true, avx2: true}, zen5},
		{"Zen 5, Granite Ridge", cpu{vendor: amd, family: 0x1a, model: 0x44, sha: true, avx512: true, avx2: true}, zen5},
		{"Zen 5, Strix Halo", cpu{vendor: amd, family: 0x1a, model: 0x70, sha: true, avx512: true, avx2: true}, zen5},
		{"Zen 5, Strix Point", cpu{vendor: amd, family: 0x1a, model: 0x24, sha: true, avx512: true, avx2: true}, zen4},
		{"Zen 5, Krackan Point", cpu{vendor: amd, family: 0x1a, model: 0x60, sha: true, avx512: true, avx2: true}, zen4},
		{"a later AMD", cpu{vendor: amd, family: 0x1b, model: 0x20, sha: true, avx512: true, avx2: true}, zen5},

		{"Intel Nehalem", cpu{vendor: intel, family: 6, model: 0x1a}, older},
		{"Intel Sandy Bridge", cpu{vendor: intel, family: 6, model: 0x2a}, older},
		{"Intel Silvermont", cpu{vendor: intel, family: 6, model: 0x37}, older},
		{"Intel Haswell", cpu{vendor: intel, family: 6, model: 0x3c, avx2: true}, avx2Only},
		{"Intel Skylake", cpu{vendor: intel, family: 6, model: 0x5e, avx2: true}, avx2Only},
		{"Intel Knights Landing, no AVX-512BW", cpu{vendor: intel, family: 6, model: 0x57, avx2: true}, avx2Only},
		{"Intel Goldmont, no AVX", cpu{vendor: intel, family: 6, model: 0x5c, sha: true}, shaOnly},
		{"Intel Alder Lake", cpu{vendor: intel, family: 6, model: 0x97, sha: true, avx2: true}, shaOnly},
		{"Intel Lunar Lake", cpu{vendor: intel, family: 6, model: 0xbd, sha: true, avx2: true}, shaOnly},
		{"Intel Skylake-X", cpu{vendor: intel, family: 6, model: 0x55, avx512: true, avx2: true}, intelAVX512},
		{"Intel Ice Lake client", cpu{vendor: intel, family: 6, model: 0x7e, sha: true, avx512: true, avx2: true}, iceLake},
		{"Intel Ice Lake server", cpu{vendor: intel, family: 6, model: 0x6a, sha: true, avx512: true, avx2: true}, iceLake},
		{"Intel Tiger Lake", cpu{vendor: intel, family: 6, model: 0x8c, sha: true, avx512: true, avx2: true}, iceLake},
		{"Intel Rocket Lake", cpu{vendor: intel, family: 6, model: 0xa7, sha: true, avx512: true, avx2: true}, iceLake},
		{"Intel Sapphire Rapids", cpu{vendor: intel, family: 6, model: 0x8f, sha: true, avx512: true, avx2: true}, intelAVX512SHA},
		{"Intel Emerald Rapids", cpu{vendor: intel, family: 6, model: 0xcf, sha: true, avx512: true, avx2: true}, intelAVX512SHA},
		{"Intel Granite Rapids", cpu{vendor: intel, family: 6, model: 0xad, sha: true, avx512: true, avx2: true}, intelAVX512SHA},

		{"VIA Nano", cpu{family: 6, model: 0x0f}, older},
		{"Zhaoxin KX-5000", cpu{family: 7, model: 0x1b, sha: true, avx2: true}, shaOnly},
		{"a new vendor's", cpu{family: 6, model: 0x8f, sha: true, avx512: true, avx2: true}, unknown},
		{"a new vendor's without SHA", cpu{family: 1, avx512: true, avx2: true}, unknown},

		// What hypervisors hide does not make an older core.
		{"Zen 5 without AVX-512", cpu{vendor: amd, family: 0x1a, model: 0x02, sha: true, avx2: true}, zen5},
		{"Zen 5 without any", cpu{vendor: amd, family: 0x1a, model: 0x02}, zen5},
		{"Zen 4 without AVX-512", cpu{vendor: amd, family: 0x19, model: 0x11, sha: true, avx2: true}, zen4},
		{"Zen 2 without SHA", cpu{vendor: amd, family: 0x17, model: 0x31, avx2: true}, zen1},
		{"Rocket Lake without AVX-512", cpu{vendor: intel, family: 6, model: 0xa7, sha: true, avx2: true}, iceLake},
		{"Ice Lake server without SHA", cpu{vendor: intel, family: 6, model: 0x6a, avx512: true, avx2: true}, iceLake},
		{"Sapphire Rapids without AVX-512", cpu{vendor: intel, family: 6, model: 0x8f, sha: true, avx2: true}, shaOnly},
		{"Sapphire Rapids without SHA", cpu{vendor: intel, family: 6, model: 0x8f, avx512: true, avx2: true}, intelAVX512},
	} {
		if got := classify(tt.cpu); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestClassifyARM(t *testing.T) {
	for _, tt := range []struct {
		name      string
		sha2, lse bool
		want      class
	}{
		{"Neoverse N1, Apple M1, Cortex-A76", true, true, armSHA2},
		{"Cortex-A53 and A72 with the Cryptographic Extension", true, false, armSHA2v80},
		{"Raspberry Pi 4", false, false, armNEON},
		{"Armv8.1 without the Cryptographic Extension", false, true, armNEON},
	} {
		if got := classifyARM(tt.sha2, tt.lse); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
