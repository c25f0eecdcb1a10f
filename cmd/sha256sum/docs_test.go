package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestOptionsAreDocumented compares the options in the manual page and in the
// README with the table. With UPDATE_DOCS set, it writes them.
func TestOptionsAreDocumented(t *testing.T) {
	for _, doc := range []struct {
		file, begin, end string
		options          func() string
	}{
		{"sha256sum.1", ".\\\" The options, from the table.\n", ".\\\" End of the options.\n", manualOptions},
		{"README.md", "<!-- options -->\n", "<!-- end of options -->\n", readmeOptions},
	} {
		text, err := os.ReadFile(doc.file)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, found := strings.Cut(string(text), doc.begin)
		got, tail, ended := strings.Cut(rest, doc.end)
		if !found || !ended {
			t.Fatalf("%s has no place for the options", doc.file)
		}
		want := doc.options()
		if got == want {
			continue
		}
		if os.Getenv("UPDATE_DOCS") == "" {
			t.Errorf("the options of %s are not those of the table: UPDATE_DOCS=1 go test -run '^%s$' writes them", doc.file, t.Name())
			continue
		}
		if err := os.WriteFile(doc.file, []byte(head+doc.begin+want+doc.end+tail), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func manualOptions() string {
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace
	var b strings.Builder
	for group, title := range []string{
		checkOption:  ".SS \"When verifying checksums\"\n",
		beyondOption: ".SS \"Beyond the GNU tool\"\n",
		infoOption:   ".SS \"Information\"\n",
	} {
		b.WriteString(title)
		for _, p := range table {
			if p.group != optionGroup(group) {
				continue
			}
			b.WriteString(".TP\n.B ")
			if p.short != 0 {
				fmt.Fprintf(&b, `\-%c\fR, \fB`, p.short)
			}
			b.WriteString(`\-\-` + escape(p.long))
			if p.argument != "" {
				fmt.Fprintf(&b, `=\fI%s`, p.argument)
			}
			// A line that begins with a period or an apostrophe is a request.
			b.WriteString("\n" + escape(sentences(p.text())) + "\n")
		}
	}
	return b.String()
}

// sentences returns the text of an option as whole sentences.
func sentences(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func readmeOptions() string {
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`).Replace
	var b strings.Builder
	b.WriteString("| option | |\n| --- | --- |\n")
	for _, p := range table {
		if p.group != beyondOption {
			continue
		}
		b.WriteString("| `")
		if p.short != 0 {
			fmt.Fprintf(&b, "-%c`, `", p.short)
		}
		b.WriteString("--" + p.long)
		if p.argument != "" {
			b.WriteString("=" + p.argument)
		}
		b.WriteString("` | " + escape(p.help) + " |\n")
	}
	return b.String()
}

// An abbreviation means one option, and every letter too.
func TestOptionsAreDistinct(t *testing.T) {
	long, short := map[string]bool{}, map[byte]bool{}
	for _, p := range table {
		if long[p.long] || p.short != 0 && short[p.short] {
			t.Errorf("--%s stands twice", p.long)
		}
		long[p.long], short[p.short] = true, true
		if p.text() == "" || p.set == nil {
			t.Errorf("--%s does nothing", p.long)
		}
	}
}

// --help has one line for each option, which fits a terminal.
func TestHelpHasOneLineForEachOption(t *testing.T) {
	for _, p := range table {
		var b strings.Builder
		p.appendHelp(&b)
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if last := lines[len(lines)-1]; len(lines) > 2 || len(last) > 79 || !strings.HasSuffix(last, " "+p.help) {
			t.Errorf("--%s: %q", p.long, b.String())
		}
	}
}
