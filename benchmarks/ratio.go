// Package benchmarks measures this library beside its peers in one process.
//
// Machines share their cores: from one run to the next the same code may take
// half as long again. So beside the usual figures of go test -bench, a
// benchmark reports how many times as fast as its peer it was, by runs of both
// in turn.
package benchmarks

import "time"

const (
	// A run takes at least as long, and each side runs so often, unless that
	// would take too long altogether. The fastest run counts: what disturbs a
	// run only ever makes it slower.
	runTime  = 200 * time.Microsecond
	mostRuns = 200
	fewRuns  = 10
	allTime  = 2 * time.Second
)

// Ratio returns how many times as fast as peer f is.
func Ratio(f, peer func()) float64 {
	fTimes, peerTimes := repetitions(f), repetitions(peer)
	best, peerBest := float64(time.Hour), float64(time.Hour)
	start := time.Now()
	for i := 0; i < fewRuns || i < mostRuns && time.Since(start) < allTime; i++ {
		best = min(best, run(f, fTimes))
		peerBest = min(peerBest, run(peer, peerTimes))
	}
	return peerBest / best
}

// run returns the nanoseconds that f takes, on average over some calls.
func run(f func(), times int) float64 {
	start := time.Now()
	for range times {
		f()
	}
	return float64(time.Since(start)) / float64(times)
}

// repetitions returns how often to call f for a run.
func repetitions(f func()) int {
	for n := 1; ; n *= 2 {
		if run(f, n)*float64(n) >= float64(runTime) {
			return n
		}
	}
}
