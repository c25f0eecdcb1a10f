package checklist

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// windows is what the lines before say of a list that Windows' tools have written:
// PowerShell's Get-FileHash a table or CSV, certutil -hashfile a line with a name before
// each digest.
type windows struct {
	table []string // its columns in lower case; the last is path
	csv   []string // its columns in lower case
	name  string   // that certutil has just printed
	or    string   // another reading of it
}

var (
	errCutOff   = errors.New("the path is cut off; PowerShell's Export-Csv keeps it")
	errCertutil = errors.New("the line behind certutil's name is not a digest")
)

// header reports whether a line describes no file, and keeps what it says of others.
func (w *windows) header(line string) bool {
	if w.table != nil && strings.Trim(line, "- ") == "" {
		return true
	}
	if name, found := strings.CutPrefix(line, "SHA256 hash of "); found && strings.HasSuffix(name, ":") {
		w.name, w.or = strings.TrimSuffix(name, ":"), ""
		// Early versions print "of file NAME".
		if name, found = strings.CutPrefix(w.name, "file "); found {
			w.name, w.or = name, w.name
		}
		return true
	}
	if strings.HasPrefix(line, "CertUtil: -hashfile ") {
		return !strings.Contains(line, "FAILED")
	}
	if line == "" || !strings.ContainsAny(line[:1], `AHP"`) {
		return false
	}
	if columns := strings.Fields(strings.ToLower(line)); areColumns(columns) && columns[len(columns)-1] == "path" {
		*w = windows{table: columns}
		return true
	}
	if columns, err := fields(strings.ToLower(line)); err == nil && areColumns(columns) {
		*w = windows{csv: columns}
		return true
	}
	return false
}

// areColumns reports whether the words are columns of Get-FileHash, each once, with those
// that are needed.
func areColumns(words []string) bool {
	for i, w := range words {
		if w != "algorithm" && w != "hash" && w != "path" || slices.Contains(words[:i], w) {
			return false
		}
	}
	return slices.Contains(words, "hash") && slices.Contains(words, "path")
}

func fields(line string) ([]string, error) { return csv.NewReader(strings.NewReader(line)).Read() }

// parseWindows reads a line behind a header. It reports false if there was none.
func (p *Parser) parseWindows(line string, e *Entry) (found bool, err error) {
	w := &p.windows
	switch {
	case w.name != "":
		e.Name, e.Or = w.name, w.or
		w.name = ""
		if p.take("", strings.ReplaceAll(line, " ", ""), e) != nil {
			return true, errCertutil
		}
		return true, nil
	case w.table != nil:
		var values []string
		for range w.table[1:] {
			value, rest, _ := strings.Cut(line, " ")
			values, line = append(values, value), strings.TrimLeft(rest, " ")
		}
		path := strings.TrimRight(line, " ") // to the width of the console
		if strings.HasSuffix(path, "...") || strings.HasSuffix(path, "…") {
			return true, errCutOff
		}
		return true, p.takeColumns(w.table, append(values, path), e)
	case w.csv != nil:
		values, err := fields(line)
		if err != nil {
			return true, fmt.Errorf("the line is not CSV: %w", err)
		}
		if len(values) != len(w.csv) {
			return true, fmt.Errorf("the line has %d columns; its header names %d", len(values), len(w.csv))
		}
		return true, p.takeColumns(w.csv, values, e)
	}
	return false, nil
}

// takeColumns reads the values of Get-FileHash's columns.
func (p *Parser) takeColumns(columns, values []string, e *Entry) error {
	var algorithm, digest string
	for i, column := range columns {
		switch column {
		case "algorithm":
			algorithm = values[i]
		case "hash":
			digest = values[i]
		case "path":
			e.Name = values[i]
		}
	}
	switch {
	case e.Name == "":
		return errNoName
	case strings.EqualFold(algorithm, "SHA256"):
		algorithm = ""
	case algorithm != "" && p.Other == nil:
		return fmt.Errorf("unknown algorithm %s", algorithm)
	}
	return p.take(algorithm, digest, e)
}
