package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

// tunable are the kernels with orders that were found by search, and how one call of a
// candidate looks.
var tunable = map[string]struct {
	by   *shaOrder
	call string
}{
	"x4_shani":      {&fourStreams, "f(&states[0], &data[0], 4, 0, 0, 16, 1)"},
	"node_x4_shani": {&besideSecond, "f(&digests[0], &messages[0], 128)"},
}

// tune searches a better order for a kernel on the CPU at hand, and prints each one that
// it finds. It starts from the order that the kernel has. In each round, it makes a
// number of orders, at random at first, later by small changes of the best one. It times
// the kernels that follow from these in turn, in a program of their own. It takes the
// fastest, if it is faster in a second comparison as well.
func tune(ctx context.Context, name string, limit time.Duration) error {
	subject, ok := tunable[name]
	if !ok {
		return fmt.Errorf("no order of kernel %q was found by search", name)
	}
	dir, err := os.MkdirTemp("", "tune")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &tuner{name: name, call: subject.call, by: subject.by, dir: dir}
	const width = 24
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	gain := 1.0
	start := time.Now()
	for round := 1; ; round++ {
		candidates := []shaOrder{*t.by}
		for len(candidates) < width {
			if time.Since(start) < limit/3 {
				candidates = append(candidates, randomOrder())
			} else {
				candidates = append(candidates, candidates[0].changed())
			}
		}
		times, err := t.time(ctx, candidates)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		best := slices.Index(times, slices.Min(times))
		if times[best] > 0.998*times[0] {
			continue
		}
		if times, err = t.time(ctx, []shaOrder{candidates[0], candidates[best]}); err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && times[1] < 0.998*times[0] {
			*t.by = candidates[best]
			gain *= times[1] / times[0]
			fmt.Printf("round %d: %.3f of the time of the first order: %v\n", round, gain, *t.by)
		}
	}
}

func randomOrder() (o shaOrder) {
	for op := range o.offset {
		o.offset[op] = math.Round(480*rand.Float64())/10 - 8
	}
	o.offset[shaRounds2] = o.offset[shaRounds1] + 4 + math.Round(160*rand.Float64())/10
	for s := range o.skew {
		o.skew[s] = math.Round(320*rand.Float64()) / 10
	}
	return o
}

// changed returns an order that differs a little.
func (o shaOrder) changed() shaOrder {
	by := func(d float64) float64 { return math.Round(10*d*(2*rand.Float64()-1)) / 10 }
	for range 1 + rand.IntN(2) {
		step := []float64{4, 14}[rand.IntN(2)]
		if n := rand.IntN(int(shaOps) + len(o.skew)); n < int(shaOps) {
			o.offset[n] += by(step)
		} else {
			o.skew[n-int(shaOps)] += by(step)
		}
	}
	return o
}

func (o shaOrder) String() string {
	var b strings.Builder
	for op, at := range o.offset {
		fmt.Fprintf(&b, "%s: %.1f, ", shaOpNames[op], at)
	}
	fmt.Fprintf(&b, "skew %.1f", o.skew)
	return b.String()
}

// A tuner times kernels in one order or another.
type tuner struct {
	name, call string
	by         *shaOrder // of the generator
	dir        string
}

// time returns how long the fastest call of each candidate takes, in nanoseconds.
// Candidates that need more registers than there are take for ever.
func (t *tuner) time(ctx context.Context, candidates []shaOrder) ([]float64, error) {
	var names []string
	config := printer.Config{Name: warning, Pkg: "main"}
	stubs := ir.NewFile()
	files := map[string][]byte{"tables_amd64.s": tablesSource(), "go.mod": []byte("module tune\n\ngo 1.25\n")}
	usable := make([]int, len(candidates)) // places among names, or -1
	for i, o := range candidates {
		usable[i] = -1
		file, err := t.compile(fmt.Sprint("candidate", i), o)
		if err != nil {
			continue
		}
		usable[i] = len(names)
		name := file.Functions()[0].Name
		names = append(names, name)
		if files[name+"_amd64.s"], err = printer.NewGoAsm(config).Print(file); err != nil {
			return nil, err
		}
		stubs.AddSection(file.Functions()[0])
	}
	source, err := printer.NewStubs(config).Print(stubs)
	if err != nil {
		return nil, err
	}
	files["stubs.go"] = source
	var program bytes.Buffer
	if err := tuneProgram.Execute(&program, map[string]any{"Call": t.call, "Names": names}); err != nil {
		return nil, err
	}
	files["main.go"] = program.Bytes()
	if err := os.RemoveAll(t.dir); err != nil {
		return nil, err
	}
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(t.dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	run := func(name string, args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, name, args...)
		c.Dir, c.Env = t.dir, append(os.Environ(), "GOWORK=off")
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", c, err, errs.Bytes())
		}
		return out, err
	}
	if _, err := run("go", "build", "-o", "tune", "."); err != nil {
		return nil, err
	}
	out, err := run("./tune")
	if err != nil {
		return nil, err
	}
	found := strings.Fields(string(out))
	times := make([]float64, len(candidates))
	for i, n := range usable {
		times[i] = math.Inf(1)
		if n >= 0 {
			if times[i], err = strconv.ParseFloat(found[n], 64); err != nil {
				return nil, err
			}
		}
	}
	return times, nil
}

// compile generates the kernel in an order, under another name.
func (t *tuner) compile(name string, o shaOrder) (file *ir.File, err error) {
	was := *t.by
	defer func() {
		*t.by = was
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	*t.by = o
	for _, k := range kernels {
		if k.name == t.name {
			k.name = name
			return k.compile()
		}
	}
	return nil, fmt.Errorf("kernel %s is unknown", t.name)
}

// tuneProgram times its kernels in turn and prints the time of the fastest call of each.
var tuneProgram = template.Must(template.New("main").Parse(`package main

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

var hasAVX = true

func main() {
	runtime.LockOSThread()
	var (
		digests  [128 * 32]byte
		messages [128 * 64]byte
		words    [4][8]uint32
		blocks   [4][16 * 64]byte
		states   [7]*[8]uint32
		data     [7]*byte
	)
	for i := range states {
		states[i], data[i] = &words[i%4], &blocks[i%4][0]
	}
	_, _, _, _ = &digests, &messages, &states, &data
	candidates := []func(){
		{{- range .Names}}
		func() { f := {{.}}; {{$.Call}} },
		{{- end}}
	}
	best := make([]time.Duration, len(candidates))
	for i := range best {
		best[i] = math.MaxInt64
	}
	for range 600 {
		for i, f := range candidates {
			start := time.Now()
			f()
			f()
			best[i] = min(best[i], time.Since(start))
		}
	}
	for _, d := range best {
		fmt.Println(d.Nanoseconds())
	}
}
`))

// tuneCommand is "_asm tune kernel [time]".
func tuneCommand(args []string) {
	limit := 4 * time.Minute
	if len(args) == 2 {
		var err error
		if limit, err = time.ParseDuration(args[1]); err != nil {
			log.Fatal(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := tune(ctx, args[0], limit); err != nil {
		log.Fatalf("tuning %s: %v", args[0], err)
	}
}

// shaOpNames are the names of operations in the orders of this directory.
var shaOpNames = [shaOps]string{
	shaLoad: "shaLoad", shaShift: "shaShift", shaMsg1: "shaMsg1", shaAdd: "shaAdd", shaMsg2: "shaMsg2",
	shaStore: "shaStore", shaAddK: "shaAddK", shaRounds1: "shaRounds1", shaRounds2: "shaRounds2",
}
