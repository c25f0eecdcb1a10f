package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

// A loop stands in the place of the call only if it computes the same.
func TestEveryLoopOfTheSweepComputesTheSameDigests(t *testing.T) {
	seed := rand.Uint64N(1e9)
	t.Log("seed", seed)
	for _, c := range sweepCells(seed) {
		if im := differs(c.row); im != "" {
			t.Errorf("%s: %s computes other digests than the call", c.name(), im)
		}
	}
}

// differs returns the name of an impl that computes other digests than the first, or "".
func differs(r row) string {
	impls := r.impls()
	defer stop(impls)
	var want [][32]byte
	for _, im := range impls {
		got := make([][32]byte, max(r.digests, len(im.hashes)))
		im.run(got)
		for i, h := range im.hashes {
			h.Sum(got[i][:0])
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			return im.name
		}
	}
	return ""
}

func TestWrongLoopsAreNoticed(t *testing.T) {
	set := func(b byte) func([][32]byte) { return func(dst [][32]byte) { dst[0][31] = b } }
	for _, tt := range []struct {
		name  string
		impls []impl
		want  string
	}{
		{"same", []impl{library(set(1)), stdLoop(set(1)), ownLoop(set(1))}, ""},
		{"first loop", []impl{library(set(1)), stdLoop(set(2)), ownLoop(set(1))}, "crypto"},
		{"second loop", []impl{library(set(1)), stdLoop(set(1)), ownLoop(set(2))}, "one-by-one"},
	} {
		if got := differs(row{digests: 1, impls: func() []impl { return tt.impls }}); got != tt.want {
			t.Errorf("%s: %q differs, want %q", tt.name, got, tt.want)
		}
	}
}

// unswept are public functions without a cell, and why.
var unswept = map[string]string{
	"NewAvx512":       "another name of Server.New",
	"NewAvx512Server": "another name of NewServer",
	"NewServer":       "hashes nothing",
	"RowsOf":          "hashes nothing; SumRows is measured with it",
	"Selected":        "hashes nothing",
	"Server.Close":    "hashes nothing of its own",

	"composite.Checksum.CheckS3": "hashes nothing",
	"hmac.Equal":                 "hashes nothing",
	"rfc6962.Range.Hashes":       "hashes nothing",
	"rfc6962.Range.Root":         "is in the cells of rfc6962.Range.Append",
	"rfc6962.Range.Size":         "hashes nothing",
	"rfc6962.RangeOf":            "hashes nothing",

	"nmt.EmptyRoot":             "is a constant",
	"nmt.MaxNamespace":          "is a constant",
	"nmt.Namespace.Compare":     "hashes nothing",
	"nmt.Node.Bytes":            "hashes nothing",
	"nmt.ParseNode":             "hashes nothing",
	"nmt.ProveNamespace":        "hashes the nodes that nmt.Roots hashes",
	"nmt.ProveRange":            "hashes the nodes that nmt.Roots hashes",
	"nmt.Proof.VerifyInclusion": "hashes the nodes that nmt.Root and nmt.LeafHashes hash",
	"nmt.Proof.VerifyNamespace": "hashes the nodes that nmt.Root and nmt.LeafHashes hash",
	"nmt.Square":                "hashes the nodes that nmt.Roots and nmt.LeafHashes hash",

	"streams.Blocks.Close": "is in the cells of streams.NewBlocks",
	"streams.Blocks.Reset": "is in the cells of streams.Blocks.ReadFrom",
	"streams.Blocks.Write": "is in the cells of streams.NewBlocks",
	"streams.Error.Error":  "hashes nothing",
	"streams.Error.Unwrap": "hashes nothing",
}

func TestEveryPublicFunctionIsSwept(t *testing.T) {
	public := publicFunctions(t, "..")
	swept := make(map[string]bool)
	for _, c := range sweepCells(1) {
		swept[c.bench] = true
	}
	for name := range public {
		switch why := unswept[name]; {
		case swept[name] && why != "":
			t.Errorf("%s has cells, and a reason why not: %s", name, why)
		case !swept[name] && why == "":
			t.Errorf("%s has no cell", name)
		}
	}
	for name := range unswept {
		if !public[name] {
			t.Errorf("%s is no public function", name)
		}
	}
	for name := range swept {
		// New.Write is a method of the hash that New returns.
		if i := strings.LastIndex(name, "."); !public[name] && (i < 0 || !strings.HasSuffix(name[:i], "New") || !public[name[:i]]) {
			t.Errorf("cells of %s, which is no public function", name)
		}
	}
}

// publicFunctions returns the functions and methods of the packages of a module that
// others can import, less the name of the package at its root.
func publicFunctions(t *testing.T, root string) map[string]bool {
	functions := make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "internal" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if file.Name.Name == "main" {
			return nil
		}
		prefix := ""
		if filepath.Dir(path) != root {
			prefix = file.Name.Name + "."
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				receiver, ok := of.(*ast.Ident)
				if !ok || !receiver.IsExported() {
					continue
				}
				name = receiver.Name + "." + name
			}
			functions[prefix+name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return functions
}

func TestASeedMakesTheSameCells(t *testing.T) {
	names := func(seed uint64) (names []string) {
		for _, c := range sweepCells(seed) {
			names = append(names, c.name())
		}
		return names
	}
	if !slices.Equal(names(7), names(7)) {
		t.Error("seed 7 makes other cells the second time")
	}
	if slices.Equal(names(7), names(8)) {
		t.Error("seeds 7 and 8 make the same cells")
	}
}

// timings is a result of a call and two loops.
func timings(own, crypto, onebyone float64) result {
	var res result
	for _, ns := range []float64{own, crypto, onebyone} {
		// By the clock all take the same: these cells go by CPU time.
		res.Impls = append(res.Impls, implResult{"", timing.Timing{Best: 1, BestCPU: ns}})
	}
	return res
}

func TestACellLosesInAllRounds(t *testing.T) {
	for _, tt := range []struct {
		name      string
		allowance float64
		results   []result
		loses     bool
		own, loop float64
	}{
		{"faster", 10, []result{timings(50, 100, 200)}, false, 50, 100},
		{"slower than the second loop alone", 10, slices.Repeat([]result{timings(150, 200, 100)}, 8), true, 150, 100},
		{"within 3%", 10, []result{timings(1030, 1000, 2000)}, false, 1030, 1000},
		{"above 3%", 10, slices.Repeat([]result{timings(1031, 1000, 2000)}, 8), true, 1031, 1000},
		{"within the allowance", 10, []result{timings(30, 20, 20)}, false, 30, 20},
		{"above the allowance", 10, slices.Repeat([]result{timings(31, 20, 20)}, 8), true, 31, 20},
		{"only seven times", 10, append(slices.Repeat([]result{timings(200, 100, 100)}, 7), timings(90, 100, 100)), false, 90, 100},
		{"a worse ratio, within the allowance", 10, []result{timings(1031, 1000, 2000), timings(15, 10, 10)}, false, 15, 10},
		{"the best of all", 10, append(append(slices.Repeat([]result{timings(300, 100, 100)}, 3), timings(200, 100, 100)), slices.Repeat([]result{timings(400, 100, 100)}, 4)...), true, 200, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// One other cell wins at once, and one loses.
			cells := []cell{{}, {row: row{byCPU: true, digests: 1}, allowance: tt.allowance}, {row: row{byCPU: true, digests: 2}}}
			measured, order := 0, ""
			compared, err := compareAll(cells, func(r row) (result, error) {
				order += strconv.Itoa(r.digests)
				switch r.digests {
				case 1:
					measured++
					return tt.results[measured-1], nil
				case 2:
					return timings(1, 0.5, 1), nil
				}
				return timings(1, 1, 1), nil
			})
			times := len(tt.results)
			if want := "012" + strings.Repeat("12", times-1) + strings.Repeat("2", 8-times); err != nil || order != want {
				t.Fatalf("measured %s, want %s, error %v", order, want, err)
			}
			got := compared[1]
			if measured != len(tt.results) || got.loses() != tt.loses || got.own != tt.own || got.loop != tt.loop {
				t.Errorf("loses: %v, %v for %v after %d measurements", got.loses(), got.own, got.loop, measured)
			}
		})
	}
}

func TestWorstCellsComeFirst(t *testing.T) {
	c := func(call, load string, own, loop float64) comparison {
		return comparison{cell{row{bench: call, load: load}, 10}, own, loop}
	}
	compared := []comparison{
		c("A", "n=1", 50, 100), c("A", "n=2", 200, 100), c("B", "n=1", 15, 10), c("B", "n=2", 400, 100), c("B", "n=3", 100, 110),
	}
	const (
		lost = " 0.25 loses  B/n=2: 400 ns, the loop 100 ns\n 0.50 loses  A/n=2: 200 ns, the loop 100 ns\n"
		won  = " 0.67        B/n=1: 15 ns, the loop 10 ns\n 1.10        B/n=3: 100 ns, the loop 110 ns\n 2.00        A/n=1: 50 ns, the loop 100 ns\n"
		sums = "A: 1 of 2 cells lose, least ratio 0.50\nB: 1 of 3 cells lose, least ratio 0.25\n2 of 5 cells lose\n"
	)
	for _, tt := range []struct {
		all  bool
		want string
	}{{false, lost + sums}, {true, lost + won + sums}} {
		var out strings.Builder
		n, err := writeComparisons(&out, compared, tt.all)
		if n != 2 || err != nil || out.String() != tt.want {
			t.Errorf("all %v: %d lose, error %v, output:\n%s", tt.all, n, err, out.String())
		}
	}
}

func TestCellsThatFailEndTheSweep(t *testing.T) {
	failure := errors.New("disk on fire")
	calls := 0
	compared, err := compareAll([]cell{{}, {}, {}}, func(row) (result, error) {
		if calls++; calls == 2 {
			return result{}, failure
		}
		return timings(1, 1, 1), nil
	})
	if len(compared) != 1 || calls != 2 || !errors.Is(err, failure) {
		t.Errorf("%d cells in %d measurements, error %v", len(compared), calls, err)
	}
	calls = 0
	compared, err = compareAll([]cell{{row: row{byCPU: true}}, {row: row{byCPU: true}}}, func(row) (result, error) {
		if calls++; calls == 3 {
			return result{}, failure
		}
		return timings(2, 1, 1), nil
	})
	if len(compared) != 2 || calls != 3 || !errors.Is(err, failure) {
		t.Errorf("second round: %d cells in %d measurements, error %v", len(compared), calls, err)
	}
}

func TestSweep(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		status int // or -1: 0 or 1
		stdout string
		stderr string
	}{
		{[]string{"-seed", "5", "-run", "^(SumCmp256|SumToNum256)/"}, -1,
			`^seed 5, GOMAXPROCS \d+, .*\n( \d.\d\d loses  .*\n)*SumCmp256: \d of 1 cells lose, least ratio \d+.\d\d\nSumToNum256: \d of 1 cells lose, least ratio \d+.\d\d\n\d of 2 cells lose\n$`, `^$`},
		{[]string{"-all", "-run", "^SumCmp256/"}, -1,
			`^seed \d+, .*\n +\d+.\d\d (loses|     )  SumCmp256/.*: \d+ ns, the loop \d+ ns\nSumCmp256: .*\n\d of 1 cells lose\n$`, `^$`},
		{[]string{"-run", "^nosuch$"}, 2, `^$`, `^benchmarks sweep: -run \^nosuch\$: no cell of seed \d+ has such a name\n$`},
		{[]string{"-run", "("}, 2, `^$`, `^benchmarks sweep: -run: error parsing regexp`},
		{[]string{"more"}, 2, `^$`, `^benchmarks sweep: unexpected argument "more"\n$`},
		{[]string{"-seed", "x"}, 2, `^$`, `^invalid value "x" for flag -seed`},
		{[]string{"-nosuch"}, 2, `^$`, `^flag provided but not defined: -nosuch\n`},
		{[]string{"-h"}, 0, `^$`, `^Usage of benchmarks sweep:\n  -all\n`},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			var stdout, stderr strings.Builder
			status := sweep(tt.args, &stdout, &stderr, time.Nanosecond)
			lost := !strings.Contains(stdout.String(), "\n0 of ")
			if tt.status >= 0 && status != tt.status || tt.status < 0 && status != int(bit(lost)) {
				t.Errorf("status %d", status)
			}
			for _, s := range []struct{ name, got, want string }{{"output", stdout.String(), tt.stdout}, {"errors", stderr.String(), tt.stderr}} {
				if !regexp.MustCompile(s.want).MatchString(s.got) {
					t.Errorf("%s do not match %s:\n%s", s.name, s.want, s.got)
				}
			}
		})
	}
}

func TestASweepThatCannotPrintFails(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	if status := sweep([]string{"-run", "^SumCmp256/"}, w, io.Discard, time.Nanosecond); status != 1 {
		t.Errorf("status %d, want 1", status)
	}
}
