package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// What nobody asks for otherwise goes on after failures, and ends at a store that is
// down or not mounted.
func TestDefaults(t *testing.T) {
	for _, name := range []string{"worker", "write"} {
		_, o, err := parseArguments([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if o.readers != 64 || o.failures != 100 || o.missing != 1000 || o.rate != "" || o.store.RequestsPerSecond != 0 ||
			o.store.Retries != 8 || o.store.Stall != time.Minute || o.progress != "auto" || o.input.Format != "auto" {
			t.Errorf("%s: %+v", name, o)
		}
	}
	_, o, err := parseArguments([]string{"split"})
	if err != nil {
		t.Fatal(err)
	}
	if o.shards != 16 || o.noDigests || o.replace || o.store.Retries != 8 {
		t.Errorf("split: %+v", o)
	}
	if _, o, err = parseArguments([]string{"report"}); err != nil || o.lines != -1 {
		t.Errorf("report: %+v, %v", o, err)
	}
}

// What many tools call 8MB are 8 MiB. A part of 8,000,000 bytes is said in bytes.
func TestPartSize(t *testing.T) {
	for text, want := range map[string]int64{"8MiB": 8 << 20, "8 mib": 8 << 20, "1Gi": 1 << 30, "8000000": 8_000_000, "8000000B": 8_000_000} {
		r, err := (&options{readers: 1, partSize: text, progress: "never"}).startReading(io.Discard)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if r.checker.PartSize != want {
			t.Errorf("%s: got %d, want %d", text, r.checker.PartSize, want)
		}
		r.close()
	}
	for text, want := range map[string]string{
		"8MB":    `"8MB" would be 8000000 bytes: say "8MiB", or give the number of bytes`,
		"8M":     `"8M" would be 8000000 bytes: say "8MiB", or give the number of bytes`,
		"1.5 gb": `"1.5 gb" would be 1500000000 bytes: say "1.5 GiB", or give the number of bytes`,
		"0":      "not a size",
		"x":      "not a size",
	} {
		if _, err := (&options{readers: 1, partSize: text, progress: "never"}).startReading(io.Discard); err == nil || !strings.Contains(err.Error(), "--part-size: "+want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// The command line overrules the environment.
func TestStoresOfTheCommandLine(t *testing.T) {
	server := storetest.New(t)
	server.Put("k", nil)
	t.Setenv("FLEETSUM_STORE", "s3://?use_path_style=true&anonymous=true&region=us-east-1&endpoint=http://127.0.0.1:1")
	_, o, err := parseArguments([]string{"worker", "--retries", "0", "--store", server.Params()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.open()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	object, err := s.Open(t.Context(), server.Name("k"), "")
	if err != nil {
		t.Fatal(err)
	}
	object.Close()
}
