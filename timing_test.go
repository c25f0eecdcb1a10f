package sha256_test

import (
	"hash"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	sha256 "github.com/sha256-simd/sha256-simd"
)

// BenchmarkTimingOfContents looks for times that depend on what is hashed, as
// dudect does (Reparaz, Balasch and Verbauwhede, 2017): it times calls with zeros
// and with random bytes in random order, leaves out the slowest twentieth, and
// reports Welch's t of the two groups. Beyond 4.5, and growing with the number of
// calls, it shows a difference; the last of them, there as a control, has one. Run it with
// -benchtime=1000000x on a machine that does nothing else.
func BenchmarkTimingOfContents(b *testing.B) {
	const lanes = 32
	var sums [lanes][sha256.Size]byte
	msgs, hs := make([][]byte, lanes), make([]hash.Hash, lanes)
	for i := range hs {
		hs[i] = sha256.New()
	}
	split := func(p []byte) [][]byte {
		for i := range msgs {
			msgs[i] = p[i*len(p)/lanes : (i+1)*len(p)/lanes]
		}
		return msgs
	}
	zeros := make([]byte, 8<<10)
	for _, bb := range []struct {
		name   string
		length int
		f      func(p []byte)
	}{
		{"Sum256 of a block", 55, func(p []byte) { sha256.Sum256(p) }},
		{"Sum256", 1000, func(p []byte) { sha256.Sum256(p) }},
		{"Write", 1000, func(p []byte) { hs[0].Write(p) }},
		{"SumMany", 4000, func(p []byte) { sha256.SumMany(sums[:], split(p)) }},
		{"WriteHashes", 4000, func(p []byte) { sha256.WriteHashes(hs, split(p)) }},
		{"comparing with zeros byte by byte", 1000, func(p []byte) {
			for i, c := range p {
				if c != zeros[i] {
					break
				}
			}
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := rand.New(rand.NewChaCha8([32]byte{7}))
			var inputs [512][]byte
			var random [len(inputs)]bool
			memory := make([]byte, len(inputs)*bb.length)
			for i := range inputs {
				inputs[i] = memory[i*bb.length:][:bb.length]
			}
			times := make([]float64, b.N)
			groups := make([]bool, b.N)
			b.ResetTimer()
			for n := range b.N {
				i := n % len(inputs)
				if i == 0 {
					b.StopTimer()
					for i, p := range inputs {
						// Written the same way, both are in the same caches.
						mask := byte(-r.IntN(2))
						random[i] = mask != 0
						for j := range p {
							p[j] = byte(r.Uint32()) & mask
						}
					}
					b.StartTimer()
				}
				start := time.Now()
				bb.f(inputs[i])
				times[n], groups[n] = float64(time.Since(start)), random[i]
			}
			b.StopTimer()
			b.ReportMetric(welch(times, groups), "t")
		})
	}
}

// welch returns the absolute value of Welch's t of two groups of times, without
// the slowest twentieth of all. It is 0 for less than two of each.
func welch(times []float64, group []bool) float64 {
	sorted := slices.Sorted(slices.Values(times))
	limit := sorted[(len(sorted)-1)*19/20]
	var n, mean, squares [2]float64 // squares of what is off the mean
	for i, x := range times {
		g := 0
		if group[i] {
			g = 1
		}
		if x <= limit {
			n[g]++
			off := x - mean[g]
			mean[g] += off / n[g]
			squares[g] += off * (x - mean[g])
		}
	}
	if n[0] < 2 || n[1] < 2 {
		return 0
	}
	variance := squares[0]/(n[0]-1)/n[0] + squares[1]/(n[1]-1)/n[1]
	if variance == 0 {
		return 0
	}
	return math.Abs(mean[0]-mean[1]) / math.Sqrt(variance)
}
