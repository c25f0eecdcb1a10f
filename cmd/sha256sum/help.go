package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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

The following five options are useful only when verifying checksums:
      --ignore-missing  don't fail or report status for missing files
      --quiet           don't print OK for each successfully verified file
      --status          don't output anything, status code shows success
      --strict          exit non-zero for improperly formatted checksum lines
  -w, --warn            warn about improperly formatted checksum lines

The following options are not those of GNU coreutils:
  -r, --recursive       hash the files under each FILE that is a directory (the
                          current one if there is no FILE), sorted by their
                          whole names; links inside are not followed, devices,
                          sockets and named pipes inside are skipped
      --exclude=GLOB    with -r, leave out files and directories that match; a
                          GLOB without a slash is matched with their names, one
                          with a slash, but for one at its end, with their
                          paths below FILE, where ** stands for any number of
                          directories
      --files0-from=F   hash the files whose names, each ended by NUL, stand in
                          the file F; if F is -, read names from standard input
  -j, --jobs=N          hash on N processors at once (default: all; at most 64)
      --json            print one JSON object a line for each file: its name
                          and digest and size, or error; with -c, ok as well;
                          name_bytes (base64) if the name is not UTF-8
      --part-size=SIZE  print the composite checksum that S3 gives to an upload
                          in parts of SIZE (such as 8MiB) as well, in a comment
      --output=FILE     write to FILE, which stays as it was until all is done
      --progress=WHEN   show a progress bar on standard error: auto (default;
                          on a terminal, after a second), always, or never
      --generate-completion=SHELL
                        print a completion script for bash, zsh or fish

      --help            display this help and exit
      --version         output version information and exit

The sums are computed as described in FIPS 180-4. When checking, the input
should be a former output of this program or of its like; the formats of BSD
are read too. The default mode is to print a line with: checksum, a space, a
character indicating input mode ('*' for binary, ' ' for text or where binary
is insignificant), and name for each FILE. There is no difference between
binary mode and text mode.

Exit status: 0 if all went well; 1 if a file could not be read, changed as it
was read, or is not as its list says, or the output could not be written; 129,
130 or 143 if hung up on, interrupted or terminated, when what was done is
printed.

Examples:
  sha256sum -r --output SHA256SUMS .        list a tree, but for SHA256SUMS
  sha256sum -c --quiet SHA256SUMS           check it
  find . -newer then -type f -print0 | sha256sum --files0-from=-
  sha256sum -r --exclude .git --exclude 'build/**/*.o' src
  sha256sum --part-size=8MiB disk.img       compare with S3's checksum
  source <(sha256sum --generate-completion=bash)
`

func versionText() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	info := sha256.Selected()
	return fmt.Sprintf(`sha256sum (sha256-simd) %s
%s/%s, one stream: %s, many: %s, %d side by side
License Apache-2.0 <https://www.apache.org/licenses/LICENSE-2.0>.
`, version, runtime.GOOS, runtime.GOARCH, info.Single, info.Many, info.Lanes)
}
