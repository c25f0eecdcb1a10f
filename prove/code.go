package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String names an instruction, by its address in the program that it was read from.
func (in *instruction) String() string { return fmt.Sprintf("%x: %s", in.place, in.text) }

// A code is a kernel as it is anywhere in memory: instructions are numbered from 0, and
// jumps, tables and functions are named instead of located. Kernels of equal code do the
// same, in whatever program they are.
type code struct {
	kernel string
	arm    bool
	ins    []*instruction
	tables map[string][]byte // that it refers to
}

// resolve makes code of the instructions of a kernel.
func (p *program) resolve(kernel string, ins []*instruction) (*code, error) {
	c := &code{kernel: kernel, arm: p.arm, tables: map[string][]byte{}}
	for len(ins) > 0 && slices.Contains([]string{"int3", "udf"}, ins[len(ins)-1].op) { // padding
		ins = ins[:len(ins)-1]
	}
	number := map[int64]int64{} // by address
	for i := 0; i < len(ins); i++ {
		in := *ins[i]
		in.args = slices.Clone(in.args)
		number[in.addr] = int64(len(c.ins))
		i += p.join(&in, ins[i+1:])
		for j := range in.args {
			if err := p.name(c, &in.args[j]); err != nil {
				return nil, fmt.Errorf("%s: %w", in.text, err)
			}
		}
		c.ins = append(c.ins, &in)
	}
	for i, in := range c.ins {
		in.place, in.addr, in.next = in.addr, int64(i), int64(i+1)
		last := len(in.args) - 1
		switch {
		case in.calls():
			in.args[last] = operand{kind: 'i', symbol: p.function(in.args[last].imm)}
		case in.jumps():
			to, ok := number[in.args[last].imm]
			if !ok {
				return nil, fmt.Errorf("%s: it leaves the kernel, or goes into the middle of something", in.text)
			}
			in.args[last].imm = to
		}
		in.describe()
	}
	return c, nil
}

// join makes one instruction of those that together set a register to g or to the address
// of a symbol, and says how many of the next ones it has joined. Nothing may jump to
// these.
func (p *program) join(in *instruction, next []*instruction) (joined int) {
	if len(in.args) != 2 || in.args[0].kind != 'r' || in.args[0].size != 8 {
		return 0
	}
	r, from := in.args[0], in.args[1]
	loads := func(i int, from operand) bool {
		return i < len(next) && next[i].op == "mov" && next[i].args[0] == r && next[i].args[1] == from
	}
	g := operand{kind: 'm', size: 8, base: current, index: none}
	at := operand{kind: 'm', size: 8, base: r.reg, index: none, scale: 1}
	inThread := at
	inThread.segment = p.segment()
	switch {
	case in.op == "mov" && p.isG(from):
		in.args[1] = g
	case in.op == "mov" && p.isGOffset(from) && loads(0, inThread) && p.os != "windows":
		in.args[1], joined = g, 1
	case in.op == "mov" && p.isGOffset(from) && loads(0, inThread) && loads(1, at):
		in.args[1], joined = g, 2
	case in.op == "mov" && from.base == absolute && p.slots[from.disp] != "":
		in.op, in.args[1] = "lea", operand{kind: 'm', base: absolute, index: none, scale: 1, symbol: p.slots[from.disp]}
	case in.op == "adrp" && len(next) > 0:
		joined = p.joinPage(in, next[0])
	}
	for _, n := range next[:joined] {
		in.text += "; " + n.text
	}
	return joined
}

// joinPage joins what sets a register to a page of the program, and what adds an offset to
// it or loads an address from there.
func (p *program) joinPage(in, next *instruction) (joined int) {
	r, page := in.args[0], in.args[1].imm
	if len(next.args) < 2 || next.args[0].kind != 'r' || next.args[0].size != 8 {
		return 0
	}
	switch to, from := next.args[0], next.args[1]; {
	case next.op == "add" && to == r && from == r && len(next.args) == 3 && next.args[2].kind == 'i':
		in.op, in.args[1] = "adr", operand{kind: 'm', base: absolute, index: none, disp: page + next.args[2].imm}
		return 1
	case next.op == "ldr" && len(next.args) == 2 && from.kind == 'm' && from.base == r.reg && from.index == none && !from.pre && p.slots[page+from.disp] != "":
		in.op, in.args = "adr", []operand{to, {kind: 'm', base: absolute, index: none, symbol: p.slots[page+from.disp]}}
		if to != r { // which has the page, and is not to be used
			in.args = append(in.args, r)
		}
		return 1
	}
	return 0
}

// segment is the register of amd64 that thread-local storage is at.
func (p *program) segment() string {
	if p.os == "linux" {
		return "fs"
	}
	return "gs"
}

// isG says whether memory is where g is in thread-local storage.
func (p *program) isG(o operand) bool {
	at := map[string]int64{"linux": -8, "darwin": 0x30}[p.os]
	return at != 0 && o.disp == at && o.segment == p.segment() && o.base == none && o.index == none
}

// isGOffset says whether an operand is the offset of g in thread-local storage.
func (p *program) isGOffset(o operand) bool {
	return o.kind == 'i' && o.imm == -8 && p.os == "linux" || o.kind == 'm' && o.base == absolute && p.offsets[o.disp]
}

// name counts an address in the program from the symbol that it belongs to.
func (p *program) name(c *code, o *operand) error {
	if o.base != absolute {
		return nil
	}
	var s symbol
	if o.symbol != "" {
		t := p.symbol(o.symbol)
		if t == nil {
			return fmt.Errorf("no symbol %s", o.symbol)
		}
		s = *t
	} else {
		t, ok := p.at(o.disp)
		// The end of a table may be where something else begins.
		if before, is := p.at(o.disp - 1); is && before.addr+before.size == o.disp && isTable(before.name, c.kernel) && (!ok || !isTable(t.name, c.kernel)) {
			t, ok = before, true
		}
		if !ok {
			return fmt.Errorf("no symbol at %#x", o.disp)
		}
		s = t
		o.symbol, o.disp = s.name, o.disp-s.addr
	}
	switch {
	case s.name == hasAVX && s.size == 1:
		return nil
	case !isTable(s.name, c.kernel):
		return fmt.Errorf("%s is no table of the kernel", s.name)
	}
	data, writable, err := p.bytes(s)
	if err == nil && (writable || data == nil) {
		err = fmt.Errorf("the table %s is not read-only", s.name)
	}
	c.tables[s.name] = data
	return err
}

// function is the name of the function at an address, or of none.
func (p *program) function(addr int64) string {
	names := map[string]bool{}
	for _, s := range p.symbols {
		if s.addr == addr {
			names[s.name] = true
		}
	}
	if names[moreStack] {
		return moreStack
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// moreStack makes room, and is called at the beginning.
const moreStack = "runtime.morestack_noctxt.abi0"

// same says whether two codes do the same.
func (c *code) same(d *code) bool {
	return c.kernel == d.kernel && c.arm == d.arm && slices.EqualFunc(c.ins, d.ins, func(x, y *instruction) bool {
		return x.op == y.op && slices.Equal(x.args, y.args)
	}) && maps.EqualFunc(c.tables, d.tables, bytes.Equal)
}

// at is the instruction at a number, or nil.
func (c *code) at(n int64) *instruction {
	if n < 0 || n >= int64(len(c.ins)) {
		return nil
	}
	return c.ins[n]
}

// heads lists where a loop may begin: at the target of a jump back. The jumps that span
// most come first.
func (c *code) heads() []int64 {
	span := map[int64]int64{}
	for a, in := range c.ins {
		if !in.jumps() {
			continue
		}
		if to := in.args[len(in.args)-1].imm; to < int64(a) && to != 0 {
			span[to] = max(span[to], int64(a)-to)
		}
	}
	return slices.SortedFunc(maps.Keys(span), func(x, y int64) int {
		if span[x] != span[y] {
			return int(span[y] - span[x])
		}
		return int(x - y)
	})
}
