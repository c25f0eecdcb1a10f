package pow_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sha256-simd/sha256-simd/pow"
)

// shard is how many nonces a goroutine takes at a time.
const shard = 1 << 18

// A miner searches on all cores.
type miner struct {
	search pow.Search
	work   uint64
	next   atomic.Uint64 // where the next shard begins
}

// find returns some nonce that satisfies the limit: whichever is found first.
func (m *miner) find(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		workers sync.WaitGroup
		found   atomic.Uint64
		done    = errors.New("found")
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for {
				n, err := m.search.Find(ctx, m.work, m.next.Add(shard)-shard, shard)
				switch {
				case err == nil:
					found.Store(n)
					cancel(done)
					return
				case !errors.Is(err, pow.ErrExhausted):
					return // ctx is done
				}
			}
		}()
	}
	workers.Wait()
	if err := context.Cause(ctx); err != done {
		return 0, err
	}
	return found.Load(), nil
}

// progress keeps a line on standard error up to date until ctx is done.
func (m *miner) progress(ctx context.Context) {
	start := time.Now()
	report := func(end string) {
		tried := float64(m.next.Load()) / 1e6
		fmt.Fprintf(os.Stderr, "\r%.1f million nonces, %.0f million a second%s", tried, tried/time.Since(start).Seconds(), end)
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			report("")
		case <-ctx.Done():
			report("\n")
			return
		}
	}
}

// Find works on one core. To use all of them, goroutines take shards of the
// nonces, one after the other, until one has found what they look for.
func Example_allCores() {
	m := &miner{search: pow.Search{Prefix: []byte("kxxxxxxxxx" + "000000a1b2c3")}, work: 1 << 28}
	ctx, cancel := context.WithCancel(context.Background())
	var line sync.WaitGroup
	line.Add(1)
	go func() {
		defer line.Done()
		m.progress(ctx)
	}()

	n, err := m.find(ctx)
	cancel()
	line.Wait()

	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.search.Value(n) <= m.work)
	// Output: true
}
