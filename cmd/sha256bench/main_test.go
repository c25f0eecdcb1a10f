package main

import (
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sha256bench": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Condition: func(cond string) (bool, error) {
			return cond == "cycles" && tellsCycles, nil
		},
	})
}

func TestDefaults(t *testing.T) {
	o, err := parseOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	points := o.points()
	for n := 1; n <= 40; n++ {
		if !slices.Contains(points, point{n, sweepLength}) {
			t.Errorf("%d messages are not measured", n)
		}
	}
	for length := 16; length <= 1<<20; length *= 2 {
		if !slices.Contains(points, point{sweepMessages, length}) {
			t.Errorf("messages of %d bytes are not measured", length)
		}
	}
}

func TestPoints(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []point
	}{
		{[]string{"--lanes=3,1", "--lengths=64"}, []point{{1, 4096}, {3, 4096}, {32, 64}}},
		{[]string{"--lanes=32", "--lengths=1K-4KiB"}, []point{{32, 4096}, {32, 1024}, {32, 2048}}},
		{[]string{"--lanes=1-2", "--lengths=16,1M", "--full"}, []point{{1, 16}, {2, 16}, {1, 1 << 20}, {2, 1 << 20}}},
		{[]string{"-full", "-lanes", "2,2,1-2", "-lengths", "100-300"}, []point{{1, 100}, {2, 100}, {1, 200}, {2, 200}}},
	} {
		o, err := parseOptions(tt.args)
		if err != nil {
			t.Errorf("%q: %v", tt.args, err)
			continue
		}
		if got := o.points(); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.args, got, tt.want)
		}
	}
}

// TestSubjectsTakeLittleMemory tests that what is measured takes little more
// memory than the messages do, which is bounded.
func TestSubjectsTakeLittleMemory(t *testing.T) {
	o, err := parseOptions([]string{"--full", "--lanes=1-1024", "--lengths=1", "--kernels=generic"})
	if err != nil {
		t.Fatal(err)
	}
	points, memory := o.points(), make([]byte, o.memory())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sumSubjects(o.implementations, points, memory)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("%d KiB for %d points", took>>10, len(points))
	}
}

// subjectsOf returns subjects that were measured to take calls times as many
// cycles.
func subjectsOf(calls float64, cycles ...float64) []*subject {
	var subjects []*subject
	for _, c := range cycles {
		subjects = append(subjects, &subject{best: timing{c * calls / 4e9, 4e9}})
	}
	return subjects
}

func TestLosses(t *testing.T) {
	table := []lanes.Candidate{{Kernel: "x1_a", Lanes: 1, Cycles: 100}, {Kernel: "x2_a", Lanes: 2, Cycles: 150}, {Kernel: "x4_a", Lanes: 4, Cycles: 280}}
	for _, tt := range []struct {
		name   string
		cycles []float64
		want   []loss
	}{
		{"as in the table", []float64{100, 150, 280}, nil},
		{"all faster", []float64{50, 75, 140}, nil},
		{"within the tolerance", []float64{100, 150, 314}, nil},
		{"four lanes are slow", []float64{100, 150, 400}, []loss{
			{4, 1. / 3, "x4_a", "x2_a + x2_a"},
		}},
		{"two lanes are no use", []float64{100, 260, 280}, []loss{
			{2, 0.3, "x2_a", "x1_a + x1_a"},
			{3, 80. / 280, "x2_a + x1_a", "x4_a"},
		}},
		{"no lanes are any use", []float64{100, 300, 600}, []loss{
			{2, 0.5, "x2_a", "x1_a + x1_a"},
			{3, 1. / 3, "x2_a + x1_a", "x1_a + x1_a + x1_a"},
			{4, 0.5, "x4_a", "x1_a + x1_a + x1_a + x1_a"},
		}},
	} {
		c := &costs{Description: lanes.Description{Streams: table}, streams: subjectsOf(costBlocks, tt.cycles...)}
		if !slices.EqualFunc(c.losses(), tt.want, func(a, b loss) bool {
			return a.lanes == b.lanes && math.Abs(a.share-b.share) < 1e-9 && a.plan == b.plan && a.other == b.other
		}) {
			t.Errorf("%s: %v, want %v", tt.name, c.losses(), tt.want)
		}
	}
}

// TestReportOfAWrongTable tests that what is printed says what loses, and has
// what is needed to correct the table.
func TestReportOfAWrongTable(t *testing.T) {
	r := &report{
		options: defaultOptions(),
		machine: machine{CPU: "A CPU", Family: 0x1b, Model: 3, OS: "linux", Arch: "amd64", Go: "go1.25"},
		costs: &costs{
			Description: lanes.Description{
				Class:   "a class",
				Streams: []lanes.Candidate{{Kernel: "x1_a", Lanes: 1, Cycles: 100}, {Kernel: "x2_a", Lanes: 2, Cycles: 150}},
				Nodes:   []lanes.Candidate{{Kernel: "x1_a", Lanes: 1, Cycles: 200}, {Kernel: "node_x2_a", Lanes: 2, Cycles: 300}},
			},
			streams: subjectsOf(costBlocks, 100, 260),
			nodes:   subjectsOf(1, 200, 310),
		},
	}
	var b strings.Builder
	if err := r.writeText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"The table is wrong for this CPU",
		"   2 live lanes: x2_a takes 30% longer than x1_a + x1_a\n",
		"    A CPU (family 0x1b, model 0x3, stepping 0), linux/amd64, go1.25\n",
		`    class "a class"` + "\n",
		`    streams {"x1_a", 100}, {"x2_a", 260},` + "\n",
		`    nodes {"x1_a", 200}, {"node_x2_a", 310},` + "\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}

// TestFrequency tests that what is told is a frequency of a core.
func TestFrequency(t *testing.T) {
	if !tellsCycles {
		t.Skip("cycles are not told on this architecture")
	}
	best := 0.0
	for range 100 {
		best = max(best, frequency())
	}
	if best < 0.2e9 || best > 10e9 {
		t.Errorf("a frequency of %.2f GHz", best/1e9)
	}
}
