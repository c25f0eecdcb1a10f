package checklist

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// windows is what the lines before say of a list that Windows' tools have written:
// PowerShell's Get-FileHash a table, CSV or, with Format-List, a line for each property of a
// file, certutil -hashfile a line with a name before each digest.
type windows struct {
	table  []string // its columns in lower case; the last is path
	csv    []string // its columns in lower case
	comma  rune     // between them
	keys   []string // of Format-List, in lower case: what the current file has so far
	values []string
	listed bool   // there was such a file
	name   string // that certutil has just printed
	or     string // another reading of it
	// The numbers of lines: of the first of keys, of name, and of the first name without a
	// digest, or 0.
	keysAt, nameAt, lostAt int
}

// commas separate columns: Export-Csv -UseCulture writes semicolons where a comma is decimal.
var commas = []rune{',', ';', '\t'}

var (
	errCutOff   = errors.New("the path is cut off; PowerShell's Export-Csv keeps it")
	errHalf     = errors.New("the file before has no hash and path")
	errCertutil = errors.New("the line behind certutil's name is not a digest")
)

// header reports whether line `at` describes no file, and keeps what it says of others.
func (w *windows) header(line string, at int) bool {
	if w.table != nil && strings.Trim(line, "- ") == "" {
		return true
	}
	if key, value, found := property(line); found && !w.completes(key) {
		if len(w.keys) == 0 {
			w.keysAt = at
		}
		w.keys, w.values = append(w.keys, key), append(w.values, value)
		return true
	}
	if w.name == "" && w.certutil(line, at) {
		return true
	}
	if strings.HasPrefix(line, "CertUtil: -hashfile ") {
		return !strings.Contains(line, "FAILED")
	}
	if line == "" || !strings.ContainsAny(line[:1], `AHP"`) {
		return false
	}
	for _, comma := range commas {
		if columns, err := fields(strings.ToLower(line), comma); err == nil && areColumns(columns) {
			*w = windows{csv: columns, comma: comma, lostAt: w.lostAt}
			return true
		}
	}
	if columns := strings.Fields(strings.ToLower(line)); areColumns(columns) && columns[len(columns)-1] == "path" {
		*w = windows{table: columns, lostAt: w.lostAt}
		return true
	}
	return false
}

// certutil reports whether line `at` is certutil's with the name of a file, and keeps the name.
func (w *windows) certutil(line string, at int) bool {
	name, found := strings.CutPrefix(line, "SHA256 hash of ")
	if !found || !strings.HasSuffix(name, ":") {
		return false
	}
	w.name, w.or, w.nameAt = strings.TrimSuffix(name, ":"), "", at
	// Early versions print "of file NAME".
	if name, found = strings.CutPrefix(w.name, "file "); found {
		w.name, w.or = name, w.name
	}
	return true
}

// mayBeDigest reports whether a hash may be a digest of some algorithm. Behind "Hash:" a signed
// list has the names of algorithms, with commas between them.
func mayBeDigest(hash string) bool { return len(hash) > 16 && !strings.Contains(hash, ",") }

// property returns the property of a file that a line of Format-List has.
func property(line string) (key, value string, found bool) {
	if key, value, found = strings.Cut(line, ":"); !found {
		return "", "", false
	}
	key, value = strings.TrimRight(key, " "), strings.TrimSpace(value)
	return strings.ToLower(key), value, key == "Algorithm" || key == "Hash" && mayBeDigest(value) || key == "Path"
}

// completes reports whether what was read of a file ends with a property: the last of hash
// and path, or one that it has already.
func (w *windows) completes(key string) bool {
	return slices.Contains(w.keys, key) || areColumns(append(slices.Clone(w.keys), key))
}

// isHalf reports whether a file has a hash or a path, and not both.
func (w *windows) isHalf() bool {
	return slices.ContainsFunc(w.keys, func(key string) bool { return key != "algorithm" })
}

// blank ends a file of Format-List. Nothing can be added to half a file.
func (w *windows) blank() {
	if w.isHalf() {
		w.keys = []string{"algorithm", "hash", "path"}
		return
	}
	w.keys, w.values = nil, nil
}

// end returns an error if an entry has no end, and the number of its first line.
func (w *windows) end() (at int, err error) {
	switch {
	case w.lostAt > 0:
		return w.lostAt, errCertutil
	case w.name != "":
		return w.nameAt, errCertutil
	case w.isHalf():
		return w.keysAt, errHalf
	}
	return 0, nil
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

func fields(line string, comma rune) ([]string, error) {
	r := csv.NewReader(strings.NewReader(line))
	r.Comma = comma
	return r.Read()
}

// parseWindows reads a line behind a header. It reports false if there was none.
func (p *Parser) parseWindows(line string, e *Entry) (found bool, err error) {
	w := &p.windows
	if key, value, found := property(line); found && w.completes(key) {
		keys, values := append(w.keys, key), append(w.values, value)
		if w.keys, w.values = nil, nil; !areColumns(keys) { // one of them is there twice
			w.keys, w.values, w.keysAt = []string{key}, []string{value}, p.line
			return true, errHalf
		}
		w.listed = true
		return true, p.takeColumns(keys, values, e)
	}
	switch {
	case w.listed && strings.HasPrefix(line, " "):
		return true, errCutOff // to the width of the console
	case w.name != "":
		e.Name, e.Or = w.name, w.or
		w.name = ""
		if p.take("", strings.ReplaceAll(line, " ", ""), e) == nil {
			return true, nil
		}
		w.certutil(line, p.line)
		return true, errCertutil
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
		values, err := fields(line, w.comma)
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
