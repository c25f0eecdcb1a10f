package slhdsa

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// unhex is bytes that testdata has in hexadecimal.
type unhex []byte

func (u *unhex) UnmarshalText(text []byte) (err error) {
	*u, err = hex.DecodeString(string(text))
	return err
}

// acvp is testdata/acvp.json, which says where it comes from.
type acvp struct {
	Sets map[string]struct {
		KeyGen [][]any // tcId, and SK.seed, SK.prf, PK.seed, PK.root in hexadecimal
		SigGen []struct {
			TcID                 int
			Interface, PreHash   string
			HashAlg              string
			Sk, Message, Context unhex
			AdditionalRandomness unhex
			SignatureSHA256      unhex `json:"signature_sha256"`
		}
		SigVer []struct {
			TcID                 int
			Pk, Message, Context unhex
			Signature            string `json:"signature_base64"`
			Passes               bool
		}
	}
}

func readACVP(t *testing.T) (v acvp) {
	data, err := os.ReadFile("testdata/acvp.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// hashes are the functions of the pre-hash variants as ACVP calls them.
var hashes = map[string]crypto.Hash{
	"": 0, "SHA2-224": crypto.SHA224, "SHA2-256": crypto.SHA256, "SHA2-384": crypto.SHA384, "SHA2-512": crypto.SHA512,
	"SHA2-512/224": crypto.SHA512_224, "SHA2-512/256": crypto.SHA512_256,
	"SHA3-224": crypto.SHA3_224, "SHA3-256": crypto.SHA3_256, "SHA3-384": crypto.SHA3_384, "SHA3-512": crypto.SHA3_512,
}

// forEachSet runs f for each parameter set.
func forEachSet(t *testing.T, f func(t *testing.T, set ParameterSet)) {
	for i := range sets {
		t.Run(sets[i].name, func(t *testing.T) { f(t, sets[i].set) })
	}
}

// TestKeyGenVectors tests roots.
func TestKeyGenVectors(t *testing.T) {
	vectors := readACVP(t)
	forEachSet(t, func(t *testing.T, set ParameterSet) {
		keys := vectors.Sets[set.String()].KeyGen
		if len(keys) == 0 {
			t.Fatal("no vectors")
		}
		if testing.Short() {
			keys = keys[:1]
		}
		for _, v := range keys {
			var key []byte
			for _, part := range v[1:] {
				b, err := hex.DecodeString(part.(string))
				if err != nil {
					t.Fatal(err)
				}
				key = append(key, b...)
			}
			k, err := GenerateKey(set, bytes.NewReader(key[:len(key)/4*3]))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(k.Bytes(), key) {
				t.Errorf("case %v: key %x, want %x", v[0], k.Bytes(), key)
			}
		}
	})
}

// TestSigGenVectors tests signatures, and that they verify.
func TestSigGenVectors(t *testing.T) {
	vectors := readACVP(t)
	forEachSet(t, func(t *testing.T, set ParameterSet) {
		signed := 0
		for _, v := range vectors.Sets[set.String()].SigGen {
			if testing.Short() && signed == 1 {
				break
			}
			k, err := NewPrivateKeyUnchecked(set, v.Sk)
			if err != nil {
				t.Fatal(err)
			}
			hash, ok := hashes[v.HashAlg]
			if !ok {
				continue // SHAKE has no crypto.Hash
			}
			o := &Options{Context: v.Context, Hash: hash, Check: true}
			var sig []byte
			if v.Interface == "internal" {
				optRand := []byte(v.AdditionalRandomness)
				if len(optRand) == 0 {
					optRand = k.public.bytes[:k.public.n]
				}
				sig, err = k.sign(content{body: v.Message}, optRand)
			} else {
				o.Deterministic = len(v.AdditionalRandomness) == 0
				sig, err = k.Sign(bytes.NewReader(v.AdditionalRandomness), v.Message, o)
			}
			if err != nil {
				t.Fatalf("case %d: %v", v.TcID, err)
			}
			if sum := sha256.Sum256(sig); !bytes.Equal(sum[:], v.SignatureSHA256) {
				t.Errorf("case %d: another signature, which begins with %x", v.TcID, sig[:16])
			}
			signed++
		}
		if signed == 0 {
			t.Error("no vectors")
		}
	})
}

// TestSigVerVectors tests verification.
func TestSigVerVectors(t *testing.T) {
	vectors := readACVP(t)
	forEachSet(t, func(t *testing.T, set ParameterSet) {
		cases := vectors.Sets[set.String()].SigVer
		if len(cases) == 0 {
			t.Fatal("no vectors")
		}
		for _, v := range cases {
			k, err := NewPublicKey(set, v.Pk)
			if err != nil {
				t.Fatal(err)
			}
			sig, err := base64.StdEncoding.DecodeString(v.Signature)
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Verify(v.Message, sig, &Options{Context: v.Context}); (err == nil) != v.Passes {
				t.Errorf("case %d: %v, should pass: %v", v.TcID, err, v.Passes)
			}
		}
	})
}
