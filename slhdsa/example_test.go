package slhdsa_test

import (
	"crypto"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/sha256-simd/sha256-simd/slhdsa"
)

// exampleKey returns the same key for every example. Programs pass nil for randomness.
func exampleKey() *slhdsa.PrivateKey {
	key, err := slhdsa.GenerateKey(slhdsa.SHA2_128f, rand.NewChaCha8([32]byte{1}))
	if err != nil {
		panic(err)
	}
	return key
}

// A release signs the list of its files' digests.
func Example() {
	sums := []byte("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  release.tar.gz\n")
	key, err := slhdsa.GenerateKey(slhdsa.SHA2_128s, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	options := &slhdsa.Options{Context: []byte("example.org SHA256SUMS"), Check: true}
	sig, err := key.Sign(nil, sums, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(sig), "bytes")

	// Users have the public key, SHA256SUMS and the signature.
	public := key.Public().(*slhdsa.PublicKey)
	fmt.Println(public.Verify(sums, sig, options))
	sums[0] ^= 1
	fmt.Println(public.Verify(sums, sig, options))
	// Output:
	// 7856 bytes
	// <nil>
	// slhdsa: invalid signature
}

// What a set costs: the lengths of keys and signatures in bytes.
func ExampleParameterSet() {
	for _, set := range []slhdsa.ParameterSet{slhdsa.SHA2_128s, slhdsa.SHA2_256f} {
		fmt.Println(set.String(), set.PublicKeySize(), set.PrivateKeySize(), set.SignatureSize())
	}
	// Output:
	// SLH-DSA-SHA2-128s 32 64 7856
	// SLH-DSA-SHA2-256f 64 128 49856
}

// Keys are stored as bytes, beside their parameter set.
func ExamplePrivateKey() {
	key := exampleKey()
	set, encoded := key.ParameterSet(), key.Bytes()

	again, err := slhdsa.NewPrivateKey(set, encoded)
	if err != nil {
		fmt.Println(err)
		return
	}
	public := again.Public().(*slhdsa.PublicKey)
	fmt.Println(again.Equal(key), public.Equal(key.Public()))
	// Output: true true
}

func ExamplePublicKey() {
	key := exampleKey().Public().(*slhdsa.PublicKey)
	set, encoded := key.ParameterSet(), key.Bytes()
	fmt.Println(set, len(encoded) == set.PublicKeySize())

	again, err := slhdsa.NewPublicKey(set, encoded)
	fmt.Println(key.Equal(again), err)
	// Output:
	// SLH-DSA-SHA2-128f true
	// true <nil>
}

// Code for any crypto.Signer signs too.
func ExamplePrivateKey_SignMessage() {
	var signer crypto.Signer = exampleKey()
	sig, err := crypto.SignMessage(signer, nil, []byte("message"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(signer.Public().(*slhdsa.PublicKey).Verify([]byte("message"), sig, nil))
	// Output: <nil>
}

// HashFunc is 0: the key takes messages, not digests.
func ExampleOptions_HashFunc() {
	var signer crypto.Signer = exampleKey()
	options := &slhdsa.Options{Context: []byte("example.org")}
	fmt.Println(options.HashFunc() == 0)
	sig, err := crypto.SignMessage(signer, nil, []byte("message"), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(signer.Public().(*slhdsa.PublicKey).Verify([]byte("message"), sig, options))
	// Output:
	// true
	// <nil>
}

func ExampleGenerateKey() {
	key, err := slhdsa.GenerateKey(slhdsa.SHA2_128f, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(key.ParameterSet(), len(key.Bytes()))
	// Output: SLH-DSA-SHA2-128f 64
}

func ExampleNewPrivateKey() {
	encoded := exampleKey().Bytes()
	key, err := slhdsa.NewPrivateKey(slhdsa.SHA2_128f, encoded)
	fmt.Println(key.Equal(exampleKey()), err)
	encoded[0] ^= 1
	_, err = slhdsa.NewPrivateKey(slhdsa.SHA2_128f, encoded)
	fmt.Println(err)
	// Output:
	// true <nil>
	// slhdsa: the root in the private key is not the root of its tree
}

func ExampleNewPrivateKeyUnchecked() {
	key, err := slhdsa.NewPrivateKeyUnchecked(slhdsa.SHA2_256s, make([]byte, 128))
	if err != nil {
		fmt.Println(err)
		return
	}
	// The key reports its parts at once. Sign would find that the root is wrong.
	fmt.Println(key.ParameterSet(), len(key.Public().(*slhdsa.PublicKey).Bytes()))
	// Output: SLH-DSA-SHA2-256s 64
}

func ExampleNewPublicKey() {
	_, err := slhdsa.NewPublicKey(slhdsa.SHA2_128s, make([]byte, 48))
	fmt.Println(err)
	// Output: slhdsa: a public key of 48 bytes, want 32 for SLH-DSA-SHA2-128s
}

func ExamplePrivateKey_Sign() {
	key := exampleKey()
	hedged, err := key.Sign(nil, []byte("message"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// The pre-hash variant signs a digest of the message, for protocols that ask for it.
	preHash := &slhdsa.Options{Hash: crypto.SHA256, Deterministic: true}
	sig, err := key.Sign(nil, []byte("message"), preHash)
	if err != nil {
		fmt.Println(err)
		return
	}
	public := key.Public().(*slhdsa.PublicKey)
	fmt.Println(public.Verify([]byte("message"), hedged, nil))
	fmt.Println(public.Verify([]byte("message"), sig, preHash))
	fmt.Println(public.Verify([]byte("message"), sig, nil))
	// Output:
	// <nil>
	// <nil>
	// slhdsa: invalid signature
}

func ExamplePublicKey_Verify() {
	key := exampleKey()
	sig, err := key.Sign(nil, []byte("firmware"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	public := key.Public().(*slhdsa.PublicKey)
	fmt.Println(public.Verify([]byte("firmware"), sig, nil))
	fmt.Println(public.Verify([]byte("firmware"), sig[1:], nil))
	// Output:
	// <nil>
	// slhdsa: invalid signature: 17087 bytes, want 17088 for SLH-DSA-SHA2-128f
}

func ExampleVerifyMany() {
	key := exampleKey()
	public := key.Public().(*slhdsa.PublicKey)
	var keys []*slhdsa.PublicKey
	var messages, sigs [][]byte
	for i := range 3 {
		message := fmt.Appendf(nil, "message %d", i)
		sig, err := key.Sign(nil, message, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		keys, messages, sigs = append(keys, public), append(messages, message), append(sigs, sig)
	}
	messages[1] = []byte("another message")
	for i, err := range slhdsa.VerifyMany(keys, messages, sigs, nil) {
		fmt.Println(i, err)
	}
	// Output:
	// 0 <nil>
	// 1 slhdsa: invalid signature
	// 2 <nil>
}

func ExampleMarshalPKIXPublicKey() {
	der, err := slhdsa.MarshalPKIXPublicKey(exampleKey().Public().(*slhdsa.PublicKey))
	if err != nil {
		fmt.Println(err)
		return
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	fmt.Println(strings.Count(string(text), "\n"), "lines")

	block, _ := pem.Decode(text)
	key, err := slhdsa.ParsePKIXPublicKey(block.Bytes)
	fmt.Println(key.Equal(exampleKey().Public()), err)
	// Output:
	// 4 lines
	// true <nil>
}

func ExampleParsePKIXPublicKey() {
	_, err := slhdsa.ParsePKIXPublicKey([]byte("not DER"))
	fmt.Println(err != nil)
	// Output: true
}

func ExampleMarshalPKCS8PrivateKey() {
	der, err := slhdsa.MarshalPKCS8PrivateKey(exampleKey())
	if err != nil {
		fmt.Println(err)
		return
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	block, _ := pem.Decode(text)
	key, err := slhdsa.ParsePKCS8PrivateKey(block.Bytes)
	fmt.Println(key.Equal(exampleKey()), err)
	// Output: true <nil>
}

func ExampleParsePKCS8PrivateKey() {
	// The private key of RFC 9909, appendix C.
	block, _ := pem.Decode([]byte(`-----BEGIN PRIVATE KEY-----
MFICAQAwCwYJYIZIAWUDBAMUBECiJjvKRYYINlIxYASVI9YhZ3+tkNUetgZ6Mn4N
HmSlASuBCex3fKpOHwJMz8+Ul9mRgFCSgPQlavKwevgCibSU
-----END PRIVATE KEY-----`))
	key, err := slhdsa.ParsePKCS8PrivateKey(block.Bytes)
	fmt.Println(key.ParameterSet(), err)
	// Output: SLH-DSA-SHA2-128s <nil>
}
