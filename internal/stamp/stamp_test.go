package stamp

import (
	"testing"
	"time"
)

// What is written behind Settle gets a later time than what was written before.
func TestSettleWaitsForTheNextTick(t *testing.T) {
	for range 5 {
		s := Stamp{Changed: time.Now().UnixNano()}
		s.Settle()
		if now := fileClock(); now <= s.Changed {
			t.Errorf("a file that is written to now has the time %d, and had %d before", now, s.Changed)
		}
	}
}

// Where times are whole seconds, or as on FAT even ones, that takes longer.
func TestSettleWaitsForTheNextSecond(t *testing.T) {
	t.Parallel()
	s := Stamp{Changed: time.Now().Truncate(time.Second).UnixNano()}
	s.Settle()
	if now := time.Duration(fileClock() - s.Changed); now < 2*time.Second {
		t.Errorf("a file that is written to now, %v later, may keep its time", now)
	}
}

// A file of long ago, or of another clock's future, keeps nobody waiting.
func TestSettleWaitsForItsOwnClockAlone(t *testing.T) {
	start := time.Now()
	for _, ago := range []time.Duration{time.Hour, -time.Hour} {
		Stamp{Changed: start.Add(-ago).UnixNano()}.Settle()
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}
