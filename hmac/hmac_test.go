package hmac_test

import (
	"bytes"
	stdhmac "crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

	simd "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hmac"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// plainly returns what crypto/hmac does.
func plainly(key, msg []byte) [32]byte {
	h := stdhmac.New(sha256.New, key)
	h.Write(msg)
	return [32]byte(h.Sum(nil))
}

// cut returns n messages of the lengths that length(i) says.
func cut(n int, length func(i int) int) [][]byte {
	msgs := make([][]byte, n)
	for i := range msgs {
		msgs[i] = hashtest.Data(length(i) + i)[i:]
	}
	return msgs
}

// check fails the test unless all functions give crypto/hmac's MACs.
func check(t *testing.T, key []byte, msgs [][]byte) {
	t.Helper()
	k := hmac.NewKey(key)
	n := len(msgs)
	want := make([][32]byte, n)
	macs, keys := make([][]byte, n), make([]*hmac.Key, n)
	h := hmac.New(key)
	for i, m := range msgs {
		want[i] = plainly(key, m)
		macs[i], keys[i] = want[i][:], k
	}
	many, each, ok, eachOK := make([][32]byte, n), make([][32]byte, n), make([]bool, n), make([]bool, n)
	k.SumMany(many, msgs)
	hmac.SumMany(each, keys, msgs)
	k.VerifyMany(ok, macs, msgs)
	hmac.VerifyMany(eachOK, keys, macs, msgs)
	for i, m := range msgs {
		h.Reset()
		h.Write(m)
		if written, alone := [32]byte(h.Sum(nil)), hmac.Sum(key, m); written != want[i] || alone != want[i] {
			t.Fatalf("key of %d bytes, message %d of %d, %d bytes: %x written, %x alone, want %x", len(key), i, n, len(m), written, alone, want[i])
		}
		if one := k.Sum(m); one != want[i] || many[i] != want[i] || each[i] != want[i] || !ok[i] || !eachOK[i] {
			t.Fatalf("key of %d bytes, message %d of %d, %d bytes: %x, %x and %x, verified %v and %v, want %x",
				len(key), i, n, len(m), one, many[i], each[i], ok[i], eachOK[i], want[i])
		}
	}
}

func TestMACsMatchCryptoHMAC(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, length := range []int{14, 0, 1, 32, 55, 63, 64, 65, 100, 200} {
			key := hashtest.Data(length)
			for _, n := range []int{0, 1, 2, 3, 16, 33, 70} {
				for _, size := range []int{0, 1, 55, 56, 64, 119, 128, 300} {
					check(t, key, cut(n, func(int) int { return size }))
				}
				check(t, key, cut(n, func(i int) int { return 13 * i % 400 }))
			}
			check(t, key, cut(600, func(i int) int { return i % 70 }))
		}
	})
}

// TestEachMessageWithItsOwnKey has messages of all shapes that package lanes treats
// differently: of one length, of few blocks, of many.
func TestEachMessageWithItsOwnKey(t *testing.T) {
	shapes := map[string]func(i int) int{
		"unequal": func(i int) int { return i * 37 % 200 }, "long and unequal": func(i int) int { return i % 40 * 997 % 9000 },
		"of 32 bytes": func(int) int { return 32 }, "of 200 bytes": func(int) int { return 200 }, "of 4096 bytes": func(int) int { return 4096 },
	}
	hashtest.ForEach(t, func(t *testing.T) {
		for name, length := range shapes {
			for _, n := range []int{1, 2, 3, 4, 5, 9, 33, 47, 256, 257, 700} {
				if testing.Short() && length(0) > 200 && n > 47 {
					continue
				}
				msgs := cut(n, length)
				keys, dst := make([]*hmac.Key, n), make([][32]byte, n)
				for i := range keys {
					keys[i] = hmac.NewKey(hashtest.Data(i % 150))
				}
				hmac.SumMany(dst, keys, msgs)
				for i, m := range msgs {
					if want := plainly(hashtest.Data(i%150), m); dst[i] != want {
						t.Fatalf("%s: message %d of %d: %x, want %x", name, i, n, dst[i], want)
					}
				}
			}
		}
	})
}

// TestAnyNumberOfLongMessages has the last messages of a list rotate: there are more
// of them than lanes. What earlier messages left in scratch does not show.
func TestAnyNumberOfLongMessages(t *testing.T) {
	key := hmac.NewKey(hashtest.Data(32))
	std := stdhmac.New(sha256.New, hashtest.Data(32))
	prefix := simd.New()
	prefix.Write([]byte{0})
	for n := 1; n < 70; n++ {
		short := cut(n, func(int) int { return 254 })
		simd.SumManyAfter(make([][32]byte, n), prefix, short)
		msgs, macs := cut(n, func(int) int { return 4096 + n }), make([][32]byte, n)
		key.SumMany(macs, msgs)
		for i, m := range msgs {
			std.Reset()
			std.Write(m)
			if want := [32]byte(std.Sum(nil)); macs[i] != want {
				t.Fatalf("MAC %d of %d is %x, want %x", i, n, macs[i], want)
			}
		}
	}
}

// The test cases of RFC 4231 but for the fifth, which is truncated.
func TestRFC4231(t *testing.T) {
	for _, tt := range []struct{ key, msg, want string }{
		{strings.Repeat("\x0b", 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{strings.Repeat("\xaa", 20), strings.Repeat("\xdd", 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
		{"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19", strings.Repeat("\xcd", 50),
			"82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
		{strings.Repeat("\xaa", 131), "Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
		{strings.Repeat("\xaa", 131), "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
			"9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
	} {
		if got := hmac.NewKey([]byte(tt.key)).Sum([]byte(tt.msg)); hex.EncodeToString(got[:]) != tt.want {
			t.Errorf("%q: %x, want %s", tt.msg, got, tt.want)
		}
	}
}

func TestWycheproof(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "wycheproof", "hmac_sha256_test.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		TestGroups []struct {
			TagSize int
			Tests   []struct {
				TCID                           int
				Comment, Key, Msg, Tag, Result string
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	whole, truncated := 0, 0
	for _, group := range file.TestGroups {
		for _, tt := range group.Tests {
			key, msg, tag := hmac.NewKey(hashtest.Unhex(t, tt.Key)), hashtest.Unhex(t, tt.Msg), hashtest.Unhex(t, tt.Tag)
			valid := tt.Result == "valid"
			mac := key.Sum(msg)
			if got := hmac.Equal(mac[:group.TagSize/8], tag); got != valid {
				t.Errorf("case %d, %s: tag valid %v, want %v", tt.TCID, tt.Comment, got, valid)
			}
			ok := []bool{!valid}
			key.VerifyMany(ok, [][]byte{tag}, [][]byte{msg})
			if want := valid && group.TagSize == 256; ok[0] != want {
				t.Errorf("case %d, %s, a tag of %d bits: VerifyMany %v, want %v", tt.TCID, tt.Comment, group.TagSize, ok[0], want)
			}
			if group.TagSize == 256 {
				whole++
			} else {
				truncated++
			}
		}
	}
	if whole == 0 || truncated == 0 {
		t.Errorf("%d cases with whole tags, %d with truncated ones", whole, truncated)
	}
}

func TestVerifyManyRefuses(t *testing.T) {
	hashtest.ForEach(t, verifyManyRefuses)
}

func verifyManyRefuses(t *testing.T) {
	pool := make([]*hmac.Key, 11)
	for i := range pool {
		pool[i] = hmac.NewKey(hashtest.Data(32 + i))
	}
	key := pool[0]
	for _, tt := range []struct {
		name   string
		keys   int
		verify func(ok []bool, keys []*hmac.Key, macs, msgs [][]byte)
	}{
		{"Key.VerifyMany", 1, func(ok []bool, _ []*hmac.Key, macs, msgs [][]byte) { key.VerifyMany(ok, macs, msgs) }},
		{"VerifyMany", 1, hmac.VerifyMany},
		{"VerifyMany", 10, hmac.VerifyMany},
	} {
		for _, n := range []int{1, 7, 300} {
			msgs, macs, keys, ok := cut(n, func(i int) int { return i }), make([][]byte, n), make([]*hmac.Key, n), make([]bool, n)
			for i, m := range msgs {
				keys[i] = pool[i%tt.keys]
				mac := keys[i].Sum(m)
				macs[i] = mac[:]
				ok[i] = i%7 != 0
				switch i % 7 {
				case 1:
					macs[i][i%32] ^= 1 << (i % 8)
				case 2:
					macs[i] = macs[i][:31]
				case 3:
					macs[i] = append(macs[i], 0)
				case 4:
					macs[i] = nil
				case 5:
					macs[i] = macs[i-5]
				case 6:
					mac = pool[i%tt.keys+1].Sum(m)
				}
			}
			tt.verify(ok, keys, macs, msgs)
			for i := range ok {
				if want := i%7 == 0; ok[i] != want {
					t.Errorf("%s with %d keys: MAC %d of %d is ok: %v, want %v", tt.name, tt.keys, i, n, ok[i], want)
				}
			}
		}
	}
}

// TestEachBitOfAMAC tests that a MAC with any one bit wrong is refused, alone and among others that
// are wrong, too.
func TestEachBitOfAMAC(t *testing.T) {
	key := hmac.NewKey(hashtest.Data(32))
	const bits = 256
	msgs, macs, ok := cut(bits, func(int) int { return 20 }), make([][]byte, bits), make([]bool, bits)
	for i, m := range msgs {
		mac := key.Sum(m)
		mac[i/8] ^= 1 << (i % 8)
		macs[i] = mac[:]
		alone := []bool{true}
		if key.VerifyMany(alone, macs[i:i+1], msgs[i:i+1]); alone[0] {
			t.Errorf("bit %d is wrong, but the MAC is ok", i)
		}
		ok[i] = true
	}
	key.VerifyMany(ok, macs, msgs)
	for i := range ok {
		if ok[i] {
			t.Errorf("bit %d is wrong, but MAC %d of %d is ok", i, i, len(ok))
		}
	}
}

func TestKeysKeepNothingOfTheirBytes(t *testing.T) {
	b := hashtest.Data(40)
	key, want := hmac.NewKey(b), plainly(b, []byte("message"))
	clear(b)
	if got := key.Sum([]byte("message")); got != want {
		t.Errorf("after the key's bytes changed: %x, want %x", got, want)
	}
	if got, want := hmac.NewKey(nil).Sum(nil), plainly(nil, nil); got != want {
		t.Errorf("the empty key: %x, want %x", got, want)
	}
}

func TestMisusePanicsBeforeAnythingIsTouched(t *testing.T) {
	key := hmac.NewKey(hashtest.Data(20))
	dst, ok, msgs := make([][32]byte, 2), make([]bool, 2), make([][]byte, 2)
	for _, tt := range []struct {
		name, want string
		call       func()
	}{
		{"digests", "lengths, 2 and 1", func() { key.SumMany(dst, msgs[:1]) }},
		{"messages", "lengths, 1 and 2", func() { key.SumMany(dst[:1], msgs) }},
		{"results", "lengths, 2 and 1", func() { key.VerifyMany(ok, msgs[:1], msgs[:1]) }},
		{"MACs", "lengths, 1 and 2", func() { key.VerifyMany(ok, msgs[:1], msgs) }},
		{"keys", "lengths, 1 and 2", func() { hmac.SumMany(dst, []*hmac.Key{key}, msgs) }},
		{"digests of keys", "lengths, 1 and 2", func() { hmac.SumMany(dst[:1], []*hmac.Key{key, key}, msgs) }},
		{"results of keys", "lengths, 2 and 1", func() { hmac.VerifyMany(ok, []*hmac.Key{key}, msgs[:1], msgs[:1]) }},
		{"MACs of keys", "lengths, 1 and 2", func() { hmac.VerifyMany(ok, []*hmac.Key{key, key}, msgs[:1], msgs) }},
		{"keys of MACs", "lengths, 1 and 2", func() { hmac.VerifyMany(ok, []*hmac.Key{key}, msgs, msgs) }},
		{"VerifyMany of a nil Key", "VerifyMany: a Key that NewKey", func() { hmac.VerifyMany(ok, []*hmac.Key{key, nil}, msgs, msgs) }},
		{"VerifyMany of a zero Key", "VerifyMany: a Key that NewKey", func() { hmac.VerifyMany(ok, []*hmac.Key{key, new(hmac.Key)}, msgs, msgs) }},
		{"nil Key", "NewKey", func() { hmac.SumMany(dst, []*hmac.Key{key, nil}, msgs) }},
		{"zero Key", "NewKey", func() { hmac.SumMany(dst, []*hmac.Key{key, new(hmac.Key)}, msgs) }},
		{"Sum of nil", "NewKey", func() { (*hmac.Key)(nil).Sum(nil) }},
		{"SumMany of the zero Key", "NewKey", func() { new(hmac.Key).SumMany(nil, nil) }},
		{"VerifyMany of the zero Key", "NewKey", func() { new(hmac.Key).VerifyMany(ok, msgs, msgs) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if r, isString := recover().(string); !isString || !strings.HasPrefix(r, "hmac: ") || !strings.Contains(r, tt.want) {
					t.Errorf("panic %q, want %q", r, tt.want)
				}
				if dst[0] != [32]byte{} || dst[1] != [32]byte{} || ok[0] || ok[1] {
					t.Error("results were written")
				}
			}()
			tt.call()
		})
	}
}

func TestOneKeyInManyGoroutines(t *testing.T) {
	b := hashtest.Data(32)
	key := hmac.NewKey(b)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			msgs := cut(40, func(i int) int { return g*i + 1 })
			dst := make([][32]byte, len(msgs))
			for range 20 {
				key.SumMany(dst, msgs)
				for i, m := range msgs {
					if want := plainly(b, m); dst[i] != want || key.Sum(m) != want {
						t.Errorf("goroutine %d, message %d: %x, want %x", g, i, dst[i], want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// A tag is a MAC of a named type.
type tag [32]byte

func TestMACsOfANamedType(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 40} {
			keys, msgs := make([]*hmac.Key, n), cut(n, func(i int) int { return 30 * i })
			for i := range keys {
				keys[i] = hmac.NewKey(hashtest.Data(14 + i))
			}
			tags := make([]tag, n+1)
			hmac.SumMany(tags[:n], keys, msgs)
			for i, m := range msgs {
				if want := plainly(hashtest.Data(14+i), m); tags[i] != want {
					t.Errorf("message %d of %d: %x, want %x", i, n, tags[i], want)
				}
			}
			if tags[n] != (tag{}) {
				t.Errorf("%d messages: wrote behind the MACs", n)
			}
		}
	})
}

func TestNothingIsAllocatedOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	if block.UsesStd() {
		t.Skip("crypto/hmac allocates")
	}
	key := hmac.NewKey(hashtest.Data(32))
	const n = 600
	msgs, macs, keys := cut(n, func(i int) int { return i % 90 }), make([][]byte, n), make([]*hmac.Key, n)
	for i, m := range msgs {
		mac := key.Sum(m)
		macs[i], keys[i] = mac[:], key
	}
	dst, tags, ok := make([][32]byte, n), make([]tag, n), make([]bool, n)
	for name, f := range map[string]func(){
		"Sum":                func() { key.Sum(msgs[77]) },
		"SumMany":            func() { key.SumMany(dst, msgs) },
		"VerifyMany":         func() { key.VerifyMany(ok, macs, msgs) },
		"SumMany of keys":    func() { hmac.SumMany(dst, keys, msgs) },
		"VerifyMany of keys": func() { hmac.VerifyMany(ok, keys, macs, msgs) },
		"VerifyMany of one":  func() { hmac.VerifyMany(ok[:1], keys[:1], macs[:1], msgs[:1]) },
		"of a named type":    func() { hmac.SumMany(tags, keys, msgs) },
	} {
		if allocs := testing.AllocsPerRun(20, f); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

func TestNothingIsRetained(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{70, 3} { // the short list finds the scratch as the long one left it
			hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
				msgs, dst := cut(n, func(i int) int { return 100 * i }), make([][32]byte, n)
				keys := make([]*hmac.Key, n)
				for i := range keys {
					keys[i] = hmac.NewKey(hashtest.Data(i))
				}
				hmac.SumMany(dst, keys, msgs)
				keys[0].SumMany(dst, msgs)
				keys[0].VerifyMany(make([]bool, n), make([][]byte, n), msgs)
				hmac.VerifyMany(make([]bool, n), keys, make([][]byte, n), msgs)
				return map[string]weak.Pointer[byte]{
					"a message":   weak.Make(&msgs[n-1][0]),
					"the digests": weak.Make(&dst[0][0]),
					"the keys":    weak.Make((*byte)(unsafe.Pointer(&keys[0]))),
				}
			})
		}
	})
}

func FuzzSumMany(f *testing.F) {
	f.Add([]byte("key"), []byte("some messages"), uint8(3))
	f.Add(hashtest.Data(64), hashtest.Data(1000), uint8(40))
	f.Add(hashtest.Data(65), []byte{}, uint8(1))
	f.Fuzz(func(t *testing.T, key, data []byte, n uint8) {
		msgs := make([][]byte, n)
		for i := range msgs {
			msgs[i] = data[i*len(data)/int(n) : (i+1)*len(data)/int(n)]
		}
		check(t, key, append(msgs, data, bytes.Repeat(data, 2)))
	})
}

func ExampleSum() {
	mac := hmac.Sum([]byte("Jefe"), []byte("what do ya want for nothing?"))
	fmt.Printf("%x\n", mac)
	// Output: 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843
}

// Two streams are written to side by side.
func ExampleNew() {
	hs := []hash.Hash{hmac.New([]byte("a key of 17 bytes")), hmac.New([]byte("another one of 24 bytes"))}
	simd.WriteHashes(hs, [][]byte{[]byte("to be "), []byte("to be ")})
	simd.WriteHashes(hs, [][]byte{[]byte("or not"), []byte("continued")})
	mac := hmac.Sum([]byte("a key of 17 bytes"), []byte("to be or not"))
	fmt.Println(hmac.Equal(hs[0].Sum(nil), mac[:]))
	// Output: true
}

// A webhook's receiver compares the MAC in its header with that of its body.
func ExampleEqual() {
	header, body := "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8", "The quick brown fox jumps over the lazy dog"
	sent, err := hex.DecodeString(strings.TrimPrefix(header, "sha256="))
	mac := hmac.Sum([]byte("key"), []byte(body))
	fmt.Println(hmac.Equal(sent, mac[:]), err)
	// Output: true <nil>
}

// A Key keeps no reference to the bytes that it is made of.
func ExampleNewKey() {
	secret := []byte("0123456789abcdef0123456789abcdef")
	key := hmac.NewKey(secret)
	clear(secret)
	mac := key.Sum([]byte("bob"))
	fmt.Printf("%x…\n", mac[:8])
	// Output: 643cdfc83364b72c…
}

func ExampleKey_SumMany() {
	key := hmac.NewKey([]byte("0123456789abcdef0123456789abcdef"))

	// Tokens, webhooks, rows of a column: all of them by one call.
	messages := [][]byte{[]byte("alice"), []byte("bob"), []byte("carol")}
	macs := make([][32]byte, len(messages))
	key.SumMany(macs, messages)
	fmt.Printf("%x\n", macs[1])
	// Output:
	// 643cdfc83364b72c5248ec2d45e7cd58caf99310228f3c6a590bd299519248a7
}

func ExampleKey_Sum() {
	key := hmac.NewKey([]byte("0123456789abcdef0123456789abcdef"))
	fmt.Printf("%x\n", key.Sum([]byte("bob")))
	// Output:
	// 643cdfc83364b72c5248ec2d45e7cd58caf99310228f3c6a590bd299519248a7
}

func ExampleKey_VerifyMany() {
	key := hmac.NewKey([]byte("0123456789abcdef0123456789abcdef"))
	messages := [][]byte{[]byte("alice"), []byte("bob")}
	alice := key.Sum([]byte("alice"))
	ok := make([]bool, len(messages))
	key.VerifyMany(ok, [][]byte{alice[:], alice[:]}, messages)
	fmt.Println(ok)
	// Output: [true false]
}

// Each user has a key.
func ExampleSumMany() {
	keys := []*hmac.Key{hmac.NewKey([]byte("the key of alice")), hmac.NewKey([]byte("the key of bob"))}
	messages := [][]byte{[]byte("hello"), []byte("hello")}
	macs := make([][32]byte, len(messages))
	hmac.SumMany(macs, keys, messages)
	fmt.Println(macs[0] == keys[0].Sum(messages[0]), macs[1] == keys[1].Sum(messages[1]), macs[0] == macs[1])
	// Output: true true false
}

// Each message names the key of its sender. One call verifies the MACs of all senders.
func ExampleVerifyMany() {
	byID := map[string]*hmac.Key{"alice-1": hmac.NewKey([]byte("the key of alice")), "bob-1": hmac.NewKey([]byte("the key of bob"))}
	mac := byID["bob-1"].Sum([]byte("hello"))
	received := []struct {
		keyID        string
		mac, message []byte
	}{{"bob-1", mac[:], []byte("hello")}, {"alice-1", mac[:], []byte("hello")}, {"carol-1", mac[:], []byte("hello")}}

	var keys []*hmac.Key
	var macs, messages [][]byte
	for _, r := range received {
		if key, known := byID[r.keyID]; known { // a nil Key would panic
			keys, macs, messages = append(keys, key), append(macs, r.mac), append(messages, r.message)
		}
	}
	ok := make([]bool, len(keys))
	hmac.VerifyMany(ok, keys, macs, messages)
	fmt.Println(ok)
	// Output: [true false]
}
