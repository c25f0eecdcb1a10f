//go:build boringcrypto

package hashtest

// BoringCrypto says whether BoringCrypto does the work of crypto/sha256.
const BoringCrypto = true
