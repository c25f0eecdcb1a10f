package soak

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

var (
	soakFor = flag.Duration("for", 0, "how long to soak; 0 means each kernel for a moment")
	seed    = flag.Uint64("seed", 0, "of what is random; 0 means that of the time")
)

const (
	// A round uses one kernel.
	longRound = 2 * time.Second
	// hangs is how long goroutines may take to end their operations.
	hangs = 2 * time.Minute
	// reports come that often.
	reportEvery = time.Minute
)

// data is what is hashed.
var data = hashtest.Data(1 << 20)

// A worker does one operation after the other on a goroutine of its own.
type worker struct {
	*rand.Rand
	servers    *atomic.Pointer[sha256.Server]
	unreadable []byte // the end of it cannot be read
	buf        []byte
}

func (w *worker) server() *sha256.Server { return w.servers.Load() }

// message returns a piece of data, of any alignment: mostly a short one.
func (w *worker) message() []byte {
	n := int(math.Exp2(w.Float64() * 13))
	switch w.IntN(40) {
	case 0:
		n = 64 << 10
	case 1:
		n = 0
	}
	at := w.IntN(len(data) - n)
	return data[at : at+n]
}

// copy returns a copy of p, which lasts until the next one.
func (w *worker) copy(p []byte) []byte {
	w.buf = append(w.buf[:0], p...)
	return w.buf
}

// A tally counts what was done.
type tally struct {
	mu          sync.Mutex
	operations  map[string]int
	kernels     map[string]int // rounds of each
	bytes       int
	differences int
	procs       int // changes of GOMAXPROCS
	gcs         int
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	n := 0
	for _, k := range t.operations {
		n += k
	}
	fmt.Fprintf(&b, "%d operations, %.2f GB, %d rounds of %d kernels, %d changes of GOMAXPROCS, %d collections, %d differences",
		n, float64(t.bytes)/1e9, sum(t.kernels), len(t.kernels), t.procs, t.gcs, t.differences)
	return b.String()
}

// details says how often each operation was done, and with which kernels.
func (t *tally) details() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, counts := range []map[string]int{t.operations, t.kernels} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "\n%12d  %s", counts[name], name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func sum(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// implementations returns what a round can use: what this process selected, and
// everything else that this machine can run.
func implementations() []string {
	names := []string{"selected"}
	all := hashtest.Implementations(block.MaxLanes)
	for _, k := range block.NodeKernels() {
		all = append(all, k.Name)
	}
	for _, k := range block.SearchKernels() {
		all = append(all, k.Name)
	}
	for _, k := range block.ChainKernels() {
		all = append(all, k.Name)
	}
	for _, k := range block.WotsKernels() {
		all = append(all, k.Name)
	}
	for _, name := range all {
		if restore, ok := block.Force(name); ok {
			restore()
			names = append(names, name)
		}
	}
	return names
}

func TestSoak(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("goroutines do not run side by side")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	names := implementations()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("soak: seed %d, %d CPUs, kernels: %s\n", *seed, runtime.NumCPU(), strings.Join(names, " "))
	random := rand.New(rand.NewPCG(*seed, 0))
	done := &tally{operations: map[string]int{}, kernels: map[string]int{}}
	start, reported := time.Now(), time.Now()
	for n := 0; n < len(names) || time.Since(start) < *soakFor; n++ {
		length := longRound
		if *soakFor == 0 {
			length = 20 * time.Millisecond
		}
		soak(t, done, names[n%len(names)], rand.New(rand.NewPCG(random.Uint64(), 0)), length)
		if t.Failed() {
			break
		}
		if time.Since(reported) >= reportEvery {
			reported = time.Now()
			fmt.Printf("soak: %s: %v\n", time.Since(start).Round(time.Second), done)
		}
	}
	fmt.Printf("soak: done after %s: %v\n%s", time.Since(start).Round(time.Second), done, done.details())
	for _, op := range operations {
		if *soakFor > 0 && done.operations[op.name] == 0 && !t.Failed() {
			t.Errorf("%s was never done", op.name)
		}
	}
}

// soak runs one round: a number of goroutines do random operations with one
// kernel in use.
func soak(t *testing.T, done *tally, kernel string, r *rand.Rand, length time.Duration) {
	if kernel != "selected" {
		restore, ok := block.Force(kernel)
		if !ok {
			t.Fatalf("this machine can no longer run %s", kernel)
		}
		defer restore()
	}
	var servers atomic.Pointer[sha256.Server]
	servers.Store(sha256.NewServer())
	var unreadable []byte
	if guard.Guarded {
		buf := guard.New(t, 16<<10).Bytes()
		unreadable = unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	}
	goroutines := 1 + r.IntN(8)
	if *soakFor > 0 && r.IntN(3) == 0 {
		goroutines = 200
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range goroutines {
		w := &worker{Rand: rand.New(rand.NewPCG(r.Uint64(), 0)), servers: &servers, unreadable: unreadable}
		wg.Go(func() { w.work(t, done, kernel, &stop) })
	}
	disturb(done, r, length)
	stop.Store(true)

	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(hangs):
		panic(fmt.Sprintf("soak: %s: goroutines have not ended after %s", kernel, hangs))
	}
	servers.Load().Close()
	done.mu.Lock()
	done.kernels[kernel]++
	done.mu.Unlock()
}

// work does operations until it is told to stop.
func (w *worker) work(t *testing.T, done *tally, kernel string, stop *atomic.Bool) {
	counts := map[string]int{}
	total := 0
	for !stop.Load() {
		op := operations[w.IntN(len(operations))]
		n, err := op.do(w)
		total += n
		if err != nil {
			t.Errorf("%s, kernel %s: %v", op.name, kernel, err)
			done.mu.Lock()
			done.differences++
			done.mu.Unlock()
			return
		}
		if n > 0 {
			counts[op.name]++
		}
	}
	done.mu.Lock()
	defer done.mu.Unlock()
	done.bytes += total
	for name, n := range counts {
		done.operations[name] += n
	}
}

// disturb does what is outside of a program's own control for some time: it
// changes GOMAXPROCS, collects garbage, and profiles.
func disturb(done *tally, r *rand.Rand, length time.Duration) {
	if err := pprof.StartCPUProfile(io.Discard); err == nil { // or somebody else profiles
		defer pprof.StopCPUProfile()
	}
	most := runtime.NumCPU()
	procs, gcs := 0, 0
	for end := time.Now().Add(length); time.Now().Before(end); {
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		switch r.IntN(3) {
		case 0:
			runtime.GOMAXPROCS(1 + r.IntN(2*most))
			procs++
		case 1:
			runtime.GC()
			gcs++
		case 2:
			debug.SetGCPercent(10 + r.IntN(200))
		}
	}
	done.mu.Lock()
	defer done.mu.Unlock()
	done.procs += procs
	done.gcs += gcs
}
