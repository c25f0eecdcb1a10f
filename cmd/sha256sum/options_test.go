package main

import (
	"slices"
	"strings"
	"testing"
)

// What has no meaning together is refused, and nothing else is. Each rule is broken here.
func TestRules(t *testing.T) {
	broken := make(map[string]bool)
	for _, test := range []struct{ args, want string }{
		{"--tag --text", "--tag does not support --text mode"},
		{"--json --tag", "the --tag and --zero options are meaningless with --json"},
		{"--json --zero", "the --tag and --zero options are meaningless with --json"},
		{"--bag=b -c", "the --bag option says all that is to be done"},
		{"--bag=b -r", "the --bag option says all that is to be done"},
		{"--bag=b --files0-from=f", "the --bag option says all that is to be done"},
		{"--bag=b --base=", "the --bag option says all that is to be done"},
		{"--bag=b --part-size=1K", "the --bag option says all that is to be done"},
		{"--bag=b --ignore-missing", "the --bag option says all that is to be done"},
		{"--bag=b --zero", "the --bag option says all that is to be done"},
		{"--bag=b --one-file-system", "the --bag option says all that is to be done"},
		{"--bag=b --exclude=x", "the --bag option says all that is to be done"},
		{"--bag=b --links=name", "the --bag option says all that is to be done"},
		{"--update=l", "the --update option is meaningful only with --recursive"},
		{"-r --update=l --output=o", "the --output and --update options exclude each other"},
		{"-r --update=l --part-size=1K", "the --part-size option is meaningless with --update"},
		{"-r --update=l --files0-from=f", "the --files0-from option is meaningless with --update"},
		{"--fast", "the --fast option is meaningful only with --bag"},
		{"-r --all", "the --all option is meaningful only with --update"},
		{"-r --no-inode", "the --no-inode option is meaningful only with --update"},
		{"-r --verbose", "the --verbose option is meaningful only with --update"},
		{"-r --allow-loss", "the --allow-loss option is meaningful only with --output or --update"},
		{"-c --allow-loss --output=o l", "the --allow-loss option is meaningful only with --output or --update"},
		{"--bag=b --allow-loss --output=o", "the --allow-loss option is meaningful only with --output or --update"},
		{"--one-file-system", "the --one-file-system option is meaningful only with --recursive"},
		{"-c --tag", "the --tag option is meaningless when verifying checksums"},
		{"--bag=b --tag", "the --tag option is meaningless when verifying checksums"},
		{"-cb", "the --binary and --text options are meaningless when verifying checksums"},
		{"-ct", "the --binary and --text options are meaningless when verifying checksums"},
		{"--bag=b -t", "the --binary and --text options are meaningless when verifying checksums"},
		{"-c --files0-from=f", "the --files0-from option is meaningless when verifying checksums"},
		{"-c --part-size=1K", "the --part-size option is meaningless when verifying checksums"},
		{"-cr --update=l l", "the --update option is meaningless when verifying checksums"},
		{"-cr", "--check and --recursive need the name of a list"},
		{"-cr -", "--check and --recursive need the name of a list"},
		{"--base=", "--base= is meaningful only when verifying checksums"},
		{"--ignore-missing", "the --ignore-missing option is meaningful only when verifying checksums"},
		{"--status", "the --status option is meaningful only when verifying checksums"},
		{"--warn", "the --warn option is meaningful only when verifying checksums"},
		{"--quiet", "the --quiet option is meaningful only when verifying checksums"},
		{"--strict", "the --strict option is meaningful only when verifying checksums"},
		// Of several, one is reported.
		{"--quiet --strict --warn", "the --warn option is meaningful only when verifying checksums"},
		{"--strict --ignore-missing", "the --ignore-missing option is meaningful only when verifying checksums"},
		{"-c --tag -t", "--tag does not support --text mode"},
		// What follows is allowed.
		{"--text --tag", ""},
		{"--tag --zero", ""},
		{"-c --json --zero", ""},
		{"-c --base= l", ""},
		{"--base=b", ""},
		{"-cr l", ""},
		{"-cr l -", ""},
		{"-c -", ""},
		{"-c --ignore-missing --strict --warn l", ""},
		{"--bag=b --strict --quiet --json --fast", ""},
		{"--bag=b --output=o", ""},
		{"-r --update=l --all --no-inode -v --allow-loss --json", ""},
		{"-r --update=l --base=b --links=name --one-file-system --exclude=x x", ""},
		{"--allow-loss --output=o x", ""},
		{"--files0-from=f --part-size=1K --zero", ""},
		{"--links=name x", ""},
	} {
		_, err := parseOptions(strings.Fields(test.args))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, not %q", test.args, got, test.want)
		}
		broken[got] = true
	}
	for _, r := range rules {
		if !broken[r.text] {
			t.Errorf("nothing here breaks %q", r.text)
		}
	}
}

// An option is in one place of the table, and what it implies is settled when the command
// line was read.
func TestOptionsImply(t *testing.T) {
	for i, p := range table {
		if slices.ContainsFunc(table[:i], func(q option) bool { return q.long == p.long || q.short == p.short && p.short != 0 }) {
			t.Errorf("--%s is there twice", p.long)
		}
	}
	if o, err := parseOptions([]string{"--bag=b"}); err != nil || !o.check || o.output != "" {
		t.Errorf("--bag: check %v, output %q, %v", o.check, o.output, err)
	}
	if o, err := parseOptions([]string{"-r", "--update=l"}); err != nil || o.check || o.output != "l" {
		t.Errorf("--update: check %v, output %q, %v", o.check, o.output, err)
	}
}
