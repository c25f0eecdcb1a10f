package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A mutant is one way to break the program.
type mutant struct {
	name string
	// Where it is, and what notices it, as the table has it.
	module, file     string
	test, equivalent string
	packages, flags  []string
	env, cpu         []string

	text, replacement string
}

// path returns the name of the file, from the root on.
func (m *mutant) path() string { return filepath.Join(m.module, m.file) }

// mutate returns the source with the mutant in it.
func (m *mutant) mutate(source string) (string, error) {
	if n := strings.Count(source, m.text); n != 1 {
		return "", fmt.Errorf("%s has the text %d times, not once", m.path(), n)
	}
	return strings.Replace(source, m.text, m.replacement, 1), nil
}

// readTables returns the mutants of some files. The error has all that is wrong
// with them.
func readTables(names []string) ([]*mutant, error) {
	var all []*mutant
	seen := map[string]bool{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		mutants, err := parse(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, m := range mutants {
			if seen[m.name] {
				return nil, fmt.Errorf("%s: %q is there twice", name, m.name)
			}
			seen[m.name] = true
		}
		all = append(all, mutants...)
	}
	return all, nil
}

// parse reads a table.
func parse(r io.Reader) (mutants []*mutant, err error) {
	var m *mutant
	line := 0
	// into is what the lines are added to: nil outside of a text.
	var into *string
	s := bufio.NewScanner(r)
	for s.Scan() {
		line++
		text := s.Text()
		name, named := strings.CutPrefix(text, "== ")
		switch {
		case m != nil && text == ".":
			if err := m.complete(); err != nil {
				return nil, fmt.Errorf("line %d: %q: %w", line, m.name, err)
			}
			mutants = append(mutants, m)
			m, into = nil, nil
		case into == nil && m == nil && named:
			m = &mutant{name: name}
		case m != nil && text == "--- text":
			into = &m.text
		case m != nil && text == "+++ replacement":
			into = &m.replacement
		case into != nil:
			*into += text + "\n"
		case m != nil:
			if err := m.set(text); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		case text != "" && !strings.HasPrefix(text, "#"):
			return nil, fmt.Errorf("line %d: %q is outside of a mutant", line, text)
		}
	}
	if m != nil {
		return nil, fmt.Errorf("%q does not end", m.name)
	}
	return mutants, s.Err()
}

// set takes a line "key: value".
func (m *mutant) set(line string) error {
	key, value, _ := strings.Cut(line, ": ")
	switch key {
	case "module":
		m.module = value
	case "file":
		m.file = value
	case "test":
		m.test = value
	case "equivalent":
		m.equivalent = value
	case "packages":
		m.packages = strings.Fields(value)
	case "flags":
		m.flags = strings.Fields(value)
	case "env":
		m.env = strings.Fields(value)
	case "cpu":
		m.cpu = strings.Fields(value)
	default:
		return fmt.Errorf("%q is no key and value", line)
	}
	return nil
}

// complete checks that nothing is missing. The line feeds that end the texts
// are not part of them: they may be part of a line.
func (m *mutant) complete() error {
	m.text, m.replacement = strings.TrimSuffix(m.text, "\n"), strings.TrimSuffix(m.replacement, "\n")
	switch {
	case m.file == "":
		return fmt.Errorf("no file")
	case m.text == "":
		return fmt.Errorf("no text")
	case m.text == m.replacement:
		return fmt.Errorf("the replacement is the text")
	case (m.test == "") == (m.equivalent == ""):
		return fmt.Errorf("needs a test, or why it is equivalent")
	case m.test != "" && len(m.packages) == 0:
		return fmt.Errorf("no packages")
	case len(m.cpu) > 2:
		return fmt.Errorf("cpu is an architecture and a model")
	}
	return nil
}
