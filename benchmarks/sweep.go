package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A cell compares one call of the library with the loops that a user would write in its
// place. The first impl is the call. The impl named "crypto" is a loop over calls of the
// standard library. If there is a third impl, it is a loop over this library's call for one
// message.
type cell struct {
	row
	// The call does not lose if it takes at most allowance nanoseconds longer than the fastest
	// loop, even if that is a large part of the time of a short loop.
	allowance float64
}

const (
	// A call does not lose if it takes at most tolerance times as long as the fastest loop.
	tolerance = 1.03
	// oneAllowance is for the call itself, eachAllowance for each message, hash or chain
	// of a list, readAllowance for calls that read. All are in nanoseconds.
	oneAllowance, eachAllowance, readAllowance = 10, 3, 2000
	// A cell counts as losing only if it loses in all of sweepRounds rounds. The first round
	// takes minutes, so a neighbour that slowed the call down may be gone in later rounds.
	sweepRounds = 8
	// sweepBudget is the time for a measurement.
	sweepBudget = 60 * time.Millisecond
)

// A comparison is a measured cell. `own` is the time of the call, `loop` that of the
// fastest loop, both in nanoseconds.
type comparison struct {
	cell
	own, loop float64
}

// ratio is the time of the fastest loop divided by that of the call. Above 1, the call is
// faster.
func (c comparison) ratio() float64 { return c.loop / c.own }

func (c comparison) loses() bool {
	return c.own > tolerance*c.loop && c.own > c.loop+c.allowance
}

// compare measures a cell by calling `measure`, which is measureRow except in tests.
func (c cell) compare(measure func(row) (result, error)) (comparison, error) {
	res, err := measure(c.row)
	if err != nil {
		return comparison{}, err
	}
	compared := comparison{cell: c, own: res.Impls[0].best(c.byCPU), loop: math.Inf(1)}
	for _, im := range res.Impls[1:] {
		compared.loop = min(compared.loop, im.best(c.byCPU))
	}
	return compared, nil
}

// sweep is the command of that name. It returns the exit status: 1 if a call is slower than
// the loop it replaces or could not be measured, 2 if the arguments were wrong.
func sweep(args []string, stdout, stderr io.Writer, budget time.Duration) int {
	flags := flag.NewFlagSet("benchmarks sweep", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var (
		seed    = flags.Uint64("seed", rand.Uint64N(1e9), "choose sizes, counts and mixtures by this `number`")
		pattern = flags.String("run", "", "measure only the cells whose names match this `regexp`")
		all     = flags.Bool("all", false, "print all cells, not only those that lose")
	)
	// The usage message must not show the random number. It omits a default of 0.
	flags.Lookup("seed").DefValue = "0"
	usage := func(err error) int {
		fmt.Fprintln(stderr, "benchmarks sweep:", err)
		return 2
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // Parse has said why
	}
	if flags.NArg() > 0 {
		return usage(fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}
	matches, err := regexp.Compile(*pattern)
	if err != nil {
		return usage(fmt.Errorf("-run: %w", err))
	}
	cells := slices.DeleteFunc(sweepCells(*seed), func(c cell) bool { return !matches.MatchString(c.name()) })
	if len(cells) == 0 {
		return usage(fmt.Errorf("-run %s: no cell of seed %d has such a name", *pattern, *seed))
	}
	m := thisMachine()
	if _, err := fmt.Fprintf(stdout, "seed %d, GOMAXPROCS %d, %s, kernels %s and %s\n", *seed, runtime.GOMAXPROCS(0), m.CPU, m.Single, m.Many); err != nil {
		fmt.Fprintln(stderr, "benchmarks sweep:", err)
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt does not wait for the cell
	compared, failed := compareAll(cells, func(r row) (result, error) { return measureRow(ctx, r, "", budget) })
	lost, err := writeComparisons(stdout, compared, *all)
	if failed = errors.Join(failed, err); failed != nil {
		fmt.Fprintf(stderr, "benchmarks sweep: %d of %d cells were measured: %v\n", len(compared), len(cells), failed)
	}
	if lost > 0 || failed != nil {
		return 1
	}
	return 0
}

// compareAll compares the cells. As long as a cell loses, compareAll measures it again, in
// up to sweepRounds rounds in all. For a cell that loses in every round, it returns the
// measurement with the best ratio. When a measurement fails, compareAll returns the cells
// compared so far.
func compareAll(cells []cell, measure func(row) (result, error)) ([]comparison, error) {
	bar := progressbar.NewOptions(len(cells),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)
	var compared []comparison
	for _, c := range cells {
		bar.Describe(c.name())
		first, err := c.compare(measure)
		if err != nil {
			return compared, errors.Join(err, bar.Exit())
		}
		compared = append(compared, first)
		if first.loses() {
			bar.AddMax(1) // before Add: filling the bar would end it
		}
		bar.Add(1)
	}
	for round := 2; round <= sweepRounds; round++ {
		for i, best := range compared {
			if !best.loses() {
				continue
			}
			bar.Describe(best.name())
			again, err := best.compare(measure)
			if err != nil {
				return compared, errors.Join(fmt.Errorf("round %d of %d: %w", round, sweepRounds, err), bar.Exit())
			}
			if !again.loses() || again.ratio() > best.ratio() {
				compared[i] = again
			}
			if compared[i].loses() && round < sweepRounds {
				bar.AddMax(1)
			}
			bar.Add(1)
		}
	}
	return compared, bar.Finish()
}

// writeComparisons writes the cells that lose, or all cells if `all` is set, the worst
// first. Then it writes a line for each call, in the order of the cells. It returns how
// many cells lose.
func writeComparisons(w io.Writer, compared []comparison, all bool) (lost int, err error) {
	type total struct {
		cells, lost int
		least       float64
	}
	var (
		out    strings.Builder
		calls  []string
		totals = make(map[string]*total)
	)
	for _, c := range compared {
		t := totals[c.bench]
		if t == nil {
			t = &total{least: math.Inf(1)}
			totals[c.bench] = t
			calls = append(calls, c.bench)
		}
		t.cells++
		t.least = min(t.least, c.ratio())
		if c.loses() {
			t.lost++
			lost++
		}
	}
	compared = slices.Clone(compared)
	slices.SortStableFunc(compared, func(a, b comparison) int {
		switch {
		case a.loses() != b.loses():
			if a.loses() {
				return -1
			}
			return 1
		case a.ratio() < b.ratio():
			return -1
		case a.ratio() > b.ratio():
			return 1
		}
		return 0
	})
	for _, c := range compared {
		verdict := "     "
		if c.loses() {
			verdict = "loses"
		}
		if all || c.loses() {
			fmt.Fprintf(&out, "%5.2f %s  %s: %.0f ns, the loop %.0f ns\n", c.ratio(), verdict, c.name(), c.own, c.loop)
		}
	}
	for _, call := range calls {
		t := totals[call]
		fmt.Fprintf(&out, "%s: %d of %d cells lose, least ratio %.2f\n", call, t.lost, t.cells, t.least)
	}
	fmt.Fprintf(&out, "%d of %d cells lose\n", lost, len(compared))
	_, err = io.WriteString(w, out.String())
	return lost, err
}

// A sweeper makes the cells of a seed.
type sweeper struct {
	r     *rand.Rand
	cells []cell
	names map[string]bool
}

// sweepCells returns the cells of a seed. A seed always gives the same cells, whichever of
// them are measured.
func sweepCells(seed uint64) []cell {
	s := &sweeper{r: rand.New(rand.NewPCG(seed, 0)), names: make(map[string]bool)}
	s.one()
	for _, l := range s.lists() {
		s.list(l)
	}
	s.counts()
	s.reading()
	return s.cells
}

// between returns a random number from low to high.
func (s *sweeper) between(low, high int) int { return low + s.r.IntN(high-low+1) }

// add adds the cell of a call, unless another cell has the same name: random sizes can
// coincide. `load` is the load of the cell's row.
func (s *sweeper) add(call, load string, digests int, allowance float64, impls func() []impl) {
	c := cell{row: row{
		bench: call, load: load, digests: digests, base: "crypto", byCPU: true,
		procs: runtime.GOMAXPROCS(0), impls: impls,
	}, allowance: allowance}
	if !s.names[c.name()] {
		s.names[c.name()] = true
		s.cells = append(s.cells, c)
	}
}

// addOne adds a cell of a call for one message.
func (s *sweeper) addOne(call, load string, impls func() []impl) {
	s.add(call, load, 1, oneAllowance, impls)
}

// addMany adds a cell of a call for n messages, hashes or chains.
func (s *sweeper) addMany(call, load string, n int, impls func() []impl) {
	s.add(call, load, n, oneAllowance+eachAllowance*float64(n), impls)
}

// addReading adds a cell of a call that reads. Such a call may use all Ps, so wall-clock
// time counts, not CPU time.
func (s *sweeper) addReading(call, load string, digests int, impls func() []impl) {
	n := len(s.cells)
	s.add(call, load, digests, readAllowance, impls)
	for i := range s.cells[n:] {
		s.cells[n+i].byCPU = false
	}
}

// library returns the impl of the call, stdLoop that of the loop of the standard library,
// and ownLoop that of the loop over this library's call for one message.
func library(run func(dst [][32]byte)) impl { return impl{name: "sha256-simd", run: run} }
func stdLoop(run func(dst [][32]byte)) impl { return impl{name: "crypto", run: run} }
func ownLoop(run func(dst [][32]byte)) impl { return impl{name: "one-by-one", run: run} }

// writes returns im, and records that im.run writes to hs instead of dst.
func (im impl) writes(hs []hash.Hash) impl {
	im.hashes = hs
	return im
}
