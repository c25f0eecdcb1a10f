// Package hashtest specifies hashes: the contract of [hash.Hash], what it takes
// to replace crypto/sha256, and both for each implementation that this machine
// can run. Only tests import it.
package hashtest
