package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/klauspost/cpuid/v2"
	"github.com/moby/sys/atomicwriter"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

// A report is what was measured, where and beside what.
type report struct {
	Machine machine  `json:"machine"`
	Peers   []string `json:"peers"`
	Results []result `json:"results"`
}

// A machine is what decides the figures.
type machine struct {
	// Kind is the kind of its CPU, or "".
	Kind   kind   `json:"kind,omitempty"`
	CPU    string `json:"cpu"`
	System string `json:"system"`
	Go     string `json:"go"`
	Single string `json:"single"`
	Many   string `json:"many"`
	Lanes  int    `json:"lanes"`
}

// thisMachine returns the machine that this program runs on.
func thisMachine() machine {
	c, selected := cpuid.CPU, sha256.Selected()
	m := machine{
		CPU:    cmp.Or(c.BrandName, "unknown CPU"),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(),
		Single: selected.Single,
		Many:   selected.Many,
		Lanes:  selected.Lanes,
	}
	if c.Family != 0 {
		m.CPU += fmt.Sprintf(", family %#x model %#x", c.Family, c.Model)
	}
	if c.Supports(cpuid.AVX512FP16) {
		m.CPU += " with AVX512_FP16" // whatever model a hypervisor makes of it
	}
	// Floors are for CPUs that have all that there is, and show it.
	if here := cpu.This(); cpu.Usable().Has(here.Features()) {
		m.Kind = kindOf(here, c.Model)
	}
	return m
}

// title is what charts call the machine.
func (m machine) title() string { return cmp.Or(string(m.Kind), m.CPU) }

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// file is the name, less its extension, of files with results of the machine.
func (m machine) file() string {
	name := strings.ToLower(strings.ReplaceAll(m.title(), " ", ""))
	if m.Kind == "" {
		name = notInNames.ReplaceAllString(strings.ToLower(m.CPU), "-")
	}
	return strings.Trim(name, "-")
}

// A result is a row, measured.
type result struct {
	Name string `json:"name"`
	// Ratio is how many times as fast as the base this library is, by the
	// fastest runs of both, MedianRatio by the medians.
	Ratio       float64 `json:"ratio"`
	MedianRatio float64 `json:"median_ratio"`
	// CPURatio is the ratio by the runs of both that took the least CPU time, or
	// 0 where that is not known.
	CPURatio float64 `json:"cpu_ratio,omitempty"`
	// ByCPU is set if CPURatio is what counts.
	ByCPU bool `json:"by_cpu,omitempty"`
	// Twin is the row whose gain this one is to come near to, or "".
	Twin  string       `json:"twin,omitempty"`
	Base  string       `json:"base"`
	Bytes int          `json:"bytes"`
	Impls []implResult `json:"impls"`
}

// gain is the ratio that floors are about.
func (res result) gain() float64 {
	if res.ByCPU && res.CPURatio > 0 {
		return res.CPURatio
	}
	return res.Ratio
}

type implResult struct {
	Name string `json:"name"`
	timing.Timing
}

// best returns the time of the best run, by CPU time if byCPU and that is known.
func (im implResult) best(byCPU bool) float64 {
	if byCPU && im.BestCPU > 0 {
		return im.BestCPU
	}
	return im.Best
}

// newReport is a report without results. It fails when a peer is not what its
// authors published.
func newReport() (*report, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, errors.New("this program does not know what it was built from")
	}
	versions, err := peerVersions(info)
	if err != nil {
		return nil, err
	}
	return &report{Machine: thisMachine(), Peers: versions}, nil
}

// readReport reads a report that writeJSON wrote.
func readReport(file string) (*report, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	rep := new(report)
	if err := json.Unmarshal(data, rep); err != nil {
		return nil, fmt.Errorf("read results from %s: %w", file, err)
	}
	return rep, nil
}

// resume takes over the results of a file, if there is one. They must be from
// this machine.
func (rep *report) resume(file string) error {
	earlier, err := readReport(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if earlier.Machine != rep.Machine || !slices.Equal(earlier.Peers, rep.Peers) {
		return fmt.Errorf("%s holds results of another machine, Go or peers: %+v %v", file, earlier.Machine, earlier.Peers)
	}
	rep.Results = earlier.Results
	return nil
}

// save writes the report into a file, whole or not at all.
func (rep *report) save(file string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := atomicwriter.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("save results: %w", err)
	}
	return nil
}

// add puts in a result, in place of an earlier one of the same row.
func (rep *report) add(res result) {
	if i := slices.IndexFunc(rep.Results, func(r result) bool { return r.Name == res.Name }); i >= 0 {
		rep.Results[i] = res
		return
	}
	rep.Results = append(rep.Results, res)
}

func (rep *report) find(name string) (result, bool) {
	i := slices.IndexFunc(rep.Results, func(r result) bool { return r.Name == name })
	if i < 0 {
		return result{}, false
	}
	return rep.Results[i], true
}

// measureRow measures a row, of all implementations or only one.
func measureRow(ctx context.Context, r row, only string, budget time.Duration) (res result, err error) {
	if !r.env.here() {
		return measureInChild(ctx, r, only, budget)
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("measure %s: %w", r.name(), p.error)
		default:
			panic(p)
		}
	}()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(1, r.procs)))
	all := r.impls()
	defer stop(all)
	dst := make([][32]byte, r.digests)
	var here, elsewhere []string
	var fs []func()
	for _, im := range all {
		switch {
		case only == "" && im.alone:
			elsewhere = append(elsewhere, im.name)
		case only == "" || only == im.name:
			here = append(here, im.name)
			fs = append(fs, func() { im.run(dst) })
		}
	}
	if len(fs) == 0 {
		return result{}, fmt.Errorf("measure %s: it has no implementation %q", r.name(), only)
	}
	res = result{Name: r.name(), Base: r.base, Bytes: r.bytes, Twin: r.twin, ByCPU: r.byCPU}
	timings, err := timing.InTurn(ctx, fs, budget)
	if err != nil {
		return result{}, err
	}
	for i, t := range timings {
		res.Impls = append(res.Impls, implResult{here[i], t})
	}
	for _, name := range elsewhere {
		one, err := measureInChild(ctx, r, name, budget)
		if err != nil {
			return result{}, err
		}
		res.Impls = append(res.Impls, one.Impls...)
	}
	if only != "" {
		return res, nil
	}
	own, base := res.Impls[0], res.Impls[slices.IndexFunc(res.Impls, func(im implResult) bool { return im.Name == r.base })]
	res.Ratio, res.MedianRatio = base.Best/own.Best, base.Median/own.Median
	if own.BestCPU > 0 {
		res.CPURatio = base.BestCPU / own.BestCPU
	}
	return res, nil
}

// A table is a section of the report.
type table struct {
	title, about string
	head         []string
	rows         [][]string
}

// tables are the sections that have results.
func (rep *report) tables() []table {
	var tables []table
	for _, s := range sections() {
		var results []result
		var impls []string
		for _, r := range s.rows {
			if res, ok := rep.find(r.name()); ok {
				results = append(results, res)
				for _, im := range res.Impls {
					if !slices.Contains(impls, im.Name) {
						impls = append(impls, im.Name)
					}
				}
			}
		}
		if results == nil {
			continue
		}
		t := table{title: s.title, about: s.about}
		hasCPU := slices.ContainsFunc(results, func(res result) bool { return res.ByCPU && res.CPURatio > 0 })
		hasTwins := slices.ContainsFunc(results, func(res result) bool { return res.Twin != "" })
		t.head = []string{"row", "ratio", "of medians"}
		if hasCPU {
			t.head = append(t.head, "of CPU time")
		}
		if hasTwins {
			t.head = append(t.head, "of its twin's")
		}
		t.head = append(t.head, "floor")
		t.head = append(t.head, impls...)
		for _, res := range results {
			cells := []string{res.Name, number(res.Ratio), number(res.MedianRatio)}
			if hasCPU {
				cells = append(cells, number(res.CPURatio))
			}
			if hasTwins {
				cells = append(cells, "")
				if share := rep.share(res); share > 0 {
					cells[len(cells)-1] = number(share)
				}
			}
			cells = append(cells, rep.verdict(res))
			for _, name := range impls {
				i := slices.IndexFunc(res.Impls, func(im implResult) bool { return im.Name == name })
				if i < 0 {
					cells = append(cells, "")
					continue
				}
				cells = append(cells, res.speed(i))
			}
			t.rows = append(t.rows, cells)
		}
		tables = append(tables, t)
	}
	return tables
}

// speed is how fast an impl was: GB/s, or for no bytes the time.
func (res result) speed(i int) string {
	if res.Bytes == 0 {
		return number(res.Impls[i].Best) + " ns"
	}
	return number(float64(res.Bytes) / res.Impls[i].best(res.ByCPU))
}

// share is how much of its twin's gain a result reaches, or 0 if its twin was not
// measured.
func (rep *report) share(res result) float64 {
	if twin, ok := rep.find(res.Twin); ok {
		return res.gain() / twin.gain()
	}
	return 0
}

// floor returns the floor of a result and what has to reach it, or 0: its gain, or
// on CPUs that have no floor for that, its share of its twin's gain. A row of the
// Server has to reach noLoss before anything else.
func (rep *report) floor(res result) (floor, figure float64, unit string) {
	f := floorOf(rep.Machine.Kind, res.Name)
	if least := min(res.gain(), res.MedianRatio); strings.HasPrefix(res.Name, "Server/") && (f == 0 || least < noLoss) {
		return noLoss, least, " at best and in the median"
	}
	if f > 0 {
		return f, res.gain(), ""
	}
	if share := rep.share(res); share > 0 {
		return shares[res.Name], share, " of its twin's"
	}
	return 0, 0, ""
}

// verdict is the floor of a result, and whether it is reached.
func (rep *report) verdict(res result) string {
	switch f, figure, unit := rep.floor(res); {
	case f == 0:
		return ""
	case figure >= f:
		return number(f) + unit + " reached"
	default:
		return number(f) + unit + " MISSED"
	}
}

// floors counts the results that have a floor, and names those that miss it.
func (rep *report) floors() (n int, missed []string) {
	for _, res := range rep.Results {
		if f, figure, _ := rep.floor(res); f > 0 {
			n++
			if figure < f {
				missed = append(missed, res.Name)
			}
		}
	}
	return n, missed
}

// number writes three significant digits.
func number(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

const legend = "Ratios say how many times as fast as the base this library is: crypto/sha256, for nodes gohashtree, for signatures circl, for passwords crypto/pbkdf2, for files coreutils. " +
	"They are ratios of the fastest runs, then of the medians, then of the runs that took the least CPU time; the column after that has the " +
	"row's share of its twin's gain. The other figures are GB/s of the fastest run, for empty messages and signatures its time. " +
	"Where the row does not say procs, GOMAXPROCS is 1."

func (rep *report) intro() []string {
	m := rep.Machine
	return []string{
		fmt.Sprintf("%s, %s, %s; %s for one message, %s for many, %d lanes.", m.CPU, m.System, m.Go, m.Single, m.Many, m.Lanes),
		"Peers: " + strings.Join(rep.Peers, ", ") + ".",
		legend,
		rep.aboutFloors(),
	}
}

func (rep *report) aboutFloors() string {
	n, missed := rep.floors()
	if n == 0 {
		return "No floors are known for these rows on this kind of CPU."
	}
	text := fmt.Sprintf("A floor is the least ratio that this project accepts on %s: %d of %d are reached",
		cmp.Or(string(rep.Machine.Kind), "this kind of CPU"), n-len(missed), n)
	if len(missed) > 0 {
		text += "; missed: " + strings.Join(missed, ", ")
	}
	return text + "."
}

func (rep *report) writeText(w io.Writer) error {
	var b strings.Builder
	for _, line := range rep.intro() {
		fmt.Fprintln(&b, line)
	}
	for _, t := range rep.tables() {
		fmt.Fprintf(&b, "\n%s: %s\n\n", t.title, strings.ReplaceAll(t.about, "`", ""))
		tw := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
		for _, cells := range append([][]string{t.head}, t.rows...) {
			fmt.Fprintln(tw, strings.Join(cells, "\t"))
		}
		tw.Flush()
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (rep *report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results of `go run ./benchmarks` on %s\n\n%s\n", rep.Machine.title(), strings.Join(rep.intro(), "\n\n"))
	for _, t := range rep.tables() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.title, t.about)
		fmt.Fprintf(&b, "| %s |\n| --- |%s\n", strings.Join(t.head, " | "), strings.Repeat(" ---: |", len(t.head)-1))
		for _, cells := range t.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBenchstat writes what go test -bench would print, as benchstat reads it: for each
// row and implementation the fastest run, and the median.
func (rep *report) writeBenchstat(w io.Writer) error {
	var b strings.Builder
	goos, goarch, _ := strings.Cut(rep.Machine.System, "/")
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/sha256-simd/sha256-simd/benchmarks\ncpu: %s\n", goos, goarch, rep.Machine.CPU)
	for _, res := range rep.Results {
		bench, load, _ := strings.Cut(res.Name, "/")
		for _, im := range res.Impls {
			fmt.Fprintf(&b, "Benchmark%s/impl=%s/%s\t%d\t%.6g ns/op\t%.6g median-ns/op\n", bench, strings.ReplaceAll(im.Name, " ", "_"), load, im.Runs, im.Best, im.Median)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeJSON writes the report with a line for each row, so that a diff of two
// says which rows were measured again.
func (rep *report) writeJSON(w io.Writer) error {
	lines := make([][]byte, len(rep.Results))
	for i, res := range rep.Results {
		var err error
		if lines[i], err = json.Marshal(res); err != nil {
			return fmt.Errorf("write %s as JSON: %w", res.Name, err)
		}
	}
	machine, err := json.Marshal(rep.Machine)
	if err != nil {
		return err
	}
	peers, err := json.Marshal(rep.Peers)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\n\"machine\": %s,\n\"peers\": %s,\n\"results\": [\n%s\n]\n}\n", machine, peers, bytes.Join(lines, []byte(",\n")))
	return err
}
