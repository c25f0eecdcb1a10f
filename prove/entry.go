package main

import (
	"encoding/binary"
	"fmt"
)

// The entry of a kernel, the ways from there, and what holds at its return: ABI0 of Go.

// An argument of a kernel, as its declaration in Go names it.
type argument struct {
	name string
	value
}

// entry is a machine at the entry of a kernel, with arguments in the stack and place
// for results. Of everything else nothing is known. Each argument and result has 8
// bytes: a test compares names and places with the declarations in Go.
func (c *code) entry(args []argument, results ...string) *machine {
	m := &machine{code: c, arm: c.arm, mem: map[string]*region{}, room: stackSmall, entered: true}
	for _, a := range args {
		m.declared = append(m.declared, a.name)
	}
	m.declared = append(m.declared, results...)
	m.least = [symbols]int64{symR: 1, symT: 1}
	for name, data := range c.tables {
		r := m.region(tableName(name), linear{}, number(int64(len(data))), true, false)
		r.align, r.bytes = alignment(int64(len(data))), true
		for off := 0; off+4 <= len(data); off += 4 {
			r.words[int64(off)] = constant(binary.LittleEndian.Uint32(data[off:]))
		}
	}
	m.region(tableName(hasAVX), linear{}, number(1), false, false)
	for i := range m.gp {
		m.gp[i] = data(unknown(), unknown())
	}
	for i := range m.v {
		for j := range m.v[i] {
			m.v[i][j] = unknown()
		}
	}
	for i := range m.k {
		m.k[i] = data(unknown(), unknown())
	}
	first := int64(returnAt + 8)
	st := m.region("stack", linear{}, number(first+8*int64(len(m.declared))), true, true)
	for i, a := range args {
		if a.kind == aNumber || a.kind == anAddress {
			st.cells[first+8*int64(i)] = a.value
		} else {
			st.words[first+8*int64(i)], st.words[first+8*int64(i)+4] = a.lo, a.hi
		}
	}
	g := m.region("g", linear{}, number(4096), true, false)
	g.cells[0x10] = address(m.region("stack guard", linear{}, linear{}, false, false), linear{})
	back, frame := returnAddress(), callersFrame()
	if m.arm {
		m.gp[armSP] = address(st, number(returnAt))
		m.gp[armLR] = back
		m.gp[armG] = address(g, linear{})
		m.gp[armFP] = address(st, number(returnAt-8)) // as in all of Go's frames
		return m
	}
	m.gp[sp] = address(st, number(returnAt))
	m.gp[bp] = frame
	st.words[returnAt], st.words[returnAt+4] = back.lo, back.hi
	m.region("thread", linear{}, number(8), true, false).cells[0] = address(g, linear{})
	return m
}

// tableName is the region of a table.
func tableName(symbol string) string { return "table " + symbol }

func returnAddress() value {
	return data(input("return address, low"), input("return address, high"))
}

// callersFrame is amd64's frame pointer at the entry.
func callersFrame() value {
	return data(input("frame pointer, low"), input("frame pointer, high"))
}

// keepsFrame says whether the frame pointer is what it was at the entry.
func (m *machine) keepsFrame() bool {
	if m.arm {
		return m.gp[armFP] == address(m.mem["stack"], number(returnAt-8))
	}
	return m.gp[bp] == callersFrame()
}

// atReturn checks what Go expects of assembly.
func (m *machine) atReturn() {
	st := m.mem["stack"]
	back := value{kind: aData, lo: st.words[returnAt], hi: st.words[returnAt+4]}
	if m.arm {
		back = m.gp[armLR]
	}
	if back != returnAddress() {
		refuse("it returns to %v", back)
	}
	if at := m.stackPointer(); at != returnAt {
		refuse("it returns with the stack pointer %d bytes below", returnAt-at)
	}
	if !m.keepsFrame() {
		refuse("the frame pointer is not the caller's at the end")
	}
	if m.dirty {
		refuse("upper parts of vector registers are in use at the end")
	}
}

// atHead refuses a frame pointer that does not lead to the caller's frame, as
// profilers follow it.
func (m *machine) atHead() {
	if m.keepsFrame() {
		return
	}
	v, st := m.gp[bp], m.mem["stack"]
	if m.arm {
		v = m.gp[armFP]
	}
	if v.kind == anAddress && v.region == st && !v.symbolic() {
		if m.arm && st.cells[v.at.n] == address(st, number(returnAt-8)) {
			return
		}
		if frame := callersFrame(); !m.arm && st.words[v.at.n] == frame.lo && st.words[v.at.n+4] == frame.hi {
			return
		}
	}
	refuse("the frame pointer is %v in the loop", v)
}

// atMoreStack checks that there is too little stack, that runtime.morestack finds everything
// as it was at the entry, and that the kernel begins again behind it.
func (m *machine) atMoreStack(in *instruction) {
	if f := in.args[0].symbol; f != moreStack {
		refuse("it calls %s", f)
	}
	if !m.entered {
		refuse("it wants more stack in a loop")
	}
	if !m.lacks {
		refuse("it wants more stack though there may be enough")
	}
	again := m.code.at(in.next)
	if again == nil || again.op != "jmp" && again.op != "b" || len(again.args) != 1 || again.args[0].imm != 0 {
		refuse("it does not begin again when there is more stack")
	}
	if at := m.stackPointer(); at != returnAt || !m.keepsFrame() {
		refuse("it wants more stack in a frame")
	}
	for name, r := range m.mem {
		if r.lastWrite > 0 {
			refuse("it wants more stack when it has written to %s", name)
		}
	}
	const armCaller = 3
	if m.arm && (m.gp[armLR] != returnAddress() || m.gp[armCaller] != returnAddress()) {
		refuse("it wants more stack for another caller")
	}
}

// run goes all ways from an instruction, until they return or arrive at head. Ways to
// more stack are left out.
func (c *code) run(m *machine, from, head int64) (ends []*machine) {
	return c.runTo(m, from, func(_ *machine, at int64) bool { return at == head })
}

// runTo goes all ways from an instruction, until they return or arrive at another one
// where they are to stop.
func (c *code) runTo(m *machine, from int64, stop func(m *machine, at int64) bool) (ends []*machine) {
	type way struct {
		m     *machine
		at    int64
		begun bool // or else it does not stop where it begins
	}
	ways := []way{{m, from, false}}
	var in *instruction
	defer func() {
		switch e := recover().(type) {
		case nil:
		case refusal:
			e.why = fmt.Sprintf("%s: %s", in, e.why)
			panic(e)
		default:
			panic(e)
		}
	}()
	for len(ways) > 0 {
		w := ways[len(ways)-1]
		ways = ways[:len(ways)-1]
		for ; !w.begun || !stop(w.m, w.at); w.begun = true {
			if in = c.at(w.at); in == nil {
				in = &instruction{addr: w.at, text: "behind the end"}
				refuse("no instruction of this kernel")
			}
			// Between two arrivals at the head, no kernel runs so many instructions, and no routine does in
			// a call. Words grow with each round, so a loop without an end soon fills the memory.
			if w.m.count++; w.m.count > 2e4 {
				refuse("there is no end")
			}
			if in.calls() {
				w.m.atMoreStack(in)
				w.m.again = true
				break
			}
			step := w.m.stepAMD64
			if c.arm {
				step = w.m.stepARM64
			}
			next, other, otherNext := step(in)
			if other != nil {
				ways = append(ways, way{other, otherNext, w.begun || otherNext != in.addr})
			}
			if w.m.ended {
				w.m.atReturn()
				break
			}
			w.at = next
		}
		if w.m.again {
			continue
		}
		if w.m.at = w.at; !w.m.ended {
			w.m.atHead()
		}
		ends = append(ends, w.m)
	}
	return ends
}
