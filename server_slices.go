package sha256

import "runtime"

// preempts says whether the Go scheduler interrupts goroutines that compute. It does
// not on WebAssembly, which has one thread and no signals: a goroutine that never
// waits keeps all others from running.
const preempts = runtime.GOARCH != "wasm"

// turn is the time slice, in bytes written to a shard, after which a writer yields
// where the scheduler does not interrupt it.
const turn = 32 << 10

// inSlices writes p to d as Write does, and yields after each time slice. An
// empty write counts as a byte, so that a loop of empty writes yields too.
func (s *shard) inSlices(d *digest, p []byte) (int, error) {
	written := len(p)
	for {
		n := min(len(p), turn-s.written)
		d.Write(p[:n])
		p = p[n:]
		s.written += max(n, 1)
		if s.written >= turn {
			s.written = 0
			runtime.Gosched()
		}
		if len(p) == 0 {
			return written, nil
		}
	}
}
