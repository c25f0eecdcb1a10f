package main

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cloudflare/circl/sign/slhdsa"

	ours "github.com/sha256-simd/sha256-simd/slhdsa"
)

// TestSLHDSABesideCircl compares keys and signatures with circl's, byte by byte, and
// verifies each other's.
func TestSLHDSABesideCircl(t *testing.T) {
	for set := ours.SHA2_128s; set <= ours.SHA2_256f; set++ {
		t.Run(set.String(), func(t *testing.T) {
			if testing.Short() && strings.HasSuffix(set.String(), "s") {
				t.Skip("takes seconds")
			}
			id, err := slhdsa.IDByName(set.String())
			if err != nil {
				t.Fatal(err)
			}
			key, circl := slhSet{set, id}.keys()
			b, err := circl.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b, key.Bytes()) {
				t.Fatalf("key %x, circl's %x", key.Bytes(), b)
			}
			for _, context := range [][]byte{nil, []byte("context")} {
				message := append([]byte("message"), context...)
				sig, err := key.Sign(nil, message, &ours.Options{Deterministic: true, Context: context})
				if err != nil {
					t.Fatal(err)
				}
				theirs, err := slhdsa.SignDeterministic(&circl, slhdsa.NewMessage(message), context)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(sig, theirs) {
					t.Error("signatures differ")
				}
				ph, err := slhdsa.NewPreHashWithHash(crypto.SHA512)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := ph.Write(message); err != nil {
					t.Fatal(err)
				}
				hashed, err := ph.BuildMessage()
				if err != nil {
					t.Fatal(err)
				}
				options := &ours.Options{Context: context, Hash: crypto.SHA512}
				if sig, err = key.Sign(nil, message, options); err != nil {
					t.Fatal(err)
				}
				public := circl.PublicKey()
				if !slhdsa.Verify(&public, hashed, sig, context) {
					t.Error("circl refuses a pre-hash signature")
				}
			}
		})
	}
}

// TestSLHDSAVectors runs the public interface over all of NIST's vectors that circl has:
// what it is given are messages, not M' itself.
func TestSLHDSAVectors(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cloudflare/circl").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string, v any) {
		f, err := os.Open(filepath.Join(strings.TrimSpace(string(dir)), "sign", "slhdsa", "testdata", name+".json.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(r).Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	type vectors struct {
		TestGroups []struct {
			ParameterSet, SignatureInterface string
			Tests                            []struct {
				TcID                                   int
				HashAlg                                string
				SkSeed, SkPrf, PkSeed, Sk, Pk          unhex
				Message, Context, AdditionalRandomness unhex
				Signature                              unhex
				TestPassed                             bool
			}
		}
	}
	hashes := map[string]crypto.Hash{
		"": 0, "SHA2-224": crypto.SHA224, "SHA2-256": crypto.SHA256, "SHA2-384": crypto.SHA384, "SHA2-512": crypto.SHA512,
		"SHA2-512/224": crypto.SHA512_224, "SHA2-512/256": crypto.SHA512_256,
		"SHA3-224": crypto.SHA3_224, "SHA3-256": crypto.SHA3_256, "SHA3-384": crypto.SHA3_384, "SHA3-512": crypto.SHA3_512,
	}
	sets := make(map[string]ours.ParameterSet)
	for set := ours.SHA2_128s; set <= ours.SHA2_256f; set++ {
		sets[set.String()] = set
	}
	cases := make(map[string]int)
	for _, operation := range []string{"keyGen", "sigGen", "verify"} {
		var prompt, results vectors
		read(operation+"_prompt", &prompt)
		read(operation+"_results", &results)
		for g, group := range prompt.TestGroups {
			set := sets[group.ParameterSet]
			small := strings.HasSuffix(group.ParameterSet, "s")
			if set == 0 || group.SignatureInterface == "internal" || testing.Short() && small && operation != "verify" {
				continue
			}
			for i, v := range group.Tests {
				want := results.TestGroups[g].Tests[i]
				hash, ok := hashes[v.HashAlg]
				if v.TcID != want.TcID || !ok { // SHAKE has no crypto.Hash
					continue
				}
				cases[operation]++
				options := &ours.Options{Context: v.Context, Hash: hash, Deterministic: len(v.AdditionalRandomness) == 0}
				switch operation {
				case "keyGen":
					key, err := ours.GenerateKey(set, bytes.NewReader(append(append(bytes.Clone(v.SkSeed), v.SkPrf...), v.PkSeed...)))
					if err != nil || !bytes.Equal(key.Bytes(), want.Sk) {
						t.Errorf("keyGen %d: %v", v.TcID, err)
					}
				case "sigGen":
					key, err := ours.NewPrivateKeyUnchecked(set, v.Sk)
					if err != nil {
						t.Fatal(err)
					}
					sig, err := key.Sign(bytes.NewReader(v.AdditionalRandomness), v.Message, options)
					if err != nil || !bytes.Equal(sig, want.Signature) {
						t.Errorf("sigGen %d: %v", v.TcID, err)
					}
				case "verify":
					key, err := ours.NewPublicKey(set, v.Pk)
					if err == nil {
						err = key.Verify(v.Message, v.Signature, options)
					}
					if (err == nil) != want.TestPassed {
						t.Errorf("sigVer %d: %v, should pass: %v", v.TcID, err, want.TestPassed)
					}
				}
			}
		}
	}
	t.Logf("cases: %v", cases)
	for _, operation := range []string{"keyGen", "sigGen", "verify"} {
		if cases[operation] == 0 {
			t.Errorf("no cases of %s", operation)
		}
	}
}

// unhex is bytes in hexadecimal.
type unhex []byte

func (u *unhex) UnmarshalText(text []byte) (err error) {
	*u, err = hex.DecodeString(string(text))
	return err
}
