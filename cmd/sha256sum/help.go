package main

import (
	"fmt"

	"github.com/sha256-simd/sha256-simd"
)

const helpText = `Usage: sha256sum [OPTION]... [FILE]...
Print or check SHA256 (256-bit) checksums.

With no FILE, or when FILE is -, read standard input.
  -b, --binary          read in binary mode
  -c, --check           read checksums from the FILEs and check them
      --tag             create a BSD-style checksum
  -t, --text            read in text mode (default)
  -z, --zero            end each output line with NUL, not newline,
                          and disable file name escaping
  -r, --recursive       hash the files under each directory, sorted by name;
                          links are not followed

The following five options are useful only when verifying checksums:
      --ignore-missing  don't fail or report status for missing files
      --quiet           don't print OK for each successfully verified file
      --status          don't output anything, status code shows success
      --strict          exit non-zero for improperly formatted checksum lines
  -w, --warn            warn about improperly formatted checksum lines

      --help        display this help and exit
      --version     output version information and exit
`

func versionText() string {
	info := sha256.Selected()
	return fmt.Sprintf("sha256sum (sha256-simd)\none stream: %s\nmany: %s, %d side by side\n", info.Single, info.Many, info.Lanes)
}
