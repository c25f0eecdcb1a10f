package slhdsa

import "encoding/binary"

// An address is ADRS of FIPS 205, section 4.2, compressed as in section 11.2.
type address [22]byte

// Offsets in an address. Words have 4 bytes. The last two words have two names each:
// what they count depends on the type.
const (
	layerAt   = 0
	treeAt    = 1
	typeAt    = 9
	keyPairAt = 10
	chainAt   = 14
	hashAt    = 18
	heightAt  = 14
	indexAt   = 18
)

// The types of addresses.
const (
	wotsHash byte = iota
	wotsPK
	treeNode
	forsTree
	forsRoots
	wotsPRF
	forsPRF
)

// newAddress returns an address whose last two words are zero.
func newAddress(layer int, tree uint64, kind byte, keyPair uint32) (a address) {
	a[layerAt] = byte(layer)
	binary.BigEndian.PutUint64(a[treeAt:], tree)
	a[typeAt] = kind
	binary.BigEndian.PutUint32(a[keyPairAt:], keyPair)
	return a
}

// setWord sets the word at an offset. The address may lie at the beginning of a longer
// slice.
func setWord(a []byte, at int, word uint32) { binary.BigEndian.PutUint32(a[at:], word) }
