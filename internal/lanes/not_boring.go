//go:build !boringcrypto

package lanes

// boringCrypto reports whether BoringCrypto does the work of crypto/sha256.
func boringCrypto() bool { return false }
