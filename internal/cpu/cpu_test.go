package cpu

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestMicroarch has real CPUs, by what CPUID says on them.
func TestMicroarch(t *testing.T) {
	for _, tt := range []struct {
		name string
		cpu  CPU
		want Microarch
	}{
		{"AMD K10", CPU{"amd64", "AuthenticAMD", 0x10, 0x0a, 0}, Older},
		{"AMD Piledriver", CPU{"amd64", "AuthenticAMD", 0x15, 0x02, upToAVX}, Older},
		{"AMD Excavator", CPU{"amd64", "AuthenticAMD", 0x15, 0x65, upToAVX2}, AVX2Only},
		{"AMD Jaguar", CPU{"amd64", "AuthenticAMD", 0x16, 0x00, upToAVX}, Older},
		{"Zen, Naples", CPU{"amd64", "AuthenticAMD", 0x17, 0x01, upToAVX2 | SHA}, Zen1},
		{"Zen, Hygon Dhyana", CPU{"amd64", "HygonGenuine", 0x18, 0x01, upToAVX2 | SHA}, Zen1},
		{"Zen 2, Rome", CPU{"amd64", "AuthenticAMD", 0x17, 0x31, upToAVX2 | SHA}, Zen1},
		{"Zen 2, Matisse", CPU{"amd64", "AuthenticAMD", 0x17, 0x71, upToAVX2 | SHA}, Zen1},
		{"Zen 3, Milan", CPU{"amd64", "AuthenticAMD", 0x19, 0x01, upToAVX2 | SHA}, Zen3},
		{"Zen 3, Vermeer", CPU{"amd64", "AuthenticAMD", 0x19, 0x21, upToAVX2 | SHA}, Zen3},
		{"Zen 3, Rembrandt", CPU{"amd64", "AuthenticAMD", 0x19, 0x44, upToAVX2 | SHA}, Zen3},
		{"Zen 3, Cezanne", CPU{"amd64", "AuthenticAMD", 0x19, 0x50, upToAVX2 | SHA}, Zen3},
		{"Zen 3, Chagall", CPU{"amd64", "AuthenticAMD", 0x19, 0x08, upToAVX2 | SHA}, Zen3},
		{"Zen 4, Genoa", CPU{"amd64", "AuthenticAMD", 0x19, 0x11, upToAVX2 | SHA | AVX512}, Zen4},
		{"Zen 4, Raphael", CPU{"amd64", "AuthenticAMD", 0x19, 0x61, upToAVX2 | SHA | AVX512}, Zen4},
		{"Zen 4, Phoenix", CPU{"amd64", "AuthenticAMD", 0x19, 0x74, upToAVX2 | SHA | AVX512}, Zen4},
		{"Zen 4c, Bergamo", CPU{"amd64", "AuthenticAMD", 0x19, 0xa0, upToAVX2 | SHA | AVX512}, Zen4},
		{"Zen 5, Turin", CPU{"amd64", "AuthenticAMD", 0x1a, 0x02, upToAVX2 | SHA | AVX512}, Zen5},
		{"Zen 5c, Turin Dense", CPU{"amd64", "AuthenticAMD", 0x1a, 0x11, upToAVX2 | SHA | AVX512}, Zen5},
		{"Zen 5, Granite Ridge", CPU{"amd64", "AuthenticAMD", 0x1a, 0x44, upToAVX2 | SHA | AVX512}, Zen5},
		{"Zen 5, Strix Halo", CPU{"amd64", "AuthenticAMD", 0x1a, 0x70, upToAVX2 | SHA | AVX512}, Zen5},
		{"Zen 5, Strix Point", CPU{"amd64", "AuthenticAMD", 0x1a, 0x24, upToAVX2 | SHA | AVX512}, Zen4},
		{"Zen 5, Krackan Point", CPU{"amd64", "AuthenticAMD", 0x1a, 0x60, upToAVX2 | SHA | AVX512}, Zen4},
		{"a later AMD", CPU{"amd64", "AuthenticAMD", 0x1b, 0x20, upToAVX2 | SHA | AVX512}, Zen5},

		{"Intel Nehalem", CPU{"amd64", "GenuineIntel", 6, 0x1a, SSSE3}, Older},
		{"Intel Sandy Bridge", CPU{"amd64", "GenuineIntel", 6, 0x2a, upToAVX}, Older},
		{"Intel Silvermont", CPU{"amd64", "GenuineIntel", 6, 0x37, SSSE3}, Older},
		{"Intel Haswell", CPU{"amd64", "GenuineIntel", 6, 0x3c, upToAVX2}, AVX2Only},
		{"Intel Skylake", CPU{"amd64", "GenuineIntel", 6, 0x5e, upToAVX2}, AVX2Only},
		{"Intel Knights Landing, no AVX-512BW", CPU{"amd64", "GenuineIntel", 6, 0x57, upToAVX2 | AVX512F}, AVX2Only},
		{"Intel Goldmont, no AVX", CPU{"amd64", "GenuineIntel", 6, 0x5c, SSSE3 | SHA}, SHAOnly},
		{"Intel Alder Lake", CPU{"amd64", "GenuineIntel", 6, 0x97, upToAVX2 | SHA}, SHAOnly},
		{"Intel Lunar Lake", CPU{"amd64", "GenuineIntel", 6, 0xbd, upToAVX2 | SHA}, SHAOnly},
		{"Intel Skylake-X", CPU{"amd64", "GenuineIntel", 6, 0x55, upToAVX2 | AVX512}, IntelAVX512},
		{"Intel Ice Lake client", CPU{"amd64", "GenuineIntel", 6, 0x7e, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Ice Lake server", CPU{"amd64", "GenuineIntel", 6, 0x6a, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Tiger Lake", CPU{"amd64", "GenuineIntel", 6, 0x8c, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Rocket Lake", CPU{"amd64", "GenuineIntel", 6, 0xa7, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Ice Lake D", CPU{"amd64", "GenuineIntel", 6, 0x6c, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Ice Lake, low power", CPU{"amd64", "GenuineIntel", 6, 0x7d, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Ice Lake NNPI", CPU{"amd64", "GenuineIntel", 6, 0x9d, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Tiger Lake H", CPU{"amd64", "GenuineIntel", 6, 0x8d, upToAVX2 | SHA | AVX512}, IceLake},
		{"Intel Sapphire Rapids", CPU{"amd64", "GenuineIntel", 6, 0x8f, upToAVX2 | SHA | AVX512}, GoldenCove},
		{"Intel Emerald Rapids", CPU{"amd64", "GenuineIntel", 6, 0xcf, upToAVX2 | SHA | AVX512}, GoldenCove},
		{"Intel Granite Rapids, called Rocket Lake by a hypervisor", CPU{"amd64", "GenuineIntel", 6, 0xa7, upToAVX2 | SHA | AVX512 | AVX512FP16}, IntelAVX512SHA},
		{"the same, AVX-512 hidden in part", CPU{"amd64", "GenuineIntel", 6, 0xa7, upToAVX2 | SHA | AVX512FP16}, SHAOnly},
		{"Intel Granite Rapids", CPU{"amd64", "GenuineIntel", 6, 0xad, upToAVX2 | SHA | AVX512}, IntelAVX512SHA},

		{"VIA Nano", CPU{"amd64", "CentaurHauls", 6, 0x0f, SSSE3}, Older},
		{"Zhaoxin KX-5000", CPU{"amd64", "CentaurHauls", 7, 0x1b, upToAVX2 | SHA}, SHAOnly},
		{"a new vendor's", CPU{"amd64", "CentaurHauls", 6, 0x8f, upToAVX2 | SHA | AVX512}, Unknown},
		{"a new vendor's without SHA", CPU{"amd64", "CentaurHauls", 1, 0, upToAVX2 | AVX512}, Unknown},

		// What hypervisors hide does not make an older core.
		{"Zen 5 without AVX-512", CPU{"amd64", "AuthenticAMD", 0x1a, 0x02, upToAVX2 | SHA}, Zen5},
		{"Zen 5 without any", CPU{"amd64", "AuthenticAMD", 0x1a, 0x02, SSSE3}, Zen5},
		{"Zen 4 without AVX-512", CPU{"amd64", "AuthenticAMD", 0x19, 0x11, upToAVX2 | SHA}, Zen4},
		{"Zen 3 without SHA", CPU{"amd64", "AuthenticAMD", 0x19, 0x01, upToAVX2}, Zen3},
		{"Zen 2 without SHA", CPU{"amd64", "AuthenticAMD", 0x17, 0x31, upToAVX2}, Zen1},
		{"Rocket Lake without AVX-512", CPU{"amd64", "GenuineIntel", 6, 0xa7, upToAVX2 | SHA}, IceLake},
		{"Ice Lake server without SHA", CPU{"amd64", "GenuineIntel", 6, 0x6a, upToAVX2 | AVX512}, IceLake},
		{"Sapphire Rapids without AVX-512", CPU{"amd64", "GenuineIntel", 6, 0x8f, upToAVX2 | SHA}, SHAOnly},
		{"Sapphire Rapids without SHA", CPU{"amd64", "GenuineIntel", 6, 0x8f, upToAVX2 | AVX512}, IntelAVX512},

		{"AMD's model numbers from Intel", CPU{"amd64", "GenuineIntel", 0x19, 0x11, upToAVX2 | SHA | AVX512}, IntelAVX512SHA},
		{"Sapphire Rapids' of another family", CPU{"amd64", "GenuineIntel", 0x13, 0x8f, upToAVX2 | SHA | AVX512}, IntelAVX512SHA},
		{"Ice Lake's of another family", CPU{"amd64", "GenuineIntel", 0x13, 0x6a, upToAVX2 | SHA | AVX512}, IntelAVX512SHA},
		{"Ice Lake's from another vendor", CPU{"amd64", "CentaurHauls", 6, 0x6a, upToAVX2 | SHA}, SHAOnly},

		{"Neoverse N1, Apple M1, Cortex-A76", CPU{Arch: "arm64", Features: SHA2 | LSE}, ArmSHA2},
		{"Cortex-A53 and A72 with the Cryptographic Extension", CPU{Arch: "arm64", Features: SHA2}, ArmSHA2v80},
		{"Raspberry Pi 4", CPU{Arch: "arm64"}, ArmNEON},
		{"Armv8.1 without the Cryptographic Extension", CPU{Arch: "arm64", Features: LSE}, ArmNEON},

		{"IBM z15", CPU{Arch: "s390x"}, Unknown},
	} {
		if got := tt.cpu.Microarch(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// usableOn says for every GOOS which of the extensions a signal leaves as they were, in
// Go's programs. Without a source it is all: the kernel saves them by XSAVE with its
// signal frame, or keeps them from the handler's use.
var usableOn = map[string]struct {
	features Features
	source   string
}{
	"aix": {}, "android": {}, "dragonfly": {}, "freebsd": {}, "illumos": {}, "js": {}, "linux": {},
	"openbsd": {}, "plan9": {}, "solaris": {}, "wasip1": {}, "windows": {},
	"darwin": {upToAVX2 | SHA, "golang.org/issue/49233; internal/cpu/cpu_x86_darwin.go"},
	"ios":    {upToAVX2 | SHA, "as darwin"},
	"netbsd": {upToAVX | BMI2 | SHA, "golang.org/issue/80285; internal/cpu/cpu_x86_netbsd.go, Go 1.26.8"},
}

func TestUsableOnEverySystem(t *testing.T) {
	const all = upToAVX2 | SHA | AVX512 | AVX512FP16
	for goos, on := range usableOn {
		want := on.features
		if on.source == "" {
			want = all
		}
		if got := (CPU{Features: all}).Usable(goos); got != want {
			t.Errorf("%s: %v, want %v", goos, got, want)
		}
		if got := (CPU{Features: SHA2 | LSE}).Usable(goos); got != SHA2|LSE {
			t.Errorf("%s: %v of arm64's", goos, got)
		}
	}
	list, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Skipf("the list of systems is not to be had: %v", err)
	}
	for port := range strings.FieldsSeq(string(list)) {
		goos, _, _ := strings.Cut(port, "/")
		if _, ok := usableOn[goos]; !ok {
			t.Errorf("what signals leave on %s is not in the list", goos)
		}
	}
}

// TestUsable has CPUs that lack what others are built on, as hypervisors show them.
func TestUsable(t *testing.T) {
	const all = upToAVX2 | SHA | AVX512 | AVX512FP16
	for _, tt := range []struct {
		goos           string
		features, want Features
	}{
		{"linux", 0, 0},
		{"linux", SSSE3 | SHA, SSSE3 | SHA},
		{"linux", all &^ SSSE3, BMI2 | SHA},
		{"linux", all &^ AVX, SSSE3 | BMI2 | SHA},
		{"linux", all &^ AVX2, upToAVX | BMI2 | SHA},
		{"linux", all &^ BMI2, all &^ BMI2},
		{"linux", all &^ AVX512F, upToAVX2 | SHA},
		{"linux", all &^ AVX512BW, upToAVX2 | SHA | AVX512F | AVX512VL},
		{"linux", all &^ AVX512VL, all &^ AVX512VL},
		{"linux", all &^ AVX512FP16, all &^ AVX512FP16},
		{"darwin", AVX512F | SSSE3, SSSE3},
		{"netbsd", upToAVX2, upToAVX | BMI2},
	} {
		if got := (CPU{Features: tt.features}).Usable(tt.goos); got != tt.want {
			t.Errorf("%s with %v: %v, want %v", tt.goos, tt.features, got, tt.want)
		}
	}
}

func TestSwitchedOff(t *testing.T) {
	for _, tt := range []struct {
		godebug string
		want    Features
	}{
		{"", 0},
		{"cpu.ssse3=off", SSSE3},
		{"cpu.avx=off", AVX},
		{"cpu.avx2=off,cpu.bmi2=off", AVX2 | BMI2},
		{"cpu.sha=off", SHA},
		{"cpu.avx512f=off", AVX512F},
		{"cpu.avx512bw=off,cpu.avx512vl=off", AVX512BW | AVX512VL},
		{"cpu.sha2=off,cpu.atomics=off", SHA2 | LSE},
		{"cpu.all=off", endOfFeatures - 1},
		{"cpu.all=off,cpu.sha=on", endOfFeatures - 1 - SHA},
		{"cpu.sha=on,cpu.sha=off", SHA},
		{"cpu.sha=off,cpu.sha=on", 0},
		{"gctrace=0,cpu.avx=off,cpu.aes=off", AVX},
		{"avx=off,cpu.AVX=off,cpu.avx,cpu.avx=0,cpu.=off,cpu.avx=off ,cpu", 0},
	} {
		if got := switchedOff(tt.godebug); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.godebug, got, tt.want)
		}
	}
}

// TestGODEBUG tests the way from the environment to Usable.
func TestGODEBUG(t *testing.T) {
	if want := os.Getenv("WANT_USABLE"); want != "" {
		if got := fmt.Sprint(uint32(Usable())); got != want {
			t.Errorf("usable: %s, want %s", got, want)
		}
		return
	}
	if Usable() == 0 {
		t.Skip("this machine has nothing to switch off")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	run := func(godebug string, want Features) ([]byte, error) {
		cmd := exec.Command(self, "-test.run=^TestGODEBUG$")
		cmd.Env = append(os.Environ(), "GODEBUG="+godebug, fmt.Sprintf("WANT_USABLE=%d", uint32(want)))
		return cmd.CombinedOutput()
	}
	if out, err := run(os.Getenv("GODEBUG"), Usable()); err != nil {
		t.Skipf("this program is emulated, and cannot run itself: %v\n%s", err, out)
	}
	for _, one := range append(Usable().All(), endOfFeatures-1) {
		option := strings.ToLower(one.String())
		switch one {
		case LSE:
			option = "atomics"
		case endOfFeatures - 1:
			option = "all"
		}
		if out, err := run(os.Getenv("GODEBUG")+",cpu."+option+"=off", Usable().without(one)); err != nil {
			t.Errorf("cpu.%s=off: %v\n%s", option, err, out)
		}
	}
}

func TestFeatures(t *testing.T) {
	if len(featureNames) != len((endOfFeatures - 1).All()) {
		t.Errorf("%d features have %d names", len((endOfFeatures - 1).All()), len(featureNames))
	}
	if got := AVX512.String(); got != "AVX512F+AVX512BW+AVX512VL" {
		t.Errorf("AVX512 is %s", got)
	}
	if got := (SHA | SSSE3).All(); !slices.Equal(got, []Features{SSSE3, SHA}) {
		t.Errorf("SHA | SSSE3 has %v", got)
	}
	for _, tt := range []struct {
		f, g Features
		want bool
	}{
		{SSSE3 | SHA, SHA, true}, {SSSE3 | SHA, SSSE3 | SHA, true}, {SSSE3, SSSE3 | SHA, false}, {0, SSSE3, false}, {0, 0, true},
	} {
		if got := tt.f.Has(tt.g); got != tt.want {
			t.Errorf("%v has %v: %v", tt.f, tt.g, got)
		}
	}
}

// TestNames tests that no microarchitecture lacks one, and the forms of them.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Microarchs() {
		name, err := json.Marshal(m)
		if err != nil || string(name) == `""` || m.String() == "" || seen[string(name)] {
			t.Errorf("%d is called %s, %q: %v", m, name, m, err)
		}
		seen[string(name)] = true
		if got, want := fmt.Sprintf("%#v", m), "cpu."+strings.Trim(string(name), `"`); got != want {
			t.Errorf("%s is %s in Go", name, got)
		}
	}
}

func TestStandIn(t *testing.T) {
	zen5 := CPU{"amd64", "AuthenticAMD", 0x1a, 2, upToAVX2 | SHA | AVX512}
	haswell := CPU{"amd64", "GenuineIntel", 6, 0x3c, upToAVX2}
	n1 := CPU{Arch: "arm64", Features: SHA2 | LSE}
	for _, tt := range []struct {
		cpu       CPU
		goos      string
		name      string
		features  Features
		microarch Microarch
		panics    string
	}{
		{zen5, "linux", "", upToAVX2 | SHA | AVX512, Zen5, ""},
		{zen5, "darwin", "", upToAVX2 | SHA, Zen5, ""},
		{zen5, "linux", "IceLake", upToAVX2 | SHA | AVX512, IceLake, ""},
		{zen5, "linux", "IntelAVX512", upToAVX2 | AVX512, IntelAVX512, ""},
		{zen5, "linux", "Older", upToAVX, Older, ""},
		{zen5, "darwin", "IceLake", 0, 0, "cannot stand in for IceLake"},
		{zen5, "linux", "ArmNEON", 0, 0, "cannot stand in for ArmNEON"},
		{zen5, "linux", "zen4", 0, 0, "no microarchitecture is called zen4"},
		{haswell, "linux", "AVX2Only", upToAVX2, AVX2Only, ""},
		{haswell, "linux", "SHAOnly", 0, 0, "cannot stand in for SHAOnly"},
		{n1, "linux", "ArmSHA2v80", SHA2, ArmSHA2v80, ""},
		{n1, "linux", "ArmNEON", 0, ArmNEON, ""},
		{n1, "linux", "Older", 0, 0, "cannot stand in for Older"},
	} {
		func() {
			defer func() {
				if p := recover(); (p != nil) != (tt.panics != "") || p != nil && !strings.Contains(fmt.Sprint(p), tt.panics) {
					t.Errorf("%v for %q: panics with %v, want %q", tt.cpu, tt.name, p, tt.panics)
				}
			}()
			if f, m := standIn(tt.cpu, tt.goos, tt.name); f != tt.features || m != tt.microarch {
				t.Errorf("%v for %q: %v and %v, want %v and %v", tt.cpu, tt.name, f, m, tt.features, tt.microarch)
			}
		}()
	}
}

// TestThis tests what this process goes by, and says what this machine can stand
// in for: continuous integration has it do so.
func TestThis(t *testing.T) {
	for m, d := range microarchs {
		if canStandIn(detect(), runtime.GOOS, Microarch(m)) {
			t.Logf("stands in for %s", d.name)
		}
	}
	if standInFor == "" {
		if c := detect(); Usable() != c.Usable(runtime.GOOS).without(switchedOff(os.Getenv("GODEBUG"))) || This() != c.Microarch() {
			t.Errorf("%v and %v of %+v", Usable(), This(), c)
		}
		return
	}
	if name, _ := This().MarshalText(); string(name) != standInFor || Usable() != This().Features() {
		t.Errorf("%s with %v stands in for %s", name, Usable(), standInFor)
	}
}
