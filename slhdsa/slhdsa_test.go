package slhdsa

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
	"weak"

	simd "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// fast are the parameter sets whose keys and signatures take milliseconds.
var fast = []ParameterSet{SHA2_128f, SHA2_192f, SHA2_256f}

// newKey returns a key that depends on the set alone.
func newKey(t testing.TB, set ParameterSet) (*PrivateKey, *PublicKey) {
	t.Helper()
	k, err := GenerateKey(set, rand.NewChaCha8([32]byte{byte(set)}))
	if err != nil {
		t.Fatal(err)
	}
	return k, k.Public().(*PublicKey)
}

func sign(t testing.TB, k *PrivateKey, message []byte, o *Options) []byte {
	t.Helper()
	sig, err := k.Sign(nil, message, o)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// TestEveryKernel tests that each kernel makes and verifies the same signatures.
func TestEveryKernel(t *testing.T) {
	o := &Options{Deterministic: true}
	want := make(map[ParameterSet][]byte)
	for _, set := range fast {
		k, _ := newKey(t, set)
		want[set] = sign(t, k, []byte("message"), o)
	}
	hashtest.ForEachWots(t, func(t *testing.T) {
		for _, set := range fast {
			k, pub := newKey(t, set)
			if sig := sign(t, k, []byte("message"), o); !bytes.Equal(sig, want[set]) {
				t.Errorf("%v: another signature", set)
			}
			if err := pub.Verify([]byte("message"), want[set], o); err != nil {
				t.Errorf("%v: %v", set, err)
			}
		}
	})
}

// TestOptionsBindSignatures tests that a signature verifies under its own options alone.
func TestOptionsBindSignatures(t *testing.T) {
	k, pub := newKey(t, SHA2_128f)
	message := []byte("message")
	options := []*Options{
		nil, {Context: []byte("a")}, {Context: []byte("b")}, {Context: make([]byte, maxContext)}, {Context: make([]byte, maxContext-1)},
		{Hash: crypto.SHA256}, {Hash: crypto.SHA512, Context: []byte("a")}, {Hash: crypto.SHA3_256},
	}
	for i, o := range options {
		sig := sign(t, k, message, o)
		for j, other := range options {
			err := pub.Verify(message, sig, other)
			if i == j && err != nil {
				t.Errorf("options %d: %v", i, err)
			}
			if i != j && !errors.Is(err, ErrVerification) {
				t.Errorf("options %d verified with %d: %v", i, j, err)
			}
		}
	}
	if err := pub.Verify(message, sign(t, k, message, &Options{}), nil); err != nil {
		t.Errorf("zero options and nil differ: %v", err)
	}
}

// TestHedged tests that signatures differ unless they are deterministic, and where the
// randomness comes from.
func TestHedged(t *testing.T) {
	k, pub := newKey(t, SHA2_128f)
	a, b := sign(t, k, nil, nil), sign(t, k, nil, nil)
	if bytes.Equal(a, b) {
		t.Error("two hedged signatures are equal")
	}
	for _, sig := range [][]byte{a, b} {
		if err := pub.Verify(nil, sig, nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := k.Sign(iotest.ErrReader(errors.New("no entropy")), nil, nil); err == nil || !strings.Contains(err.Error(), "no entropy") {
		t.Errorf("a reader that fails: %v", err)
	}
	if _, err := k.Sign(iotest.ErrReader(errors.New("no entropy")), nil, &Options{Deterministic: true}); err != nil {
		t.Errorf("deterministic: %v", err)
	}
	if _, err := k.Sign(nil, nil, crypto.Hash(0)); err != nil {
		t.Errorf("crypto.Hash(0): %v", err)
	}
	if _, err := crypto.SignMessage(k, nil, []byte("m"), &Options{Hash: crypto.SHA256}); err != nil {
		t.Errorf("crypto.SignMessage: %v", err)
	}
	if _, err := crypto.SignMessage(k, nil, []byte("m"), crypto.SHA512); err == nil || !strings.Contains(err.Error(), "SHA-512") {
		t.Errorf("crypto.SignMessage with a hash that the key does not use: %v", err)
	}
}

// TestPublicKeyKeepsNoSecrets holds the public key alone.
func TestPublicKeyKeepsNoSecrets(t *testing.T) {
	k, _ := newKey(t, SHA2_128f)
	public, secrets := k.Public(), weak.Make(&k.secrets[0])
	k = nil
	hashtest.Collect()
	if secrets.Value() != nil {
		t.Error("the private key is still reachable")
	}
	runtime.KeepAlive(public)
}

// TestFlippedBits flips bits in every part of signatures, messages and keys.
func TestFlippedBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	every := 1
	if testing.Short() {
		every = 29
	}
	for _, set := range fast {
		p := set.params()
		k, pub := newKey(t, set)
		message := []byte("message")
		sig := sign(t, k, message, nil)
		var keys []*PublicKey
		var messages, sigs [][]byte
		// A bit of each hash value.
		for at := 0; at < len(sig); at += every * p.n {
			bad := bytes.Clone(sig)
			bad[at+random.IntN(p.n)] ^= 1 << random.IntN(8)
			keys, messages, sigs = append(keys, pub), append(messages, message), append(sigs, bad)
		}
		for at := 0; at < 16*p.n; at += every {
			bad := pub.Bytes()
			bad[at/8] ^= 1 << (at % 8)
			other, err := NewPublicKey(set, bad)
			if err != nil {
				t.Fatal(err)
			}
			keys, messages, sigs = append(keys, other), append(messages, message), append(sigs, sig)
		}
		for at := range 8 * len(message) {
			bad := bytes.Clone(message)
			bad[at/8] ^= 1 << (at % 8)
			keys, messages, sigs = append(keys, pub), append(messages, bad), append(sigs, sig)
		}
		keys, messages, sigs = append(keys, pub), append(messages, message), append(sigs, sig)
		errs := VerifyMany(keys, messages, sigs, nil)
		last := len(errs) - 1
		for i, err := range errs[:last] {
			if !errors.Is(err, ErrVerification) {
				t.Errorf("%v: flip %d: %v", set, i, err)
			}
		}
		if errs[last] != nil {
			t.Errorf("%v: without a flip: %v", set, errs[last])
		}
	}
}

// TestVerifyManyOfDifferentSets tests keys of all sets, signatures that are wrong and
// keys that are none, in one list.
func TestVerifyManyOfDifferentSets(t *testing.T) {
	var keys []*PublicKey
	var messages, sigs [][]byte
	var want []bool
	add := func(key *PublicKey, message, sig []byte, right bool) {
		keys, messages, sigs, want = append(keys, key), append(messages, message), append(sigs, sig), append(want, right)
	}
	rounds := 20
	if testing.Short() {
		rounds = 7 // more signatures than verifyWindow
	}
	for round := range rounds {
		for i := range sets {
			set := sets[i].set
			if round > 0 && !slices.Contains(fast, set) {
				continue
			}
			k, pub := newKey(t, set)
			message := []byte{byte(round)}
			sig := sign(t, k, message, &Options{Deterministic: true})
			add(pub, message, sig, true)
			if round%3 == 0 {
				bad := bytes.Clone(sig)
				bad[len(bad)/2] ^= 4
				add(pub, message, bad, false)
			}
		}
		add(nil, nil, nil, false)
		add(new(PublicKey), nil, sigs[0], false)
		add(keys[0], nil, sigs[0][1:], false)
	}
	for i, err := range VerifyMany(keys, messages, sigs, nil) {
		if (err == nil) != want[i] {
			t.Errorf("%d: %v, want valid: %v", i, err, want[i])
		}
		if keys[i] != nil {
			if alone := keys[i].Verify(messages[i], sigs[i], nil); (alone == nil) != (err == nil) {
				t.Errorf("%d: %v, alone %v", i, err, alone)
			}
		}
	}
}

// TestNonsenseIsAnError tests that no input panics.
func TestNonsenseIsAnError(t *testing.T) {
	k, pub := newKey(t, SHA2_128f)
	sig := sign(t, k, nil, nil)
	long := &Options{Context: make([]byte, maxContext+1)}
	noHash, unknown := &Options{Hash: crypto.MD5}, &Options{Hash: 200}
	for name, err := range map[string]error{
		"no set":                second(GenerateKey(0, nil)),
		"unknown set":           second(GenerateKey(7, nil)),
		"short randomness":      second(GenerateKey(SHA2_128f, strings.NewReader("short"))),
		"short private key":     second(NewPrivateKey(SHA2_128f, k.Bytes()[1:])),
		"private key of no set": second(NewPrivateKey(0, k.Bytes())),
		"unchecked, long":       second(NewPrivateKeyUnchecked(SHA2_128f, make([]byte, 65))),
		"unchecked of no set":   second(NewPrivateKeyUnchecked(99, nil)),
		"short public key":      second(NewPublicKey(SHA2_128f, pub.Bytes()[1:])),
		"public key of no set":  second(NewPublicKey(0, pub.Bytes())),
		"sign: long context":    second(k.Sign(nil, nil, long)),
		"sign: MD5":             second(k.Sign(nil, nil, noHash)),
		"sign: no hash":         second(k.Sign(nil, nil, unknown)),
		"sign: a digest":        second(k.Sign(nil, make([]byte, 32), crypto.SHA256)),
		"sign: zero key":        second(new(PrivateKey).Sign(nil, nil, nil)),
		"sign: nil key":         second((*PrivateKey)(nil).Sign(nil, nil, nil)),
		"verify: long context":  pub.Verify(nil, sig, long),
		"verify: MD5":           pub.Verify(nil, sig, noHash),
		"verify: no signature":  pub.Verify(nil, nil, nil),
		"verify: short":         pub.Verify(nil, sig[1:], nil),
		"verify: long":          pub.Verify(nil, append(sig, 0), nil),
		"verify: zero key":      new(PublicKey).Verify(nil, sig, nil),
		"verify: nil key":       (*PublicKey)(nil).Verify(nil, sig, nil),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "slhdsa: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(VerifyMany(nil, nil, nil, nil)); n != 0 {
		t.Errorf("%d errors of no signatures", n)
	}
	errs := VerifyMany([]*PublicKey{pub}, [][]byte{nil, nil}, [][]byte{sig, sig, sig}, nil)
	if len(errs) != 3 {
		t.Fatalf("%d errors of lists of 1, 2 and 3", len(errs))
	}
	for _, err := range errs {
		if err == nil {
			t.Error("lists of different lengths verify")
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestWrongRoot tests that a private key with another root is refused, at once or by
// Sign.
func TestWrongRoot(t *testing.T) {
	k, _ := newKey(t, SHA2_128f)
	for at := range 64 {
		bad := k.Bytes()
		bad[at] ^= 1
		if at/16 == 1 {
			// SK.prf has no part in the root.
			if _, err := NewPrivateKey(SHA2_128f, bad); err != nil {
				t.Error(err)
			}
			continue
		}
		if _, err := NewPrivateKey(SHA2_128f, bad); err == nil {
			t.Errorf("byte %d: no error", at)
		}
		unchecked, err := NewPrivateKeyUnchecked(SHA2_128f, bad)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := unchecked.Sign(nil, nil, nil); err == nil {
				t.Errorf("byte %d: it signs", at)
			}
		}
	}
}

// TestCheckFindsFaults tests Options.Check by a fault in the top tree.
func TestCheckFindsFaults(t *testing.T) {
	k, _ := newKey(t, SHA2_128f)
	if _, err := k.Sign(nil, nil, &Options{Check: true}); err != nil {
		t.Fatal(err)
	}
	for _, nodes := range k.top[:3] {
		for i := range nodes {
			nodes[i] ^= 1
		}
	}
	if _, err := k.Sign(nil, nil, &Options{Check: true}); err == nil {
		t.Error("a faulty signature was returned")
	}
}

// TestKeysRoundTrip tests encodings of keys, and Equal.
func TestKeysRoundTrip(t *testing.T) {
	for _, set := range append(fast, SHA2_128s) {
		k, pub := newKey(t, set)
		if k.ParameterSet() != set || pub.ParameterSet() != set {
			t.Errorf("%v: keys of %v and %v", set, k.ParameterSet(), pub.ParameterSet())
		}
		if len(k.Bytes()) != set.PrivateKeySize() || len(pub.Bytes()) != set.PublicKeySize() {
			t.Errorf("%v: keys of %d and %d bytes", set, len(k.Bytes()), len(pub.Bytes()))
		}
		again, err := NewPrivateKey(set, k.Bytes())
		if err != nil || !again.Equal(k) || !k.Equal(again) {
			t.Errorf("%v: the private key comes back as %v, %v", set, again, err)
		}
		publicAgain, err := NewPublicKey(set, pub.Bytes())
		if err != nil || !publicAgain.Equal(pub) || !pub.Equal(publicAgain) {
			t.Errorf("%v: the public key comes back as %v, %v", set, publicAgain, err)
		}
		der, err := MarshalPKCS8PrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		if again, err = ParsePKCS8PrivateKey(der); err != nil || !again.Equal(k) {
			t.Errorf("%v: PKCS #8 comes back as %v, %v", set, again, err)
		}
		if der, err = MarshalPKIXPublicKey(pub); err != nil {
			t.Fatal(err)
		}
		if publicAgain, err = ParsePKIXPublicKey(der); err != nil || !publicAgain.Equal(pub) {
			t.Errorf("%v: PKIX comes back as %v, %v", set, publicAgain, err)
		}
		other, err := GenerateKey(set, nil)
		if err != nil {
			t.Fatal(err)
		}
		if other.Equal(k) || other.Public().(*PublicKey).Equal(pub) || k.Equal(nil) || pub.Equal(nil) || k.Equal(pub) || pub.Equal((*PublicKey)(nil)) {
			t.Errorf("%v: keys that differ are equal", set)
		}
	}
}

// The keys of RFC 9909, appendix C.
const rfcPrivate = `-----BEGIN PRIVATE KEY-----
MFICAQAwCwYJYIZIAWUDBAMUBECiJjvKRYYINlIxYASVI9YhZ3+tkNUetgZ6Mn4N
HmSlASuBCex3fKpOHwJMz8+Ul9mRgFCSgPQlavKwevgCibSU
-----END PRIVATE KEY-----
`
const rfcPublic = `-----BEGIN PUBLIC KEY-----
MDAwCwYJYIZIAWUDBAMUAyEAK4EJ7Hd8qk4fAkzPz5SX2ZGAUJKA9CVq8rB6+AKJ
tJQ=
-----END PUBLIC KEY-----
`

// TestRFC9909 tests the keys of the RFC, and that others are refused.
func TestRFC9909(t *testing.T) {
	private, _ := pem.Decode([]byte(rfcPrivate))
	public, _ := pem.Decode([]byte(rfcPublic))
	k, err := ParsePKCS8PrivateKey(private.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := ParsePKIXPublicKey(public.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if !pub.Equal(k.Public()) || pub.ParameterSet() != SHA2_128s {
		t.Error("the two keys are no pair")
	}
	for _, test := range []struct {
		der  []byte
		err  error
		want string
	}{
		{second2(MarshalPKCS8PrivateKey(k)), nil, rfcPrivate},
		{second2(MarshalPKIXPublicKey(pub)), nil, rfcPublic},
	} {
		block, _ := pem.Decode([]byte(test.want))
		if !bytes.Equal(test.der, block.Bytes) {
			t.Errorf("%x, want %x", test.der, block.Bytes)
		}
	}

	withPublic := oneAsymmetricKey{1, algorithm{OID: k.public.oid}, k.Bytes(), asn1.RawValue{}, asn1.BitString{Bytes: pub.Bytes(), BitLength: 256}}
	der, err := asn1.Marshal(withPublic)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParsePKCS8PrivateKey(der); err != nil {
		t.Errorf("with a public key: %v", err)
	}
	withPublic.PublicKey.Bytes[0] ^= 1
	if der, err = asn1.Marshal(withPublic); err != nil {
		t.Fatal(err)
	}
	if _, err := ParsePKCS8PrivateKey(der); err == nil {
		t.Error("with another public key: no error")
	}

	null := algorithm{OID: k.public.oid, Parameters: asn1.NullRawValue}
	for name, info := range map[string]any{
		"parameters":  subjectPublicKeyInfo{null, asn1.BitString{Bytes: pub.bytes, BitLength: 256}},
		"SHAKE":       subjectPublicKeyInfo{algorithm{OID: oid(26)}, asn1.BitString{Bytes: pub.bytes, BitLength: 256}},
		"another set": subjectPublicKeyInfo{algorithm{OID: oid(22)}, asn1.BitString{Bytes: pub.bytes, BitLength: 256}},
		"pre-hash":    subjectPublicKeyInfo{algorithm{OID: oid(35)}, asn1.BitString{Bytes: pub.bytes, BitLength: 256}},
		"one element more": struct {
			Algorithm algorithm
			PublicKey asn1.BitString
			More      int
		}{algorithm{OID: k.public.oid}, asn1.BitString{Bytes: pub.bytes, BitLength: 256}, 5},
		"255 bits": subjectPublicKeyInfo{algorithm{OID: k.public.oid}, asn1.BitString{Bytes: append(pub.Bytes()[:31:31], 0), BitLength: 255}},
	} {
		der, err := asn1.Marshal(info)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParsePKIXPublicKey(der); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for n := range public.Bytes {
		if _, err := ParsePKIXPublicKey(public.Bytes[:n]); err == nil {
			t.Errorf("the first %d bytes: no error", n)
		}
	}
	if _, err := ParsePKIXPublicKey(append(public.Bytes, 0)); err == nil {
		t.Error("a byte behind: no error")
	}
	if _, err := ParsePKCS8PrivateKey(private.Bytes[1:]); err == nil {
		t.Error("without the first byte: no error")
	}
	if second(MarshalPKIXPublicKey(nil)) == nil || second(MarshalPKCS8PrivateKey(new(PrivateKey))) == nil {
		t.Error("no key: no error")
	}
}

func second2(b []byte, _ error) []byte { return b }

// TestConcurrentUse tests one key in several goroutines, its top tree not made yet.
func TestConcurrentUse(t *testing.T) {
	made, pub := newKey(t, SHA2_128f)
	k, err := NewPrivateKeyUnchecked(SHA2_128f, made.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			message := []byte{byte(i)}
			sig, err := k.Sign(nil, message, nil)
			if err == nil {
				err = pub.Verify(message, sig, nil)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestHugeMessage tests a message of gigabytes: its hashes are those of crypto/sha256
// and crypto/sha512, and no copy of it is made.
func TestHugeMessage(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 38 GB")
	}
	for _, test := range []struct {
		set    ParameterSet
		length int64
		hash   func() hash.Hash
	}{
		// A count of bits or bytes leaves 32 bits.
		{SHA2_128f, 4<<30 + 1, sha256.New},
		{SHA2_256f, 1<<30 + 1, sha512.New},
	} {
		t.Run(test.set.String(), func(t *testing.T) {
			message := guard.Zeros(t, test.length)
			const sample = 16 << 20
			start := time.Now()
			test.hash().Write(message[:sample])
			if all := time.Duration(test.length/sample*7) * time.Since(start); all > 3*time.Minute {
				t.Skipf("hashing it seven times would take %v", all.Round(time.Second))
			}
			k, pub := newKey(t, test.set)
			n := pub.n
			o := &Options{Deterministic: true, Context: []byte("context")}
			header := append([]byte{0, byte(len(o.Context))}, o.Context...)

			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			sig := sign(t, k, message, o)
			errs := VerifyMany([]*PublicKey{pub, pub}, [][]byte{message, message[1:]}, [][]byte{sig, sig}, o)
			runtime.ReadMemStats(&after)
			if errs[0] != nil || !errors.Is(errs[1], ErrVerification) {
				t.Errorf("%v; a byte less: %v", errs[0], errs[1])
			}
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 16<<20 {
				t.Errorf("%d bytes were allocated", bytes)
			}

			prf := hmac.New(test.hash, k.secretPRF())
			msg := test.hash()
			prf.Write(pub.bytes[:n])
			msg.Write(sig[:n])
			msg.Write(pub.bytes)
			for _, h := range []hash.Hash{prf, msg} {
				h.Write(header)
				h.Write(message)
			}
			if r := prf.Sum(nil)[:n]; !bytes.Equal(sig[:n], r) {
				t.Errorf("R is %x, want %x", sig[:n], r)
			}
			s := acquire()
			defer s.release()
			got := s.find(pub.params, sig[:n], pub.bytes, content{header, message})
			if want := s.place(pub.params, sig[:n], pub.bytes, msg.Sum(nil)); got != want {
				t.Errorf("the place is %v, want %v", got, want)
			}
		})
	}
}

// TestScratchIsClear tests that nothing of a key or of a caller is left in memory that is
// given back, up to the capacity of its slices, whatever has used it.
func TestScratchIsClear(t *testing.T) {
	var keys []*PublicKey
	var messages, sigs [][]byte
	for _, set := range fast {
		k, pub := newKey(t, set)
		keys, messages = append(keys, pub), append(messages, []byte("message"))
		sigs = append(sigs, sign(t, k, []byte("message"), &Options{Check: true}))
	}
	last := len(fast) - 1
	k, _ := newKey(t, fast[last])
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"GenerateKey", func() { newKey(t, SHA2_128f) }},
		{"Sign", func() { sign(t, k, []byte("message"), nil) }},
		{"Sign and check", func() { sign(t, k, []byte("message"), &Options{Check: true}) }},
		{"Verify", func() { keys[0].Verify(messages[0], sigs[0], nil) }},
		{"VerifyMany", func() { VerifyMany(keys, messages, sigs, nil) }},
	} {
		tt.call()
		s := acquire()
		v := reflect.ValueOf(s).Elem()
		for i := range v.NumField() {
			field, name := v.Field(i), v.Type().Field(i).Name
			switch name {
			case "one", "sha256", "sha512": // below
				continue
			case "steps", "sameLen": // indices and lengths of chains, without secrets
				continue
			}
			if field.Kind() == reflect.Slice {
				field = field.Slice(0, field.Cap())
				for j := range field.Len() {
					if !field.Index(j).IsZero() {
						t.Errorf("%s: element %d of %s is left", tt.name, j, name)
						break
					}
				}
			} else if !field.IsZero() {
				t.Errorf("%s: %s is left", tt.name, name)
			}
		}
		for i := range s.one.Blocks {
			if s.one.Blocks[i] != [64]byte{} || s.one.From[i] != nil {
				t.Fatalf("%s: block %d: %x", tt.name, i, s.one.Blocks[i])
			}
		}
		for _, h := range []struct{ used, fresh hash.Hash }{{s.sha256, simd.New()}, {s.sha512, newSHA512()}} {
			if fmt.Sprintf("%+v", h.used) != fmt.Sprintf("%+v", h.fresh) {
				t.Errorf("%s: a %T has %[2]v", tt.name, h.used)
			}
		}
		s.release()
	}
}

// TestWipe tests that a hash has nothing of what it was given, and is as if it were new.
func TestWipe(t *testing.T) {
	for _, fresh := range []func() hash.Hash{simd.New, newSHA512} {
		for _, n := range []int{1, 63, 64, 127, 128, 1000} {
			h := fresh()
			h.Write([]byte{0xa5}) // so that the bytes after it go through the block of h
			h.Write(bytes.Repeat([]byte{0xa5}, n))
			wipe(h)
			if got, want := fmt.Sprintf("%+v", h), fmt.Sprintf("%+v", fresh()); got != want {
				t.Errorf("%d bytes: %s, want %s", n, got, want)
			}
		}
	}
}

// keeper is randomness that keeps the memory that it was read into.
type keeper struct{ read [][]byte }

func (k *keeper) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i + 1)
	}
	k.read = append(k.read, p)
	return len(p), nil
}

// keepingHash keeps the memory that is written to it.
type keepingHash struct {
	hash.Hash
	written [][]byte
}

func (h *keepingHash) Write(p []byte) (int, error) {
	h.written = append(h.written, p)
	return h.Hash.Write(p)
}

// TestSecretsAreClear tests that random bytes and what is made of SK.prf are cleared.
func TestSecretsAreClear(t *testing.T) {
	var random keeper
	k, err := GenerateKey(SHA2_128f, &random)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Sign(&random, nil, nil); err != nil {
		t.Fatal(err)
	}
	if len(random.read) != 2 {
		t.Fatalf("%d reads of randomness", len(random.read))
	}
	for i, p := range random.read {
		if slices.ContainsFunc(p, func(b byte) bool { return b != 0 }) {
			t.Errorf("random bytes of read %d are left: %x", i, p)
		}
	}
	for _, set := range []ParameterSet{SHA2_128f, SHA2_256f} {
		kept := &keepingHash{Hash: simd.New()}
		s := &scratch{sha256: kept}
		if set == SHA2_256f {
			kept = &keepingHash{Hash: newSHA512()}
			s = &scratch{sha512: kept}
		}
		var dst [maxN]byte
		s.randomizer(dst[:], set.params(), []byte("SK.prf"), nil, content{})
		if first := kept.written[0]; slices.ContainsFunc(first, func(b byte) bool { return b != 0 }) {
			t.Errorf("%v: a block of HMAC is left: %x", set, first)
		}
	}
}

// TestEqualComparesAll tests keys that differ in one part only.
func TestEqualComparesAll(t *testing.T) {
	k, pub := newKey(t, SHA2_128f)
	unchecked := func(set ParameterSet, at int) *PrivateKey {
		key := k.Bytes()
		if at >= 0 {
			key[at] ^= 1
		}
		k, err := NewPrivateKeyUnchecked(set, key)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for at := range k.Bytes() {
		if k.Equal(unchecked(SHA2_128f, at)) {
			t.Errorf("private keys that differ in byte %d are equal", at)
		}
		if other := unchecked(SHA2_128f, at).Public(); pub.Equal(other) != (at < 32) {
			t.Errorf("public keys of private keys that differ in byte %d: equal %t", at, at >= 32)
		}
	}
	other := unchecked(SHA2_128s, -1)
	if k.Equal(other) || pub.Equal(other.Public()) {
		t.Error("keys of two sets are equal")
	}
	if k.Equal((*PrivateKey)(nil)) || pub.Equal((*PublicKey)(nil)) {
		t.Error("a key is equal to none")
	}
}

// TestPKCS8PublicKey tests what may stand beside a private key: nothing, or its public key,
// in versions 0 and 1.
func TestPKCS8PublicKey(t *testing.T) {
	var k *PrivateKey
	var pub []byte
	for pub == nil || pub[len(pub)-1]&1 != 0 { // the last bit is 0: padding, if there are 255 bits
		var err error
		if k, err = GenerateKey(SHA2_128f, nil); err != nil {
			t.Fatal(err)
		}
		pub = k.Public().(*PublicKey).Bytes()
	}
	other := bytes.Clone(pub)
	other[0] ^= 1
	for _, tt := range []struct {
		name    string
		version int
		public  asn1.BitString
		ok      bool
	}{
		{"version -1", -1, asn1.BitString{}, false},
		{"version 0", 0, asn1.BitString{}, true},
		{"version 1", 1, asn1.BitString{}, true},
		{"version 2", 2, asn1.BitString{}, false},
		{"version 3", 3, asn1.BitString{}, false},
		{"its public key", 1, asn1.BitString{Bytes: pub, BitLength: 256}, true},
		{"another one", 1, asn1.BitString{Bytes: other, BitLength: 256}, false},
		{"255 of its bits", 1, asn1.BitString{Bytes: pub, BitLength: 255}, false},
		{"its first byte", 1, asn1.BitString{Bytes: pub[:1], BitLength: 8}, false},
		{"a byte more", 1, asn1.BitString{Bytes: append(pub[:32:32], 0), BitLength: 264}, false},
	} {
		der, err := asn1.Marshal(oneAsymmetricKey{tt.version, algorithm{OID: k.public.oid}, k.Bytes(), asn1.RawValue{}, tt.public})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParsePKCS8PrivateKey(der); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestLimits tests both sides of the lengths of contexts and of keys.
func TestLimits(t *testing.T) {
	k, pub := newKey(t, SHA2_128f)
	for n, ok := range map[int]bool{254: true, 255: true, 256: false} {
		o := &Options{Context: make([]byte, n)}
		sig, err := k.Sign(nil, nil, o)
		if (err == nil) != ok || ok && pub.Verify(nil, sig, o) != nil {
			t.Errorf("a context of %d bytes: %v", n, err)
		}
	}
	for _, n := range []int{0, 1, 31, 32, 33, 63, 65, 128} {
		want := fmt.Sprintf("slhdsa: a private key of %d bytes, want 64", n)
		if _, err := NewPrivateKeyUnchecked(SHA2_128f, make([]byte, n)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestSizes tests the sizes of FIPS 205, table 2, and those of an invalid set.
func TestSizes(t *testing.T) {
	for set, want := range map[ParameterSet][3]int{
		SHA2_128s: {32, 64, 7856}, SHA2_128f: {32, 64, 17088}, SHA2_192s: {48, 96, 16224},
		SHA2_192f: {48, 96, 35664}, SHA2_256s: {64, 128, 29792}, SHA2_256f: {64, 128, 49856}, 0: {}, 7: {},
	} {
		if got := [3]int{set.PublicKeySize(), set.PrivateKeySize(), set.SignatureSize()}; got != want {
			t.Errorf("%v: %v, want %v", set, got, want)
		}
		if p := set.params(); p != nil && (p.n > maxN || p.chains() > maxChains || p.k > maxTrees || p.k > lanes.MaxOneBlock) {
			t.Errorf("%v exceeds the largest values", set)
		}
	}
	if name := ParameterSet(7).String(); name != "slhdsa.ParameterSet(7)" {
		t.Error(name)
	}
}

func TestREADMEShowsAnExample(t *testing.T) {
	hashtest.PageShows(t, "README.md", "example_test.go")
}

func FuzzNewPrivateKey(f *testing.F) {
	k, _ := newKey(f, SHA2_128f)
	f.Add(uint8(SHA2_128f), k.Bytes())
	f.Fuzz(func(t *testing.T, set uint8, key []byte) {
		k, err := NewPrivateKeyUnchecked(ParameterSet(set), key)
		if err == nil && !bytes.Equal(k.Bytes(), key) {
			t.Errorf("%x comes back as %x", key, k.Bytes())
		}
		if s := ParameterSet(set); s != SHA2_128f && s != 0 {
			return // slow
		}
		if k, err := NewPrivateKey(ParameterSet(set), key); err == nil && !bytes.Equal(k.Bytes(), key) {
			t.Errorf("%x comes back as %x", key, k.Bytes())
		}
	})
}

func FuzzNewPublicKey(f *testing.F) {
	_, pub := newKey(f, SHA2_128f)
	f.Add(uint8(SHA2_128f), pub.Bytes())
	f.Fuzz(func(t *testing.T, set uint8, key []byte) {
		if k, err := NewPublicKey(ParameterSet(set), key); err == nil && !bytes.Equal(k.Bytes(), key) {
			t.Errorf("%x comes back as %x", key, k.Bytes())
		}
		if k, err := ParsePKIXPublicKey(key); err == nil && k.ParameterSet().params() == nil {
			t.Error("a key of no set")
		}
	})
}

func FuzzVerify(f *testing.F) {
	k, pub := newKey(f, SHA2_128f)
	// Other processes of the fuzzer make the same one.
	sig := sign(f, k, []byte("message"), &Options{Deterministic: true})
	f.Add([]byte("message"), sig, []byte(nil), uint8(0))
	f.Fuzz(func(t *testing.T, message, signature, context []byte, hash uint8) {
		err := pub.Verify(message, signature, &Options{Context: context, Hash: crypto.Hash(hash)})
		if valid := string(message) == "message" && bytes.Equal(signature, sig) && len(context) == 0 && hash == 0; (err == nil) != valid {
			t.Errorf("%v, should be valid: %v", err, valid)
		}
	})
}
