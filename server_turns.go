package sha256

import "runtime"

// preempts says whether the Go scheduler interrupts goroutines that compute. On
// WebAssembly, with one thread and no signals, one that never waits keeps all
// others from running.
const preempts = runtime.GOARCH != "wasm"

// turn is how many bytes are written to a shard before the writer lets others
// run, where the scheduler does not see to that.
const turn = 32 << 10

// inTurns writes p to d as Write does, and lets others run whenever a turn is
// over. A write of nothing counts too: a loop of them ends in its turn.
func (s *shard) inTurns(d *digest, p []byte) (int, error) {
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
