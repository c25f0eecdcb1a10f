package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/klauspost/cpuid/v2"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

// A report is all that was measured.
type report struct {
	machine machine
	costs   *costs
}

// A machine is what costs depend on.
type machine struct {
	CPU      string `json:"cpu"`
	Family   int    `json:"family"`
	Model    int    `json:"model"`
	Stepping int    `json:"stepping"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Go       string `json:"go"`
}

func thisMachine() machine {
	c := cpuid.CPU
	return machine{cmp.Or(c.BrandName, "unknown CPU"), c.Family, c.Model, c.Stepping, runtime.GOOS, runtime.GOARCH, runtime.Version()}
}

func (m machine) String() string {
	return fmt.Sprintf("%s (family %#x, model %#x, stepping %d), %s/%s, %s", m.CPU, m.Family, m.Model, m.Stepping, m.OS, m.Arch, m.Go)
}

// writeText prints r for people.
func (r *report) writeText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.machine)
	info := sha256.Selected()
	fmt.Fprintf(&b, "selected: %s for one message, %s for many, %d side by side\n", info.Single, info.Many, info.Lanes)
	r.writeCosts(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCosts prints what the choice of kernels rests on, and the verdict, in a
// form that can be reported.
func (r *report) writeCosts(w io.Writer) {
	unit := "cycles"
	if !timing.KnowsCycles {
		unit = "relative time"
	}
	c := r.costs
	streams, nodes, nonces := c.streamsHere(), c.nodesHere(), c.noncesHere()
	fmt.Fprintf(w, "\nCosts of kernels on the microarchitecture %q: %s for a block, a node or a nonce in each lane\n", c.Microarch, unit)
	if c.On != "" {
		fmt.Fprintf(w, "In the table, measured are those of %s.\n", c.On)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kernel\tlanes\ttable\t\there\there/table\t")
	write := func(what string, table, here []plan.Candidate) {
		for i, k := range table {
			fmt.Fprintf(t, "%s%s\t%d\t%d\t%s\t%d\t%.2f\t\n", k.Kernel, what, k.Lanes, k.Cycles, k.Basis, here[i].Cycles, float64(here[i].Cycles)/float64(k.Cycles))
		}
	}
	write("", c.Streams, streams)
	write("", c.Nodes[1:], nodes[1:])
	write(", a node", c.Nodes[:1], nodes[:1])
	write("", c.Nonces, nonces)
	t.Flush()

	losses := c.losses()
	if len(losses) == 0 {
		fmt.Fprintf(w, "The table's choice is within %.0f%% of the best for every number of live lanes and of nodes, for messages of one length, and for nonces.\n", 100*tolerance)
		return
	}
	fmt.Fprintln(w, "\nOn this machine, at this time, these choices of the table were slower than others:")
	for _, l := range losses {
		fmt.Fprintf(w, "  %s\n", l)
	}
	fmt.Fprintln(w, `
Please run it again, with nothing else running, and if it says the same, report these lines, and those that it
prints with -row, as an issue.`)
}

// writeJSON prints r for programs.
func (r *report) writeJSON(w io.Writer) error {
	type cost struct {
		Kernel   string `json:"kernel"`
		Lanes    int    `json:"lanes"`
		Table    int    `json:"table"`
		Basis    string `json:"basis"`
		Measured int    `json:"measured"`
	}
	type lossJSON struct {
		Work  string  `json:"work"`
		N     int     `json:"n,omitempty"`
		Share float64 `json:"share"`
		Plan  string  `json:"plan"`
		Best  string  `json:"best"`
	}
	type selectedJSON struct {
		Single   string   `json:"single"`
		Many     string   `json:"many"`
		Lanes    int      `json:"lanes"`
		Features []string `json:"features"`
		Ignored  []string `json:"ignored,omitempty"`
	}
	out := struct {
		machine
		Microarch  cpu.Microarch `json:"microarch"`
		MeasuredOn string        `json:"measured_on,omitempty"`
		Selected   selectedJSON  `json:"selected"`
		Streams    []cost        `json:"stream_costs"`
		Nodes      []cost        `json:"node_costs"`
		Nonces     []cost        `json:"nonce_costs"`
		Losses     []lossJSON    `json:"losses"`
	}{machine: r.machine, Microarch: r.costs.Microarch, MeasuredOn: r.costs.On, Selected: selectedJSON(sha256.Selected()), Losses: []lossJSON{}}
	both := func(table, here []plan.Candidate) []cost {
		cs := []cost{}
		for i, k := range table {
			cs = append(cs, cost{k.Kernel, k.Lanes, k.Cycles, string(k.Basis), here[i].Cycles})
		}
		return cs
	}
	out.Streams = both(r.costs.Streams, r.costs.streamsHere())
	out.Nodes = both(r.costs.Nodes, r.costs.nodesHere())
	out.Nonces = both(r.costs.Nonces, r.costs.noncesHere())
	for _, l := range r.costs.losses() {
		out.Losses = append(out.Losses, lossJSON{l.work, l.n, l.share, l.plan, l.other})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
