package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/race"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// closed returns a closed server.
func closed() *sha256.Server {
	s := sha256.NewServer()
	s.Close()
	return s
}

// withProcs runs f as a subtest for several numbers of Ps: fewer and more than
// there are CPUs, and so many that a server has several shards.
func withProcs(t *testing.T, f func(t *testing.T)) {
	for _, n := range []int{1, 2, 5, 50} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", n), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			f(t)
		})
	}
}

// few returns n, or less where tests are to be short.
func few(n int) int {
	if testing.Short() {
		return max(1, n/10)
	}
	return n
}

func TestServerContract(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for name, s := range map[string]*sha256.Server{
			"open": sha256.NewServer(), "closed": closed(), "zero": new(sha256.Server), "nil": nil,
		} {
			t.Run(name, func(t *testing.T) {
				hashtest.TestHash(t, s.New)
				hashtest.TestStandIn(t, s.New, stdsha256.New)
			})
		}
	})
}

// TestServerContractInCompany has other goroutines write meanwhile.
func TestServerContractInCompany(t *testing.T) {
	s := sha256.NewServer()
	var stop atomic.Bool
	var company sync.WaitGroup
	for i := range 4 {
		company.Go(func() {
			p := make([]byte, 80_000)
			for h := s.New(); !stop.Load(); {
				h.Write(p[:(i+1)*20_000])
				if runtime.GOOS == "js" {
					time.Sleep(time.Millisecond) // the host prints when all goroutines wait
				}
			}
		})
	}
	hashtest.TestHash(t, s.New)
	hashtest.TestStandIn(t, s.New, stdsha256.New)
	stop.Store(true)
	company.Wait()
}

// TestServerStarvesNobody has a writer that never waits share the only P with
// others, who need little: they get done, whatever it calls. Where the Go
// scheduler interrupts nobody it is the Server that lets them run, and soon.
func TestServerStarvesNobody(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const others, each = 3, 100_000
	limit := 1 << 30
	if runtime.GOARCH == "wasm" {
		limit = 2 << 20
	}
	data := hashtest.Data(1 << 20)
	for _, tt := range []struct {
		name string
		n    int
		call func(s *sha256.Server, h hash.Hash, p []byte)
	}{
		{"Write of nothing", 0, func(_ *sha256.Server, h hash.Hash, p []byte) { h.Write(p) }},
		{"Write of little", 10, func(_ *sha256.Server, h hash.Hash, p []byte) { h.Write(p) }},
		{"Write of much", len(data), func(_ *sha256.Server, h hash.Hash, p []byte) { h.Write(p) }},
		{"Sum256 of little", 10, func(s *sha256.Server, _ hash.Hash, p []byte) { s.Sum256(p) }},
		{"Sum256 of much", len(data), func(s *sha256.Server, _ hash.Hash, p []byte) { s.Sum256(p) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sha256.NewServer()
			var left atomic.Int32
			left.Store(others)
			for range others {
				go func() {
					h := s.New()
					for rest := data[:each]; len(rest) > 0; rest = rest[1000:] {
						h.Write(rest[:1000])
					}
					left.Add(-1)
				}()
			}
			h := s.New()
			for written := 0; left.Load() > 0; written += max(1, tt.n) {
				if written > limit {
					t.Fatalf("%d of %d writers of %d bytes are not done after %d bytes of another's", left.Load(), others, each, written)
				}
				tt.call(s, h, data[:tt.n])
			}
		})
	}
}

// TestServerInAnyOrder has goroutines do what a hash can do in random order,
// short and long, and compares with crypto/sha256. What was written changes
// right after.
func TestServerInAnyOrder(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		withProcs(t, func(t *testing.T) {
			s := sha256.NewServer()
			source := hashtest.Data(1 << 20)
			var wg sync.WaitGroup
			for g := range 40 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(g), 1))
					p := make([]byte, 1<<18)
					h, want := s.New(), stdsha256.New()
					for step := range few(100) {
						switch what := r.IntN(20); what {
						case 0:
							h.Reset()
							want.Reset()
						case 1:
							h = clone(t, h)
						case 2:
							state := marshal(t, want)
							if got := marshal(t, h); !bytes.Equal(got, state) {
								t.Errorf("goroutine %d, step %d: state %x, want %x", g, step, got, state)
								return
							}
							unmarshal(t, h, state)
						case 3, 4:
							data := source[r.IntN(len(source)/2):][:length(r)]
							if got, want := s.Sum256(data), stdsha256.Sum256(data); got != want {
								t.Errorf("goroutine %d, step %d: Sum256 of %d bytes: %x, want %x", g, step, len(data), got, want)
								return
							}
						case 5, 6, 7, 8:
							if got, want := h.Sum(nil), want.Sum(nil); !bytes.Equal(got, want) {
								t.Errorf("goroutine %d, step %d: %x, want %x", g, step, got, want)
								return
							}
						default:
							p := p[:length(r)]
							copy(p, source[r.IntN(len(source)/2):])
							want.Write(p)
							if n, err := h.Write(p); n != len(p) || err != nil {
								t.Errorf("goroutine %d, step %d: Write of %d bytes: %d, %v", g, step, len(p), n, err)
								return
							}
							clear(p)
						}
					}
				})
			}
			wg.Wait()
		})
	})
}

// length returns how much to write: now and then a lot, mostly little.
func length(r *rand.Rand) int { return r.IntN(8 << r.IntN(15)) }

// TestServerCopies does what the Server is for.
func TestServerCopies(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		withProcs(t, func(t *testing.T) {
			s := sha256.NewServer()
			source := hashtest.Data(300_000)
			var wg sync.WaitGroup
			for g := range 32 {
				wg.Go(func() {
					for i := range few(40) {
						data := source[g*1000:][:(i+1)*31*g%200_000]
						h := s.New()
						n, err := io.Copy(h, struct{ io.Reader }{bytes.NewReader(data)})
						if n != int64(len(data)) || err != nil {
							t.Errorf("copied %d bytes of %d: %v", n, len(data), err)
							return
						}
						if want := stdsha256.Sum256(data); !bytes.Equal(h.Sum(nil), want[:]) {
							t.Errorf("goroutine %d: wrong digest of %d bytes", g, len(data))
							return
						}
					}
				})
			}
			wg.Wait()
		})
	})
}

func TestServerOf10000Writers(t *testing.T) {
	withProcs(t, func(t *testing.T) {
		s := sha256.NewServer()
		writers := few(10_000)
		source := hashtest.Data(writers + 40_000)
		var ready, done sync.WaitGroup
		ready.Add(1)
		for i := range writers {
			done.Go(func() {
				data := source[i:][:40_000]
				h := s.New()
				ready.Wait()
				h.Write(data[:9000])
				h.Write(data[9000:])
				if want := stdsha256.Sum256(data); !bytes.Equal(h.Sum(nil), want[:]) {
					t.Errorf("writer %d: wrong digest", i)
				}
			})
		}
		ready.Done()
		done.Wait()
	})
}

// TestServerClose closes a server, more than once, while goroutines write.
func TestServerClose(t *testing.T) {
	withProcs(t, func(t *testing.T) {
		for range few(10) {
			s := sha256.NewServer()
			data := hashtest.Data(120_000)
			want := stdsha256.Sum256(data)
			var wg sync.WaitGroup
			var written atomic.Int32
			check := func(h hash.Hash) {
				for n := 0; n < len(data); n += 40_000 {
					h.Write(data[n:][:40_000])
					written.Add(1)
				}
				if !bytes.Equal(h.Sum(nil), want[:]) {
					t.Error("wrong digest")
				}
			}
			for range 50 {
				wg.Go(func() {
					for range 3 {
						check(s.New())
						if got := s.Sum256(data); got != want {
							t.Error("wrong digest of Sum256")
						}
					}
				})
			}
			for range 3 {
				wg.Go(func() {
					for written.Load() < 60 {
						runtime.Gosched()
					}
					if err := s.Close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				})
			}
			wg.Wait()
			if err := s.Close(); err != nil {
				t.Errorf("another Close: %v", err)
			}
			check(s.New())
			if got := s.Sum256(data); got != want {
				t.Error("wrong digest of Sum256 when closed")
			}
		}
	})
	for _, s := range []*sha256.Server{nil, new(sha256.Server)} {
		if err := s.Close(); err != nil {
			t.Errorf("Close of %v: %v", s, err)
		}
	}
}

// TestServerChurn makes 100,000 hashes, half of which are dropped with data in
// them, and looks for what they leave behind.
func TestServerChurn(t *testing.T) {
	hashes := few(100_000)
	s := sha256.NewServer()
	data := hashtest.Data(12_000)
	churn := func(n int) {
		const writers = 20
		var wg sync.WaitGroup
		for g := range writers {
			wg.Go(func() {
				for i := range n / writers {
					p := data[:(g*131+i)%len(data)]
					h := s.New()
					h.Write(p)
					if i%2 == 0 {
						continue
					}
					if want := stdsha256.Sum256(p); !bytes.Equal(h.Sum(nil), want[:]) {
						t.Errorf("wrong digest of %d bytes", len(p))
						return
					}
				}
			})
		}
		wg.Wait()
	}
	churn(hashes / 10)
	goroutines, memory := runtime.NumGoroutine(), inUse()
	churn(hashes)
	for wait := 0; runtime.NumGoroutine() > goroutines; wait++ {
		if wait == 100 {
			t.Fatalf("%d goroutines have become %d", goroutines, runtime.NumGoroutine())
		}
		time.Sleep(10 * time.Millisecond) // until writers have ended that are done
	}
	if more := inUse() - memory; more > 1<<20 {
		t.Errorf("%d bytes stay in use", more)
	}
	runtime.KeepAlive(s)
}

// inUse returns how many bytes are in use when pools are empty.
func inUse() int64 {
	var stats runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestBatchRetainsNothing tests that what was written is let go while those go
// on who were written to side by side with it.
func TestBatchRetainsNothing(t *testing.T) {
	withProcs(t, func(t *testing.T) {
		s := sha256.NewServer()
		var stop atomic.Bool
		var company sync.WaitGroup
		var writes [2]atomic.Int64
		for i := range writes {
			company.Go(func() {
				p := make([]byte, 1<<20)
				for h := s.New(); !stop.Load(); {
					h.Write(p)
					writes[i].Add(1)
				}
			})
		}
		// companyWrites returns when each of the company has begun and ended a write.
		companyWrites := func() {
			for i := range writes {
				for end := writes[i].Load() + 2; writes[i].Load() < end; {
					time.Sleep(time.Millisecond)
				}
			}
		}
		for range few(10) {
			var written [20]weak.Pointer[byte]
			var wg sync.WaitGroup
			for i := range written {
				wg.Go(func() {
					p := make([]byte, 80_000+1000*i)
					written[i] = weak.Make(&p[0])
					s.New().Write(p)
				})
			}
			wg.Wait()
			// The stack of a goroutine that is interrupted between safe points is
			// scanned conservatively, stale words and all: when it has gone on they are
			// gone.
			reachable := func(p weak.Pointer[byte]) bool { return p.Value() != nil }
			for range 20 {
				if hashtest.Collect(); !slices.ContainsFunc(written[:], reachable) {
					break
				}
				companyWrites()
			}
			if i := slices.IndexFunc(written[:], reachable); i >= 0 {
				t.Errorf("what goroutine %d wrote is still reachable", i)
			}
		}
		stop.Store(true)
		company.Wait()
	})
}

// TestServerRetainsNothing tests that neither a server nor its pools nor a hash
// keep what was written, and that a server keeps no hash. What is in a
// sync.Pool survives one collection.
func TestServerRetainsNothing(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		s := sha256.NewServer()
		var kept [40]hash.Hash
		var written, hashes [len(kept)]weak.Pointer[byte]
		var wg sync.WaitGroup
		for i := range kept {
			kept[i] = s.New()
			wg.Go(func() {
				dropped := s.New()
				hashes[i] = weak.Make(pointerIn(dropped))
				p := make([]byte, 700*i+100)
				written[i] = weak.Make(&p[0])
				dropped.Write(p)
				kept[i].Write(p)
				s.Sum256(p)
			})
		}
		wg.Wait()
		hashtest.Collect()
		for i := range kept {
			if written[i].Value() != nil {
				t.Errorf("what goroutine %d wrote is still reachable", i)
			}
			if hashes[i].Value() != nil {
				t.Errorf("the hash of goroutine %d is still reachable", i)
			}
		}
		runtime.KeepAlive(kept)
		runtime.KeepAlive(s)
	})
}

func TestServerAllocatesNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	const writers, writes = 40, 500
	p := hashtest.Data(80_000)
	if testing.Short() {
		p = p[:20_000]
	}
	for _, procs := range []int{1, 2, 5} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which empties pools
			s := sha256.NewServer()
			// allocations returns those of writes that follow writes of the same
			// kind.
			allocations := func() uint64 {
				var warm, done sync.WaitGroup
				start := make(chan bool)
				for range writers {
					warm.Add(1)
					done.Go(func() {
						h := s.New()
						var sum [sha256.Size]byte
						write := func(times int) {
							for n := range times {
								h.Write(p[:2000*(n%10)])
								h.Sum(sum[:0])
								h.Reset()
								s.Sum256(p)
							}
						}
						write(writes / 10)
						warm.Done()
						<-start
						write(writes)
					})
				}
				warm.Wait()
				before := mallocs()
				close(start)
				done.Wait()
				return mallocs() - before
			}
			// A goroutine that changes its P finds other pools, not all of them warm:
			// the more so the busier the machine is. What is allocated each time shows
			// in all tries.
			const calls, tries = 2 * writers * writes, 5
			least := allocations()
			for try := 1; try < tries && least > calls/200; try++ {
				least = min(least, allocations())
			}
			if least > calls/200 {
				t.Errorf("at least %d allocations in %d calls", least, calls)
			}
		})
	}
}

// mallocs returns how many objects were allocated since the program began.
func mallocs() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}

// TestServerUnderAProfiler hashes while a profiler interrupts.
func TestServerUnderAProfiler(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Skipf("another profile is being taken: %v", err)
	}
	defer pprof.StopCPUProfile()
	s := sha256.NewServer()
	data := hashtest.Data(100_000)
	want := stdsha256.Sum256(data)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			for range few(500) {
				h := s.New()
				h.Write(data)
				if !bytes.Equal(h.Sum(nil), want[:]) {
					t.Error("wrong digest")
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestServerHashesAmongMany writes to a server's hashes by WriteHashes and by
// themselves, with others of both kinds, while goroutines write to more of
// them.
func TestServerHashesAmongMany(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		s := sha256.NewServer()
		source := hashtest.Data(1 << 19)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 2))
				const n = 40
				hs, want := make([]hash.Hash, n), make([]hash.Hash, n)
				for i := range hs {
					want[i] = stdsha256.New()
					switch i % 3 {
					case 0:
						hs[i] = sha256.New()
					case 1:
						hs[i] = s.New()
					default:
						hs[i] = &foreign{Hash: stdsha256.New(), order: new([]int)}
					}
				}
				hs[n-1], want[n-1] = hs[1], want[1] // twice in the list
				data := make([][]byte, n)
				sums := make([][sha256.Size]byte, n)
				for range few(20) {
					for i := range data {
						data[i] = source[r.IntN(1000):][:length(r)]
						want[i].Write(data[i])
					}
					sha256.WriteHashes(hs, data)
					for i, h := range hs {
						p := source[:length(r)]
						h.Write(p)
						want[i].Write(p)
					}
					sha256.SumHashes(sums, hs)
					for i, sum := range sums {
						if want := want[i].Sum(nil); !bytes.Equal(sum[:], want) {
							t.Errorf("goroutine %d, hash %d: %x, want %x", g, i, sum, want)
							return
						}
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestServerHashHoldsBack makes calls that find short writes held back.
func TestServerHashHoldsBack(t *testing.T) {
	other := stdsha256.New()
	other.Write(hashtest.Data(200))
	state := marshal(t, other)
	p := hashtest.Data(3000)
	for _, tt := range []struct {
		name string
		call func(s *sha256.Server, h, want hashtest.Hash)
	}{
		{"AppendBinary", func(_ *sha256.Server, h, want hashtest.Hash) {
			got, err := h.AppendBinary(nil)
			if !bytes.Equal(got, marshal(t, want)) || err != nil {
				t.Errorf("AppendBinary: %x, %v", got, err)
			}
		}},
		{"UnmarshalBinary", func(_ *sha256.Server, h, want hashtest.Hash) {
			unmarshal(t, h, state)
			unmarshal(t, want, state)
		}},
		{"UnmarshalBinary of half a state", func(_ *sha256.Server, h, _ hashtest.Hash) {
			if h.UnmarshalBinary(state[:50]) == nil {
				t.Error("UnmarshalBinary of half a state: no error")
			}
		}},
		{"Close", func(s *sha256.Server, _, _ hashtest.Hash) { s.Close() }},
		{"WriteHashes", func(_ *sha256.Server, h, want hashtest.Hash) {
			sha256.WriteHashes([]hash.Hash{sha256.New(), h}, [][]byte{p, p})
			want.Write(p)
		}},
		{"WriteHashes by way of a foreign hash", func(_ *sha256.Server, h, want hashtest.Hash) {
			through := &foreign{Hash: h, order: new([]int)}
			sha256.WriteHashes([]hash.Hash{through, h}, [][]byte{p, p})
			want.Write(p)
			want.Write(p)
		}},
		{"SumHashes", func(_ *sha256.Server, h, want hashtest.Hash) {
			var sums [2][sha256.Size]byte
			sha256.SumHashes(sums[:], []hash.Hash{sha256.New(), h})
			if want := want.Sum(nil); !bytes.Equal(sums[1][:], want) {
				t.Errorf("SumHashes: %x, want %x", sums[1], want)
			}
		}},
	} {
		s := sha256.NewServer()
		h, want := s.New().(hashtest.Hash), hashtest.WithClone(stdsha256.New)().(hashtest.Hash)
		write := func() {
			h.Write(p)
			want.Write(p)
		}
		write()
		write() // from the second one on
		tt.call(s, h, want)
		write()
		pair{h, want}.check(t, tt.name)
	}
}

// TestFaultsStayAtHome has goroutines write memory of which the end cannot be
// read, among others that write what can. Each fault strikes the goroutine
// whose memory it is.
func TestFaultsStayAtHome(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	hashtest.ForEach(t, func(t *testing.T) {
		withProcs(t, func(t *testing.T) {
			s := sha256.NewServer()
			buf := guard.New(t, 40_000).Bytes()
			broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
			data := hashtest.Data(100_000)
			want := stdsha256.Sum256(data)
			faults := []func(h hash.Hash){
				func(h hash.Hash) { h.Write(broken) },
				func(hash.Hash) { s.Sum256(broken) },
				func(h hash.Hash) { // with data held back
					h.Write(data[:3000])
					h.Write(data[:2000])
					h.Write(broken)
				},
				func(h hash.Hash) { // whose block cannot be filled
					h.Write(data[:3000])
					h.Write(data[:2000])
					h.Write(broken[len(buf)-10:])
				},
			}
			var wg sync.WaitGroup
			for g := range 20 {
				wg.Go(func() {
					for i := range few(20) {
						if g < len(faults) && i%2 == 0 {
							h := s.New()
							if guard.Faults(func() { faults[g](h) }) == nil {
								t.Errorf("case %d: reading what cannot be read did not fault", g)
							}
							h.Reset()
							h.Write(data)
							if !bytes.Equal(h.Sum(nil), want[:]) {
								t.Error("wrong digest after a fault and Reset")
							}
							continue
						}
						h := s.New()
						h.Write(data[:80_000])
						h.Write(data[80_000:])
						if !bytes.Equal(h.Sum(nil), want[:]) || s.Sum256(data) != want {
							t.Error("wrong digest beside a fault")
							return
						}
					}
				})
			}
			wg.Wait()
			s.Close() // returns: the faults have left no combiner behind
		})
	})
}

// TestTwoGoroutinesUseOneHash has two goroutines use a hash of a Server: that
// gives wrong digests and panics that say so, but it does not end the process, and
// the Server goes on.
func TestTwoGoroutinesUseOneHash(t *testing.T) {
	if hashtest.Sanitized {
		t.Skip("the race detector reports it")
	}
	withProcs(t, func(t *testing.T) {
		data := hashtest.Data(200_000)
		s := sha256.NewServer()
		h := s.New()
		use := func(i int) {
			defer func() { recover() }() // with crypto/sha256 it may be an index that is out of range, too
			switch i % 50 {
			case 48:
				h.Sum(nil)
			case 49:
				h.Reset()
			default:
				h.Write(data[:[...]int{100, 5000, 32768, 160_000}[i%4]])
			}
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for i := range few(2000) {
					use(i)
				}
			})
		}
		for range 8 { // so that requests meet
			wg.Go(func() {
				h, want := s.New(), stdsha256.Sum256(data)
				for range few(200) {
					h.Reset()
					h.Write(data[:80_000])
					h.Write(data[80_000:])
					if !bytes.Equal(h.Sum(nil), want[:]) {
						t.Error("wrong digest of another hash")
						return
					}
				}
			})
		}
		wg.Wait()
		s.Close() // returns: no combiner is left behind
	})
}

// TestWriteHashesOfAHashInUse has WriteHashes write to many hashes, while another goroutine
// lets the last of them begin its message anew. So the number of blocks that a write completes
// changes during a call. The call may panic; the other hashes get their own blocks or none.
func TestWriteHashesOfAHashInUse(t *testing.T) {
	if hashtest.Sanitized {
		t.Skip("the race detector reports it")
	}
	data := hashtest.Data(512)
	s := sha256.NewServer()
	for _, used := range []hash.Hash{s.New(), sha256.New()} {
		const n, long = 2004, 1001 // of both lengths, some are left over when lanes are full
		hs, writes, want := make([]hash.Hash, n), make([][]byte, n), make([][]byte, n)
		for i := range hs {
			hs[i], writes[i] = sha256.New(), data[:512]
			if i >= long {
				writes[i] = data[:448]
			}
			sum := stdsha256.Sum256(writes[i])
			want[i] = sum[:]
		}
		hs[n-1], writes[n-1] = used, data[:449]
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				func() {
					defer func() { recover() }()
					used.Reset()
					used.Write(data[:63*(i%2)])
				}()
				time.Sleep(time.Duration(i%7) * 100 * time.Microsecond)
			}
		})
		for range few(500) {
			for _, h := range hs[:n-1] {
				h.Reset()
			}
			func() {
				defer func() { recover() }()
				sha256.WriteHashes(hs, writes)
			}()
			for i, h := range hs[:n-1] {
				if got := h.Sum(nil); !bytes.Equal(got, want[i]) && !bytes.Equal(got, nothing) {
					t.Fatalf("hash %d, which no other goroutine uses, has digest %x, want %x", i, got, want[i])
				}
			}
		}
		stop.Store(true)
		wg.Wait()
	}
}

// nothing is the digest of an empty message.
var nothing = sha256.New().Sum(nil)

// TestServerBesideBusyGoroutines has goroutines hash on one P, beside one that
// computes and gives way only when it has to. They get on at a tenth at least
// of the speed that they have with hashes that do not wait for each other.
func TestServerBesideBusyGoroutines(t *testing.T) {
	if hashtest.Sanitized {
		t.Skip("the race detector's scheduler puts the goroutines that are woken behind the one that computes")
	}
	if runtime.GOARCH == "wasm" {
		t.Skip("nothing makes a goroutine that computes give way")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	data := make([]byte, 32<<10)
	written := func(newHash hashtest.MakeHash, writers int) int64 {
		var stop atomic.Bool
		var bytes atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			for !stop.Load() {
			}
		})
		for range writers {
			wg.Go(func() {
				for h := newHash(); !stop.Load(); {
					h.Write(data)
					bytes.Add(int64(len(data)))
				}
			})
		}
		time.Sleep(400 * time.Millisecond)
		stop.Store(true)
		wg.Wait()
		return bytes.Load()
	}
	// Waiting in vain costs few writers most: what one wait brings in is less.
	for _, writers := range []int{3, 64} {
		t.Run(fmt.Sprintf("%d writers", writers), func(t *testing.T) {
			var together, alone int64
			for range 3 {
				together, alone = written(sha256.NewServer().New, writers), written(sha256.New, writers)
				if together >= alone/10 {
					return
				}
			}
			t.Errorf("%d bytes, against %d by hashes that do not wait", together, alone)
		})
	}
}

// TestServerInBubbles hashes inside of bubbles of testing/synctest and outside,
// with a server of each bubble and with one that they share, in turn and at the
// same time.
func TestServerInBubbles(t *testing.T) {
	use := func(t *testing.T, s *sha256.Server) {
		data := hashtest.Data(80_000)
		times := 10
		if testing.Short() {
			times = 4
		}
		want := stdsha256.Sum256(data)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for range times {
					h := s.New()
					h.Write(data)
					if !bytes.Equal(h.Sum(nil), want[:]) || s.Sum256(data) != want {
						t.Error("wrong digest")
					}
				}
			})
		}
		wg.Wait()
	}
	shared := sha256.NewServer()
	defer shared.Close()
	inBubble := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			use(t, shared)
			s := sha256.NewServer()
			use(t, s)
			s.Close()
		})
	}
	for range 3 {
		inBubble(t)
		use(t, shared)
	}
	t.Run("at the same time", func(t *testing.T) {
		for range 3 {
			t.Run("inside", func(t *testing.T) { t.Parallel(); inBubble(t) })
			t.Run("outside", func(t *testing.T) { t.Parallel(); use(t, shared) })
		}
	})
}

// copied returns a copy of a Server's hash that was made by value.
func copied(h hash.Hash) hash.Hash {
	c := reflect.New(reflect.TypeOf(h).Elem())
	c.Elem().Set(reflect.ValueOf(h).Elem())
	return c.Interface().(hash.Hash)
}

// TestCopyOfAServersHash copies hashes by value. What uses a copy panics and
// leaves all other hashes alone, until Reset makes it a hash of its own.
func TestCopyOfAServersHash(t *testing.T) {
	data := hashtest.Data(80_000)
	uses := []struct {
		name string
		use  func(h hashtest.Hash)
	}{
		{"Write", func(h hashtest.Hash) { h.Write(data) }},
		{"Write of nothing", func(h hashtest.Hash) { h.Write(nil) }},
		{"Sum", func(h hashtest.Hash) { h.Sum(nil) }},
		{"Clone", func(h hashtest.Hash) { h.Clone() }},
		{"MarshalBinary", func(h hashtest.Hash) { h.MarshalBinary() }},
		{"AppendBinary", func(h hashtest.Hash) { h.AppendBinary(nil) }},
		{"UnmarshalBinary", func(h hashtest.Hash) { h.UnmarshalBinary(marshal(t, stdsha256.New())) }},
		{"WriteHashes", func(h hashtest.Hash) {
			first := sha256.New()
			defer func() {
				if !bytes.Equal(first.Sum(nil), sha256.New().Sum(nil)) {
					t.Error("WriteHashes wrote before it panicked")
				}
			}()
			sha256.WriteHashes([]hash.Hash{first, h}, [][]byte{data, data})
		}},
		{"WriteHashes of one", func(h hashtest.Hash) { sha256.WriteHashes([]hash.Hash{h}, [][]byte{data}) }},
		{"SumHashes", func(h hashtest.Hash) { sha256.SumHashes(make([][sha256.Size]byte, 2), []hash.Hash{sha256.New(), h}) }},
	}
	for _, held := range []int{0, 100, 5000} { // fresh; before and after some are held back
		s := sha256.NewServer()
		h, want := s.New().(hashtest.Hash), stdsha256.New()
		for _, p := range [][]byte{data[:min(held, 3000)], data[min(held, 3000):held]} {
			h.Write(p)
			want.Write(p)
		}
		for _, tt := range uses {
			c := copied(h).(hashtest.Hash)
			says := "sha256: a server's hash was copied by value"
			if list, _, _ := strings.Cut(tt.name, " of one"); list == "WriteHashes" || list == "SumHashes" {
				says = "sha256: " + list + ": hash " // whose number follows
			}
			if message := panicOf(func() { tt.use(c) }); !strings.HasPrefix(message, says) || !strings.Contains(message, "copied by value") {
				t.Errorf("%s of a copy with %d bytes in it: panic %q", tt.name, held, message)
			}
			c.Reset()
			// The copy and a hash that is new hold data back, and take nothing from
			// the original or each other.
			other := s.New()
			for _, p := range [][]byte{data[9000:11_500], data[11_500:15_000]} {
				c.Write(p)
				other.Write(p)
			}
			sum := stdsha256.Sum256(data[9000:15_000])
			if !bytes.Equal(c.Sum(nil), sum[:]) || !bytes.Equal(other.Sum(nil), sum[:]) {
				t.Errorf("%s of a copy with %d bytes in it: wrong digest after Reset", tt.name, held)
			}
		}
		pair{h, want}.check(t, "the original")
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

// TestVetReportsCopies has go vet look at a package that copies a hash.
func TestVetReportsCopies(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("finding the go command: %v", err)
	}
	out, err := exec.Command(tool, "vet", "./testdata/copied").CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("running go vet: %v", err)
	}
	if !strings.Contains(string(out), "return copies lock value") {
		t.Errorf("go vet says nothing of a copy: %v\n%s", err, out)
	}
}

// TestCloneOfHeldData clones a hash that holds data back. Both go on, at the same
// time, each with data of its own.
func TestCloneOfHeldData(t *testing.T) {
	s := sha256.NewServer()
	data := hashtest.Data(60_000)
	h, want := s.New(), hashtest.WithClone(stdsha256.New)()
	write := func(h hash.Hash, p []byte) {
		for len(p) > 0 {
			n := min(len(p), 3000)
			h.Write(p[:n])
			p = p[n:]
		}
	}
	write(h, data[:5000])
	write(want, data[:5000])
	c := cloneOf(t, h)
	wantClone := cloneOf(t, want)
	done := make(chan bool)
	go func() {
		defer close(done)
		write(c, data[5000:])
		c.Write(data)
	}()
	write(h, data[7000:])
	h.Write(data[1:])
	<-done
	write(want, data[7000:])
	want.Write(data[1:])
	wantClone.Write(data[5000:])
	wantClone.Write(data)
	pair{h, want}.check(t, "the original")
	pair{c, wantClone}.check(t, "the clone")
}

// The smaller the hashes, the less often the garbage collector runs.
func TestSizesOfHashes(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("the sizes are of 64-bit ports")
	}
	for _, tt := range []struct {
		name string
		h    hash.Hash
		want uintptr // a size class of the Go allocator
	}{
		{"New", sha256.New(), 112},
		{"Server.New", sha256.NewServer().New(), 144},
	} {
		if got := reflect.TypeOf(tt.h).Elem().Size(); got > tt.want {
			t.Errorf("%s: a hash has %d bytes, want at most %d", tt.name, got, tt.want)
		}
	}
}

// misuses are what two goroutines do to one hash at the same time, again and again.
var misuses = []struct {
	name string
	use  func(h hashtest.Hash, data []byte)
}{
	{"Write and Reset", func(h hashtest.Hash, data []byte) {
		h.Write(data[:3000])
		h.Write(data[:3000])
		h.Reset()
	}},
	{"Write and Sum", func(h hashtest.Hash, data []byte) {
		h.Write(data[:3000])
		h.Write(data[:3000])
		h.Sum(nil)
	}},
	{"short writes until the buffer is full", func(h hashtest.Hash, data []byte) {
		h.Write(data[:2500])
		for range 150 {
			h.Write(data[:250])
		}
		h.Reset()
	}},
	{"long writes behind short ones", func(h hashtest.Hash, data []byte) {
		h.Write(data[:20_000])
		h.Write(data[:20_000])
		h.Write(data)
		h.Reset()
	}},
	{"states", func(h hashtest.Hash, data []byte) {
		h.Write(data[:5000])
		state, _ := h.MarshalBinary()
		h.Write(data[:5000])
		h.UnmarshalBinary(state)
	}},
	{"Clone", func(h hashtest.Hash, data []byte) {
		h.Write(data[:5000])
		c, _ := h.Clone()
		c.Write(data[:5000])
		h.Reset()
	}},
	{"lists", func(h hashtest.Hash, data []byte) {
		hs := []hash.Hash{h, sha256.New()}
		h.Write(data[:5000])
		sha256.WriteHashes(hs, [][]byte{data[:5000], data[:3000]})
		h.Write(data[:5000])
		sha256.SumHashes(make([][sha256.Size]byte, 2), hs)
		h.Reset()
	}},
}

// TestMisuseStaysAtHome has two goroutines misuse a hash of a Server, while four
// goroutines use a hash each as they should: all digests of theirs are right. The race
// detector would fail this test, so it is told to report nothing, in another process.
func TestMisuseStaysAtHome(t *testing.T) {
	if hashtest.Sanitized && !race.Enabled {
		t.Skip("a sanitizer allocates")
	}
	const variable = "SHA256SIMD_TEST_MISUSE"
	for _, tt := range misuses {
		if os.Getenv(variable) == tt.name {
			right, wrong := besideMisuse(tt.use)
			fmt.Printf("digests: %d right, %d wrong\n", right, wrong)
			return
		}
	}
	for _, tt := range misuses {
		t.Run(tt.name, func(t *testing.T) {
			var right, wrong int
			if race.Enabled {
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(self, "-test.run=^TestMisuseStaysAtHome$", "-test.count=1")
				cmd.Env = append(os.Environ(), variable+"="+tt.name, "GORACE=report_bugs=0")
				out, err := cmd.Output()
				if _, scan := fmt.Sscanf(string(out), "digests: %d right, %d wrong", &right, &wrong); scan != nil || err != nil {
					t.Fatalf("%v: %v\n%s", cmd, err, out)
				}
			} else {
				right, wrong = besideMisuse(tt.use)
			}
			if right == 0 || wrong > 0 {
				t.Errorf("of other hashes %d digests are right, %d are wrong", right, wrong)
			}
		})
	}
}

// besideMisuse counts the digests that are right and wrong of goroutines which use a
// hash each, while two others misuse one.
func besideMisuse(use func(h hashtest.Hash, data []byte)) (right, wrong int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	s := sha256.NewServer()
	defer s.Close() // returns: no combiner is left behind
	end := time.Now().Add(time.Duration(few(10)) * 50 * time.Millisecond)
	var mu sync.Mutex
	var wg sync.WaitGroup
	misused := s.New().(hashtest.Hash)
	for g := range 2 {
		wg.Go(func() {
			data := make([]byte, 100_000)
			for i := range data {
				data[i] = byte(0xa0 + g)
			}
			for time.Now().Before(end) {
				func() {
					defer func() { recover() }() // an index may be out of range, too
					use(misused, data)
				}()
			}
		})
	}
	for g := range 4 {
		wg.Go(func() {
			data := hashtest.Data(20_000)[1000*g:][:6000]
			want := stdsha256.Sum256(data)
			good, bad := 0, 0
			h := s.New()
			for good+bad == 0 || time.Now().Before(end) {
				h.Write(data[:3000])
				h.Write(data[3000:])
				if [sha256.Size]byte(h.Sum(nil)) == want {
					good++
				} else {
					bad++
				}
				h.Reset()
			}
			mu.Lock()
			right, wrong = right+good, wrong+bad
			mu.Unlock()
		})
	}
	wg.Wait()
	return right, wrong
}
