package block

// KeyStates returns the states of a key of HMAC-SHA256 (RFC 2104), of any length: after
// its block of ipad, and after its block of opad. They are as secret as the key.
func KeyStates(key []byte) (inner, outer State) {
	var b [Size]byte
	defer clear(b[:])
	if len(key) > len(b) {
		Finish((*[DigestSize]byte)(b[:]), &IV256, key, uint64(len(key)))
	} else {
		copy(b[:], key)
	}
	const ipad, opad = 0x36, 0x5c
	for i := range b {
		b[i] ^= ipad
	}
	inner = IV256
	Compress(&inner, b[:])
	for i := range b {
		b[i] ^= ipad ^ opad
	}
	outer = IV256
	Compress(&outer, b[:])
	return inner, outer
}
