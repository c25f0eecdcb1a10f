package combine

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const modelFile = "queue.pml"

// modelled are the functions that the model has every line of.
var modelled = []string{
	"shard.go Do", "shard.go meet", "shard.go leave", "shard.go combine", "shard.go stepLimit", "shard.go admit",
	"shard.go pass", "shard.go push", "shard.go pop", "shard.go Close",
	"request.go wait", "request.go wake", "request.go alone",
}

// TestModelIsTheSource compares the lines of Go in the comments of the model with the
// source.
func TestModelIsTheSource(t *testing.T) {
	model, err := os.ReadFile(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	quoted := map[string][]string{} // by function
	function := ""
	mark := regexp.MustCompile(`^\s*(?:/\*|\*) (func|go|out):? (.*?)(?: \*/)?$`)
	for line := range strings.Lines(string(model)) {
		m := mark.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m == nil:
		case m[1] == "func":
			function = m[2]
			quoted[function] = nil
		default:
			quoted[function] = append(quoted[function], m[2])
		}
	}
	for _, function := range modelled {
		if _, ok := quoted[function]; !ok {
			t.Errorf("%s is not in the model", function)
		}
	}
	for function, lines := range quoted {
		if !slices.Contains(modelled, function) {
			t.Errorf("the model has %q", function)
			continue
		}
		file, name, _ := strings.Cut(function, " ")
		if source := bodyOf(t, file, name); !slices.Equal(source, lines) {
			i := 0
			for i < min(len(source), len(lines)) && source[i] == lines[i] {
				i++
			}
			t.Errorf("%s, line %d without comments: the source has %q, the model %q", function, i+1, from(source, i), from(lines, i))
		}
	}
}

func from(lines []string, i int) string { return strings.Join(lines[i:min(i+1, len(lines))], "") }

// bodyOf returns the lines of a function's body, without comments and closing braces.
func bodyOf(t *testing.T, file, name string) (lines []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := bytes.Cut(source, []byte(") "+name+"("))
	if !ok {
		_, body, ok = bytes.Cut(source, []byte("\nfunc "+name+"("))
	}
	if !ok {
		t.Fatalf("%s has no function %s", file, name)
	}
	first, body, _ := bytes.Cut(body, []byte("\n"))
	if !bytes.HasSuffix(first, []byte("{")) {
		t.Fatalf("%s: %s has its body on one line", file, name)
	}
	body, _, _ = bytes.Cut(body, []byte("\n}\n"))
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		if line != "" && line != "}" && !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	return lines
}

var runSpin = flag.Bool("spin", false, "check the model of the queue by SPIN")

// A check is a run of SPIN.
type check struct {
	name    string
	defines string
	formula string // "": assertions and deadlocks only
}

var (
	steps  = check{"each request", "", ""}
	finely = check{"each statement", "-DN=2 -DFINE", ""}
	narrow = check{"one lane", "-DWIDTH=1 -DSTEPS=1", ""}
	wide   = check{"a lane for each", "-DWIDTH=3 -DSTEPS=1", ""}
	first  = check{"the first, which may fault, is served", "-DSTEPS=1", "first"}
	last   = check{"the last is served", "-DSTEPS=1", "last"}
	closes = check{"Close returns", "-DSTEPS=1", "closes"}
)

// TestQueueModel has SPIN verify the model.
func TestQueueModel(t *testing.T) {
	if !*runSpin {
		t.Skip("go test -run TestQueueModel ./internal/combine -args -spin")
	}
	model, err := os.ReadFile(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []check{steps, finely, narrow, wide, first, last, closes} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := c.spin(t, string(model))
			if !strings.Contains(out, "errors: 0\n") || strings.Contains(out, "max search depth too small") {
				t.Errorf("SPIN:\n%s", out)
			}
			// Each statement is reached.
			unreached := regexp.MustCompile(`(?s)unreached in proctype goroutine\n(.*?)\t\(`).FindStringSubmatch(out)
			if c == steps && (unreached == nil || strings.Count(unreached[1], "\n") != 1 || !strings.Contains(unreached[1], `"-end-"`)) {
				t.Errorf("not all is reached: %q", unreached)
			}
			t.Log(regexp.MustCompile(`[0-9.e+]+ states, stored`).FindString(out))
		})
	}
}

// TestQueueModelMutants breaks the model: SPIN has to notice.
func TestQueueModelMutants(t *testing.T) {
	if !*runSpin {
		t.Skip("go test -run TestQueueModel ./internal/combine -args -spin")
	}
	model, err := os.ReadFile(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text, replacement string
		check                   check
	}{
		{"a wake is lost", "\t\twake(r, 0)\n", "\t\tskip\n", last},
		{"a batch is passed on, and its goroutine is not woken", "\t\t\twake(j, b)\n\t\t\t/* go: r.wake(b) */", "\t\t\tskip", steps},
		{"a combiner leaves a queue", "len(queue) > 0 && combiners <= maxCombiners", "false", steps},
		{"as many combiners as there may be leave a queue", "combiners <= maxCombiners ->", "combiners < maxCombiners ->", steps},
		{"a request is touched after its goroutine was woken", "touch(j);\n\t\t\t\tassert(!done[j]);\n\t\t\t\tdone[j] = true;\n\t\t\t\tleave(j, r);", "leave(j, r);\n\t\t\t\ttouch(j);\n\t\t\t\tdone[j] = true;", steps},
		{"a batch is touched after it was passed on", "join(b, j);\n\t\t\t/* go: b.Join(&r.Job) */\n\t\t\twake(j, b)", "wake(j, b);\n\t\t\tjoin(b, j)", steps},
		{"a request is done again", "done[j] = true;\n\t\t\t\tleave(j, r);", "leave(j, r);", steps},
		{"a request is done by nobody", ":: !done[me] -> alone(me)", ":: false", steps},
		{"a fault leaves the others waiting", "n = jobs[b];\n\t\tdrop(b);", "n = 1 << r;\n\t\tdrop(b);", last},
		{"a fault is not recovered: its goroutine stays a combiner", "\tSTEP {\n\t\tpass(b);", "\tSTEP {\n\t\tif :: done[r] -> skip :: else -> goto undone fi;\n\t\tpass(b);", last},
		{"a goroutine wakes at once when it waits again", "\tparked[r] = true;\n\t/* go: r.parked.Lock()", "\t/* go: r.parked.Lock()", steps},
		{"a batch is passed on twice", "\tbatch[r] = 0;\n", "", steps},
		{"the queue is not in order", "queue ! r;", "queue !! r;", last},
		{"there is no combiner when Close returns, because nobody locks", "atomic { busy == 0 -> busy = 1 }\n\t\t\t:: else", "skip\n\t\t\t:: else", steps},
		{"the last combiner does not let Close go on", "assert(busy == 1); busy = 0", "assert(busy == 1)", closes},
		{"a closed shard has requests meet", ":: !open ->", ":: !open && open ->", steps},
		{"Close does not lock", "\t\tlock();\n\t\t/* go: s.mu.Lock() */\n\t\topen = false;\n\t\t/* go: s.open.Store(false) */\n\t\tunlock()", "\t\topen = false", finely},
		{"meet does not lock", "\tSTEP {\n\t\tlock();\n\t\t/* go: s.mu.Lock() */\n\t\tif\n\t\t:: !open", "\tSTEP {\n\t\tif\n\t\t:: !open", finely},
		{"a batch takes more than it has room for", "n = (n < WIDTH - size[b] -> n : WIDTH - size[b])", "skip", steps},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if n := strings.Count(string(model), tt.text); n != 1 {
				t.Fatalf("the model has the text %d times, not once", n)
			}
			out := tt.check.spin(t, strings.Replace(string(model), tt.text, tt.replacement, 1))
			if !strings.Contains(out, "errors: 1\n") {
				t.Errorf("SPIN:\n%s", out)
			}
			t.Log(regexp.MustCompile(`pan:1: .*`).FindString(out))
		})
	}
}

// spin verifies a model, and returns what the verifier prints.
func (c check) spin(t *testing.T, model string) string {
	t.Helper()
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	if err := os.WriteFile(filepath.Join(dir, modelFile), []byte(model), 0o666); err != nil {
		t.Fatal(err)
	}
	run("spin", append(strings.Fields(c.defines), "-a", modelFile)...)
	const depth, megabytes = 400_000, 3000
	flags, search := []string{"-DSAFETY", "-DNOCLAIM"}, []string{fmt.Sprintf("-m%d", depth)}
	if c.formula != "" {
		flags, search = []string{"-DNFAIR=3"}, append(search, "-a", "-f", "-N", c.formula) // -f: weak fairness
	}
	run("gcc", append(flags, "-w", "-O2", fmt.Sprintf("-DMEMLIM=%d", megabytes), "-DCOLLAPSE", "-o", "pan", "pan.c")...)
	return run("./pan", search...)
}
