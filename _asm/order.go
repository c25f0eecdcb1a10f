package main

import (
	"regexp"
	"slices"
	"strings"
)

// armLatency is when, in instructions, the result of one is to be had. It is
// near enough for all of them on Cortex-A53 and A55, whose orders this file
// arranges for; a core that reorders by itself hardly minds.
const armLatency = 4

// order sorts the instructions of a basic block for a core that issues them in
// program order. Of the instructions that need not wait, the next is always the
// start of the longest chain. All results stay the same.
//
// Kernels can therefore emit one stream after the other, and one round after
// the other, as they are read best.
func order(block []armInst) []armInst {
	type edge struct{ to, wait int }
	var (
		after  = make([][]edge, len(block)) // what waits for each instruction
		before = make([]int, len(block))    // how many it waits for itself
		writer = map[string]int{}           // the last to write each register
		reader = map[string][]int{}         // who read it since
	)
	follow := func(i, j, wait int) {
		if i != j {
			after[i] = append(after[i], edge{j, wait})
			before[j]++
		}
	}
	for j, inst := range block {
		reads, writes := inst.registers()
		for _, r := range reads {
			if i, ok := writer[r]; ok {
				follow(i, j, armLatency)
			}
		}
		for _, r := range writes {
			for _, i := range reader[r] {
				follow(i, j, 0)
			}
			if i, ok := writer[r]; ok {
				follow(i, j, 1)
			}
		}
		for _, r := range reads {
			reader[r] = append(reader[r], j)
		}
		for _, r := range writes {
			writer[r], reader[r] = j, nil
		}
	}

	chain := make([]int, len(block)) // the longest that starts with it
	for i := len(block) - 1; i >= 0; i-- {
		for _, e := range after[i] {
			chain[i] = max(chain[i], e.wait+chain[e.to])
		}
	}

	var sorted []armInst
	ready := make([]int, len(block)) // the earliest time
	for time := 0; len(sorted) < len(block); time++ {
		best := -1
		for i := range block {
			if before[i] == 0 && ready[i] <= time && (best < 0 || chain[i] > chain[best]) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		sorted = append(sorted, block[best])
		before[best] = -1 // done
		for _, e := range after[best] {
			before[e.to]--
			ready[e.to] = max(ready[e.to], time+e.wait)
		}
	}
	return sorted
}

var armRegister = regexp.MustCompile(`\b[RFV][0-9]+\b`)

// memory counts as a register: stores keep their place among loads.
const memory = "memory"

// flags count as a register that CMP writes and CSEL reads. Conditional branches read them,
// too. They end the block, so they see its last CMP.
const flags = "flags"

// updates are the operations that read their destination too.
var updates = []string{"VUSRA", "VBIT", "VBSL", "SHA256H", "SHA256H2", "SHA256SU0", "SHA256SU1"}

// registers returns the registers that an instruction reads and writes, F3
// and V3 being one.
func (i armInst) registers() (reads, writes []string) {
	destination := len(i.args) - 1
	switch i.op {
	case "CMP":
		destination, writes = len(i.args), []string{flags}
	case "CSEL":
		reads = []string{flags}
	case "ADDS", "SUBS", "ANDS", "BICS", "TST", "CMN", "CCMP", "CSET", "CSINC", "CSINV", "CSNEG":
		panic("the order of " + i.op + " and flags is not known")
	}
	update := slices.Contains(updates, i.op) || (i.op == "ADD" || i.op == "SUB") && destination == 1
	for n, arg := range i.args {
		names := armRegister.FindAllString(strings.ReplaceAll(arg, "F", "V"), -1)
		address := strings.HasSuffix(arg, ")") && !strings.HasPrefix(arg, "(F") && !strings.HasPrefix(arg, "$")
		switch {
		case address && n == destination:
			writes = append(writes, memory)
		case address:
			reads = append(reads, memory)
		case n == destination:
			writes = append(writes, names...)
		}
		if address || n < destination || update {
			reads = append(reads, names...)
		}
	}
	return reads, writes
}
