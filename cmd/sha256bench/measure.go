package main

import (
	"context"
	stdsha256 "crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// The implementations that are not a kernel's name.
const (
	standard = "crypto/sha256"
	selected = "selected" // what the library chooses
)

// A point is where implementations are compared: messages of a length, hashed
// by one call.
type point struct{ messages, length int }

// A timing is the best of the runs of something: how long it took, and the
// clock frequency then, or 0.
type timing struct {
	seconds   float64
	frequency float64
}

// cycles returns how many the best run took, or 0.
func (t timing) cycles() float64 { return t.seconds * t.frequency }

// A result is the time of one implementation at a point.
type result struct {
	point
	implementation string
	timing
}

func (r result) bytes() float64          { return float64(r.messages * r.length) }
func (r result) bytesPerSecond() float64 { return r.bytes() / r.seconds }

// bytesPerCycle returns 0 where cycles cannot be told.
func (r result) bytesPerCycle() float64 {
	if r.frequency == 0 {
		return 0
	}
	return r.bytes() / r.cycles()
}

// How long runs are: a run repeats what is measured for runTime, and a subject
// has runs for turnTime before the next point.
const (
	runTime  = 50 * time.Microsecond
	turnTime = time.Millisecond
)

// A subject is something to measure.
type subject struct {
	use  func() (restore func())
	call func()
	best timing // of one call
}

// turns has the subjects run in turn, each for about turnTime in all, and keeps
// their best times.
func turns(ctx context.Context, subjects []*subject) error {
	for round, rounds := 0, 1; round < rounds; round++ {
		for _, s := range subjects {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.run()
		}
		if round == 0 {
			longest := runTime.Seconds()
			for _, s := range subjects {
				longest = max(longest, s.best.seconds)
			}
			rounds = int(turnTime.Seconds() / longest)
		}
	}
	return nil
}

// run measures s once.
func (s *subject) run() {
	restore := s.use()
	defer restore()
	if s.best.seconds < runTime.Seconds() {
		s.time(1) // brings code and data into caches
	}
	s.time(1 + int(runTime.Seconds()/s.best.seconds))
}

// time measures calls of s.
func (s *subject) time(calls int) {
	start := time.Now()
	for range calls {
		s.call()
	}
	took := time.Since(start)
	f := frequency()
	if t := took.Seconds() / float64(calls); s.best.seconds == 0 || t < s.best.seconds {
		s.best = timing{max(t, time.Nanosecond.Seconds()), f}
	}
}

// implementations returns what is compared, of the kernels only those named, if
// there are any.
func implementations(only []string) ([]string, error) {
	all := []string{standard, selected}
	for _, k := range block.Kernels() {
		if k.Supported {
			all = append(all, k.Name)
		}
	}
	all = append(all, "generic")
	if len(only) == 0 {
		return all, nil
	}
	for _, name := range only {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("this machine cannot run %q; it has %s", name, strings.Join(all[2:], ", "))
		}
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return name != standard && name != selected && !slices.Contains(only, name)
	}), nil
}

// measure measures what o asks for.
func measure(ctx context.Context, o *options, stderr io.Writer) (*report, error) {
	// What is measured stays on one thread, and so mostly on one core.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	// Pages that were never written to are all the same one in memory, which
	// would flatter and distort.
	memory := make([]byte, o.memory())
	rand.NewChaCha8([32]byte{}).Read(memory)

	points := o.points()
	if o.row {
		points = nil
	}
	for _, name := range o.implementations {
		if err := checkForced(name); err != nil {
			return nil, err
		}
	}
	subjects := sumSubjects(o.implementations, points, memory)
	costs := newCosts()

	bar := newProgress(o, stderr)
	defer bar.finish()
	start := time.Now()
	for pass := 0; ; pass++ {
		for i := range max(1, len(points)) {
			if i < len(points) {
				if err := turns(ctx, subjects[i]); err != nil {
					return nil, err
				}
			}
			// The table's own subjects, as often as all the others together.
			if err := turns(ctx, costs.measurements()); err != nil {
				return nil, err
			}
			share := min(1, time.Since(start).Seconds()/o.time.Seconds())
			if pass == 0 {
				share = min(share, float64(i+1)/float64(max(1, len(points))))
			} else if share == 1 {
				break
			}
			bar.set(share)
		}
		if time.Since(start) >= o.time {
			break
		}
	}

	r := &report{options: o, machine: thisMachine(), costs: costs, results: make(map[point][]result)}
	for i, p := range points {
		for j, name := range o.implementations {
			r.results[p] = append(r.results[p], result{p, name, subjects[i][j].best})
		}
	}
	return r, nil
}

// checkForced returns an error if something else than a kernel runs where it is
// forced: its figures would be another's.
func checkForced(name string) error {
	if name == standard || name == selected {
		return nil
	}
	restore, ok := block.Force(name)
	defer restore()
	running := block.Single()
	if n, many := lanes.Width(); n > 1 {
		running = many
	}
	if !ok || running != name {
		return fmt.Errorf("%s cannot be measured: %s runs where it is forced", name, running)
	}
	return nil
}

// sumSubjects returns the hashing of each point's messages by each of the
// implementations. Points of one length share its messages, and all of them the
// digests: there can be many points, of many messages.
func sumSubjects(implementations []string, points []point, memory []byte) [][]*subject {
	var subjects [][]*subject
	dst := make([][sha256.Size]byte, maxMessages)
	messages := make(map[int][][]byte) // by length
	for _, p := range points {
		msgs := messages[p.length]
		for i := len(msgs); i < p.messages; i++ {
			msgs = append(msgs, memory[i*p.length:][:p.length])
		}
		messages[p.length] = msgs
		var at []*subject
		for _, name := range implementations {
			at = append(at, sumSubject(name, dst[:p.messages], msgs[:p.messages]))
		}
		subjects = append(subjects, at)
	}
	return subjects
}

// sumSubject returns the hashing of messages by an implementation.
func sumSubject(name string, dst [][sha256.Size]byte, msgs [][]byte) *subject {
	s := &subject{
		use:  func() func() { return func() {} },
		call: func() { sha256.SumMany(dst, msgs) },
	}
	switch name {
	case selected:
	case standard:
		s.call = func() {
			for i, m := range msgs {
				dst[i] = stdsha256.Sum256(m)
			}
		}
	default:
		s.use = func() func() {
			restore, _ := block.Force(name)
			return restore
		}
	}
	return s
}

// A progress shows how far the measuring is.
type progress struct {
	bar  *pb.ProgressBar // nil: it is not shown
	last time.Time
}

const (
	progressMax      = 1000
	progressInterval = 200 * time.Millisecond
)

// newProgress returns the progress that o asks for.
func newProgress(o *options, stderr io.Writer) *progress {
	if o.progress == "never" || o.progress == "auto" && !isatty.IsTerminal(os.Stderr.Fd()) {
		return new(progress)
	}
	bar := pb.New(progressMax).SetMaxWidth(80).SetWriter(stderr)
	bar.SetTemplateString(`measuring {{bar .}} {{percent .}} {{rtime . "%s left" "" ""}}`)
	// Nothing may run beside what is measured: it is drawn only when told to.
	bar.Set(pb.Static, true).Set(pb.CleanOnFinish, true).Start()
	return &progress{bar: bar}
}

func (p *progress) set(share float64) {
	if p.bar == nil {
		return
	}
	p.bar.SetCurrent(int64(share * progressMax))
	if now := time.Now(); now.Sub(p.last) >= progressInterval {
		p.last = now
		p.bar.Write()
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
