package main

import (
	"slices"
	"time"
)

const (
	// minRun is how long a run takes at least: an impl is called so often.
	minRun = 200 * time.Microsecond
	// minRuns is how often each impl runs at least, whatever the budget.
	minRuns = 3
)

// A timing tells how long one call took, in nanoseconds.
type timing struct {
	// Best is the fastest run's: what disturbs a run only ever makes it slower.
	Best float64 `json:"best_ns"`
	// Median is what half of the runs stayed below.
	Median float64 `json:"median_ns"`
	Runs   int     `json:"runs"`
}

// measure runs the functions in turn until the budget is used up. Next is
// always the one that has had the least time yet, so that what other programs do
// to the machine meanwhile hits all of them alike, and a slow one does not
// starve the rest. A run counts for as much time as the fastest: one that was
// disturbed is no reason to run its function less.
func measure(fs []func(), budget time.Duration) []timing {
	calls := make([]int, len(fs))
	for i, f := range fs {
		calls[i] = callsPerRun(f)
	}
	best := make([]time.Duration, len(fs))
	runs := make([][]float64, len(fs))
	used := func(i int) time.Duration { return best[i] * time.Duration(len(runs[i])) }
	for start := time.Now(); time.Since(start) < budget || slices.ContainsFunc(runs, func(r []float64) bool { return len(r) < minRuns }); {
		next := 0
		for i := range fs {
			if used(i) < used(next) {
				next = i
			}
		}
		d := timeCalls(fs[next], calls[next])
		if len(runs[next]) == 0 || d < best[next] {
			best[next] = d
		}
		runs[next] = append(runs[next], float64(d)/float64(calls[next]))
	}
	timings := make([]timing, len(fs))
	for i, r := range runs {
		slices.Sort(r)
		timings[i] = timing{Best: r[0], Median: r[len(r)/2], Runs: len(r)}
	}
	return timings
}

func timeCalls(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// callsPerRun returns how often to call f in a run.
func callsPerRun(f func()) int {
	for n := 1; ; n *= 2 {
		if timeCalls(f, n) >= minRun {
			return n
		}
	}
}
