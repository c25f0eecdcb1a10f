package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var runCorpus = flag.Bool("corpus", false, "fetch public modules, check their files, and print a table")

// corpus are the public modules whose assembly holds instructions as words.
var corpus = []struct {
	module   string
	wrong    []string         // lines that are another instruction than their comment says
	archs    map[string]*arch // of files whose names tell none
	isFilled bool             // by the tool: all their bytes may be wrong
}{
	{
		module: "github.com/minio/asm2plan9s@v0.0.0-20200509001527-cdd76441f9d8", isFilled: true,
		archs: map[string]*arch{"example.s": amd64, "neon.asm": arm64},
	},
	{module: "github.com/minio/c2goasm@v0.0.0-20190812172519-36a3d3bbc4f3"},
	{module: "github.com/apache/arrow-go/v18@v18.4.1"},
	{module: "github.com/klauspost/reedsolomon@v1.9.3"},
	{module: "github.com/klauspost/reedsolomon@v1.12.4"},
	{module: "github.com/minio/blake2b-simd@v0.0.0-20160723061019-3f5f724cb5b1"},
	{module: "github.com/minio/highwayhash@v1.0.4"},
	{module: "github.com/minio/sha256-simd@v1.0.0"},
	{module: "github.com/minio/simdjson-go@v0.4.5"},
	{module: "github.com/kelindar/simd@v1.1.2"},
	{module: "gorgonia.org/vecf32@v0.9.0", wrong: []string{
		"asm_vecAdd_avx.s:118", "asm_vecAdd_avx.s:119", "asm_vecAdd_avx.s:120", "asm_vecAdd_avx.s:121", "asm_vecInvSqrt_avx.s:58",
	}},
	{module: "gorgonia.org/vecf64@v0.9.0", wrong: []string{"asm_vecInvSqrt_avx.s:47"}},
	{module: "github.com/bytedance/sonic@v1.15.5"},
	{module: "github.com/weaviate/weaviate@v1.24.0"},
	{module: "github.com/segmentio/asm@v1.2.1"},
}

// wordLine finds the lines that must not be passed over, in a way of its own: a
// data word stands before any // of the line.
var wordLine = regexp.MustCompile(`^(?:[^/]|/[^/])*?\b(?:LONG|WORD|BYTE|QUAD)[ \t]+\$`)

// A corpusRow is what a module comes to.
type corpusRow struct {
	files, lines int // with words
	counts
	refusals, reasons map[string]int
}

func TestCorpus(t *testing.T) {
	if !*runCorpus {
		t.Skip("only with -corpus: it fetches modules")
	}
	var table strings.Builder
	table.WriteString("| files from | files | lines | checked | same | equivalent | different | refused | not understood |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	refusals, reasons := make(map[string]int), make(map[string]int)
	for _, m := range corpus {
		row := corpusRow{refusals: make(map[string]int), reasons: make(map[string]int)}
		c := &converter{options: options{check: true}, stdout: io.Discard, stderr: io.Discard, toolchains: make(map[*arch]*toolchain)}
		for name, data := range moduleFiles(t, m.module) {
			c.arch = m.archs[name]
			x, err := c.examine(t.Context(), name, data)
			if err != nil {
				t.Errorf("%s: %v", m.module, err)
				continue
			}
			c.report(x)
			row.add(t, x)
			for in, f := range x.findings {
				line := fmt.Sprintf("%s:%d", filepath.Base(name), in.line+1)
				if !f.isEquivalent && !m.isFilled && !slices.Contains(m.wrong, line) {
					t.Errorf("%s: %s: %s", m.module, line, f.text)
				}
			}
		}
		row.counts = c.counts
		if !m.isFilled && row.different != len(m.wrong) {
			t.Errorf("%s: %d lines are wrong, want %q", m.module, row.different, m.wrong)
		}
		name, _, _ := strings.Cut(m.module, "@v0.0.0-")
		n := row.counts
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, row.files, row.lines,
			n.checked, n.checked-n.equivalent-n.different, n.equivalent, n.different, n.refused, n.notUnderstood)
		for reason, n := range row.refusals {
			refusals[reason] += n
		}
		for reason, n := range row.reasons {
			reasons[reason] += n
		}
	}
	for _, all := range []struct {
		what  string
		count map[string]int
	}{{"refused", refusals}, {"not understood", reasons}} {
		fmt.Fprintf(&table, "\n%s:\n\n", all.what)
		for _, reason := range slices.SortedFunc(maps.Keys(all.count), func(a, b string) int { return cmp.Compare(all.count[b], all.count[a]) }) {
			fmt.Fprintf(&table, "- %d: %s\n", all.count[reason], reason)
		}
	}
	t.Log("\n" + table.String())
}

// add counts the lines of a source. Each one with words must be an instruction's,
// or be passed over with a reason.
func (row *corpusRow) add(t *testing.T, x *examined) {
	t.Helper()
	row.files++
	counted := make(map[int]bool)
	for _, in := range x.insts {
		for i := range in.more + 1 {
			counted[in.line+i] = true
		}
		switch {
		case in.problem == "":
		case localLabelIn(in.text) != "":
			row.refusals["it refers to a label, which has no address"]++
		case strings.HasSuffix(in.text, ","):
			row.refusals["its comment breaks off after a comma"]++
		default:
			row.refusals["it refers to another symbol"]++
		}
	}
	for _, n := range x.passedOver() {
		counted[n.line] = true
		if n.isDoubt {
			n.text = "no assembler knows the instruction in its comment"
		}
		row.reasons[n.text]++
	}
	for i, line := range x.lines {
		if isWords := wordLine.MatchString(line); isWords && !counted[i] {
			t.Errorf("%s:%d is passed over: %q", x.name, i+1, line)
		} else if isWords || counted[i] {
			row.lines++
		}
	}
}

// moduleFiles returns the assembly of a module that has words, and what its Go
// files hold of it in strings, by path. Files for other architectures are left
// out.
func moduleFiles(t *testing.T, module string) map[string][]byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", module, err, out)
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	err = filepath.WalkDir(downloaded.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var data []byte
		switch filepath.Ext(path) {
		case ".s", ".asm":
			data, err = os.ReadFile(path)
		case ".go":
			if strings.HasSuffix(path, "_test.go") {
				data, err = assemblyStrings(path)
			}
		}
		name, relErr := filepath.Rel(downloaded.Dir, path)
		if err != nil || relErr != nil {
			return cmp.Or(err, relErr)
		}
		isWords := slices.ContainsFunc(bytes.Split(data, []byte("\n")), wordLine.Match)
		if isOther := slices.Contains(otherArchs, nameArch(path)); isWords && !isOther || name == "example.s" {
			files[name] = data
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// assemblyStrings returns the strings of a Go file that hold a comment, each as
// lines.
func assemblyStrings(path string) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	var lines []byte
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " // ") {
				lines = append(append(lines, text...), '\n')
			}
		}
		return true
	})
	return lines, nil
}
