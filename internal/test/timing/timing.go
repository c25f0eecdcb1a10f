// Package timing measures how long functions take, for the benchmarks and for
// sha256bench. The library does not import it.
package timing

import (
	"context"
	"slices"
	"time"
)

const (
	// minRun is how long a run takes at least: a function is called so often. It
	// takes minTicks of the clock, too.
	minRun   = 200 * time.Microsecond
	minTicks = 50
	// minRuns is how often each function runs at least, whatever the budget.
	minRuns = 3
)

// A Timing is how long one call took.
type Timing struct {
	// Best is the time of the fastest run, in nanoseconds: what disturbs a run
	// only ever makes it slower.
	Best float64 `json:"best_ns"`
	// Cycles is Best in cycles of the clock, at its frequency right after that
	// run, or 0 where that cannot be known.
	Cycles float64 `json:"best_cycles,omitempty"`
	// BestCPU is the least CPU time of a run, in nanoseconds, of all threads of
	// the process; 0 where it cannot be known. Programs that a run starts do not
	// count.
	BestCPU float64 `json:"best_cpu_ns,omitempty"`
	// Median is what half of the runs stayed below, in nanoseconds.
	Median float64 `json:"median_ns"`
	Runs   int     `json:"runs"`
}

// InTurn runs the functions in turn until the budget is used up. The function
// with the least time so far is always the next. So other programs on the
// machine disturb all of them alike, and a slow one does not starve the rest.
// Each run counts as long as the fastest run of its function: a disturbed run
// is not a reason to run the function less.
//
// Between two runs it looks at its context, whose error it returns.
func InTurn(ctx context.Context, fs []func(), budget time.Duration) ([]Timing, error) {
	shortest := max(minRun, minTicks*resolution())
	calls := make([]int, len(fs))
	for i, f := range fs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		calls[i] = callsFor(f, shortest)
	}
	timings := make([]Timing, len(fs))
	runs := make([][]float64, len(fs)) // nanoseconds a call
	used := func(i int) float64 { return timings[i].Best * float64(calls[i]*len(runs[i])) }
	for start := time.Now(); len(fs) > 0 && time.Since(start) < budget || slices.ContainsFunc(runs, func(r []float64) bool { return len(r) < minRuns }); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := 0
		for i := range fs {
			if used(i) < used(next) {
				next = i
			}
		}
		wall, cpu := timeCalls(fs[next], calls[next])
		ns, cpuNS := float64(wall)/float64(calls[next]), float64(cpu)/float64(calls[next])
		t := &timings[next]
		if len(runs[next]) == 0 || ns < t.Best {
			t.Best, t.Cycles = ns, ns*frequency()/1e9
		}
		if len(runs[next]) == 0 || cpuNS < t.BestCPU {
			t.BestCPU = cpuNS
		}
		runs[next] = append(runs[next], ns)
	}
	for i, r := range runs {
		slices.Sort(r)
		timings[i].Median, timings[i].Runs = r[len(r)/2], len(r)
	}
	return timings, nil
}

// timeCalls calls f, and returns the time that passed and the CPU time that the
// process used meanwhile.
func timeCalls(f func(), calls int) (wall, cpu time.Duration) {
	startCPU := cpuTime()
	start := time.Now()
	for range calls {
		f()
	}
	wall = time.Since(start)
	return wall, cpuTime() - startCPU
}

// callsFor returns how often to call f in a run that takes so long at least.
func callsFor(f func(), shortest time.Duration) int {
	for n := 1; ; n *= 2 {
		if wall, _ := timeCalls(f, n); wall >= shortest {
			return n
		}
	}
}
