package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/sha256-simd/sha256-simd"
)

// information returns what --help and the like print.
func information(what informationError) string {
	switch what {
	case "bash":
		return bashCompletion()
	case "zsh":
		return zshCompletion()
	case "fish":
		return fishCompletion()
	case "version":
		return versionText()
	}
	return helpText()
}

// helpText is what --help prints.
func helpText() string {
	var b strings.Builder
	b.WriteString(helpHead)
	for group, title := range []string{
		checkOption:  "\nThe following five options are useful only when verifying checksums:\n",
		beyondOption: "\nGNU coreutils does not have the following options:\n",
		infoOption:   "\n",
	} {
		b.WriteString(title)
		for _, p := range table {
			if p.group == optionGroup(group) {
				p.appendHelp(&b)
			}
		}
	}
	b.WriteString(helpTail)
	return b.String()
}

// appendHelp appends an option and its line.
func (p *option) appendHelp(b *strings.Builder) {
	const indent = 24
	line := "      "
	if p.short != 0 {
		line = "  -" + string(p.short) + ", "
	}
	line += "--" + p.long
	if p.argument != "" {
		line += "=" + p.argument
	}
	if len(line) > indent-1 {
		b.WriteString(line + "\n")
		line = ""
	}
	fmt.Fprintf(b, "%-*s %s\n", indent, line, p.help)
}

const helpHead = `Usage: sha256sum [OPTION]... [FILE]...
Print or check SHA256 (256-bit) checksums.

With no FILE, or when FILE is -, read standard input.
`

const helpTail = `
The sums are computed as described in FIPS 180-4. When checking, the input
should be a former output of this program or a similar one; the formats of BSD,
OpenSSL, hashdeep, BagIt, PowerShell and certutil are read too. The default mode
is to print a line with: checksum, a space, a character indicating input mode
('*' for binary, ' ' for text or where binary is insignificant), and name for
each FILE. There is no difference between binary mode and text mode. The manual
page has the details of the options.

Exit status: 0 if all went well; 1 if a file could not be read, changed as it
was read, is missing or differs from its list, if a list was refused or the
output could not be written, if a bag is not valid, or if an option is wrong or
contradicts another. An audit (-c -r) without such problems exits with 2 if a
file is not listed, else with 3 if a file has moved. An audit or --update exits
with 4 if a file is damaged, whatever else there is. After SIGHUP, SIGINT or
SIGTERM the program prints the results that it has, and ends by the signal.

Examples:
  sha256sum -r --output SHA256SUMS .        list a tree, except SHA256SUMS
  sha256sum -c --quiet SHA256SUMS           check it
  sha256sum -c -r --quiet SHA256SUMS .      and find what is not in the list
  sha256sum -r --update SHA256SUMS .        list it again, hash what has changed
  find . -newer SHA256SUMS -type f -print0 | sha256sum --files0-from=-
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
