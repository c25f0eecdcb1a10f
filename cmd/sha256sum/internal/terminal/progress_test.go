package terminal

import (
	"strings"
	"testing"
	"time"
)

// work is as far as its numbers say.
type work struct {
	bytes, total int64
	known        bool
}

func (w work) Counts() (bytes, files, total int64, known bool) { return w.bytes, 3, w.total, w.known }

// The line has a bar once it is known how much there is, and none when files turn
// out to be longer.
func TestText(t *testing.T) {
	for _, test := range []struct {
		name     string
		work     work
		has, not string
	}{
		{"half", work{512, 1024, true}, " 50.0%", "files"},
		{"all", work{1024, 1024, true}, " 100.0%", "files"},
		{"nothing to do", work{0, 0, true}, " 100.0%", "files"},
		{"more than all", work{1025, 1024, true}, "3 files", "%"},
		{"not known yet", work{512, 1024, false}, "3 files", "%"},
	} {
		p := &Progress{work: test.work, start: time.Now().Add(-time.Second)}
		if text := p.text(120); !strings.Contains(text, test.has) || strings.Contains(text, test.not) {
			t.Errorf("%s: %q, want %q and no %q", test.name, text, test.has, test.not)
		}
	}
}

// An hour is the first time that has hours.
func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                 "0:00",
		59*time.Second + 400e6:            "0:59",
		59*time.Second + 600e6:            "1:00",
		time.Hour - time.Second:           "59:59",
		time.Hour:                         "1:00:00",
		time.Hour + time.Second:           "1:00:01",
		25*time.Hour + 61*time.Second + 1: "25:01:01",
	} {
		if got := clock(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
