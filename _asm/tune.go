package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"maps"
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

// A searchedOrder is an order of operations: numbers, which a search changes.
type searchedOrder interface{ numbers() []*float64 }

func (o *shaOrder) numbers() (ns []*float64) {
	for i := range o.offset {
		ns = append(ns, &o.offset[i])
	}
	for i := range o.skew {
		ns = append(ns, &o.skew[i])
	}
	return ns
}

func (o *roundOrder) numbers() []*float64 {
	ns := []*float64{&o.skew}
	for i := range o.keys {
		ns = append(ns, &o.keys[i])
	}
	return ns
}

// tunable are the kernels whose orders can be searched, and a call of each.
var tunable = map[string]struct {
	orders []searchedOrder
	call   string
}{
	"x4_shani":        {[]searchedOrder{&fourStreams}, "f(&states[0], &data[0], 4, 0, 0, 16, 1)"},
	"x16_avx512":      {[]searchedOrder{scheduled16, plain16}, "f(&states[0], &data[0], 16, 0, 0, 16, 1)"},
	"x32_avx512":      {[]searchedOrder{scheduled32, plain32, beside32}, "f(&states[0], &data[0], 32, 0, 0, 16, 1)"},
	"node_x4_shani":   {[]searchedOrder{&besideSecond}, "f(&digests[0], &messages[0], 128)"},
	"node_x16_avx512": {[]searchedOrder{scheduled16, plain16}, "f(&digests[0], &messages[0], 128)"},
	"node_x32_avx512": {[]searchedOrder{scheduled32, plain32, constant32}, "f(&digests[0], &messages[0], 128)"},
}

// tune searches better orders for a kernel on the CPU at hand, and prints those that
// it finds. It starts from the orders that the kernel has. In each round, it changes
// the best orders in a number of ways, generates a kernel for each change, and times
// these kernels in turn in a separate program. It takes the fastest, if it is faster
// in a second comparison as well.
func tune(ctx context.Context, name string, limit time.Duration) error {
	subject, ok := tunable[name]
	if !ok {
		return fmt.Errorf("expected one of %s", strings.Join(slices.Sorted(maps.Keys(tunable)), ", "))
	}
	dir, err := os.MkdirTemp("", "tune")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &tuner{name: name, call: subject.call, dir: dir}
	for _, o := range subject.orders {
		t.numbers = append(t.numbers, o.numbers()...)
	}
	const (
		width = 24
		gain  = 0.998 // ratios of times above this are noise
	)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	first := t.get()
	best := first
	kept := 0
	for round := 1; ; round++ {
		candidates := [][]float64{best}
		for len(candidates) < width {
			candidates = append(candidates, changed(best))
		}
		times, err := t.time(ctx, candidates)
		fastest := 0
		if err == nil {
			fastest = slices.Index(times, slices.Min(times))
			if times[fastest] > gain*times[0] {
				continue
			}
			candidates = [][]float64{best, candidates[fastest], first}
			times, err = t.time(ctx, candidates)
		}
		switch {
		case ctx.Err() != nil:
			fmt.Printf("%d of %d rounds found faster orders\n", kept, round-1)
			return nil
		case err != nil:
			return err
		case times[1] > gain*times[0]:
			continue
		}
		kept++
		best = candidates[1]
		t.set(best)
		fmt.Printf("round %d: %.3f of the time of the first orders\n", round, times[1]/times[2])
		for _, o := range subject.orders {
			fmt.Printf("\t%+v\n", o)
		}
	}
}

// changed returns numbers of which one or two differ a little.
func changed(numbers []float64) []float64 {
	numbers = slices.Clone(numbers)
	for range 1 + rand.IntN(2) {
		step := []float64{4, 14}[rand.IntN(2)]
		i := rand.IntN(len(numbers))
		numbers[i] = math.Round(10*(numbers[i]+step*(2*rand.Float64()-1))) / 10
	}
	return numbers
}

// A tuner times kernels in one order or another.
type tuner struct {
	name, call string
	numbers    []*float64 // of the orders that the generator has
	dir        string
}

func (t *tuner) get() (numbers []float64) {
	for _, n := range t.numbers {
		numbers = append(numbers, *n)
	}
	return numbers
}

func (t *tuner) set(numbers []float64) {
	for i, n := range t.numbers {
		*n = numbers[i]
	}
}

// time returns how long the fastest run of each candidate takes, in nanoseconds.
// Candidates that need more registers than there are take for ever.
func (t *tuner) time(ctx context.Context, candidates [][]float64) ([]float64, error) {
	var names []string
	config := printer.Config{Name: generator, Pkg: "main"}
	stubs := ir.NewFile()
	files := map[string][]byte{"tables_amd64.s": tablesSource(), "go.mod": []byte("module tune\n\ngo 1.25\n")}
	usable := make([]int, len(candidates)) // places among names, or -1
	for i, numbers := range candidates {
		usable[i] = -1
		file, err := t.compile(fmt.Sprint("candidate", i), numbers)
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
func (t *tuner) compile(name string, numbers []float64) (file *ir.File, err error) {
	was := t.get()
	defer func() {
		t.set(was)
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	t.set(numbers)
	for _, k := range kernels {
		if k.name == t.name {
			k.name = name
			return k.compile()
		}
	}
	return nil, fmt.Errorf("kernel %s is unknown", t.name)
}

// tuneProgram times its kernels in turn and prints the time of the fastest run of each.
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
		words    [32][8]uint32
		blocks   [32][16 * 64]byte
		states   [32]*[8]uint32
		data     [32]*byte
	)
	for i := range states {
		states[i], data[i] = &words[i], &blocks[i][0]
	}
	_, _, _, _ = &digests, &messages, &states, &data
	candidates := []func(){
		{{- range .Names}}
		func() { f := {{.}}; {{$.Call}} },
		{{- end}}
	}
	// A run takes long enough for the clock.
	calls := 0
	for start := time.Now(); time.Since(start) < 20*time.Microsecond; calls++ {
		candidates[0]()
	}
	best := make([]time.Duration, len(candidates))
	for i := range best {
		best[i] = math.MaxInt64
	}
	for range 400 {
		for i, f := range candidates {
			start := time.Now()
			for range calls {
				f()
			}
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
