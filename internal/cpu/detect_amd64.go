//go:build !purego

package cpu

import "encoding/binary"

// cpuid executes CPUID.
//
//go:noescape
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xcr0 returns the lower half of the register XCR0: which registers the operating
// system saves. The CPU needs OSXSAVE.
//
//go:noescape
func xcr0() uint32

// detect asks the CPU.
func detect() CPU { return decode(cpuid, xcr0) }

// Bits of XCR0: the registers that AVX needs, and those that AVX-512 needs as well.
const (
	xcr0AVX    = 1<<1 | 1<<2        // xmm, the upper halves of ymm
	xcr0AVX512 = 1<<5 | 1<<6 | 1<<7 // opmask, the upper halves of zmm0 to 15, zmm16 to 31
)

// decode returns the CPU that CPUID and XCR0 describe: Intel's Software Developer's
// Manual, volume 2A, and volume 1, section 13.3. It asks for three leaves alone, and for
// none twice: in a virtual machine each CPUID is a trap of several microseconds.
func decode(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32), xcr0 func() uint32) CPU {
	c := CPU{Arch: "amd64"}
	maxLeaf, b, x, d := cpuid(0, 0)
	var vendor [12]byte
	binary.LittleEndian.PutUint32(vendor[0:], b)
	binary.LittleEndian.PutUint32(vendor[4:], d)
	binary.LittleEndian.PutUint32(vendor[8:], x)
	c.Vendor = string(vendor[:])
	if maxLeaf < 1 {
		return c
	}

	version, _, basic, _ := cpuid(1, 0)
	c.Family, c.Model = int(version>>8&0xf), int(version>>4&0xf)
	if c.Family == 0x6 || c.Family == 0xf {
		c.Model += int(version>>16&0xf) << 4
	}
	if c.Family == 0xf {
		c.Family += int(version >> 20 & 0xff)
	}

	has := func(word uint32, bit int, f Features) {
		if word>>bit&1 != 0 {
			c.Features |= f
		}
	}
	has(basic, 9, SSSE3)
	var saved uint32
	if basic>>27&1 != 0 { // OSXSAVE
		saved = xcr0()
	}
	avx := saved&xcr0AVX == xcr0AVX
	avx512 := avx && saved&xcr0AVX512 == xcr0AVX512
	if avx {
		has(basic, 28, AVX)
	}
	if maxLeaf < 7 {
		return c
	}

	_, extended, _, more := cpuid(7, 0)
	has(extended, 8, BMI2)
	has(extended, 29, SHA)
	if avx {
		has(extended, 5, AVX2)
	}
	if avx512 {
		has(extended, 16, AVX512F)
		has(extended, 30, AVX512BW)
		has(extended, 31, AVX512VL)
		has(more, 23, AVX512FP16)
	}
	return c
}
