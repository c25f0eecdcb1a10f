// Package slhdsa is SLH-DSA of FIPS 205, the stateless hash-based signature, with the
// six parameter sets of SHA-2. With github.com/sha256-simd/sha256-simd it hashes side
// by side: the chains and leaves of whole trees when it signs, many signatures when it
// verifies.
//
//	key, err := slhdsa.GenerateKey(slhdsa.SHA2_128s, nil)
//	sig, err := key.Sign(nil, message, nil)
//	err = key.Public().(*slhdsa.PublicKey).Verify(message, sig, nil)
//
// Functions take messages, never digests. They run on the calling goroutine and start no
// other. A private key decides neither which instructions run nor which memory
// they access. Pooled memory that held secrets is cleared before it is given
// back; keys themselves, stacks and registers are not.
//
// README.md says when to use SLH-DSA and what it costs.
package slhdsa
