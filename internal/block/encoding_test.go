package block

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkEncodings fails the test unless the vector instructions that Go's
// assembler made of the function d of source are those that stand there, as
// objdump reads them.
func checkEncodings(t *testing.T, d disassembly, source string) {
	t.Helper()
	_, body, _ := strings.Cut(source, "\nTEXT ·"+d.name+"(SB)")
	body, _, _ = strings.Cut(body, "\nTEXT ")
	body, _, _ = strings.Cut(body, "\nDATA ")
	var want, got []string
	vector := regexp.MustCompile(`\b[XYZK][0-9]+\b|VZEROUPPER`)
	for _, line := range strings.Split(body, "\n") {
		line, _, _ = strings.Cut(line, "//")
		if strings.HasPrefix(line, "\t") && vector.MatchString(line) {
			want = append(want, fromGo(strings.TrimSpace(line)))
		}
	}
	wide := regexp.MustCompile(`%[xyz]mm|%k[0-7]`)
	for _, i := range d.insts {
		if wide.MatchString(i.operands) || i.mnemonic == "vzeroupper" {
			got = append(got, fromGNU(i.mnemonic, i.operands))
		}
	}
	for n := range min(len(got), len(want)) {
		if got[n] != want[n] {
			t.Fatalf("vector instruction %d is %q, the source has %q", n, got[n], want[n])
		}
	}
	if len(got) != len(want) || len(got) < 100 {
		t.Fatalf("%d vector instructions, the source has %d", len(got), len(want))
	}
}

// gnuNames are the mnemonics that Go spells its own way.
var gnuNames = map[string]string{
	"movou": "movdqu", "movoa": "movdqa", "movo": "movdqa",
	"punpckllq": "punpckldq", "punpckhlq": "punpckhdq",
	"paddl": "paddd", "psubl": "psubd", "pslll": "pslld", "psrll": "psrld", "pcmpgtl": "pcmpgtd",
	"pshufl": "pshufd", "pslldq": "pslldq", "psrldq": "psrldq",
	"movl": "movd", "vmovl": "vmovd",
}

var (
	goMemory  = regexp.MustCompile(`^([-0-9]*)\((\w+)\)(?:\((\w+)\*([1248])\))?$`)
	gnuMemory = regexp.MustCompile(`^([-0-9a-fx]*)\(%(\w+)(?:,%(\w+),([1248]))?\)(\{1to\d+\})?$`)
)

// fromGo brings an instruction in Go's syntax into a form that it shares with
// fromGNU. Their operands stand in the same order.
func fromGo(line string) string {
	mnemonic, rest, _ := strings.Cut(line, " ")
	mnemonic, broadcast := strings.CutSuffix(strings.ToLower(mnemonic), ".bcst")
	mnemonic, zeroes := strings.CutSuffix(mnemonic, ".z")
	if name, ok := gnuNames[mnemonic]; ok {
		mnemonic = name
	}
	form := mnemonic
	list, mask := operands(rest), ""
	if zeroes { // by the mask before the destination
		mask = "{%" + gpr(list[len(list)-2]) + "}{z}"
		list = slices.Delete(list, len(list)-2, len(list)-1)
	}
	for _, o := range list {
		switch m := goMemory.FindStringSubmatch(o); {
		case strings.HasPrefix(o, "$"):
			o = "$" + number(o[1:])
		case strings.HasSuffix(o, "(SB)"):
			o = "m(rip)"
		case m != nil:
			o = memory(m[1], gpr(m[2]), gpr(m[3]), m[4])
		default:
			o = gpr(o)
		}
		if broadcast && strings.HasPrefix(o, "m") && strings.HasSuffix(o, ")") {
			o += " broadcast"
		}
		form += " " + o
	}
	return form + mask
}

func fromGNU(mnemonic, rest string) string {
	form := mnemonic
	for _, o := range operands(rest) {
		switch m := gnuMemory.FindStringSubmatch(o); {
		case strings.HasPrefix(o, "$"):
			o = "$" + number(o[1:])
		case m != nil && m[2] == "rip":
			o = "m(rip)"
		case m != nil:
			o = memory(m[1], m[2], m[3], m[4])
		default:
			o = wideGPR(strings.TrimPrefix(o, "%"))
		}
		if strings.Contains(rest, "{1to") && strings.HasPrefix(o, "m") && strings.HasSuffix(o, ")") {
			o += " broadcast"
		}
		form += " " + o
	}
	return form
}

func memory(displacement, base, index, scale string) string {
	if index == "" {
		return fmt.Sprintf("m%s(%s)", number(displacement), base)
	}
	return fmt.Sprintf("m%s(%s,%s,%s)", number(displacement), base, index, scale)
}

// number returns a number in decimal, and 0 for none.
func number(s string) string {
	if s == "" {
		s = "0"
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return s
	}
	return strconv.FormatInt(n, 10)
}

// gpr returns what GNU calls a register of Go's, at its full width.
func gpr(name string) string {
	name = strings.ToLower(name)
	switch {
	case name == "":
		return ""
	case strings.ContainsAny(name[:1], "xyz"):
		return name[:1] + "mm" + name[1:]
	case len(name) == 2 && (name[0] != 'r' && name[0] != 'k'):
		return "r" + name
	}
	return name
}

// wideGPR returns the full register of which name is the low half.
func wideGPR(name string) string {
	if r, ok := strings.CutSuffix(name, "d"); ok && strings.HasPrefix(r, "r") {
		return r
	}
	if len(name) == 3 && name[0] == 'e' {
		return "r" + name[1:]
	}
	return name
}

// operands splits at the commas that are not within parentheses.
func operands(s string) []string {
	var list []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}
