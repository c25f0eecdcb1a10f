// Package convert gives slices of digests other types. Nothing is copied: the results
// share the memory of what they were made from.
package convert

import "unsafe"

// Digests returns d as a slice of another type of digests, of the same capacity. Slices have
// the same form whatever their elements. unsafe.Slice would check the length: on Zen 3,
// hashtree.Hash of one node would take 4 ns longer.
func Digests[To, From ~[32]byte](d []From) []To {
	return *(*[]To)(unsafe.Pointer(&d))
}

// Lists is Digests for each of several lists.
func Lists[To, From ~[32]byte](lists [][]From) [][]To {
	return *(*[][]To)(unsafe.Pointer(&lists))
}

// Pair returns the memory of the first two digests of d.
func Pair[D ~[32]byte](d []D) *[64]byte { return (*[64]byte)(unsafe.Pointer((*[2]D)(d))) }

// Bytes returns the memory of d.
func Bytes[D ~[32]byte](d []D) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), 32*len(d))
}
