package hashtest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// PageShows fails the test if a block of Go in the Markdown file page is not, in one
// piece, in the Go file source, which the compiler checks. Indentation may differ.
func PageShows(t *testing.T, page, source string) {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(string(text), "")
	}
	compiled, blocks := read(source), strings.Split(read(page), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Errorf("%s has no Go", page)
	}
	for i, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(compiled, code) {
			t.Errorf("%s does not have block %d of %s:\n%s", source, i+1, page, code)
		}
	}
}
