package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRegisters(t *testing.T) {
	none := []string{}
	for _, tt := range []struct {
		op            string
		args          []string
		reads, writes []string
	}{
		{"VADD", []string{"V1.S4", "V2.S4", "V3.S4"}, []string{"V1", "V2"}, []string{"V3"}},
		{"VUSRA", []string{"$7", "V1.S4", "V2.S4"}, []string{"V1", "V2"}, []string{"V2"}},
		{"VBIT", []string{"V1.B16", "V2.B16", "V3.B16"}, []string{"V1", "V2", "V3"}, []string{"V3"}},
		{"VBSL", []string{"V1.B16", "V2.B16", "V3.B16"}, []string{"V1", "V2", "V3"}, []string{"V3"}},
		{"SHA256H2", []string{"V9.S4", "V4", "V3"}, []string{"V3", "V4", "V9"}, []string{"V3"}},
		{"SHA256SU0", []string{"V8.S4", "V7.S4"}, []string{"V7", "V8"}, []string{"V7"}},
		{"SHA256SU1", []string{"V6.S4", "V5.S4", "V7.S4"}, []string{"V5", "V6", "V7"}, []string{"V7"}},
		{"FMOVQ", []string{"16(R3)", "F4"}, []string{"R3", memory}, []string{"V4"}},
		{"FMOVQ", []string{"F4", "16(R3)"}, []string{"R3", "V4"}, []string{memory}},
		{"FLDPQ", []string{"(R3)", "(F4, F5)"}, []string{"R3", memory}, []string{"V4", "V5"}},
		{"FSTPQ", []string{"(F4, F5)", "32(R3)"}, []string{"R3", "V4", "V5"}, []string{memory}},
		{"MOVD", []string{"8(R1)", "R5"}, []string{"R1", memory}, []string{"R5"}},
		{"MOVD", []string{"$·tableK(SB)", "R3"}, none, []string{"R3"}},
		{"ADD", []string{"$64", "R8"}, []string{"R8"}, []string{"R8"}},
		{"ADD", []string{"R15<<6", "R8"}, []string{"R15", "R8"}, []string{"R8"}},
		{"CMP", []string{"R10", "R9"}, []string{"R10", "R9"}, []string{flags}},
		{"CSEL", []string{"LT", "R10", "R9", "R8"}, []string{"R10", "R9", flags}, []string{"R8"}},
		{"SUB", []string{"$1", "R2"}, []string{"R2"}, []string{"R2"}},
		{"ADD", []string{"$16", "RSP", "R13"}, none, []string{"R13"}},
	} {
		reads, writes := armInst{tt.op, tt.args}.registers()
		slices.Sort(reads)
		slices.Sort(writes)
		if !slices.Equal(append(none, reads...), append(none, tt.reads...)) || !slices.Equal(writes, tt.writes) {
			t.Errorf("%s %v reads %v and writes %v; want %v and %v", tt.op, tt.args, reads, writes, tt.reads, tt.writes)
		}
	}
}

// TestOrder runs random instructions symbolically, in their own order and in
// the one of order, and compares what every register holds then.
func TestOrder(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		v := func() vreg { return vreg(r.IntN(6)) }
		f := new(armFunc)
		for range 40 {
			switch r.IntN(6) {
			case 0:
				f.do("VADD", v().s4(), v().s4(), v().s4())
			case 1:
				f.do("VUSRA", imm(3), v().s4(), v().s4())
			case 2:
				f.do("SHA256H", v().s4(), v(), v())
			case 3:
				f.do("FMOVQ", at(16*r.IntN(4), "R1"), v().f())
			case 4:
				f.do("FSTPQ", pair(v(), v()), at(0, "R1"))
			case 5:
				f.do("ADD", imm(64), "R1")
			}
		}
		sorted := order(f.block)
		if len(sorted) != len(f.block) {
			t.Fatalf("seed %d: %d instructions of %d", seed, len(sorted), len(f.block))
		}
		if want, got := outcome(f.block), outcome(sorted); want != got {
			t.Fatalf("seed %d: the order changes what is computed:\n%v\n%v", seed, f.block, sorted)
		}
	}
}

// outcome describes what registers and memory hold after is: for each, a number
// that stands for the instructions and the values that led to it.
func outcome(is []armInst) string {
	values := map[string]uint64{}
	for _, i := range is {
		reads, writes := i.registers()
		sum := uint64(len(i.op)) * 0x9e3779b97f4a7c15
		for _, b := range []byte(fmt.Sprint(i)) {
			sum = (sum ^ uint64(b)) * 0x100000001b3
		}
		for _, r := range reads {
			sum = (sum ^ values[r]) * 0x9e3779b97f4a7c15
			sum ^= sum >> 29
		}
		for n, w := range writes {
			values[w] = sum + uint64(n)
		}
	}
	return fmt.Sprint(values)
}
