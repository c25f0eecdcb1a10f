package composite_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/composite"
)

func TestCheckS3(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, tt := range []struct {
		name           string
		parts          int
		size, partSize int64
		want           string
	}{
		{"nothing", 1, 0, 8 * mib, ""},
		{"nothing, in short parts", 1, 0, 1, ""},
		{"one short part", 1, 3, 3, ""},
		{"one part of 5 GiB", 1, 5 * gib, 5 * gib, ""},
		{"one part of more", 1, 5*gib + 1, 6 * gib, "parts of 5368709121 bytes: S3 takes at most 5368709120"},
		{"less than a huge part", 1, 5 * gib, 6 * gib, ""},
		{"two parts", 2, 5*mib + 1, 5 * mib, ""},
		{"two short parts", 2, 5 * mib, 5*mib - 1, "parts of 5242879 bytes: S3 takes at least 5242880"},
		{"two huge parts", 2, 6 * gib, 5*gib + 1, "parts of 5368709121 bytes: S3 takes at most 5368709120"},
		{"10,000 parts", 10_000, 50_000 * mib, 5 * mib, ""},
		{"10,001 parts", 10_001, 50_000*mib + 1, 5 * mib, "10001 parts of 5242880 bytes: S3 takes at most 10000 parts"},
		{"10,001 parts, without their digests", 0, 50_000*mib + 1, 5 * mib, "10001 parts of 5242880 bytes: S3 takes at most 10000 parts"},
		{"more parts than Sum takes", 0, 1 << 40, 1, "1099511627776 parts of 1 bytes: S3 takes at most 10000 parts"},
		{"a digest too few", 1, 6 * mib, 5 * mib, "1 digests, but 6291456 bytes in parts of 5242880 are 2 parts"},
		{"an empty object without its part", 0, 0, 5 * mib, ""},
		{"no digest", 0, 1, 5 * mib, "0 digests, but 1 bytes in parts of 5242880 are 1 parts"},
		{"a size below 0", 1, -1, 5 * mib, "negative size -1"},
		{"no part size", 1, 1, 0, "part size 0; expected at least 1"},
	} {
		err := composite.Checksum{Parts: make([][32]byte, tt.parts), Size: tt.size, PartSize: tt.partSize}.CheckS3()
		if err == nil {
			err = errors.New("")
		}
		if got := err.Error(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func ExampleChecksum_CheckS3() {
	c := composite.Checksum{Parts: make([][32]byte, 3), Size: 3 << 20, PartSize: 1 << 20}
	fmt.Println(c.CheckS3())
	// Output: composite: parts of 1048576 bytes: S3 takes at least 5242880, but for the last part
}
