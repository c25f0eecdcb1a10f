package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

func BenchmarkSum256(b *testing.B)             { benchmark(b, "Sum256") }
func BenchmarkLength(b *testing.B)             { benchmark(b, "Length") }
func BenchmarkSumMany(b *testing.B)            { benchmark(b, "SumMany") }
func BenchmarkKernel(b *testing.B)             { benchmark(b, "Kernel") }
func BenchmarkWriteHashes(b *testing.B)        { benchmark(b, "WriteHashes") }
func BenchmarkSumHashes(b *testing.B)          { benchmark(b, "SumHashes") }
func BenchmarkStreamsSum(b *testing.B)         { benchmark(b, "StreamsSum") }
func BenchmarkDirhash(b *testing.B)            { benchmark(b, "Dirhash") }
func BenchmarkCARInspect(b *testing.B)         { benchmark(b, "CARInspect") }
func BenchmarkBlocksWrite(b *testing.B)        { benchmark(b, "BlocksWrite") }
func BenchmarkBlocksRead(b *testing.B)         { benchmark(b, "BlocksRead") }
func BenchmarkChunks(b *testing.B)             { benchmark(b, "Chunks") }
func BenchmarkTransaction(b *testing.B)        { benchmark(b, "Transaction") }
func BenchmarkServer(b *testing.B)             { benchmark(b, "Server") }
func BenchmarkNodes(b *testing.B)              { benchmark(b, "Nodes") }
func BenchmarkRoot(b *testing.B)               { benchmark(b, "Root") }
func BenchmarkRFC6962(b *testing.B)            { benchmark(b, "RFC6962") }
func BenchmarkBitcoin(b *testing.B)            { benchmark(b, "Bitcoin") }
func BenchmarkBEP52(b *testing.B)              { benchmark(b, "BEP52") }
func BenchmarkSHA256Tree(b *testing.B)         { benchmark(b, "SHA256Tree") }
func BenchmarkNMT(b *testing.B)                { benchmark(b, "NMT") }
func BenchmarkNMTCelestia(b *testing.B)        { benchmark(b, "NMTCelestia") }
func BenchmarkNMTSquare(b *testing.B)          { benchmark(b, "NMTSquare") }
func BenchmarkVerity(b *testing.B)             { benchmark(b, "Verity") }
func BenchmarkSumManyAfter(b *testing.B)       { benchmark(b, "SumManyAfter") }
func BenchmarkSumManyAfterCrypto(b *testing.B) { benchmark(b, "SumManyAfterCrypto") }
func BenchmarkSumAfter(b *testing.B)           { benchmark(b, "SumAfter") }
func BenchmarkSumRows(b *testing.B)            { benchmark(b, "SumRows") }
func BenchmarkHMACKeys(b *testing.B)           { benchmark(b, "HMACKeys") }
func BenchmarkRFC6962Proofs(b *testing.B)      { benchmark(b, "RFC6962Proofs") }
func BenchmarkHMAC(b *testing.B)               { benchmark(b, "HMAC") }
func BenchmarkComposite(b *testing.B)          { benchmark(b, "Composite") }
func BenchmarkSearch(b *testing.B)             { benchmark(b, "Search") }

func BenchmarkFarSum256(b *testing.B)           { benchmark(b, "FarSum256") }
func BenchmarkFarWrite(b *testing.B)            { benchmark(b, "FarWrite") }
func BenchmarkFarSumMany(b *testing.B)          { benchmark(b, "FarSumMany") }
func BenchmarkFarSumManyAfter(b *testing.B)     { benchmark(b, "FarSumManyAfter") }
func BenchmarkFarHMAC(b *testing.B)             { benchmark(b, "FarHMAC") }
func BenchmarkFarRFC6962(b *testing.B)          { benchmark(b, "FarRFC6962") }
func BenchmarkFarWriteHashes(b *testing.B)      { benchmark(b, "FarWriteHashes") }
func BenchmarkFarServer(b *testing.B)           { benchmark(b, "FarServer") }
func BenchmarkListSize(b *testing.B)            { benchmark(b, "ListSize") }
func BenchmarkUnequal(b *testing.B)             { benchmark(b, "Unequal") }
func BenchmarkUnequalSumManyAfter(b *testing.B) { benchmark(b, "UnequalSumManyAfter") }
func BenchmarkUnequalHMAC(b *testing.B)         { benchmark(b, "UnequalHMAC") }
func BenchmarkUnequalRFC6962(b *testing.B)      { benchmark(b, "UnequalRFC6962") }
func BenchmarkUnequalLeafHashes(b *testing.B)   { benchmark(b, "UnequalLeafHashes") }
func BenchmarkSpread(b *testing.B)              { benchmark(b, "Spread") }

// benchmark runs the rows of a function. Those that need another environment
// or GOMAXPROCS are run by whoever sets these.
func benchmark(b *testing.B, function string) {
	for _, s := range sections() {
		for _, r := range s.rows {
			if r.bench != function || r.procs > 1 || !r.env.here() {
				continue
			}
			dst := make([][32]byte, r.digests)
			impls := r.impls()
			for _, im := range impls {
				b.Run("impl="+im.name+"/"+r.load, func(b *testing.B) {
					b.SetBytes(int64(r.bytes))
					for b.Loop() {
						im.run(dst)
					}
				})
			}
			stop(impls)
		}
	}
}

// TestEveryRowIsABenchmark looks in this file for a benchmark of each row.
func TestEveryRowIsABenchmark(t *testing.T) {
	source, err := os.ReadFile("bench_test.go")
	if err != nil {
		t.Fatal(err)
	}
	reported := make(map[string]bool)
	everyRow(func(r row) {
		call := fmt.Sprintf("benchmark(b, %q)", r.bench)
		if !bytes.Contains(source, []byte(call)) && !reported[r.bench] {
			reported[r.bench] = true
			t.Errorf("rows of %s have no benchmark", r.bench)
		}
	})
}

// everyRow calls f with each row.
func everyRow(f func(r row)) {
	for _, s := range sections() {
		for _, r := range s.rows {
			f(r)
		}
	}
}

func TestEveryImplComputesTheSameDigests(t *testing.T) {
	seen := make(map[string]bool)
	everyRow(func(r row) {
		name := r.bench + "/" + r.load
		if seen[name] || testing.Short() && (r.bytes > 32<<20 || r.bench == "Files") {
			return
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			var want [][32]byte
			impls := r.impls()
			defer stop(impls)
			for _, im := range impls {
				got := make([][32]byte, r.digests)
				im.run(got)
				for i, h := range im.hashes {
					h.Sum(got[i][:0])
				}
				switch {
				case im.other:
				case want == nil:
					want = got
				case !slices.Equal(got, want):
					t.Errorf("%s computes other digests than the first", im.name)
				}
			}
		})
	})
}

func TestRowNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	everyRow(func(r row) {
		if seen[r.name()] {
			t.Errorf("%s stands there twice", r.name())
		}
		seen[r.name()] = true
	})
}

func TestFloorsAreOfRows(t *testing.T) {
	names := make(map[string]bool)
	everyRow(func(r row) { names[r.name()] = true })
	for name := range floors {
		if !names[name] {
			t.Errorf("a floor for %s, which is no row", name)
		}
	}
	for name := range shares {
		if !names[name] {
			t.Errorf("a share for %s, which is no row", name)
		}
	}
}

func TestTwinsAreRows(t *testing.T) {
	names := make(map[string]bool)
	everyRow(func(r row) { names[r.name()] = true })
	everyRow(func(r row) {
		if r.twin != "" && (!names[r.twin] || r.twin == r.name()) {
			t.Errorf("the twin of %s, %s, is no other row", r.name(), r.twin)
		}
		if shares[r.name()] > 0 && r.twin == "" {
			t.Errorf("a share for %s, which has no twin", r.name())
		}
	})
}

// Far lists are far: their messages share no byte, and begin at odd addresses, at
// least some of them. Near ones overlap.
func TestLayouts(t *testing.T) {
	sizes := spreadOf(1000, 100, 5000)
	for _, tt := range []struct {
		where   layout
		overlap bool
	}{{packed, false}, {allocated, false}, {near, true}} {
		msgs := tt.where.place(sizes)
		type span struct{ first, end uintptr }
		var spans []span
		odd := 0
		for i, m := range msgs {
			if len(m) != sizes[i] {
				t.Fatalf("%s: message %d has %d bytes, want %d", tt.where, i, len(m), sizes[i])
			}
			first := uintptr(unsafe.Pointer(&m[0]))
			spans = append(spans, span{first, first + uintptr(len(m))})
			odd += int(first & 1)
		}
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
		overlap := false
		for i := range spans[1:] {
			overlap = overlap || spans[1+i].first < spans[i].end
		}
		if overlap != tt.overlap {
			t.Errorf("%s: messages overlap: %v", tt.where, overlap)
		}
		if tt.where == packed && odd == 0 {
			t.Errorf("%s: no message begins at an odd address", tt.where)
		}
	}
}

// loadOf is a row of two impls that do this.
func loadOf(name string, run func(dst [][32]byte)) row {
	return row{bench: name, base: "base", impls: func() []impl { return []impl{{name: "own", run: run}, {name: "base", run: run}} }}
}

func TestRowsThatFailCostNoOthers(t *testing.T) {
	sleep := func([][32]byte) { time.Sleep(time.Millisecond) }
	ctx, interrupt := context.WithCancel(t.Context())
	fails := command("", "go", []string{"nosuch"})
	for _, tt := range []struct {
		name   string
		rows   []row
		failed string // the row in the error
		want   []string
	}{
		{"failure", []row{loadOf("A", sleep), loadOf("B", fails), loadOf("C", sleep)}, "B/", []string{"A/", "C/"}},
		{"interruption", []row{loadOf("A", sleep), loadOf("B", func(dst [][32]byte) { interrupt(); fails(dst) }), loadOf("C", sleep)}, "", []string{"A/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := filepath.Join(t.TempDir(), "results")
			err := new(report).measure(ctx, tt.rows, "", time.Millisecond, files)
			if tt.failed == "" && err != nil || tt.failed != "" && (err == nil || !strings.HasPrefix(err.Error(), "measure "+tt.failed+": go: exit status ")) {
				t.Errorf("error %v, want that of %q", err, tt.failed)
			}
			kept := new(report)
			if err := kept.resume(files + ".json"); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, res := range kept.Results {
				got = append(got, res.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("results of %v are kept, want %v", got, tt.want)
			}
		})
	}
}

func TestImplThatDisturbsOthersIsMeasuredElsewhere(t *testing.T) {
	nothing := func([][32]byte) {}
	here := false
	r := row{bench: "A", base: "base", impls: func() []impl {
		return []impl{{name: "own", run: nothing}, {name: "base", run: nothing}, {name: "peer", alone: true, run: func([][32]byte) { here = true }}}
	}}
	// The other process is this test binary, which does not know the flags.
	_, err := measureRow(t.Context(), r, "", time.Millisecond)
	if err == nil || !strings.HasPrefix(err.Error(), "measure A/ in a process of its own: ") || here {
		t.Errorf("error %v, measured here: %v; want an error of another process", err, here)
	}
	res, err := measureRow(t.Context(), r, "peer", time.Millisecond)
	if err != nil || !here || len(res.Impls) != 1 || res.Impls[0].Name != "peer" || res.Ratio != 0 {
		t.Errorf("alone: %+v, error %v; want the peer's timing and no ratio", res, err)
	}
}

func TestNothingToDoIsAnError(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-run", "nosuch"}, "-run nosuch: no row"},
		{[]string{"-run", "^$", "-results", t.TempDir()}, "-run ^$: no row"},
		{[]string{"-run", "^Nodes/n=1$", "-impl", "nosuch"}, `measure Nodes/n=1: it has no implementation "nosuch"`},
		{[]string{"-run", "^Nodes/n=1$", "-impl", "crypto", "-results", t.TempDir()}, "-impl and -results: "},
		{[]string{"-benchstat", filepath.Join(t.TempDir(), "zen9.json")}, "read results: "},
		{[]string{"-benchstat", "zen9.json", "-run", "^Nodes/n=1$"}, "-benchstat measures nothing"},
		{[]string{"-run", "^Nodes/n=1$", "-time", "0s"}, "-time 0s: "},
		{[]string{"-run", "^Nodes/n=1$", "-time", "-1s"}, "-time -1s: "},
	} {
		if err := run(tt.args, io.Discard); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.args, err, tt.want)
		}
	}
}

func TestResultsThatCannotBeKeptAreAnErrorBeforehand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	err := run([]string{"-run", "^Nodes/n=1$", "-time", "1ms", "-results", filepath.Join(file, "results")}, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "keep results: ") {
		t.Errorf("error %v, want one of the directory", err)
	}
}

func TestChartsThatCannotBeDrawnCostNoResults(t *testing.T) {
	dir := t.TempDir()
	// A directory stands where the chart should be.
	if err := os.Mkdir(filepath.Join(dir, thisMachine().file()+"-lanes-4K.svg"), 0o777); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := run([]string{"-run", "^Kernel/size=4K/n=1$", "-time", "1ms", "-results", dir}, &out)
	if err == nil || !strings.HasPrefix(err.Error(), "draw ") {
		t.Errorf("error %v, want that of the chart", err)
	}
	if !strings.Contains(out.String(), "Kernel/size=4K/n=1 ") {
		t.Errorf("the row is not in:\n%s", out.String())
	}
}

func TestEarlierResultsAreReportedAgain(t *testing.T) {
	dir := t.TempDir()
	for _, pattern := range []string{"^Nodes/n=1$", "^Nodes/n=2$", "^$"} {
		if err := run([]string{"-run", pattern, "-time", "1ms", "-results", dir}, io.Discard); err != nil {
			t.Fatal(err)
		}
		if md := readFile(t, filepath.Join(dir, thisMachine().file()+".md")); !bytes.Contains(md, []byte("| Nodes/n=1 |")) {
			t.Errorf("-run %s: the row is not in:\n%s", pattern, md)
		}
	}
}

func TestFilesAreCalledAfterTheCPU(t *testing.T) {
	for _, tt := range []struct {
		machine machine
		want    string
	}{
		{machine{Kind: zen5, CPU: "AMD EPYC, family 0x1a model 0x2"}, "zen5"},
		{machine{Kind: iceLake, CPU: "Intel(R) Xeon(R) Processor @ 2.80GHz, family 0x6 model 0x6a"}, "icelake"},
		{machine{CPU: "AMD Ryzen 7 5800X 8-Core Processor, family 0x19 model 0x21"}, "amd-ryzen-7-5800x-8-core-processor-family-0x19-model-0x21"},
		{machine{CPU: "../Virtual CPU/"}, "virtual-cpu"},
		{machine{CPU: "unknown CPU"}, "unknown-cpu"},
	} {
		if got := tt.machine.file(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.machine, got, tt.want)
		}
	}
}

// published is what a program is built from when all peers are as published.
func published() *debug.BuildInfo {
	info := new(debug.BuildInfo)
	for _, path := range peers {
		info.Deps = append(info.Deps, &debug.Module{Path: path, Version: "v1.2.3", Sum: "h1:x"})
	}
	return info
}

func TestPeersMustBePublishedModules(t *testing.T) {
	if versions, err := peerVersions(published()); err != nil || len(versions) != len(peers) {
		t.Errorf("published peers: %v, %v", versions, err)
	}
	for name, change := range map[string]func(m *debug.Module){
		"workspace":    func(m *debug.Module) { m.Version, m.Sum = "(devel)", "" },
		"folder":       func(m *debug.Module) { m.Replace = &debug.Module{Path: "../compat/minio"} },
		"fork":         func(m *debug.Module) { m.Replace = &debug.Module{Path: "example.com/fork", Version: "v1.0.0"} },
		"not in there": func(m *debug.Module) { m.Path = "example.com/other" },
	} {
		info := published()
		change(info.Deps[0])
		if _, err := peerVersions(info); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// measured is a report with a result for each row of the charts.
func measured() *report {
	rep := new(report)
	for _, r := range slices.Concat(byLanes().rows, byLength().rows, rfc6962Rows(), byListSize().rows, bySpread().rows) {
		rep.add(result{Name: r.name(), Bytes: r.bytes, Ratio: 2, Impls: []implResult{
			{"sha256-simd", timing.Timing{Best: float64(r.bytes) / 8}},
			{"crypto", timing.Timing{Best: float64(r.bytes) / 2}},
		}})
	}
	return rep
}

func TestChartsAreWellFormed(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "zen5")
	if err := measured().draw(prefix); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"-lanes-4K.svg", "-lanes-64K.svg", "-length.svg", "-rfc6962.svg", "-far.svg", "-unequal.svg"} {
		data := readFile(t, prefix+name)
		for _, want := range []string{">sha256-simd<", ">crypto<", ">GB/s<"} {
			if !bytes.Contains(data, []byte(want)) {
				t.Errorf("%s does not hold %s", name, want)
			}
		}
		d := xml.NewDecoder(bytes.NewReader(data))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestReportSaysWhichFloorsAreReached(t *testing.T) {
	for _, tt := range []struct {
		kind kind
		want []string
	}{
		{zen5, []string{
			"Merkle trees", "1.04 reached", "3.05 MISSED",
			"A floor is the least ratio that this project accepts on Zen 5: 1 of 2 are reached; missed: Nodes/n=1024.",
		}},
		{zen4, []string{"Merkle trees", "1.15 MISSED", "1.50 reached", "on Zen 4: 1 of 2 are reached; missed: Nodes/n=4."}},
		{iceLake, []string{"Merkle trees", "1.10 reached", "2.40 reached", "on Ice Lake: 2 of 2 are reached."}},
		{"", []string{"Merkle trees", "No floors are known for these rows on this kind of CPU."}},
	} {
		rep := &report{Machine: machine{Kind: tt.kind}}
		for name, ratio := range map[string]float64{"Nodes/n=4": 1.12, "Nodes/n=1024": 2.5, "Nodes/n=8": 1} {
			rep.add(result{Name: name, Bytes: 1, Ratio: ratio, Impls: []implResult{{"sha256-simd", timing.Timing{Best: 1}}}})
		}
		for name, write := range map[string]func(io.Writer) error{"text": rep.writeText, "Markdown": rep.writeMarkdown} {
			var out strings.Builder
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s report on %q does not say %q:\n%s", name, tt.kind, want, out.String())
				}
			}
			if tt.kind == "" && strings.Contains(out.String(), "MISSED") {
				t.Errorf("%s report on an unknown CPU speaks of floors:\n%s", name, out.String())
			}
		}
	}
}

// TestNoLossByTheServer tests that a row of the Server has to reach noLoss on any
// CPU, at best and in the median, and then the floor of its kind of CPU.
func TestNoLossByTheServer(t *testing.T) {
	const row = "Server/goroutines=64/size=1M/write=32K"
	for _, tt := range []struct {
		kind         kind
		name         string
		best, median float64
		want         string
	}{
		{zen5, row, 3.3, 3.1, "3.20 reached"},
		{zen5, row, 3.1, 3.1, "3.20 MISSED"},
		{zen5, row, 3.3, 0.9, "0.970 at best and in the median MISSED"},
		{zen5, "Server/goroutines=4/size=1M/write=64", 1.2, 0.98, "0.970 at best and in the median reached"},
		{"", row, 1.2, 0.98, "0.970 at best and in the median reached"},
		{"", row, 0.96, 0.98, "0.970 at best and in the median MISSED"},
	} {
		rep := &report{Machine: machine{Kind: tt.kind}}
		if got := rep.verdict(result{Name: tt.name, Ratio: tt.best, MedianRatio: tt.median}); got != tt.want {
			t.Errorf("%s at %v, median %v, on %q: %q, want %q", tt.name, tt.best, tt.median, tt.kind, got, tt.want)
		}
	}
}

// TestKindOf tests that Emerald Rapids is a kind of its own, with floors of its own for
// messages from memory.
func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		microarch cpu.Microarch
		model     int
		want      kind
		far, near float64 // floors
	}{
		{cpu.GoldenCove, 0xcf, emeraldRapids, 0.98, 1.3},
		{cpu.GoldenCove, 0x8f, graniteRapids, 1.25, 1.3},     // Sapphire Rapids
		{cpu.IntelAVX512SHA, 0xa7, graniteRapids, 1.25, 1.3}, // Granite Rapids, by its hypervisor
		{cpu.Zen3, 0xcf, zen3, 0.98, 0},
		{cpu.Unknown, 0xcf, "", 0, 0},
	} {
		got := kindOf(tt.microarch, tt.model)
		if got != tt.want {
			t.Errorf("%v, model %#x: %q, want %q", tt.microarch, tt.model, got, tt.want)
		}
		if far, near := floorOf(got, "FarSum256/size=1M/n=1"), floorOf(got, "SumMany/size=8K/n=2"); far != tt.far || near != tt.near {
			t.Errorf("%q: floors %v and %v, want %v and %v", got, far, near, tt.far, tt.near)
		}
	}
	for row := range emeraldFloors {
		if floors[row].graniteRapids == 0 {
			t.Errorf("%s has no floor on Granite Rapids", row)
		}
	}
}

func TestReportComparesTwins(t *testing.T) {
	const name, twin = "FarSumMany/size=4K/n=65536/packed", "FarSumMany/size=4K/n=65536/near"
	for _, tt := range []struct {
		kind       kind
		gain, near float64
		want       string
	}{
		{zen5, 3.5, 4, "3.40 reached"}, // by its own floor
		{zen5, 3.3, 4, "3.40 MISSED"},
		{zen4, 2.1, 2.5, "0.800 of its twin's reached"},
		{"", 1.9, 2.5, "0.800 of its twin's MISSED"},
	} {
		rep := &report{Machine: machine{Kind: tt.kind}}
		// The ratio by wall time does not count here.
		rep.add(result{Name: name, Bytes: 1, Ratio: 9, CPURatio: tt.gain, ByCPU: true, Twin: twin, Impls: []implResult{{"sha256-simd", timing.Timing{Best: 1, BestCPU: 1}}}})
		rep.add(result{Name: twin, Bytes: 1, Ratio: 1, CPURatio: tt.near, ByCPU: true, Impls: []implResult{{"sha256-simd", timing.Timing{Best: 1, BestCPU: 1}}}})
		var out strings.Builder
		if err := rep.writeMarkdown(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{tt.want, "| " + number(tt.gain/tt.near) + " |"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q, %v of %v: the report does not say %q:\n%s", tt.kind, tt.gain, tt.near, want, out.String())
			}
		}
	}
}

func TestBenchstatFormat(t *testing.T) {
	rep := &report{Machine: machine{CPU: "a CPU", System: "linux/amd64"}}
	rep.add(result{Name: "SumMany/size=8K/n=32", Impls: []implResult{
		{"sha256-simd", timing.Timing{Best: 1234.5, Median: 2000, Runs: 7}}, {"crypto", timing.Timing{Best: 5000, Median: 6000, Runs: 9}},
	}})
	const want = `goos: linux
goarch: amd64
pkg: github.com/sha256-simd/sha256-simd/benchmarks
cpu: a CPU
BenchmarkSumMany/impl=sha256-simd/size=8K/n=32	7	1234.5 ns/op	2000 median-ns/op
BenchmarkSumMany/impl=crypto/size=8K/n=32	9	5000 ns/op	6000 median-ns/op
`
	var out strings.Builder
	if err := rep.writeBenchstat(&out); err != nil || out.String() != want {
		t.Errorf("%v, %s, want %s", err, out.String(), want)
	}
}

// TestBenchstatFilesAreOfTheirJSON compares the files for benchstat in results with
// what -benchstat prints.
func TestBenchstatFilesAreOfTheirJSON(t *testing.T) {
	files, err := filepath.Glob("results/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of results, error %v", len(files), err)
	}
	for _, file := range files {
		text := strings.TrimSuffix(file, ".json") + ".txt"
		var out bytes.Buffer
		if err := run([]string{"-benchstat", file}, &out); err != nil {
			t.Error(err)
		} else if !bytes.Equal(out.Bytes(), readFile(t, text)) {
			t.Errorf("%s is not of %s: go run ./benchmarks -benchstat benchmarks/%s >benchmarks/%s", text, file, file, text)
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestReportThatCannotBeWrittenIsAnError(t *testing.T) {
	rep := measured()
	for name, write := range map[string]func(io.Writer) error{"text": rep.writeText, "Markdown": rep.writeMarkdown, "JSON": rep.writeJSON, "benchstat": rep.writeBenchstat} {
		if err := write(full{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s report: error %v", name, err)
		}
	}
}

func TestResultsAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	first := &report{Machine: machine{CPU: "a"}}
	if err := first.resume(file); err != nil {
		t.Fatalf("no file yet: %v", err)
	}
	first.add(result{Name: "one", Ratio: 1})
	first.add(result{Name: "two", Ratio: 2})
	if err := first.save(file, first.writeJSON); err != nil {
		t.Fatal(err)
	}

	second := &report{Machine: machine{CPU: "a"}}
	if err := second.resume(file); err != nil {
		t.Fatal(err)
	}
	second.add(result{Name: "one", Ratio: 3})
	if one, _ := second.find("one"); one.Ratio != 3 {
		t.Errorf("a row that was measured again has ratio %v", one.Ratio)
	}
	if two, ok := second.find("two"); !ok || two.Ratio != 2 {
		t.Errorf("a row that was not measured again is %+v, %v", two, ok)
	}

	other := &report{Machine: machine{CPU: "b"}}
	if err := other.resume(file); err == nil {
		t.Error("results of another machine are taken over")
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
func BenchmarkSLHDSA(b *testing.B)    { benchmark(b, "SLHDSA") }
func BenchmarkSumChains(b *testing.B) { benchmark(b, "SumChains") }
func BenchmarkPBKDF2(b *testing.B)    { benchmark(b, "PBKDF2") }
func BenchmarkFiles(b *testing.B)     { benchmark(b, "Files") }
