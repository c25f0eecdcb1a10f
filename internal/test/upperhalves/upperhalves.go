// Package upperhalves puts the upper halves of vector registers in use, as callers with
// vector code do, and looks whether they are. It is for tests: the SHA instructions
// of amd64 are slow meanwhile on many CPUs.
package upperhalves

// Dirty writes all bits of all vector registers, those from 16 on with AVX-512. It
// reports false, and does nothing, on CPUs without AVX. The upper halves stay in use
// until VZEROUPPER; the scheduler may have other code run on this thread meanwhile.
func Dirty() bool { return dirty() }

// Clean ends the use of upper halves.
func Clean() { clean() }

// InUse reports whether any upper half of vector registers 0 to 15 is not zero, and
// ends their use.
func InUse() bool { return inUse() }
