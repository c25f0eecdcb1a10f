package cpu

import "fmt"

// standInFor names the microarchitecture that tests treat this machine as. The
// linker sets it:
//
//	go test -ldflags '-X github.com/sha256-simd/sha256-simd/internal/cpu.standInFor=Zen4' ./...
//
// No program can set it while it runs, nor can its environment.
var standInFor string

// standIn returns the features of c that can be used, and the microarchitecture
// of c. With a name, it returns the microarchitecture of this name and its
// features. It panics if c lacks one of these features: tests must not seem to
// test what they did not.
func standIn(c CPU, goos, name string) (Features, Microarch) {
	if name == "" {
		return c.Usable(goos), c.Microarch()
	}
	for m, d := range microarchs {
		if d.name != name {
			continue
		}
		if m := Microarch(m); canStandIn(c, goos, m) {
			return m.Features(), m
		}
		panic(fmt.Sprintf("sha256: this CPU, of %s with %v, cannot stand in for %s with %v", c.Arch, c.Usable(goos), name, d.features))
	}
	panic("sha256: no microarchitecture is called " + name)
}

// canStandIn reports whether c has the architecture and all features of m.
func canStandIn(c CPU, goos string, m Microarch) bool {
	return m.On(c.Arch) && c.Usable(goos).Has(m.Features())
}
