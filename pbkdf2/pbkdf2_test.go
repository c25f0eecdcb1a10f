package pbkdf2_test

import (
	"bytes"
	stdpbkdf2 "crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/race"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/pbkdf2"
)

// keyFunc is what Key and a Server's Key have in common.
type keyFunc func(password string, salt []byte, iter, keyLength int) ([]byte, error)

// forEach runs f for Key and for a Server's, with each kernel that chains run on.
func forEach(t *testing.T, f func(t *testing.T, key keyFunc)) {
	hashtest.ForEachChain(t, func(t *testing.T) {
		t.Run("Key", func(t *testing.T) { f(t, pbkdf2.Key) })
		t.Run("Server", func(t *testing.T) { f(t, new(pbkdf2.Server).Key) })
	})
}

// std is crypto/pbkdf2's Key. It skips the test if crypto/pbkdf2 refuses, under
// GODEBUG=fips140=only.
func std(t *testing.T, password string, salt []byte, iter, keyLength int) []byte {
	t.Helper()
	key, err := stdpbkdf2.Key(stdsha256.New, password, salt, iter, keyLength)
	if err != nil {
		t.Skipf("crypto/pbkdf2: %v", err)
	}
	return key
}

// TestVectors has the vectors of RFC 7914, section 11, and those of RFC 6070 with SHA-256
// in the place of SHA-1, as crypto/pbkdf2 has them.
func TestVectors(t *testing.T) {
	for _, tt := range []struct {
		password, salt string
		iter           int
		want           string
	}{
		{"passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc" +
			"49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"},
		{"Password", "NaCl", 80000, "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56" +
			"a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"},
		{"password", "salt", 1, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"},
		{"password", "salt", 2, "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43"},
		{"password", "salt", 4096, "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"},
		{"passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
			"348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1c635518c7dac47e9"},
		{"pass\x00word", "sa\x00lt", 4096, "89b69d0516f829893c696226650a8687"},
	} {
		want, err := hex.DecodeString(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		std(t, tt.password, []byte(tt.salt), 1, len(want)) // skips where it refuses
		forEach(t, func(t *testing.T, key keyFunc) {
			if tt.iter > 4096 && testing.Short() {
				t.Skip("80,000 iterations")
			}
			got, err := key(tt.password, []byte(tt.salt), tt.iter, len(want))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q, %q, %d: %x, %v, want %x", tt.password, tt.salt, tt.iter, got, err, want)
			}
		})
	}
}

// TestKeysMatchCryptoPBKDF2 compares keys of all lengths with crypto/pbkdf2's.
func TestKeysMatchCryptoPBKDF2(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	data := hashtest.Data(400)
	forEach(t, func(t *testing.T, key keyFunc) {
		for i := range 60 {
			password, salt := data[:r.IntN(140)], data[r.IntN(200):][:16+r.IntN(150)]
			iter, length := 1+r.IntN(5), 14+r.IntN(200)
			switch i {
			case 0:
				password = nil
			case 1:
				iter, length = 3, 32*block.MaxLanes+1
			case 2:
				iter, length = 2, 32*200
			case 3:
				iter = 1200 // several calls of every kernel
			}
			want := std(t, string(password), salt, iter, length)
			got, err := key(string(password), salt, iter, length)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes of password, %d of salt, %d iterations, %d bytes: %x, %v, want %x", len(password), len(salt), iter, length, got, err, want)
			}
		}
	})
}

// TestSumMany compares keys of many passwords, with numbers of iterations that make
// lanes end at different times, with crypto/pbkdf2's.
func TestSumMany(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	data := hashtest.Data(400)
	hashtest.ForEachChain(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 16, 17, 33, 64, 65, 150} {
			dst := make([][32]byte, n)
			passwords, salts, iters, want := make([][]byte, n), make([][]byte, n), make([]int, n), make([][]byte, n)
			for i := range n {
				passwords[i], salts[i], iters[i] = data[r.IntN(200):][:r.IntN(100)], data[r.IntN(200):][:16+r.IntN(100)], 1+r.IntN(30)
				want[i] = std(t, string(passwords[i]), salts[i], iters[i], 32)
			}
			if err := pbkdf2.SumMany(dst, passwords, salts, iters); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if !bytes.Equal(dst[i][:], want[i]) {
					t.Fatalf("key %d of %d, %d iterations: %x, want %x", i, n, iters[i], dst[i], want[i])
				}
			}
		}
	})
}

// TestServerOfMany has goroutines log in at the same time, at random times, and one
// after the other; each with one P and with several.
func TestServerOfMany(t *testing.T) {
	salt := hashtest.Data(16)
	std(t, "", salt, 1, 32)
	for _, procs := range []int{1, 2, 4} {
		for _, goroutines := range []int{1, 2, 7, 64} {
			t.Run(fmt.Sprintf("procs=%d/goroutines=%d", procs, goroutines), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				var s pbkdf2.Server
				var wg sync.WaitGroup
				for g := range goroutines {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(uint64(g), 4))
						for i := range 6 {
							password := fmt.Sprint(g, i)
							iter, length := 1+r.IntN(3000), 14+r.IntN(90)
							want := std(t, password, salt, iter, length)
							got, err := s.Key(password, salt, iter, length)
							if err != nil || !bytes.Equal(got, want) {
								t.Errorf("goroutine %d, key %d: %x, %v, want %x", g, i, got, err, want)
							}
							if r.IntN(3) == 0 {
								time.Sleep(time.Duration(r.IntN(500)) * time.Microsecond)
							}
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// TestServerLetsAShortKeyPass fills all lanes with keys of 200,000 iterations, and
// asks for a short key.
func TestServerLetsAShortKeyPass(t *testing.T) {
	if testing.Short() || race.Enabled || runtime.GOARCH == "wasm" || block.UsesStd() {
		t.Skip("takes seconds, and a fast machine")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var s pbkdf2.Server
	var wg sync.WaitGroup
	salt := hashtest.Data(16)
	const long = 200_000
	start := time.Now()
	for i := range 2 * block.MaxLanes {
		wg.Go(func() {
			if _, err := s.Key(fmt.Sprint(i), salt, long, 32); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	begun := time.Now()
	if _, err := s.Key("short", salt, 1000, 32); err != nil {
		t.Error(err)
	}
	short := time.Since(begun)
	wg.Wait()
	all := time.Since(start)
	if short > all/4 {
		t.Errorf("a key of 1,000 iterations took %v beside %d of %d, which took %v", short, 2*block.MaxLanes, long, all)
	}
	t.Logf("1,000 iterations: %v; %d keys of %d: %v", short, 2*block.MaxLanes, long, all)
}

func TestNonsenseIsAnError(t *testing.T) {
	salt := hashtest.Data(16)
	for name, key := range map[string]keyFunc{"Key": pbkdf2.Key, "Server": new(pbkdf2.Server).Key, "nil Server": (*pbkdf2.Server)(nil).Key} {
		for _, tt := range []struct {
			iter, length int
			want         string
		}{
			{0, 32, "pbkdf2: 0 iterations, want at least 1"},
			{-1, 32, "pbkdf2: -1 iterations, want at least 1"},
			{math.MinInt, 32, "want at least 1"},
			{1, 0, "pbkdf2: a key of 0 bytes, want at least 1"},
			{1, -5, "pbkdf2: a key of -5 bytes, want at least 1"},
			{1, math.MinInt, "want at least 1"},
		} {
			got, err := key("password", salt, tt.iter, tt.length)
			if got != nil || err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "pbkdf2: ") {
				t.Errorf("%s, %d iterations, %d bytes: %x, %v, want an error with %q", name, tt.iter, tt.length, got, err, tt.want)
			}
		}
		if math.MaxInt == math.MaxInt64 {
			if got, err := key("password", salt, 1, math.MaxInt); got != nil || err == nil {
				t.Errorf("%s, %d bytes: no error", name, math.MaxInt)
			}
		}
	}
}

func TestSumManyMisuse(t *testing.T) {
	two, salts := [][]byte{{1}, {2}}, [][]byte{hashtest.Data(16), hashtest.Data(16)}
	dst := [][32]byte{{1}, {2}}
	err := pbkdf2.SumMany(dst, two, salts, []int{1, 0})
	if err == nil || err.Error() != "pbkdf2: password 1: 0 iterations, want at least 1" {
		t.Errorf("0 iterations: %v", err)
	}
	for _, f := range []func(){
		func() { pbkdf2.SumMany(dst[:1], two, salts, []int{1, 1}) },
		func() { pbkdf2.SumMany(dst, two[:1], salts, []int{1, 1}) },
		func() { pbkdf2.SumMany(dst, two, salts[:1], []int{1, 1}) },
		func() { pbkdf2.SumMany(dst, two, salts, []int{1}) },
	} {
		func() {
			defer func() {
				if e := recover(); e == nil || !strings.HasPrefix(fmt.Sprint(e), "pbkdf2: SumMany: slices of different lengths") {
					t.Errorf("slices of different lengths: %v", e)
				}
			}()
			f()
		}()
	}
	if dst[0] != [32]byte{1} || dst[1] != [32]byte{2} {
		t.Errorf("dst was touched: %x", dst)
	}
}

func TestSumManyAllocates(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	if block.UsesStd() {
		t.Skip("crypto/pbkdf2 allocates")
	}
	const n = 40
	dst, iters := make([][32]byte, n), make([]int, n)
	secrets, salts := make([][]byte, n), make([][]byte, n)
	for i := range n {
		secrets[i], salts[i], iters[i] = []byte("password"), hashtest.Data(16), 5
	}
	keys := make([]key, n)
	for name, f := range map[string]func() error{
		"digests":      func() error { return pbkdf2.SumMany(dst, secrets, salts, iters) },
		"a named type": func() error { return pbkdf2.SumMany(keys, secrets, salts, iters) },
	} {
		if allocs := testing.AllocsPerRun(20, func() { f() }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// A key is a key of a named type.
type key [32]byte

func TestKeysOfANamedType(t *testing.T) {
	const n = 5
	got, want, iters := make([]key, n), make([][32]byte, n), make([]int, n)
	secrets, salts := make([][]byte, n), make([][]byte, n)
	for i := range n {
		secrets[i], salts[i], iters[i] = hashtest.Data(20+i), hashtest.Data(16+i), 1+i
		k, err := stdpbkdf2.Key(stdsha256.New, string(secrets[i]), salts[i], iters[i], 32)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = [32]byte(k)
	}
	if err := pbkdf2.SumMany(got, secrets, salts, iters); err != nil {
		t.Fatal(err)
	}
	for i, k := range got {
		if k != want[i] {
			t.Errorf("key %d: %x, want %x", i, k, want[i])
		}
	}
}

// TestExtremes tries an empty password, an empty salt, and long ones. All end right
// before memory that cannot be accessed.
func TestExtremes(t *testing.T) {
	memory := guard.New(t, 1<<20)
	copy(memory.Bytes(), hashtest.Data(1<<20))
	for _, tt := range []struct{ password, salt int }{{0, 0}, {0, 1}, {1, 0}, {63, 51}, {64, 52}, {65, 60}, {1 << 20, 1}, {3, 1 << 20}} {
		password, salt := memory.Tail(tt.password), memory.Tail(tt.salt)
		want := std(t, string(password), salt, 3, 40)
		for name, key := range map[string]keyFunc{"Key": pbkdf2.Key, "Server": new(pbkdf2.Server).Key, "nil Server": (*pbkdf2.Server)(nil).Key} {
			got, err := key(unsafe.String(unsafe.SliceData(password), len(password)), salt, 3, 40)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes of password, %d of salt: %x, %v, want %x", name, len(password), len(salt), got, err, want)
			}
		}
		var dst [1][32]byte
		if err := pbkdf2.SumMany(dst[:], [][]byte{password}, [][]byte{salt}, []int{3}); err != nil || !bytes.Equal(dst[0][:], want[:32]) {
			t.Errorf("SumMany, %d bytes of password, %d of salt: %x, %v, want %x", len(password), len(salt), dst, err, want[:32])
		}
	}
}

// TestServerWhileProcsChange has GOMAXPROCS change while keys are derived: none may be
// forgotten.
func TestServerWhileProcsChange(t *testing.T) {
	salt := hashtest.Data(16)
	want := std(t, "password", salt, 2000, 32)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	done := make(chan struct{})
	go func() {
		defer close(done)
		deriveTogether(t, new(pbkdf2.Server), 30, 8, salt, 2000, want)
	}()
	for n := 1; ; n = n%4 + 1 {
		select {
		case <-done:
			return
		case <-time.After(200 * time.Microsecond):
			runtime.GOMAXPROCS(n)
		}
	}
}

// deriveTogether has goroutines derive one key, several times each.
func deriveTogether(t *testing.T, s *pbkdf2.Server, goroutines, times int, salt []byte, iter int, want []byte) {
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range times {
				if got, err := s.Key("password", salt, iter, len(want)); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%x, %v, want %x", got, err, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestServerInBubbles derives keys inside of bubbles of testing/synctest and outside, with a
// server of each bubble and with one that they share, in turn and at the same time.
func TestServerInBubbles(t *testing.T) {
	salt := hashtest.Data(16)
	want := std(t, "password", salt, 1000, 64)
	use := func(t *testing.T, s *pbkdf2.Server) { deriveTogether(t, s, 20, 4, salt, 1000, want) }
	var shared pbkdf2.Server
	inBubble := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			use(t, &shared)
			use(t, new(pbkdf2.Server))
		})
	}
	for range 3 {
		inBubble(t)
		use(t, &shared)
	}
	t.Run("at the same time", func(t *testing.T) {
		for range 3 {
			t.Run("inside", func(t *testing.T) { t.Parallel(); inBubble(t) })
			t.Run("outside", func(t *testing.T) { t.Parallel(); use(t, &shared) })
		}
	})
}
