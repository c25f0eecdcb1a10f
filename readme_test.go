package sha256_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsNameTheTestCommand compares the command that README.md and
// CONTRIBUTING.md tell newcomers to test with to the one that continuous
// integration runs.
func TestDocumentsNameTheTestCommand(t *testing.T) {
	command := find(t, ".ci/checks/tests", `(?m)^test_command='([^']+)'`)
	for _, document := range []string{"README.md", "CONTRIBUTING.md"} {
		if got := find(t, document, `(?m)^(go test [^#\n]*[^#\s])`); got != command {
			t.Errorf("%s says %q first, .ci/checks/tests runs %q", document, got, command)
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

// notRecipes are whole-file examples that docs/recipes.md does not show: README.md shows
// the first one.
var notRecipes = map[string]bool{"example_server_test.go": true, "pow/example_cores_test.go": true}

// TestRecipesAreExamples tests that the code of docs/recipes.md is the code of
// examples, which are compiled and run, and that each of their files is there.
func TestRecipesAreExamples(t *testing.T) {
	page, err := os.ReadFile("docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{"register_test.go": false}
	for _, pattern := range []string{"example_*_test.go", "*/example_*_test.go", "*/*/example_*_test.go"} {
		examples, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range examples {
			files[name] = notRecipes[name]
		}
	}
	for i, part := range strings.Split(string(page), "```go\n")[1:] {
		code, _, _ := strings.Cut(part, "```")
		found := false
		for name := range files {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(source), code) {
				found, files[name] = true, true
			}
		}
		if !found {
			t.Errorf("no example has the code of recipe %d:\n%s", i+1, code)
		}
	}
	for name, shown := range files {
		if !shown {
			t.Errorf("docs/recipes.md shows nothing of %s", name)
		}
	}
}

// TestUpstreamShowsItsPatches tests that the code of compat/upstream/README.md is what
// the patches there lead to, apart from indentation.
func TestUpstreamShowsItsPatches(t *testing.T) {
	page, err := os.ReadFile("compat/upstream/README.md")
	if err != nil {
		t.Fatal(err)
	}
	indent := regexp.MustCompile(`(?m)^\t+`)
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		patch, err := os.ReadFile("compat/upstream/" + regexp.MustCompile(`\(([\w-]+\.patch)\)`).FindStringSubmatch(section)[1])
		if err != nil {
			t.Fatal(err)
		}
		after := regexp.MustCompile(`(?m)^-.*\n`).ReplaceAll(patch, nil)
		after = regexp.MustCompile(`(?m)^[ +]\t*`).ReplaceAll(after, nil)
		_, code, _ := strings.Cut(section, "```go\n")
		code, _, _ = strings.Cut(code, "```")
		if code = indent.ReplaceAllString(code, ""); code == "" || !strings.Contains(string(after), code) {
			t.Errorf("the patch does not have what its section shows:\n%s", section)
		}
	}
}
