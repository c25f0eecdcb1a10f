package main

import (
	"fmt"
	"go/format"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sha256bench": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Condition: func(cond string) (bool, error) {
			if cond == "kernels" {
				return len(block.Kernels()) > 0, nil
			}
			return false, fmt.Errorf("no condition is called %s", cond)
		},
	})
}

// An output is a standard output that reports an error when it is closed.
type output struct {
	io.Writer
	err error
}

func (o output) Close() error { return o.err }

// What standard output says when it is closed is an error like that of a write.
func TestStandardOutputIsClosed(t *testing.T) {
	for _, test := range []struct {
		args   string
		err    error
		status int
		stderr string
	}{
		{"-help", nil, exitOK, ""},
		{"-help", syscall.EIO, exitError, "sha256bench: writing the help: " + syscall.EIO.Error() + "\n"},
		{"-time 1ms", nil, exitOK, ""},
		{"-time 1ms", syscall.EIO, exitError, "sha256bench: writing the results: " + syscall.EIO.Error() + "\n"},
	} {
		var stderr strings.Builder
		status := run(t.Context(), strings.Fields(test.args), output{io.Discard, test.err}, &stderr)
		if status != test.status || stderr.String() != test.stderr {
			t.Errorf("%s, %v: status %d, errors %q", test.args, test.err, status, stderr.String())
		}
	}
}

// measuredAs returns the costs of candidates that were measured to take as many
// cycles.
func measuredAs(d lanes.Description, cycles map[string]float64) *costs {
	c := &costs{Description: d}
	for kernel, n := range cycles {
		operation := block.StreamOp
		switch {
		case strings.HasPrefix(kernel, "node_"):
			operation = block.NodeOp
		case strings.HasPrefix(kernel, "search_"):
			operation = block.SearchOp
		}
		c.subjects = append(c.subjects, costSubject{kernel: kernel, operation: operation, units: costBlocks, Timing: timing.Timing{Best: n * costBlocks / 4, Cycles: n * costBlocks}})
	}
	for _, k := range d.Nodes[:min(1, len(d.Nodes))] {
		c.subjects = append(c.subjects, costSubject{kernel: k.Kernel, aNode: true, units: 1, Timing: timing.Timing{Best: float64(k.Cycles) / 4, Cycles: float64(k.Cycles)}})
	}
	return c
}

func TestLosses(t *testing.T) {
	table := []plan.Candidate{{Kernel: "x1_a", Lanes: 1, Cycles: 100}, {Kernel: "x2_a", Lanes: 2, Cycles: 150}, {Kernel: "x4_a", Lanes: 4, Cycles: 280}}
	wide := []plan.Candidate{{Kernel: "x16_a", Lanes: 16, Cycles: 1000}, {Kernel: "x1_a", Lanes: 1, Cycles: 1000}, {Kernel: "x32_a", Lanes: 32, Cycles: 1900}}
	for _, tt := range []struct {
		name   string
		table  []plan.Candidate
		cycles []float64
		want   []loss
	}{
		{"as in the table", table, []float64{100, 150, 280}, nil},
		{"all faster", table, []float64{50, 75, 140}, nil},
		{"within the tolerance", table, []float64{100, 150, 314}, nil},
		{"four lanes are slow", table, []float64{100, 150, 400}, []loss{
			{"live lanes", 4, 1. / 3, "x4_a", "x2_a + x2_a"},
		}},
		{"two lanes are no use", table, []float64{100, 260, 280}, []loss{
			{"live lanes", 2, 0.3, "x2_a", "x1_a + x1_a"},
			{"live lanes", 3, 80. / 280, "x2_a + x1_a", "x4_a"},
		}},
		{"no lanes are any use", table, []float64{100, 300, 600}, []loss{
			{"live lanes", 2, 0.5, "x2_a", "x1_a + x1_a"},
			{"live lanes", 3, 1. / 3, "x2_a + x1_a", "x1_a + x1_a + x1_a"},
			{"live lanes", 4, 0.5, "x4_a", "x1_a + x1_a + x1_a + x1_a"},
		}},
		{"32 lanes as in the table", wide, []float64{1000, 1000, 1900}, nil},
		{"32 lanes gain nothing", wide, []float64{1000, 1000, 2200}, []loss{
			{"messages of one length", 0, 0.1, "x32_a", "x16_a"},
		}},
	} {
		cycles := map[string]float64{}
		for i, n := range tt.cycles {
			cycles[tt.table[i].Kernel] = n
		}
		c := measuredAs(lanes.Description{Streams: tt.table}, cycles)
		if !slices.EqualFunc(c.losses(), tt.want, func(a, b loss) bool {
			return a.work == b.work && a.n == b.n && math.Abs(a.share-b.share) < 1e-9 && a.plan == b.plan && a.other == b.other
		}) {
			t.Errorf("%s: %v, want %v", tt.name, c.losses(), tt.want)
		}
	}
}

// wrongReport is one of a machine on which the table is wrong.
func wrongReport() *report {
	return &report{
		machine: machine{CPU: "A CPU", Family: 0x1b, Model: 3, OS: "linux", Arch: "amd64", Go: "go1.25"},
		costs: measuredAs(lanes.Description{
			Row: plan.Row{Microarch: cpu.Zen4, On: "another CPU"},
			Streams: []plan.Candidate{
				{Kernel: "x1_a", Lanes: 1, Cycles: 100, Basis: plan.Measured},
				{Kernel: "x2_a", Lanes: 2, Cycles: 150, Basis: plan.Estimated},
			},
			Nodes: []plan.Candidate{{Kernel: "x1_a", Lanes: 1, Cycles: 200}, {Kernel: "node_x2_a", Lanes: 2, Cycles: 300}},
			Nonces: []plan.Candidate{
				{Kernel: "search_x8_a", Lanes: 8, Cycles: 800, Basis: plan.Estimated},
				{Kernel: "search_x4_a", Lanes: 4, Cycles: 500, Basis: plan.Derived},
			},
		}, map[string]float64{"x1_a": 100, "x2_a": 260, "node_x2_a": 515, "search_x8_a": 800, "search_x4_a": 320, "generic": 900}),
	}
}

// TestReportOfAWrongTable tests that what is printed says what loses, and on what
// its table rests.
func TestReportOfAWrongTable(t *testing.T) {
	var b strings.Builder
	if err := wrongReport().writeText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"A CPU (family 0x1b, model 0x3, stepping 0), linux/amd64, go1.25\n",
		`on the microarchitecture "Zen 4, or Zen 5 with 256-bit units"`,
		"measured are those of another CPU.\n",
		" x2_a      2    150  estimated   260 ",
		"On this machine, at this time, these choices of the table were slower than others:\n",
		"   2 live lanes: x2_a takes 30% longer than x1_a + x1_a\n",
		"   2 nodes: node_x2_a takes 29% longer than x1_a + x1_a\n",
		"  nonces: search_x8_a takes 25% longer than search_x4_a\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}

// TestRow tests that the row is Go that has every kernel's cost as measured, and
// stands as gofmt would have it.
func TestRow(t *testing.T) {
	r := wrongReport()
	r.costs.overhead = overhead{call: 30.2, callLane: 5.8, turnLane: 4.1, turnMax: 60, pointers: 6.4, rest: 250, padding: 149.6, generic: 1100}
	slices.SortFunc(r.costs.subjects, func(a, b costSubject) int { return strings.Compare(a.kernel, b.kernel) })
	var b strings.Builder
	if err := r.writeRow(&b); err != nil {
		t.Fatal(err)
	}
	want := `	{
		Microarch: cpu.Zen4,
		On:        "A CPU (family 0x1b, model 0x3, stepping 0), linux/amd64, go1.25",
		overhead:  overhead{call: 30, callLane: 6, turnLane: 4, turnMax: 60, pointers: 6, rest: 250, padding: 150, generic: 1100},
		measured: []cost{
			{"x1_a", 100}, {"x2_a", 260},
			{"node_x2_a", 515},
			{"search_x4_a", 320}, {"search_x8_a", 800},
		},
	},
`
	if b.String() != want {
		t.Errorf("%s, want\n%s", b.String(), want)
	}
	source := "package plan\n\nvar rows = []Row{\n" + b.String() + "}\n"
	if formatted, err := format.Source([]byte(source)); err != nil || string(formatted) != source {
		t.Errorf("gofmt has %s, %v", formatted, err)
	}
}

// TestCostsCoverThisMachine tests that each kernel that this machine can run is
// measured, whether it is in use or not.
func TestCostsCoverThisMachine(t *testing.T) {
	c := newCosts()
	check := func(k block.Spec, supported bool) {
		if supported != c.has(k.Name) && k.Name != block.Single() {
			t.Errorf("%s: supported %v, measured %v", k.Name, supported, c.has(k.Name))
		}
	}
	for _, k := range block.Kernels() {
		check(k.Spec, k.Supported)
	}
	for _, k := range block.NodeKernels() {
		check(k.Spec, k.Supported)
	}
	for _, k := range block.SearchKernels() {
		check(k.Spec, k.Supported)
	}
}
