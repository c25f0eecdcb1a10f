package timing

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// busy returns a function that takes d.
func busy(d time.Duration) func() {
	return func() {
		for start := time.Now(); time.Since(start) < d; {
		}
	}
}

// On a busy machine a function may lose the CPU for most of the budget, so one of ten
// tries is enough.
func TestInTurnGivesEachTheSameTime(t *testing.T) {
	var wrong []string
	for range 10 {
		wrong = nil
		var calls [2]int
		fast, slow := busy(time.Millisecond), busy(5*time.Millisecond)
		timings, err := InTurn(t.Context(), []func(){
			func() { calls[0]++; fast() },
			func() { calls[1]++; slow() },
		}, 200*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		for i, timing := range timings {
			if timing.Runs < minRuns || timing.Best > timing.Median || (timing.Cycles > 0) != KnowsCycles {
				wrong = append(wrong, fmt.Sprintf("function %d: %+v", i, timing))
			}
			if runtime.GOOS == "linux" && (timing.BestCPU <= 0 || timing.BestCPU > 1.5*timing.Median) {
				wrong = append(wrong, fmt.Sprintf("function %d, which never waits: %.0f ns of a CPU in %.0f", i, timing.BestCPU, timing.Median))
			}
		}
		if timings[0].Best < 0.9e6 || timings[1].Best < 4.5e6 || calls[0] < 2*calls[1] {
			wrong = append(wrong, fmt.Sprintf("%+v in %d calls for 1 and 5 ms", timings, calls))
		}
		if wrong == nil {
			return
		}
	}
	t.Error(strings.Join(wrong, "\n"))
}

func TestCPUTimeLeavesOutWaiting(t *testing.T) {
	if cpuTime() == 0 {
		t.Skip("CPU time is not known on this system")
	}
	timings, err := InTurn(t.Context(), []func(){func() { time.Sleep(5 * time.Millisecond) }}, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	if timings[0].BestCPU > 2.5e6 || timings[0].Best < 5e6 {
		t.Errorf("%+v for a sleep of 5 ms", timings[0])
	}
}

func TestInTurnRunsEachWhateverTheBudget(t *testing.T) {
	timings, err := InTurn(t.Context(), []func(){func() {}, busy(time.Millisecond)}, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, timing := range timings {
		if timing.Runs < minRuns {
			t.Errorf("function %d ran %d times", i, timing.Runs)
		}
	}
}

func TestInTurnEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	timings, err := InTurn(ctx, []func(){busy(time.Millisecond), cancel}, time.Hour)
	if !errors.Is(err, context.Canceled) || timings != nil {
		t.Errorf("%v, %v", timings, err)
	}
}

func TestFrequency(t *testing.T) {
	if !KnowsCycles {
		t.Skip("cycles are not known on this system")
	}
	best := 0.0
	for range 100 {
		best = max(best, frequency())
	}
	if best < 0.2e9 || best > 10e9 {
		t.Errorf("a frequency of %.2f GHz", best/1e9)
	}
}
