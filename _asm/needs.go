package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// What a kernel needs follows from its instructions. A test of internal/block
// has GNU's assembler confirm it.

// extensions are those beyond the baseline that kernels may need, in the order
// of package cpu, by the names that it and avo have for them.
var extensions = []string{"SSSE3", "AVX", "AVX2", "BMI2", "SHA", "AVX512F", "AVX512BW", "AVX512VL", "SHA2"}

// baseline is what every amd64 has.
var baseline = []string{"CMOV", "SSE", "SSE2"}

// implied are extensions that every CPU with another extension has. They are
// not mentioned.
var implied = map[string][]string{
	"AVX2":    {"AVX"},
	"AVX512F": {"AVX", "AVX2"},
}

// needsOf returns the extensions that a function of amd64 needs. avo knows them,
// but for the instructions of AVX and AVX2 on registers from 16 on: these are
// AVX-512's.
func needsOf(f *ir.Function) ([]string, error) {
	needs := map[string]bool{}
	for _, i := range f.Instructions() {
		evex := false
		for _, r := range i.Registers() {
			p, ok := r.(reg.Physical)
			evex = evex || ok && r.Kind() == reg.KindVector && p.PhysicalIndex() >= 16
		}
		if evex {
			needs["AVX512F"] = true
			needs["AVX512VL"] = needs["AVX512VL"] || slices.ContainsFunc(i.Registers(), func(r reg.Register) bool {
				return r.Kind() == reg.KindVector && r.Size() < 64
			})
			needs["AVX512BW"] = needs["AVX512BW"] || i.Opcode == "VPSHUFB" || i.Opcode == "VPALIGNR"
		}
		for _, isa := range i.ISA {
			if !slices.Contains(baseline, isa) {
				needs[isa] = true
			}
		}
	}
	var list []string
	for _, e := range extensions {
		if needs[e] {
			list = append(list, e)
			delete(needs, e)
		}
	}
	for isa, needed := range needs {
		if needed {
			return nil, fmt.Errorf("package cpu does not know %s", isa)
		}
	}
	return slices.DeleteFunc(list, func(e string) bool {
		return slices.ContainsFunc(list, func(other string) bool { return slices.Contains(implied[other], e) })
	}), nil
}

// needs returns the extensions that a function of arm64 needs.
func (f *armFunc) needs() []string {
	if strings.Contains(f.text.String(), "\tSHA256") {
		return []string{"SHA2"}
	}
	return nil
}

// withNeeds returns lines of documentation with a sentence that says what a
// kernel needs: extensions, or without any the baseline.
func withNeeds(doc, needs []string, baseline string) []string {
	what := baseline
	if last := len(needs) - 1; last == 0 {
		what = needs[0]
	} else if last > 0 {
		what = strings.Join(needs[:last], ", ") + " and " + needs[last]
	}
	const width = 80 - len("// ")
	var lines []string
	line := ""
	for _, word := range strings.Fields(strings.Join(doc, " ") + " It needs " + what + ".") {
		if len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
