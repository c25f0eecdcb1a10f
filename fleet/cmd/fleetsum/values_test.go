package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Values without a meaning are refused. An empty one is a variable of a script that was not
// set: without it a run would have no journal, or no limit.
func TestValues(t *testing.T) {
	const empty = "it is empty"
	for _, tt := range []struct {
		command, option, value string
		want                   string // "" if it is taken
	}{
		{"worker", "journal", "", empty},
		{"worker", "journal", "run", ""},
		{"worker", "base", "", empty},
		{"worker", "format", "", empty},
		{"worker", "schema", "", empty},
		{"worker", "part-size", "", empty},
		{"worker", "bytes-per-second", "", empty},
		{"worker", "progress", "", empty},
		{"split", "journal", "", empty},
		{"split", "since", "", empty},
		{"write", "output", "", empty},
		{"write", "output", "-", "./- is a file of this name; without the option, standard output is written"},
		{"write", "output", "./-", ""},
		{"worker", "readers", "0", "a number from 1 to 4096 is needed"},
		{"worker", "readers", "1", ""},
		{"worker", "readers", "4096", ""},
		{"worker", "readers", "4097", "a number from 1 to 4096 is needed"},
		{"worker", "readers", "99999999", "a number from 1 to 4096 is needed"},
		{"worker", "readers", "x", "a number from 1 to 4096 is needed"},
		{"split", "shards", "0", "a number from 1 to 100000 is needed"},
		{"split", "shards", "100000", ""},
		{"split", "shards", "100001", "a number from 1 to 100000 is needed"},
		{"worker", "max-failures", "-1", "a number from 0 on is needed"},
		{"worker", "max-failures", "0", ""},
		{"worker", "max-missing", "-1", "a number from 0 on is needed"},
		{"worker", "max-missing", "0", ""},
		{"worker", "max-missing", "99999999999999999999", fmt.Sprintf("a number from 0 to %d is needed", math.MaxInt)},
		{"report", "lines", "9223372036854775808", "a number from 0 to 9223372036854775807 is needed"},
		{"list", "retries", "-5", "a number from 0 on is needed"},
		{"list", "retries", "0", ""},
		{"list", "stall", "-1s", "a time such as 90s or 2m is needed"},
		{"list", "stall", "0", "a time such as 90s or 2m is needed"},
		{"list", "stall", "5", "a time such as 90s or 2m is needed"},
		{"list", "stall", "1ms", ""},
		{"write", "progress-every", "0s", "a time such as 90s or 2m is needed"},
		{"write", "requests-per-second", "-1", "a number from 0 on is needed"},
		{"write", "requests-per-second", "NaN", "a number from 0 on is needed"},
		{"write", "requests-per-second", "Inf", "a number from 0 on is needed"},
		{"write", "requests-per-second", "0.5", ""},
		{"write", "requests-per-second", "0", ""},
		{"report", "lines", "-1", "a number from 0 on is needed"},
		{"report", "lines", "0", ""},
	} {
		_, _, err := parseArguments([]string{tt.command, "--" + tt.option, tt.value})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), `" flag: `+tt.want)) {
			t.Errorf("%s --%s %q: got %v, want %q", tt.command, tt.option, tt.value, err, tt.want)
		}
	}
}
