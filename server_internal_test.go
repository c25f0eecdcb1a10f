package sha256

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"hash"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/combine"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// sideBySide reports whether anything is hashed side by side.
func sideBySide() bool { return combine.NewShard(1).Meets() }

// goesAlone reports whether writers hash alone, as they do after a request that met no
// other.
func goesAlone(s *Server) bool { return s.shards[0].Solo(0) }

// goTogether ends that.
func goTogether(s *Server) {
	for s.shards[0].Solo(1 << 20) {
	}
}

// TestShards makes Servers, with a constructor and without, for some numbers of Ps. The
// hashes are dealt to the shards round robin.
func TestShards(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, tt := range []struct{ procs, want int }{
		{1, 1}, {procsPerShard - 1, 1}, {procsPerShard, 1}, {procsPerShard + 1, 2},
		{2 * procsPerShard, 2}, {2*procsPerShard + 1, 3}, {3 * procsPerShard, 3},
	} {
		runtime.GOMAXPROCS(tt.procs)
		for name, s := range map[string]*Server{"NewServer": NewServer(), "the zero Server": new(Server)} {
			const each = 5
			made := make([]*serverHash, each*tt.want)
			var wg sync.WaitGroup
			for i := range made { // the first hash makes the shards
				wg.Go(func() { made[i] = s.New().(*serverHash) })
			}
			wg.Wait()
			hashes := map[*combine.Shard]int{}
			for _, h := range made {
				hashes[h.shard]++
			}
			if len(s.shards) != tt.want || len(hashes) != tt.want {
				t.Errorf("%s, GOMAXPROCS %d: hashes are of %d shards of %d, want %d", name, tt.procs, len(hashes), len(s.shards), tt.want)
			}
			for shard, n := range hashes {
				if n != each || shard == nil {
					t.Errorf("%s, GOMAXPROCS %d: %d hashes are of one shard, want %d", name, tt.procs, n, each)
				}
			}
		}
	}
}

// TestSum256Requests has Sum256 hash data, and looks whether that was a request.
func TestSum256Requests(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	for _, tt := range []struct {
		n    int
		want bool
	}{{0, false}, {combine.MinRequest - 1, false}, {combine.MinRequest, true}, {1 << 20, true}} {
		for name, s := range map[string]*Server{"NewServer": NewServer(), "the zero Server": new(Server)} {
			s.Sum256(make([]byte, tt.n))
			if got := goesAlone(s); got != tt.want {
				t.Errorf("%s: Sum256 of %d bytes was a request: %v, want %v", name, tt.n, got, tt.want)
			}
		}
		closed := new(Server)
		closed.Close()
		if closed.Sum256(make([]byte, tt.n)); goesAlone(closed) {
			t.Errorf("a closed Server: Sum256 of %d bytes was a request", tt.n)
		}
	}
}

// TestWhatIsBuffered looks at what a hash buffers of writes, and whether it has
// had anything done by a request.
func TestWhatIsBuffered(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	for _, tt := range []struct {
		name         string
		writes       []int
		sum          bool // afterwards
		wantBuffered int
		wantRequest  bool
	}{
		{"nothing", nil, false, 0, false},
		{"a short message", []int{combine.MinRequest - 1}, false, 0, false},
		{"a short message in two writes", []int{combine.MinRequest - 101, 100}, false, 0, false},
		{"a message worth a request", []int{combine.MinRequest}, false, combine.MinRequest, false},
		{"two buffered writes", []int{combine.MinRequest, 100}, false, combine.MinRequest + 100, false},
		{"less than a block after a short message", []int{combine.MinRequest - 64, 63}, false, 0, false},
		{"the rest of a block after a short message", []int{combine.MinRequest - 1, 1}, false, 64, false},
		{"as much as can be", []int{bufferSize - 1}, false, bufferSize - 1, false},
		{"too much at once", []int{bufferSize}, false, 0, true},
		{"too much in the end", []int{bufferSize - 1, 1}, false, 0, true},
		{"too much with the rest of a block", []int{10, bufferSize - 10}, false, 0, true},
		{"summed, not worth a request", []int{combine.MinRequest - 1, 1}, true, 0, false},
		{"summed, worth a request", []int{combine.MinRequest}, true, 0, true},
	} {
		s := NewServer()
		h := s.New().(*serverHash)
		for _, n := range tt.writes {
			h.Write(make([]byte, n))
		}
		if tt.sum {
			h.Sum(nil)
			h.Write(make([]byte, BlockSize-1)) // is less than a block
		}
		if int(h.m) != tt.wantBuffered || (h.buffered != nil) != (tt.wantBuffered > 0) || goesAlone(s) != tt.wantRequest {
			t.Errorf("%s: %d bytes buffered, a request %v; want %d, %v", tt.name, h.m, goesAlone(s), tt.wantBuffered, tt.wantRequest)
		}
	}
}

// TestBufferedAndSolo writes to a hash, and looks at it, while its shard changes
// its mind at random about whether the hash is alone.
func TestBufferedAndSolo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	data := hashtest.Data(80_000)
	for range 2000 {
		s := NewServer()
		h, want := s.New(), stdsha256.New()
		for range 10 {
			goTogether(s)
			if r.IntN(2) == 0 {
				s.Sum256(data[:combine.MinRequest]) // meets no other
				s.shards[0].Solo(r.IntN(40_000))
			}
			p := data[r.IntN(1000):][:r.IntN(1<<r.IntN(17))]
			if r.IntN(2) == 0 {
				p = p[:len(p)&^(BlockSize-1)]
			}
			h.Write(p)
			want.Write(p)
			if r.IntN(5) == 0 && !bytes.Equal(h.Sum(nil), want.Sum(nil)) {
				t.Fatal("wrong digest")
			}
		}
		if !bytes.Equal(h.Sum(nil), want.Sum(nil)) {
			t.Fatal("wrong digest in the end")
		}
	}
}

// TestSolo has a hash go alone: it may then hash a full buffer, in all, without asking.
func TestSolo(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	for _, tt := range []struct{ n, want int }{
		{100, bufferSize - 100}, {bufferSize - 1, 1}, {bufferSize, 0}, {bufferSize + 1, 0}, {1 << 20, 0},
	} {
		s := NewServer()
		h := s.New().(*serverHash)
		h.Write(make([]byte, combine.MinRequest)) // of which Sum makes a request
		h.Sum(nil)
		if h.Write(make([]byte, tt.n)); int(h.solo) != tt.want {
			t.Errorf("after a write of %d bytes the hash may go on alone for %d, want %d", tt.n, h.solo, tt.want)
		}
	}
}

// TestFaultLeavesAServersHash makes requests of memory that cannot be read to the
// end: the hash stays as it was, whatever it has buffered.
func TestFaultLeavesAServersHash(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	buf := guard.New(t, 40_000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	data := hashtest.Data(120_000)
	// The end of this can be read, and more than one call of a kernel in front of what
	// cannot.
	hole := guard.New(t, 400_000)
	hole.Protect(t, 300_000/os.Getpagesize())
	for _, tt := range []struct {
		name    string
		written []int
		broken  []byte
	}{
		{"a hole", nil, hole.Bytes()},
		{"a hole behind what is buffered", []int{3000, 1000}, hole.Bytes()},
		{"nothing before", nil, broken},
		{"part of a block before", []int{100}, broken},
		{"whole blocks before", []int{2 * bufferSize}, broken},
		{"something buffered", []int{3000, 1000}, broken},
		{"a block that cannot be filled", []int{3000, 1000}, broken[len(buf)-10:]},
		{"no end", nil, broken[:len(buf)+10]},
		{"no end behind what is buffered", []int{3000, 1000}, broken[BlockSize/2 : len(buf)+10]},
		{"too little to be a request", []int{2 * bufferSize}, broken[len(buf)-100:][:200]},
		{"too little behind part of a block", []int{2*bufferSize + 10}, broken[len(buf)-100:][:200]},
	} {
		s := NewServer()
		h, want := s.New(), stdsha256.New()
		for _, n := range tt.written {
			h.Write(data[:n])
			want.Write(data[:n])
			goTogether(s)
		}
		if guard.Faults(func() { h.Write(tt.broken) }) == nil {
			t.Errorf("%s: reading what cannot be read did not fault", tt.name)
		}
		if d := h.(*serverHash); d.buffered != nil && d.m < BlockSize {
			t.Errorf("%s: only %d bytes are buffered after a fault", tt.name, d.m)
		}
		for range 2 {
			if !bytes.Equal(h.Sum(nil), want.Sum(nil)) {
				t.Fatalf("%s: wrong digest after a fault", tt.name)
			}
			h.Write(data)
			want.Write(data)
		}
	}
}

// TestFaultLeavesASoloHash writes memory that cannot be read to the end to a hash
// that hashes alone.
func TestFaultLeavesASoloHash(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 10*BlockSize)
	copy(buf.Bytes(), hashtest.Data(len(buf.Bytes())))
	end := buf.Tail(10 * BlockSize)
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for _, begun := range []int{0, 10, BlockSize} {
			h, want := NewServer().New().(*serverHash), stdsha256.New()
			h.digest.Write(end[:begun])
			want.Write(end[:begun])
			h.solo = bufferSize
			if guard.Faults(func() { h.Write(unsafe.Slice(unsafe.SliceData(end), len(end)+10*BlockSize)) }) == nil {
				t.Error("reading what cannot be read did not fault")
			}
			for range 2 {
				if !bytes.Equal(h.Sum(nil), want.Sum(nil)) {
					t.Errorf("wrong digest after a fault, behind %d bytes", begun)
				}
				h.Write(end)
				want.Write(end)
			}
		}
	})
}

// TestHashInUse uses a hash in every way while a request of its is under way.
func TestHashInUse(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	data := make([]byte, 2*bufferSize)
	h := NewServer().New().(*serverHash)
	h.Write(data[:3000])
	before := stdsha256.Sum256(data[:3000])
	first := New()
	h.inUse.Store(true)
	// Another goroutine uses it.
	for name, use := range map[string]func(){
		"Write":           func() { h.Write(data[:100]) },
		"an empty Write":  func() { h.Write(nil) },
		"a long Write":    func() { h.Write(data) },
		"a request":       func() { h.request(nil, data) },
		"Sum":             func() { h.Sum(nil) },
		"Reset":           func() { h.Reset() },
		"Clone":           func() { h.Clone() },
		"MarshalBinary":   func() { h.MarshalBinary() },
		"UnmarshalBinary": func() { h.UnmarshalBinary(nil) },
		"WriteHashes":     func() { WriteHashes([]hash.Hash{first, struct{ hash.Hash }{New()}, h}, [][]byte{data, data, data}) },
		"SumHashes":       func() { SumHashes(make([][Size]byte, 2), []hash.Hash{New(), h}) },
	} {
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() {
				if message, _ := recover().(string); !strings.Contains(message, "two goroutines") && !strings.Contains(message, "another goroutine") {
					t.Errorf("%s: panic %q", name, message)
				}
			}()
			use()
		})
		wg.Wait()
	}
	h.inUse.Store(false)
	if !bytes.Equal(first.Sum(nil), New().Sum(nil)) {
		t.Error("WriteHashes wrote before it panicked")
	}
	if !bytes.Equal(h.Sum(nil), before[:]) {
		t.Error("the hash has changed")
	}
}

// TestResetWhileFlushed has a hash lose its buffer while a list flushes it, as it can if
// another goroutine resets it. The call panics. The other hash of the list stays right,
// whether or not its blocks were compressed before.
func TestResetWhileFlushed(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	data := hashtest.Data(6000)
	want := stdsha256.Sum256(data)
	for _, compressed := range []bool{false, true} {
		misused, other := NewServer().New().(*serverHash), NewServer().New().(*serverHash)
		for _, h := range []*serverHash{misused, other} {
			h.Write(data[:3000])
			h.Write(data[3000:])
			if h.buffered == nil {
				t.Fatal("nothing is buffered")
			}
		}
		w := &work{hs: []hash.Hash{misused, other}}
		f := (*flushWork)(w)
		func() {
			defer func() {
				if message := recover(); message != usedTwice {
					t.Errorf("panic %v, want %q", message, usedTwice)
				}
			}()
			defer w.release()
			var jobs [2]lanes.Job
			for i := range jobs {
				if !f.Start(i, &jobs[i]) {
					t.Fatalf("hash %d has no blocks", i)
				}
			}
			if compressed {
				block.Compress(jobs[1].State, jobs[1].Segments[0])
			}
			misused.Reset()
			f.Done(0, &jobs[0])
		}()
		if got := other.Sum(nil); !bytes.Equal(got, want[:]) {
			t.Errorf("compressed before: %t: %x, want %x", compressed, got, want)
		}
		if other.waiting {
			t.Errorf("compressed before: %t: the other hash still waits", compressed)
		}
	}
}

// TestBufferOfAnotherGoroutine has a goroutine use a hash whose buffer another goroutine
// took, and may be about to write to. The digest is right, and neither this hash nor
// another one gets the buffer of that goroutine.
func TestBufferOfAnotherGoroutine(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	data := hashtest.Data(2*bufferSize + 100)
	const begun, more = 5000, 3000
	for _, tt := range []struct {
		name string
		// use uses h, whose message is data[:begun]. Its message is then data[:n].
		use func(h *serverHash) (n int)
	}{
		{"Write", func(h *serverHash) int {
			h.Write(data[begun:][:more])
			return begun + more
		}},
		{"Write of nothing", func(h *serverHash) int {
			h.Write(nil)
			return begun
		}},
		{"Write until the buffer is full", func(h *serverHash) int {
			h.Write(data[begun : bufferSize-1])
			h.Write(data[bufferSize-1:][:1])
			return bufferSize
		}},
		{"a request", func(h *serverHash) int {
			h.Write(data[begun : 2*bufferSize])
			return 2 * bufferSize
		}},
		{"Sum", func(h *serverHash) int {
			h.Sum(nil)
			return begun
		}},
		{"Reset", func(h *serverHash) int {
			h.Reset()
			return 0
		}},
		{"Clone", func(h *serverHash) int {
			h.Clone()
			return begun
		}},
		{"MarshalBinary", func(h *serverHash) int {
			h.MarshalBinary()
			return begun
		}},
		{"UnmarshalBinary", func(h *serverHash) int {
			state, _ := New().(*digest).MarshalBinary()
			h.UnmarshalBinary(state)
			return 0
		}},
		{"WriteHashes", func(h *serverHash) int {
			WriteHashes([]hash.Hash{New(), h}, [][]byte{data, data[begun:][:more]})
			return begun + more
		}},
		{"SumHashes", func(h *serverHash) int {
			SumHashes(make([][Size]byte, 2), []hash.Hash{New(), h})
			return begun
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewServer()
			h := s.New().(*serverHash)
			var taken *buffer
			on := func(f func()) { // another goroutine, while this one lives
				var wg sync.WaitGroup
				wg.Go(f)
				wg.Wait()
			}
			h.Write(data[:begun])
			if taken = h.buffered; taken == nil {
				t.Fatal("nothing is buffered")
			}
			clear(taken.bytes[begun:])
			owner, held := taken.goroutine, *taken.bytes
			n := 0
			on(func() { n = tt.use(h) })
			if h.buffered == taken && n > begun {
				t.Error("the hash has still the buffer of the other goroutine")
			}
			if taken.hash != h || taken.goroutine != owner || *taken.bytes != held {
				t.Error("the buffer of the other goroutine was given up, or written to")
			}
			clear(taken.bytes[:]) // as if the other goroutine were still writing
			if h.buffered != taken {
				h.Write(data[n:][:100])
				n += 100
				if want := stdsha256.Sum256(data[:n]); !bytes.Equal(h.Sum(nil), want[:]) {
					t.Error("wrong digest")
				}
			}
		})
	}
	t.Run("another hash's", func(t *testing.T) {
		s := NewServer()
		h, other := s.New().(*serverHash), s.New().(*serverHash)
		h.Write(data[:begun])
		other.buffered, other.m = h.buffered, h.m // as goroutines that misuse both may
		other.Write(data[:more])
		other.Reset()
		for range 5 { // the race detector has a pool drop some of what is put into it
			s.New().Write(data[begun:][:begun])
		}
		if want := stdsha256.Sum256(data[:begun]); !bytes.Equal(h.Sum(nil), want[:]) {
			t.Error("wrong digest")
		}
	})
	t.Run("its own", func(t *testing.T) {
		h := NewServer().New().(*serverHash)
		h.Write(data[:begun])
		taken := h.buffered
		if h.Write(data[begun:][:more]); h.buffered != taken {
			t.Error("the goroutine that took the buffer takes another one")
		}
		if h.Sum(nil); h.buffered != nil || taken.hash != nil || taken.goroutine != 0 {
			t.Error("Sum did not give the buffer up")
		}
	})
}

// TestCloneSharesNoBuffer clones a hash that has something buffered. What the original
// buffers next takes the place of it.
func TestCloneSharesNoBuffer(t *testing.T) {
	if !sideBySide() {
		t.Skip("nothing is hashed side by side")
	}
	const begun = 5000
	data := hashtest.Data(2 * begun)
	h := NewServer().New().(*serverHash)
	h.Write(data[:begun])
	taken := h.buffered
	if taken == nil {
		t.Fatal("nothing is buffered")
	}
	clone, err := h.Clone()
	if err != nil {
		t.Fatal(err)
	}
	copy(taken.bytes[:], data[begun:])
	if want := stdsha256.Sum256(data[:begun]); !bytes.Equal(clone.Sum(nil), want[:]) {
		t.Errorf("the clone has digest %x, want %x", clone.Sum(nil), want)
	}
}

// TestRequestWithoutBlocks has a hash lose what it has buffered while a write goes to the
// lanes, as when another goroutine resets it. Then the write panics, not the goroutine whose
// lanes would take a job without blocks.
func TestRequestWithoutBlocks(t *testing.T) {
	h := NewServer().New().(*serverHash)
	defer func() {
		if message := recover(); message != usedTwice {
			t.Errorf("panic %v, want %q", message, usedTwice)
		}
	}()
	h.request(nil, make([]byte, BlockSize-1))
}
