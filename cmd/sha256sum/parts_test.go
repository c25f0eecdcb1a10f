package main

import "testing"

// What S3 refuses is said by numbers alone, of files of any size.
func TestRefusal(t *testing.T) {
	const mib, tib = 1 << 20, 1 << 40
	for _, test := range []struct {
		name           string
		size, partSize int64
		want           string
	}{
		{"nothing", 0, 1 << 10, ""},
		{"one short part", 1 << 10, 1 << 10, ""},
		{"two short parts", 1<<10 + 1, 1 << 10, "parts of 1024 bytes: S3 takes at least 5242880, but for the last part"},
		{"10,000 parts", 80_000 * mib, 8 * mib, ""},
		{"10,001 parts", 80_000*mib + 1, 8 * mib, "10001 parts of 8388608 bytes: S3 takes at most 10000 parts"},
		{"more parts than digests fit into memory", 5 * tib, 1 << 20, "5242880 parts of 1048576 bytes: S3 takes at most 10000 parts"},
		{"one huge part", 1 * tib, 1 * tib, "parts of 1099511627776 bytes: S3 takes at most 5368709120"},
	} {
		if got := refusal(test.size, test.partSize); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
