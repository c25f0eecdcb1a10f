package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/sha256-simd/sha256-simd"
)

// A report is what was measured, where and beside what.
type report struct {
	Machine machine  `json:"machine"`
	Peers   []string `json:"peers"`
	Results []result `json:"results"`
}

// A machine is what decides the figures.
type machine struct {
	CPU    string `json:"cpu"`
	System string `json:"system"`
	Go     string `json:"go"`
	Single string `json:"single"`
	Many   string `json:"many"`
	Lanes  int    `json:"lanes"`
	// Reference is whether it is a CPU that the floors are for.
	Reference bool `json:"reference"`
}

// A result is a row, measured.
type result struct {
	Name string `json:"name"`
	// Ratio is how many times as fast as the base this library is, by the
	// fastest runs of both, MedianRatio by the medians.
	Ratio       float64      `json:"ratio"`
	MedianRatio float64      `json:"median_ratio"`
	Floor       float64      `json:"floor,omitempty"`
	Base        string       `json:"base"`
	Bytes       int          `json:"bytes"`
	Impls       []implResult `json:"impls"`
}

type implResult struct {
	Name string `json:"name"`
	timing
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
	selected := sha256.Selected()
	return &report{
		Machine: machine{
			CPU:    fmt.Sprintf("%s, family %d model %d", cpuid.CPU.BrandName, cpuid.CPU.Family, cpuid.CPU.Model),
			System: runtime.GOOS + "/" + runtime.GOARCH,
			Go:     runtime.Version(),
			Single: selected.Single,
			Many:   selected.Many,
			Lanes:  selected.Lanes,

			Reference: cpuid.CPU.VendorID == cpuid.AMD && cpuid.CPU.Family == 0x1a && cpuid.CPU.Supports(cpuid.AVX512F),
		},
		Peers: versions,
	}, nil
}

// resume takes over the results of a file, if there is one. They must be from
// this machine.
func (rep *report) resume(file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read earlier results: %w", err)
	}
	var earlier report
	if err := json.Unmarshal(data, &earlier); err != nil {
		return fmt.Errorf("read earlier results from %s: %w", file, err)
	}
	if earlier.Machine != rep.Machine || !slices.Equal(earlier.Peers, rep.Peers) {
		return fmt.Errorf("%s holds results of another machine, Go or peers: %+v %v", file, earlier.Machine, earlier.Peers)
	}
	rep.Results = earlier.Results
	return nil
}

func (rep *report) save(file string) error {
	data, err := json.MarshalIndent(rep, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o666); err != nil {
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

// measureRow measures a row.
func measureRow(r row, budget time.Duration) (res result, err error) {
	if !r.env.here() {
		return measureInChild(r, budget)
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
	impls := r.impls()
	defer stop(impls)
	dst := make([][32]byte, r.digests)
	fs := make([]func(), len(impls))
	for i, im := range impls {
		fs[i] = func() { im.run(dst) }
	}
	res = result{Name: r.name(), Floor: floors[r.name()], Base: r.base, Bytes: r.bytes}
	for i, t := range measure(fs, budget) {
		res.Impls = append(res.Impls, implResult{impls[i].name, t})
	}
	own, base := res.Impls[0], res.Impls[slices.IndexFunc(impls, func(im impl) bool { return im.name == r.base })]
	res.Ratio, res.MedianRatio = base.Best/own.Best, base.Median/own.Median
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
		t.head = append([]string{"row", "ratio", "of medians", "floor"}, impls...)
		for _, res := range results {
			cells := []string{res.Name, number(res.Ratio), number(res.MedianRatio), rep.verdict(res)}
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

// speed is that of an impl: GB/s, or for no bytes the time.
func (res result) speed(i int) string {
	if res.Bytes == 0 {
		return number(res.Impls[i].Best) + " ns"
	}
	return number(float64(res.Bytes) / res.Impls[i].Best)
}

// verdict tells the floor of a result and, on a CPU that it is for, whether it
// is met.
func (rep *report) verdict(res result) string {
	switch {
	case res.Floor == 0:
		return ""
	case !rep.Machine.Reference:
		return number(res.Floor)
	case res.Ratio >= res.Floor:
		return number(res.Floor) + " met"
	}
	return number(res.Floor) + " MISSED"
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

const legend = "Ratios say how many times as fast as the base this library is: crypto/sha256, for nodes gohashtree, for files coreutils. " +
	"They are ratios of the fastest runs, then of the medians. The other figures are GB/s of the fastest run, for empty messages its time. " +
	"Floors are those of a Zen 5 core with AVX-512. Where the row does not say procs, GOMAXPROCS is 1."

func (rep *report) intro() []string {
	m := rep.Machine
	return []string{
		fmt.Sprintf("%s, %s, %s; %s for one message, %s for many, %d lanes.", m.CPU, m.System, m.Go, m.Single, m.Many, m.Lanes),
		"Peers: " + strings.Join(rep.Peers, ", ") + ".",
		legend,
	}
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
	fmt.Fprintf(&b, "# Results of `go run ./benchmarks`\n\n%s\n", strings.Join(rep.intro(), "\n\n"))
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

func (rep *report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	return enc.Encode(rep)
}
