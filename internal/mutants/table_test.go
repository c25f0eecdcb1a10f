package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const good = `# A comment.

== a bound is off by one
module: cmd
file: a/b.go
packages: ./a ./b
flags: -race -short
env: A=b
cpu: arm64 max
test: TestA/b_c
--- text
	if a < b {

		return
+++ replacement
	if a <= b {
.
== nothing comes of it
file: c.go
equivalent: it is a comment
--- text
x
+++ replacement
.
`
	mutants, err := parse(strings.NewReader(good))
	if err != nil || len(mutants) != 2 {
		t.Fatalf("%d mutants, %v", len(mutants), err)
	}
	m := mutants[0]
	if m.path() != "cmd/a/b.go" || len(m.packages) != 2 || len(m.flags) != 2 || len(m.cpu) != 2 || m.env[0] != "A=b" || m.test != "TestA/b_c" {
		t.Errorf("%+v", m)
	}
	if m.text != "\tif a < b {\n\n\t\treturn" || m.replacement != "\tif a <= b {" || mutants[1].replacement != "" {
		t.Errorf("%q becomes %q, and %q becomes %q", m.text, m.replacement, mutants[1].text, mutants[1].replacement)
	}

	for _, tt := range []struct{ table, want string }{
		{strings.Replace(good, "file: a/b.go\n", "", 1), "no file"},
		{strings.Replace(good, "test: TestA/b_c\n", "", 1), "needs a test"},
		{strings.Replace(good, "packages: ./a ./b\n", "", 1), "no packages"},
		{strings.Replace(good, "equivalent: it is a comment\n", "test: TestC\nequivalent: it is\n", 1), "needs a test"},
		{strings.Replace(good, "x\n+++ replacement", "+++ replacement", 1), "no text"},
		{strings.Replace(good, "if a <= b {\n", "if a < b {\n\n\t\treturn\n", 1), "the replacement is the text"},
		{strings.Replace(good, "env: A=b", "environment: A=b", 1), "is no key and value"},
		{strings.TrimSuffix(good, ".\n"), "does not end"},
		{good + "more\n", "outside of a mutant"},
	} {
		if _, err := parse(strings.NewReader(tt.table)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q in:\n%s", err, tt.want, tt.table)
		}
	}
}

// TestTextsOccurOnce tests that a mutant is nowhere but where it is meant to be.
func TestTextsOccurOnce(t *testing.T) {
	m := &mutant{file: "a.go", text: "a < b", replacement: "a <= b"}
	for _, tt := range []struct{ source, want, err string }{
		{"if a < b {", "if a <= b {", ""},
		{"if a > b {", "", "a.go has the text 0 times, not once"},
		{"if a < b && a < bc {", "", "a.go has the text 2 times, not once"},
	} {
		got, err := m.mutate(tt.source)
		if got != tt.want || (err != nil || tt.err != "") && (err == nil || err.Error() != tt.err) {
			t.Errorf("%q becomes %q, %v", tt.source, got, err)
		}
	}
}

func TestJudge(t *testing.T) {
	failure := new(exec.ExitError)
	for _, tt := range []struct {
		output string
		err    error
		want   outcome
		bad    string
	}{
		{"--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nok", nil, passed, ""},
		{"--- PASS: TestA (0.00s)\n    --- SKIP: TestA/b (0.00s)\nok", nil, skipped, ""},
		{"--- PASS: TestA (0.00s)\nok", nil, 0, "there is no test TestA/b"},
		{"testing: warning: no tests to run\nok", nil, 0, "there is no test TestA/b"},
		{"=== RUN   TestA\n=== RUN   TestA/b\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\nFAIL", failure, failed, ""},
		{"=== RUN   TestA\n=== RUN   TestA/b\n    --- FAIL: TestA/b (0.00s)\nFAIL\n    --- PASS: TestA/b (0.00s)\nok", failure, failed, ""},
		{"=== RUN   TestA\n=== RUN   TestA/b\nfatal error: all goroutines are asleep - deadlock!\nFAIL", failure, failed, ""},
		{"=== RUN   TestA\nno line feed=== RUN   TestA/b\npanic: test timed out after 1m0s\nFAIL", failure, failed, ""},
		{"=== RUN   TestA\n=== RUN   TestA/b\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nFAIL", failure, 0, "TestA/b does not fail"},
		{"=== RUN   TestA\n=== RUN   TestA/b\n--- FAIL: TestA (0.00s)\n    --- SKIP: TestA/b (0.00s)\nFAIL", failure, 0, "TestA/b does not fail"},
		{"=== RUN   TestA\n=== RUN   TestA/bc\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/bc (0.00s)\nFAIL", failure, 0, "TestA/b did not begin"},
		{"=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL", failure, 0, "TestA/b did not begin"},
		{"panic: in an init function\nFAIL", failure, 0, "TestA/b did not begin"},
		{"a.go:1: undefined\nFAIL x [build failed]", failure, 0, "does not build"},
		{"", errors.New("no go command"), 0, "no go command"},
	} {
		got, err := judge("TestA/b", []byte(tt.output), tt.err)
		if got != tt.want || (err != nil || tt.bad != "") && (err == nil || !strings.Contains(err.Error(), tt.bad)) {
			t.Errorf("%q, %v: %v, %v", tt.output, tt.err, got, err)
		}
	}
	if got, want := pattern("TestA/x^2_b"), `^TestA$/^x\^2_b$`; got != want {
		t.Errorf("the pattern is %s, want %s", got, want)
	}
}
