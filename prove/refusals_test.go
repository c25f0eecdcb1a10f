package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// A change edits the code of a kernel: in front of an instruction, or in its place.
type change struct {
	at   string // how the instruction begins, as objdump writes it; "#2" behind it means the second one
	drop int    // how many instructions are left out from there
	text string // instructions, with ";" between. They may jump to "next", behind them, to "entry" or to a number
}

// instead is a change of one instruction.
func instead(at, text string) change { return change{at, 1, text} }

// before is an insertion.
func before(at, text string) change { return change{at, 0, text} }

// changed is a code with changes, of which each is of what the ones before have left.
func changed(t *testing.T, c *code, changes ...change) *code {
	t.Helper()
	r := &code{kernel: c.kernel, arm: c.arm, tables: c.tables}
	for _, in := range c.ins {
		in := *in
		in.args = slices.Clone(in.args)
		r.ins = append(r.ins, &in)
	}
	for _, ch := range changes {
		r.change(t, ch)
	}
	return r
}

func (c *code) change(t *testing.T, ch change) {
	t.Helper()
	at, nth, _ := strings.Cut(ch.at, " #")
	left, _ := strconv.Atoi(nth)
	i := slices.IndexFunc(c.ins, func(in *instruction) bool {
		if strings.HasPrefix(in.text, at) {
			left--
		}
		return strings.HasPrefix(in.text, at) && left <= 0
	})
	if i < 0 {
		t.Fatalf("%s: no instruction %s", c.kernel, ch.at)
	}
	var ins []*instruction
	for s := range strings.SplitSeq(ch.text, ";") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		op, to, _ := strings.Cut(s, " ")
		number := map[string]int64{"next": -1, "entry": 0}
		for label, n := range number {
			if rest, ok := strings.CutSuffix(to, label); ok {
				in := parseInstruction(op+" "+rest+"0", c.arm)
				in.text, in.args[len(in.args)-1].imm = s, n
				if ins = append(ins, in); n == 0 {
					in.addr = -1 // it stays
				}
				s = ""
			}
		}
		if s != "" {
			in := parseInstruction(strings.NewReplacer("rip+hasAVX", "rip+0x0", moreStack, "0x0").Replace(s), c.arm)
			for j := range in.args {
				if in.args[j].base == absolute {
					in.args[j].symbol = hasAVX
				} else if strings.Contains(s, moreStack) {
					in.args[j].symbol = moreStack
				} else if (&program{os: "linux"}).isG(in.args[j]) {
					in.args[j] = operand{kind: 'm', size: 8, base: current, index: none}
					in.describe()
				}
			}
			ins = append(ins, in)
		}
	}
	grown := int64(len(ins) - ch.drop)
	end := int64(i + len(ins))
	for _, in := range c.ins {
		if last := len(in.args) - 1; in.jumps() && in.args[last].imm > int64(i) {
			in.args[last].imm += grown
		}
	}
	for _, in := range ins {
		if last := len(in.args) - 1; last >= 0 && in.jumps() && in.args[last].imm == -1 {
			in.args[last].imm = end
		}
	}
	c.ins = slices.Concat(c.ins[:i], ins, c.ins[i+ch.drop:])
	for n, in := range c.ins {
		in.addr, in.next = int64(n), int64(n+1)
	}
}

// proveQuickly proves a kernel, but a search kernel only for one place of the digits, and
// padding, pieces and ends only for some lengths in front.
func proveQuickly(t *testing.T, c *code) error {
	t.Helper()
	k := kernelNamed(t, c.kernel)
	if strings.HasPrefix(c.kernel, "padShort_") {
		return atOneOf(c.heads(), func(head int64) proof {
			forget()
			return &paddingProof{listProof: listProof{code: c, head: head}, inFront: []int{0, 3, 37, 54, 63}}
		})
	}
	if strings.HasPrefix(c.kernel, "write_") {
		return atOneOf([]int64{-1}, func(int64) proof { return &writeProof{code: c, held: []int{1, 3, 37, 63}} })
	}
	if strings.HasPrefix(c.kernel, "append_") {
		return atOneOf([]int64{-1}, func(int64) proof { return &appendProof{code: c, held: []int{0, 3, 37, 63}} })
	}
	if strings.HasPrefix(c.kernel, "finish_") {
		return atOneOf([]int64{-1}, func(int64) proof { return &finishProof{code: c, before: []int{0, 3, 37, 63}} })
	}
	if !strings.HasPrefix(c.kernel, "search_") {
		_, err := prove(k, c)
		return err
	}
	return atOneOf(c.heads(), func(head int64) proof {
		forget()
		precise = true
		return &search{code: c, lanes: k.Lanes, last: 26, head: head}
	})
}

// tryToProve is proveQuickly for a prover without some of its checks, which may break.
func tryToProve(t *testing.T, c *code) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the prover broke: %v", e)
		}
	}()
	return proveQuickly(t, c)
}

// sites are the places of the prover that refuse, as refusals name them, and what they
// say.
func sites(t *testing.T) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "refuse" {
					says, err := strconv.Unquote(c.Args[0].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					at[fmt.Sprintf("%s:%d", e.Name(), fset.Position(c.Pos()).Line)] = says
				}
			}
			return true
		})
	}
	return at
}

// stoppedElsewhere says, of what a place that refuses says, why no change is stopped by
// it alone.
var stoppedElsewhere = map[string]string{
	"a Boolean function of more than 6 bits":           "the domain has no such function",
	"memory at %v, which is no address":                "there is nothing to read",
	"no instruction of this kernel":                    "there is nothing to execute",
	"there is no end":                                  "nothing else ends it",
	"the loop is not reached":                          "at the head nothing would be known",
	"it ends with blocks left, always":                 "at the head nothing would be known",
	"it ends with iterations left":                     "the stack pointer of the return is none of the loop",
	"it ends with turns left":                          "the states of the next turn are not loaded then",
	"it ends with groups left":                         "the stack pointer of the return is none of the loop",
	"%d bytes at %v are not pointers of this turn":     "then they have to be the next turn's",
	"%d bytes at %v are not pointers of the next turn": "nothing is there",
	"%d bytes at %v may be beyond the frame":           "the return address is there",
	"the stack guard is not compared as an address":    "then the room is not known",
}

// TestRefusals changes kernels by hand. Each change is wrong, or is more than the model
// knows, and is refused for its reason. Without the check that refuses it, most are
// accepted: then nothing else would stop this kind. Every refusal of the prover is
// reached.
func TestRefusals(t *testing.T) {
	reached, alone, tried := map[string]string{}, map[string]bool{}, 0
	for _, tt := range refusals {
		t.Run(tt.kernel+"/"+tt.name, func(t *testing.T) {
			tried++
			c := changed(t, codeOf(t, tt.kernel), tt.changes...)
			err := proveQuickly(t, c)
			why, ok := err.(refusal)
			if !ok {
				t.Fatalf("accepted, or not tried: %v", err)
			}
			if !strings.Contains(why.why, tt.want) {
				t.Errorf("refused, but because %s", why.why)
			}
			reached[why.by] = tt.name
			left := 1000 // times that the check is left out: it may be what ends a loop
			permits = func(by string) bool {
				if by == why.by {
					left--
				}
				return by == why.by && left > 0
			}
			defer func() { permits = func(string) bool { return false } }()
			if err := tryToProve(t, c); err == nil {
				alone[why.by] = true
			} else {
				t.Logf("without it: %v", err)
			}
		})
	}
	if tried != len(refusals) { // some were asked for
		return
	}
	all := sites(t)
	for at, says := range all {
		elsewhere := stoppedElsewhere[says] != ""
		switch {
		case reached[at] == "":
			t.Errorf("%s: %q: no change reaches it", at, says)
		case !alone[at] && !elsewhere:
			t.Errorf("%s: %q: what it stops is stopped elsewhere, too: %s", at, says, reached[at])
		case alone[at] && elsewhere:
			t.Errorf("%s: %q: it stops something alone", at, says)
		}
	}
	for says := range stoppedElsewhere {
		if !slices.Contains(slices.Collect(maps.Values(all)), says) {
			t.Errorf("nothing says %q", says)
		}
	}
	t.Logf("%d changes, %d places that refuse, %d of them alone with a change", len(refusals), len(all), len(alone))
}

// TestEveryLengthIsTried counts the ways that the proofs of routines without a loop go, with a
// routine that returns at once and checks that say nothing.
func TestEveryLengthIsTried(t *testing.T) {
	permits = func(by string) bool { return !strings.HasPrefix(by, "domain.go") } // words rest on those
	defer func() { permits = func(string) bool { return false } }()
	pairs := func(least, most int, has func(first, second int) bool) (n int) {
		for first := range blocks.Size {
			for second := range blocks.MaxOneCall + 1 {
				if all := first + second; least <= all && all <= most && has(first, second) {
					n++
				}
			}
		}
		return n
	}
	always := func(int, int) bool { return true }
	for kernel, want := range map[string]int{
		"append_avx512":      pairs(0, blocks.Size, always),
		"write_avx512shani":  pairs(blocks.Size, blocks.MaxOneCall, func(held, _ int) bool { return held > 0 }),
		"finish_avx512shani": pairs(0, blocks.MaxOneCall, always),
	} {
		c := codeOf(t, kernel)
		p := routineNamed(kernel).proof(listProof{code: changed(t, c, before(c.ins[0].text, "ret"))})
		p.prove()
		if got := p.progressed(); got != want {
			t.Errorf("%s: %d ways, want %d", kernel, got, want)
		}
	}
}
