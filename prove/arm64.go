package main

import "strings"

// The instructions of arm64 that kernels have, as the Arm Architecture Reference
// Manual, A-profile, section C6 and C7, defines them. Any other is refused, and so
// is a form that is not modelled. Vectors are the first four words of the
// machine's.

func (m *machine) getARM64(o operand) value {
	switch {
	case o.kind == 'i':
		return numeric(o.imm)
	case o.reg == armZero:
		return numeric(0)
	case o.size == 4:
		return data(m.gp[o.reg].low(), constant(0))
	}
	return m.gp[o.reg]
}

func (m *machine) setARM64(o operand, v value) {
	const platform = 18
	if o.reg == platform || o.reg == armG {
		refuse("R%d is written, which is not the kernel's", o.reg)
	}
	if v = v.checked(); o.size == 4 {
		v = data(v.low(), constant(0))
	}
	if o.reg != armZero {
		m.gp[o.reg] = v
	}
	if o.reg == armSP {
		m.stackMoved()
	}
}

// addressARM64 is where a memory operand is. The base moves if it is to.
func (m *machine) addressARM64(o operand) value {
	if o.base == absolute {
		return address(m.mem[tableName(o.symbol)], number(o.disp))
	}
	a := m.gp[o.base].moved(o.disp)
	if o.index >= 0 {
		a = a.plus(m.gp[o.index])
	}
	a = a.checked()
	if o.pre {
		m.setARM64(operand{kind: 'r', reg: o.base, size: 8}, a)
	}
	return a
}

// conditionsARM64 names the condition of amd64 that tests the same flags. cmp sets amd64's
// carry where it clears arm64's.
var conditionsARM64 = map[string]string{"cc": "b", "ls": "be", "le": "le", "lt": "l"}

// stepARM64 executes an instruction and returns where the next one is, or 0
// behind a return.
func (m *machine) stepARM64(in *instruction) (next int64, other *machine, otherNext int64) {
	a, op := in.args, in.op
	if !formsARM64[in.form] {
		refuse("this form of the instruction is not known: %s", in.form)
	}
	branch := func(c string) (int64, *machine, int64) {
		holds, ok := m.test(c)
		if !ok {
			if other := m.fork(c); other != nil {
				return in.addr, other, in.addr
			}
			refuse("what happens depends on data, or on a flag that is not defined")
		}
		if holds {
			return a[len(a)-1].imm, nil, 0
		}
		return in.next, nil, 0
	}
	switch op {
	case "b":
		return a[0].imm, nil, 0
	case "ret":
		m.ended = true
		return 0, nil, 0
	case "b.cc", "b.ls", "b.le", "b.lt":
		return branch(conditionsARM64[op[2:]])
	case "cbz", "cbnz":
		// These leave the flags alone.
		was := m.f
		m.f = flags{}
		m.resultFlags(m.getARM64(a[0]), a[0].size)
		ifZero, ifNot := a[1].imm, in.next
		if op == "cbnz" {
			ifZero, ifNot = ifNot, ifZero
		}
		if !m.f.zeroOK {
			if other = m.fork("e"); other != nil {
				m.f, other.f = was, was
				return ifNot, other, ifZero
			}
			refuse("what happens depends on data")
		}
		zero := m.f.zero
		m.f = was
		if zero {
			return ifZero, nil, 0
		}
		return ifNot, nil, 0
	case "tbz", "tbnz":
		if m.getARM64(a[0]).num()>>a[1].imm&1 == 0 == (op == "tbz") {
			return a[2].imm, nil, 0
		}
		return in.next, nil, 0
	case "prfm":
		m.prefetch(m.addressARM64(a[1]))
		return in.next, nil, 0
	}
	if a[0].kind == 'v' {
		m.vectorARM64(in)
	} else {
		m.scalarARM64(in)
	}
	return in.next, nil, 0
}

// last is the last source, shifted if that is what it says.
func (m *machine) last(a []operand) value {
	n := len(a) - 1
	shift := int64(0)
	if a[n].kind == 'l' {
		shift = a[n].imm
		n--
	}
	v := m.getARM64(a[n])
	switch {
	case shift == 0:
	case v.kind == aData:
		v = joined(v.bits().shifted(int(shift)))
	case v.kind == aNumber:
		v.at = v.at.shiftedLeft(shift)
	default:
		refuse("%v is shifted", v)
	}
	return v
}

// scalarARM64 executes an instruction whose first operand is a general register.
func (m *machine) scalarARM64(in *instruction) {
	a := in.args
	m.saving = strings.HasPrefix(in.op, "st") && a[0].reg == armFP && m.keepsFrame() &&
		(in.op != "stp" || a[1].reg == armLR && m.gp[armLR] == returnAddress())
	defer func() { m.saving = false }()
	switch in.op {
	case "adr":
		m.setARM64(a[0], m.addressARM64(a[1]))
		if len(a) == 3 {
			m.setARM64(a[2], value{})
		}
	case "mov":
		if v := a[1]; v.kind == 'v' && a[0].size == 8 {
			m.setARM64(a[0], data(m.v[v.reg][2*v.lane], m.v[v.reg][2*v.lane+1]))
			break
		} else if v.kind == 'v' {
			m.setARM64(a[0], data(m.v[v.reg][v.lane], constant(0)))
			break
		}
		m.setARM64(a[0], m.last(a))
	case "add", "sub":
		x, y := m.getARM64(a[1]), m.last(a[2:])
		if x.kind == aData && y.isNumber() && y.at.n == 4 && in.op == "add" {
			// The nonce, of which the lower half counts: kernels use no more of it.
			m.setARM64(a[0], data(add(x.lo, constant(4)), unknown()))
			break
		}
		if in.op == "sub" {
			if y.kind != aNumber {
				refuse("%v is subtracted", y)
			}
			y.at = y.at.times(-1)
		}
		m.setARM64(a[0], x.plus(y))
	case "cmp":
		m.compare(m.getARM64(a[0]), m.last(a[1:]), a[0].size)
	case "and", "orr", "eor":
		f := map[string]uint8{"and": andOf, "orr": orOf, "eor": xorOf}[in.op]
		x, y := m.getARM64(a[1]), m.last(a[2:])
		if in.op == "and" && x.kind == anAddress && y.isNumber() && y.at.n < 0 && y.at.n&-y.at.n == -y.at.n {
			m.setARM64(a[0], m.alignedDown(x, -y.at.n))
			break
		}
		if in.op == "orr" && a[1].reg == armZero {
			m.setARM64(a[0], y)
			break
		}
		if in.op == "eor" && y == numeric(1<<31) && x.kind == aData {
			// The same as adding it, which keeps sums what they are.
			m.setARM64(a[0], data(add(x.lo, constant(1<<31)), x.hi))
			break
		}
		m.setARM64(a[0], data(logic(f, x.low(), y.low(), x.low()), logic(f, x.high(), y.high(), x.high())))
	case "lsr", "lsl":
		x, n := m.getARM64(a[1]), int(m.getARM64(a[2]).num()&63)
		switch {
		case x.kind == aNumber && x.symbolic() && in.op == "lsl":
			x.at = x.at.shiftedLeft(int64(n))
		case in.op == "lsl":
			x = joined(x.bits().shifted(n))
		default:
			x = joined(x.bits().shifted(-n))
		}
		m.setARM64(a[0], x)
	case "madd":
		m.setARM64(a[0], m.getARM64(a[1]).times(m.getARM64(a[2])).plus(m.getARM64(a[3])))
	case "rev":
		m.setARM64(a[0], m.getARM64(a[1]).reversed())
	case "csel":
		holds, ok := m.test(conditionsARM64[a[3].symbol])
		if !ok {
			refuse("what is selected depends on data, or on a flag that is not defined")
		}
		from := a[2]
		if holds {
			from = a[1]
		}
		m.setARM64(a[0], m.getARM64(from))
	case "ldrh":
		to := a[0]
		to.size = 8 // what is above is 0
		m.setARM64(to, m.load16(m.addressARM64(a[1])))
	case "ldrb", "ldurb":
		m.setARM64(a[0], data(m.loadBytes(m.addressARM64(a[1]), 1, 1)[0], constant(0)))
	case "strb", "sturb":
		m.storeBytes(m.addressARM64(a[1]), vector{m.getARM64(a[0]).low()}, 1, 1)
	case "strh":
		m.storeBytes(m.addressARM64(a[1]), vector{m.getARM64(a[0]).low()}, 1, 3)
	case "ldr", "ldur", "str", "stur":
		at := m.addressARM64(a[1])
		switch load := in.op == "ldr" || in.op == "ldur"; {
		case load && a[0].size == 8:
			m.setARM64(a[0], m.load64(at))
		case load:
			m.setARM64(a[0], data(m.load32(at), constant(0)))
		case a[0].size == 8:
			m.store64(at, m.getARM64(a[0]))
		default:
			m.store32(at, m.getARM64(a[0]).low())
		}
	case "stp":
		at := m.addressARM64(a[2])
		m.store64(at, m.getARM64(a[0]))
		m.store64(at.moved(8), m.getARM64(a[1]))
	default:
		panic("a form is listed, but not modelled: " + in.form)
	}
}

func (m *machine) setVectorARM64(o operand, x vector) {
	for i := 4; i < 16; i++ {
		x[i] = constant(0)
	}
	m.v[o.reg] = x
}

// vectorARM64 executes an instruction whose first operand is a vector.
func (m *machine) vectorARM64(in *instruction) {
	a := in.args
	get := func(i int) vector { return m.v[a[i].reg] }
	set := func(x vector) { m.setVectorARM64(a[0], x) }
	each := func(f func(d, x, y word) word) {
		d, x, y := get(0), get(1), get(2)
		for i := range 4 {
			d[i] = f(d[i], x[i], y[i])
		}
		set(d)
	}
	switch in.op {
	case "ldr", "ldur":
		set(m.loadVector(m.addressARM64(a[1]), 4))
	case "str":
		m.storeVector(m.addressARM64(a[1]), get(0), a[0].size/4)
	case "ldp", "stp":
		at := m.addressARM64(a[2])
		if in.op == "stp" {
			m.storeVector(at, get(0), 4)
			m.storeVector(at.moved(16), get(1), 4)
			break
		}
		m.setVectorARM64(a[0], m.loadVector(at, 4))
		m.setVectorARM64(a[1], m.loadVector(at.moved(16), 4))
	case "dup":
		if a[1].kind == 'r' {
			w := m.getARM64(a[1]).low()
			set(vector{w, w, w, w})
			break
		}
		x, i := get(1), a[1].lane
		if a[0].lanes == 8 {
			set(vector{x[2*i], x[2*i+1], x[2*i], x[2*i+1]})
		} else {
			set(vector{x[i], x[i], x[i], x[i]})
		}
	case "mov":
		set(get(1))
	case "add":
		each(func(_, x, y word) word {
			r := add(x, y)
			if s, ok := substitutes[r]; ok {
				return s
			}
			return r
		})
	case "and":
		each(func(_, x, y word) word { return and(x, y) })
	case "eor":
		each(func(_, x, y word) word { return xor(x, y) })
	case "bsl":
		each(func(d, x, y word) word { return logic(choice, d, x, y) })
	case "bit":
		each(func(d, x, y word) word { return logic(choice, y, x, d) })
	case "umin":
		each(func(_, x, y word) word { return least(x, y) })
	case "cmeq":
		each(func(_, x, y word) word { return isLeast(x, y) })
	case "addv":
		x, zero := get(1), constant(0)
		set(vector{addOrMerge(addOrMerge(x[0], x[1]), addOrMerge(x[2], x[3])), zero, zero, zero})
	case "rev32":
		x := get(1)
		for i := range 4 {
			x[i] = swapBytes(x[i])
		}
		set(x)
	case "shl", "ushr", "usra":
		d, x, n := get(0), get(1), int(a[2].imm)
		for i := range 4 {
			switch in.op {
			case "shl":
				d[i] = shiftLeft(x[i], n)
			case "ushr":
				d[i] = shiftRight(x[i], n)
			default:
				d[i] = addOrMerge(d[i], shiftRight(x[i], n))
			}
		}
		set(d)
	case "zip1", "zip2":
		x, y, i := get(1), get(2), 0
		if in.op == "zip2" {
			i = 2
		}
		if a[0].lanes == 8 {
			set(vector{x[i], x[i+1], y[i], y[i+1]})
		} else {
			set(vector{x[i], y[i], x[i+1], y[i+1]})
		}
	case "sha256h", "sha256h2":
		x, y, wk := get(0), get(1), get(2)
		if in.op == "sha256h2" {
			x, y = y, x
		}
		for e := range 4 { // SHA256hash() of the manual
			t := sum(y[3], bigSigma1(y[0]), ch(y[0], y[1], y[2]), wk[e])
			x[3], y[3] = add(t, x[3]), sum(t, bigSigma0(x[0]), maj(x[0], x[1], x[2]))
			x, y = vector{y[3], x[0], x[1], x[2]}, vector{x[3], y[0], y[1], y[2]}
		}
		if in.op == "sha256h" {
			set(x)
		} else {
			set(y)
		}
	case "sha256su0":
		d, n := get(0), get(1)
		set(vector{add(smallSigma0(d[1]), d[0]), add(smallSigma0(d[2]), d[1]), add(smallSigma0(d[3]), d[2]), add(smallSigma0(n[0]), d[3])})
	case "sha256su1":
		d, n, k := get(0), get(1), get(2)
		r0 := sum(smallSigma1(k[2]), d[0], n[1])
		r1 := sum(smallSigma1(k[3]), d[1], n[2])
		set(vector{r0, r1, sum(smallSigma1(r0), d[2], n[3]), sum(smallSigma1(r1), d[3], k[0])})
	default:
		panic("a form is listed, but not modelled: " + in.form)
	}
}
