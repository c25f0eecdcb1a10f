package sha256_test

import (
	"os"
	"regexp"
	"testing"
)

// TestDocumentsNameTheTestCommand compares the command that README.md and
// CONTRIBUTING.md tell newcomers to test with to the one that continuous
// integration runs.
func TestDocumentsNameTheTestCommand(t *testing.T) {
	command := find(t, ".ci/run", `(?m)^test_command='([^']+)'`)
	for _, document := range []string{"README.md", "CONTRIBUTING.md"} {
		if got := find(t, document, `(?m)^(go test [^#\n]*[^#\s])`); got != command {
			t.Errorf("%s says %q first, .ci/run runs %q", document, got, command)
		}
	}
}

// find returns what the first group of pattern matches in a file.
func find(t *testing.T, name, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(pattern).FindSubmatch(text)
	if match == nil {
		t.Fatalf("%s has nothing like %s", name, pattern)
	}
	return string(match[1])
}
