package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Instructions, as GNU objdump writes them.

type operand struct {
	kind      byte // 'r' general, 'v' vector, 'k' mask, 'm' memory, 'i' immediate, 'l' left shift and 'c' condition of arm64
	reg       int
	size      int // bytes
	imm       int64
	base      int // of memory: a register, or one of those below
	index     int // a register, or none
	scale     int64
	disp      int64
	symbol    string // that disp is counted from, or the condition
	segment   string // of amd64
	broadcast bool
	mask      int  // of a destination
	zeroing   bool // where the mask is 0
	pre       bool // arm64: the base moves first
	lanes     int  // arm64: bytes of a lane, 0 if none are named
	lane      int  // arm64
}

const (
	none     = -1
	absolute = -2 // counted from a symbol; amd64 reads it relative to the next instruction
	current  = -3 // where g is, in thread-local storage
)

type instruction struct {
	addr, next int64 // in code: numbers
	place      int64 // in code: the address
	op         string
	args       []operand
	text       string
	form       string // with the kinds of its operands for operands
}

// describe sets the form of an instruction.
func (in *instruction) describe() {
	forms := make([]string, len(in.args))
	for i, o := range in.args {
		if forms[i] = o.form(); o.kind == 'i' && i == len(in.args)-1 && (in.jumps() || in.calls()) {
			forms[i] = "label"
		}
	}
	in.form = strings.TrimSpace(in.op + " " + strings.Join(forms, ","))
}

var lineOfDump = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S+)\s*(.*?)\s*$`)

// parse reads a disassembly. What it cannot read is an error.
func parse(dump string, arm bool) (ins []*instruction, err error) {
	var line string
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%q: %v", line, e)
		}
	}()
	for line = range strings.Lines(dump) {
		p := lineOfDump.FindStringSubmatch(line)
		if p == nil {
			continue
		}
		in := parseInstruction(p[2]+" "+p[3], arm)
		in.addr = hex(p[1])
		if n := len(ins); n > 0 {
			ins[n-1].next = in.addr
		}
		ins = append(ins, in)
	}
	for _, in := range ins {
		for i := range in.args {
			if in.args[i].base == absolute {
				in.args[i].disp += in.next
			}
		}
	}
	return ins, nil
}

// parseInstruction reads an instruction.
func parseInstruction(text string, arm bool) *instruction {
	text, _, _ = strings.Cut(text, "<")
	text, _, _ = strings.Cut(text, map[bool]string{false: "#", true: "//"}[arm])
	in := &instruction{text: strings.TrimSpace(text)}
	op, rest, _ := strings.Cut(in.text, " ")
	if in.op = op; op == "udf" { // padding
		rest = ""
	}
	parts := split(strings.TrimSpace(rest))
	for i, s := range parts {
		switch {
		case i == len(parts)-1 && (in.jumps() || in.calls()) || in.op == "adrp" && i == 1:
			in.args = append(in.args, operand{kind: 'i', imm: hex(strings.TrimPrefix(s, "0x"))})
		case arm:
			in.args = append(in.args, operandARM64(s))
		default:
			in.args = append(in.args, operandAMD64(s))
		}
	}
	in.describe()
	return in
}

func hex(s string) int64 {
	n, err := strconv.ParseInt(s, 16, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// split separates operands at commas outside of brackets.
func split(s string) (parts []string) {
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if s == "" {
		return nil
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

// jumps says whether the last operand is where it goes.
func (in *instruction) jumps() bool {
	return in.op[0] == 'j' || in.op == "b" || strings.HasPrefix(in.op, "b.") ||
		slices.Contains([]string{"cbz", "cbnz", "tbz", "tbnz"}, in.op)
}

// calls says whether the last operand is a function.
func (in *instruction) calls() bool { return in.op == "call" || in.op == "bl" }

func parseNumber(s string) int64 {
	s, negative := strings.CutPrefix(s, "-")
	u, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		panic(err)
	}
	if negative {
		return -int64(u)
	}
	return int64(u)
}

// form is the kind of an operand: r64 is a register of 64 bits, m32 memory of 32.
func (o operand) form() string {
	s := o.segment + string(o.kind)
	if o.size != 0 {
		s += fmt.Sprint(8 * o.size)
	}
	if o.lanes != 0 {
		s += fmt.Sprintf(".%d", o.lanes)
	}
	if o.broadcast {
		s += "broadcast"
	}
	if o.mask != 0 {
		s += "{k}"
	}
	if o.zeroing {
		s += "{z}"
	}
	if o.kind == 'm' && o.pre {
		s += "!"
	}
	return s
}

// ---- amd64

type register struct{ number, size int }

var registersAMD64 = map[string]register{}

func init() {
	for i, n := range strings.Fields("al cl dl bl spl bpl sil dil") {
		registersAMD64[n] = register{i, 1}
	}
	for i, n := range strings.Fields("ax cx dx bx sp bp si di") {
		registersAMD64["r"+n] = register{i, 8}
		registersAMD64["e"+n] = register{i, 4}
		registersAMD64[n] = register{i, 2}
	}
	for i := 8; i < 16; i++ {
		registersAMD64[fmt.Sprintf("r%d", i)] = register{i, 8}
		registersAMD64[fmt.Sprintf("r%dd", i)] = register{i, 4}
		registersAMD64[fmt.Sprintf("r%dw", i)] = register{i, 2}
		registersAMD64[fmt.Sprintf("r%db", i)] = register{i, 1}
	}
}

var (
	sizesAMD64 = map[string]int{"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
	vectorsOf  = map[byte]int{'x': 16, 'y': 32, 'z': 64}
	memoryRE   = regexp.MustCompile(`^(?:(\w+) (PTR|BCST) )?(?:([fg]s):)?(?:\[(.*)\]|(0x[0-9a-f]+))$`)
	addendRE   = regexp.MustCompile(`[+-]?[^+-]+`)
)

func operandAMD64(s string) operand {
	o := operand{base: none, index: none}
	if i := strings.IndexByte(s, '{'); i >= 0 {
		for d := range strings.SplitSeq(strings.Trim(s[i:], "{}"), "}{") {
			if d == "z" {
				o.zeroing = true
			} else {
				o.mask = int(parseNumber(strings.TrimPrefix(d, "k")))
			}
		}
		s = s[:i]
	}
	if g, ok := registersAMD64[s]; ok {
		o.kind, o.reg, o.size = 'r', g.number, g.size
		return o
	}
	if len(s) > 3 && s[1:3] == "mm" {
		o.kind, o.reg, o.size = 'v', int(parseNumber(s[3:])), vectorsOf[s[0]]
		return o
	}
	if len(s) == 2 && s[0] == 'k' {
		o.kind, o.reg = 'k', int(s[1]-'0')
		return o
	}
	if s[0] >= '0' && s[0] <= '9' {
		o.kind, o.imm = 'i', parseNumber(s)
		return o
	}
	p := memoryRE.FindStringSubmatch(s)
	if p == nil {
		panic("operand " + s)
	}
	o.kind, o.size, o.broadcast, o.segment, o.scale = 'm', sizesAMD64[p[1]], p[2] == "BCST", p[3], 1
	if p[5] != "" {
		o.disp = parseNumber(p[5])
		return o
	}
	for _, t := range addendRE.FindAllString(p[4], -1) {
		u := strings.TrimPrefix(t, "+")
		name, factor, scaled := strings.Cut(u, "*")
		if g, ok := registersAMD64[name]; ok && g.size != 8 {
			panic("operand " + s)
		}
		switch g, ok := registersAMD64[name]; {
		case u == "rip":
			o.base = absolute
		case ok && (scaled || o.base != none):
			o.index = g.number
			if scaled {
				o.scale = parseNumber(factor)
			}
		case ok:
			o.base = g.number
		default:
			o.disp += parseNumber(u)
		}
	}
	return o
}

// ---- arm64

func registerARM64(s string) (register, bool) {
	switch s {
	case "sp":
		return register{armSP, 8}, true
	case "xzr":
		return register{armZero, 8}, true
	case "wzr":
		return register{armZero, 4}, true
	}
	if s[0] != 'x' && s[0] != 'w' {
		return register{}, false
	}
	n, err := strconv.Atoi(s[1:])
	return register{n, map[byte]int{'x': 8, 'w': 4}[s[0]]}, err == nil
}

var arrangements = map[string]int{"": 0, "4s": 4, "2d": 8, "16b": 1, "s": 4, "d": 8}

func operandARM64(s string) operand {
	o := operand{base: none, index: none}
	if g, ok := registerARM64(s); ok {
		o.kind, o.reg, o.size = 'r', g.number, g.size
		return o
	}
	switch {
	case s[0] == '#':
		o.kind, o.imm = 'i', parseNumber(s[1:])
	case strings.HasPrefix(s, "lsl #"):
		o.kind, o.imm = 'l', parseNumber(s[5:])
	case s[0] == '[':
		o.kind = 'm'
		inner, after, _ := strings.Cut(s[1:], "]")
		o.pre = after == "!"
		for i, p := range strings.Split(inner, ",") {
			p = strings.TrimSpace(p)
			switch g, ok := registerARM64(p); {
			case ok && i == 0:
				o.base = g.number
			case ok && g.size == 8:
				o.index = g.number
			default:
				if p[0] != '#' {
					panic("operand " + s)
				}
				o.disp = parseNumber(p[1:])
			}
		}
	case s[0] == 'd' || s[0] == 's' || s[0] == 'q' || s[0] == 'v':
		name, lane, ok := strings.Cut(s[1:], "[")
		if ok {
			o.lane = int(parseNumber(strings.TrimSuffix(lane, "]")))
		}
		name, arrangement, _ := strings.Cut(name, ".")
		o.kind, o.reg = 'v', int(parseNumber(name))
		o.size = map[byte]int{'s': 4, 'd': 8, 'q': 16, 'v': 16}[s[0]]
		if o.lanes, ok = arrangements[arrangement]; !ok {
			panic("operand " + s)
		}
	case conditionsARM64[s] != "":
		o.kind, o.symbol = 'c', s
	case strings.HasPrefix(s, "pld") || strings.HasPrefix(s, "pst"): // what a prefetch is for
		o.kind = 'i'
	default:
		panic("operand " + s)
	}
	return o
}
