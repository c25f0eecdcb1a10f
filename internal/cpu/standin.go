package cpu

import "fmt"

// standInFor names a microarchitecture that this machine is to be taken for. It
// is for tests, of which the linker sets it:
//
//	go test -ldflags '-X github.com/sha256-simd/sha256-simd/internal/cpu.standInFor=Zen4' ./...
//
// No program can set it while it runs, nor can its environment.
var standInFor string

// standIn returns the features of c that can be used, and its microarchitecture,
// or those of the one called name, of which c needs to have all features. Nobody
// is to believe that he tested what he did not: it panics if that cannot be.
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
