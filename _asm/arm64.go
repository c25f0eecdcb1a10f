package main

import (
	"bytes"
	"fmt"
	"strings"
)

// avo writes amd64 assembly alone. What follows is as much of an assembly
// printer as the arm64 kernels need.

// An armInst is an instruction in the syntax of the Go assembler, operands in
// its order: destination last.
type armInst struct {
	op   string
	args []string
}

// A vreg is an arm64 vector register.
type vreg int

func (v vreg) String() string { return fmt.Sprintf("V%d", int(v)) }
func (v vreg) b16() string    { return v.String() + ".B16" }
func (v vreg) s4() string     { return v.String() + ".S4" }
func (v vreg) d2() string     { return v.String() + ".D2" }

// f is the name of all its 128 bits in loads and stores.
func (v vreg) f() string { return fmt.Sprintf("F%d", int(v)) }

// vregs returns the n registers from first on.
func vregs(first vreg, n int) []vreg {
	rs := make([]vreg, n)
	for i := range rs {
		rs[i] = first + vreg(i)
	}
	return rs
}

// pair is the operand of loads and stores of two registers.
func pair(a, b vreg) string { return "(" + a.f() + ", " + b.f() + ")" }

// imm is an immediate operand.
func imm(n int) string { return fmt.Sprintf("$%d", n) }

// at is a memory operand.
func at(offset int, base string) string {
	if offset == 0 {
		return "(" + base + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, base)
}

// General registers of the kernels of streams and of nodes; the others up to R14
// are each kernel's own. R16 to R18 and from R26 on belong to the linker, the
// platform and Go.
const (
	armH  = "R0"  // the argument h, or dst
	armP  = "R1"  // the argument p, or src
	armN  = "R2"  // the argument n, counted down
	armAt = "R15" // the argument at, in kernels of several streams
	armK  = "R3"  // the round constants
)

// The signatures of arm64 kernels of one stream and of nodes.
const (
	streamSignature = "(h *[8]uint32, p *byte, n int)"
	nodesSignature  = "(dst, src *byte, n int)"
)

// An armFunc is the text of an arm64 kernel.
type armFunc struct {
	name      string
	doc       []string
	signature string
	args      int // bytes of arguments and results
	frame     int // bytes of locals, from 8(RSP) on
	table     []uint32

	text  bytes.Buffer
	block []armInst // the basic block that is being emitted
}

// do emits an instruction. Operands are printed with %v.
func (f *armFunc) do(op string, args ...any) {
	i := armInst{op: op}
	for _, a := range args {
		i.args = append(i.args, fmt.Sprint(a))
	}
	f.block = append(f.block, i)
}

// endBlock prints the basic block, ordered for cores that do not reorder.
func (f *armFunc) endBlock() {
	f.print(order(f.block))
	f.block = nil
}

func (f *armFunc) print(is []armInst) {
	width := 0
	for _, i := range is {
		width = max(width, len(i.op))
	}
	for _, i := range is {
		line := fmt.Sprintf("\t%-*s %s", width, i.op, strings.Join(i.args, ", "))
		fmt.Fprintln(&f.text, strings.TrimRight(line, " "))
	}
}

// label begins a basic block.
func (f *armFunc) label(name string) {
	f.endBlock()
	fmt.Fprintf(&f.text, "\n%s:\n", name)
}

// branch ends a basic block.
func (f *armFunc) branch(op string, args ...string) {
	f.endBlock()
	f.print([]armInst{{op, args}})
}

// fetch has memory fetched that lies streamAhead in front of the block at base.
func (f *armFunc) fetch(base string) { f.do("PRFM", at(streamAhead, base), "PLDL1KEEP") }

// loadArgs loads the arguments of a kernel that has three, the third being n, and
// leaves if that is zero.
func (f *armFunc) loadArgs(first, second string) {
	f.args = 24
	f.do("MOVD", first+"+0(FP)", armH)
	f.do("MOVD", second+"+8(FP)", armP)
	f.do("MOVD", "n+16(FP)", armN)
	f.branch("CBZ", armN, "done")
}

// Arguments of kernels of several streams, in memory.
const (
	statesArg = "states+0(FP)"
	dataArg   = "data+8(FP)"
	ringArg   = "ring+16(FP)"
	firstArg  = "first+24(FP)"
	atArg     = "at+32(FP)"
	sliceArg  = "slice+40(FP)"
	turnsArg  = "turns+48(FP)"
)

// loadStreams loads the arguments of a kernel of several streams: the pointers of the
// first lanes. It leaves if a slice has no blocks.
func (f *armFunc) loadStreams() {
	f.signature, f.args = strings.TrimPrefix(streamsSignature, "func"), 56
	f.do("MOVD", statesArg, armH)
	f.do("MOVD", dataArg, armP)
	f.do("MOVD", firstArg, armAt)
	f.do("ADD", armAt+"<<3", armH)
	f.do("ADD", armAt+"<<3", armP)
	f.do("MOVD", atArg, armAt)
	f.do("MOVD", sliceArg, armN)
	f.branch("CBZ", armN, "done")
}

// turnEnds ends a turn. After the last one it goes to done, else, with the pointers
// of the lanes' next streams, to turn. If the ring begins again, it moves on by a
// slice.
func (f *armFunc) turnEnds(lanes int) {
	const turns, ring, back, states = "R8", "R8", "R9", "R10" // free by now in all kernels
	f.do("MOVD", turnsArg, turns)
	f.do("SUB", imm(1), turns)
	f.do("MOVD", turns, turnsArg)
	f.branch("CBZ", turns, "done")
	f.do("ADD", imm(8*lanes), armH)
	f.do("ADD", imm(8*lanes), armP)
	f.do("MOVD", sliceArg, armN)
	f.do("MOVD", ringArg, ring)
	f.do("MOVD", statesArg, states)
	f.do("SUB", ring+"<<3", armH, back)
	f.do("CMP", states, back)
	f.branch("BLO", "turn")
	f.do("MOVD", back, armH)
	f.do("SUB", ring+"<<3", armP)
	f.do("ADD", armN, armAt)
	f.branch("JMP", "turn")
}

// spread defines a table of words, each four times, and returns its address.
func (f *armFunc) spread(words []uint32) string {
	at := fmt.Sprintf("$%s_k<>+%d(SB)", f.name, 16*len(f.table))
	f.table = append(f.table, words...)
	return at
}

// source returns the .s file of f.
func (f *armFunc) source() []byte {
	f.endBlock()
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by %s. DO NOT EDIT.\n\n//go:build !purego\n\n#include \"textflag.h\"\n\n", generator)
	fmt.Fprintf(&b, "// func %s%s\n", f.name, f.signature)
	fmt.Fprintf(&b, "TEXT ·%s(SB), $%d-%d\n", f.name, f.frame, f.args)
	b.Write(f.text.Bytes())
	if len(f.table) > 0 {
		fmt.Fprintln(&b)
		for i, w := range f.table {
			for j := range 2 {
				fmt.Fprintf(&b, "DATA %s_k<>+%d(SB)/8, $0x%08x%08x\n", f.name, 16*i+8*j, w, w)
			}
		}
		fmt.Fprintf(&b, "GLOBL %s_k<>(SB), RODATA|NOPTR, $%d\n", f.name, 16*len(f.table))
	}
	return b.Bytes()
}

// armStubs returns the Go declarations of fs.
func armStubs(fs []*armFunc) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by %s. DO NOT EDIT.\n\n//go:build !purego\n\npackage block\n", generator)
	for _, f := range fs {
		fmt.Fprintln(&b)
		for _, l := range f.doc {
			fmt.Fprintf(&b, "// %s\n", l)
		}
		fmt.Fprintf(&b, "//\n//go:noescape\nfunc %s%s\n", f.name, f.signature)
	}
	return b.Bytes()
}
