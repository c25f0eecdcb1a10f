package stamp

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A file is read when its times are 20 ms old, or, where they are whole seconds, one or
// two seconds more: later changes have other times then. Old files, and times of another
// clock, keep nobody waiting.
func TestUnsettled(t *testing.T) {
	const ms = time.Millisecond
	now := time.Unix(1_700_000_001, 500e6)
	old := -time.Hour
	for _, test := range []struct {
		name              string
		modified, changed time.Duration // beside now
		want              time.Duration
	}{
		{"old", old - 1, old - 1, 0},
		{"modified and changed now", 0, 0, 20 * ms},
		{"modified now, as a cached inode can be", 0, old - 1, 20 * ms},
		{"changed now, with its time set back", old, 0, 20 * ms},
		{"the later of two counts", -15 * ms, -5 * ms, 15 * ms},
		{"the later of two, the other way", -5 * ms, -15 * ms, 15 * ms},
		{"a nanosecond left", -20*ms + 1, -20*ms + 1, 1},
		{"just old enough", -20 * ms, -20 * ms, 0},
		{"ahead within what clocks differ", 20 * ms, 20 * ms, 40 * ms},
		{"ahead by more", 20*ms + 1, 20*ms + 1, 0},
		{"ahead and just changed", time.Hour + 1, -5 * ms, 15 * ms},
		{"an odd whole second", -500 * ms, -500 * ms, 520 * ms},
		{"an odd whole second that is past", -1500 * ms, -1500 * ms, 520 * ms}, // an even one: of FAT, perhaps
		{"an even whole second that is past", -3500 * ms, -3500 * ms, 0},
		{"a whole second of utime alone", -500 * ms, -30 * ms, 0},
		{"a whole second of utime long ago", -4500 * ms, -10 * ms, 10 * ms},
		{"whole seconds of two kinds", -500 * ms, -1500 * ms, 520 * ms},
	} {
		s := Stamp{Modified: now.Add(test.modified).UnixNano(), Changed: now.Add(test.changed).UnixNano()}
		if got := s.Unsettled(now); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// What is written behind Settle gets a later time than what was written before.
func TestSettleWaitsForTheNextTick(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	modified := func() int64 {
		if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime().UnixNano()
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 5 {
		s := Stamp{Modified: modified()}
		s.Changed = s.Modified
		if err := s.Settle(t.Context(), f.Fd(), 0); err != nil {
			t.Fatal(err)
		}
		if now := modified(); now <= s.Modified {
			t.Errorf("a file that is written to now has the time %d, and had %d before", now, s.Modified)
		}
	}
}

// Settle takes as long as Unsettled says. A context ends it, with its cause.
func TestSettleEndsWithItsContext(t *testing.T) {
	f, err := os.Open("stamp_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd := f.Fd()
	cause := errors.New("a cause")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(time.Millisecond)
		time.Sleep(2 * time.Millisecond)
		s := Stamp{Modified: start.UnixNano(), Changed: start.UnixNano()}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Millisecond, cause)
		defer cancel()
		if err := s.Settle(ctx, fd, 0); err != cause || time.Since(start) != 6*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if err := s.Settle(t.Context(), fd, 0); err != nil || time.Since(start) != settled {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if err := s.Settle(ctx, fd, 0); err != nil || time.Since(start) != settled {
			t.Errorf("settled, but %v after %v", err, time.Since(start))
		}
	})
}

// A file that was changed so long ago that no write can be under way is not touched: Settle
// would move it to an offset that is not its own.
func TestSettleLeavesOldFilesAlone(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("some"); err != nil {
		t.Fatal(err)
	}
	fd := f.Fd()
	synctest.Test(t, func(t *testing.T) { // its clock stands still
		now := time.Now()
		for _, test := range []struct {
			modified, changed time.Duration // ago
			settled           bool
		}{
			{longWrite, longWrite, true},
			{time.Hour, longWrite, true},
			{longWrite, time.Hour, true},
			{longWrite - 1, longWrite, false},
			{longWrite, longWrite - 1, false},
		} {
			s := Stamp{Modified: now.Add(-test.modified).UnixNano(), Changed: now.Add(-test.changed).UnixNano()}
			if s.IsSettled(now) != test.settled {
				t.Errorf("modified %v and changed %v ago: IsSettled is %v", test.modified, test.changed, !test.settled)
			}
			if _, err := f.Seek(1, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(t.Context(), fd, 2); err != nil { // the offset is 1
				t.Fatal(err)
			}
			if at, err := f.Seek(0, io.SeekCurrent); err != nil || test.settled && at != 1 {
				t.Errorf("modified %v and changed %v ago: Settle has moved the file to %d, %v", test.modified, test.changed, at, err)
			}
		}
		if !now.Equal(time.Now()) {
			t.Error("Settle has waited")
		}
	})
}

// The offset of a file stays, also in a hole and behind the end.
func TestSettleKeepsTheOffset(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("x"), 1<<20); err != nil {
		t.Fatal(err)
	}
	recent := time.Now().Add(-time.Second).UnixNano()
	for _, at := range []int64{0, 1, 1 << 20, 1<<20 + 1, 1 << 21} {
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		err := Stamp{Modified: recent, Changed: recent}.Settle(t.Context(), f.Fd(), at)
		if now, seekErr := f.Seek(0, io.SeekCurrent); err != nil || seekErr != nil || now != at {
			t.Errorf("at %d, not %d: %v, %v", now, at, err, seekErr)
		}
	}
}
