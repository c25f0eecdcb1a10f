package timing

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestInTurnGivesEachTheSameTime(t *testing.T) {
	timings, err := InTurn(t.Context(), []func(){
		func() { time.Sleep(time.Millisecond) },
		func() { time.Sleep(5 * time.Millisecond) },
	}, 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, timing := range timings {
		if timing.Runs < minRuns || timing.Best > timing.Median || (timing.Cycles > 0) != KnowsCycles {
			t.Errorf("function %d: %+v", i, timing)
		}
	}
	if fast, slow := timings[0], timings[1]; fast.Best < 1e6 || slow.Best < 5e6 || fast.Runs < 2*slow.Runs {
		t.Errorf("%+v and %+v for sleeps of 1 and 5 ms", fast, slow)
	}
}

func TestInTurnRunsEachWhateverTheBudget(t *testing.T) {
	timings, err := InTurn(t.Context(), []func(){func() {}, func() { time.Sleep(time.Millisecond) }}, time.Nanosecond)
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
	timings, err := InTurn(ctx, []func(){func() { time.Sleep(time.Millisecond); cancel() }}, time.Hour)
	if !errors.Is(err, context.Canceled) || timings != nil {
		t.Errorf("%v, %v", timings, err)
	}
}

func TestFrequency(t *testing.T) {
	if !KnowsCycles {
		t.Skip("cycles are not known on this architecture")
	}
	best := 0.0
	for range 100 {
		best = max(best, frequency())
	}
	if best < 0.2e9 || best > 10e9 {
		t.Errorf("a frequency of %.2f GHz", best/1e9)
	}
}
