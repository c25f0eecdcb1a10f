package main

import "strings"

// The instructions of amd64 that kernels have, as the Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 2, defines them. Any other is
// refused, and so is a form that is not modelled.

func (m *machine) addressAMD64(o operand) value {
	switch o.base {
	case current:
		return address(m.mem["thread"], number(o.disp))
	case absolute:
		return address(m.mem[tableName(o.symbol)], number(o.disp))
	}
	a := numeric(o.disp)
	if o.base >= 0 {
		a = a.plus(m.gp[o.base])
	}
	if o.index >= 0 {
		x := m.gp[o.index]
		if x.kind != aNumber {
			refuse("an address depends on %v", x)
		}
		x.at = x.at.times(o.scale)
		a = a.plus(x)
	}
	return a.checked()
}

func (m *machine) get(o operand) value {
	switch {
	case o.kind == 'i':
		return numeric(o.imm)
	case o.kind == 'm' && o.size == 8:
		return m.load64(m.addressAMD64(o))
	case o.kind == 'm':
		return data(m.load32(m.addressAMD64(o)), constant(0))
	case o.size == 4:
		return data(m.gp[o.reg].low(), constant(0))
	}
	return m.gp[o.reg]
}

func (m *machine) set(o operand, v value) {
	v = v.checked()
	switch {
	case o.kind == 'm' && o.size == 8:
		m.store64(m.addressAMD64(o), v)
	case o.kind == 'm' && o.size < 4:
		m.storeBytes(m.addressAMD64(o), vector{v.low()}, 1, 1<<o.size-1)
	case o.kind == 'm':
		m.store32(m.addressAMD64(o), v.low())
	case o.size == 4:
		m.gp[o.reg] = data(v.low(), constant(0))
	default:
		m.gp[o.reg] = v
	}
	if o.kind == 'r' && o.reg == sp {
		m.stackMoved()
	}
}

// stepAMD64 executes an instruction and returns where the next one is, or 0
// behind a return.
func (m *machine) stepAMD64(in *instruction) (next int64, other *machine, otherNext int64) {
	a, op := in.args, in.op
	if !formsAMD64[in.form] {
		refuse("this form of the instruction is not known: %s", in.form)
	}
	switch {
	case op == "ret":
		m.ended = true
		return 0, nil, 0
	case op == "jmp":
		return a[0].imm, nil, 0
	case op[0] == 'j' || strings.HasPrefix(op, "cmov"):
		condition := strings.TrimPrefix(op[1:], "mov")
		holds, ok := m.test(condition)
		if !ok {
			if other = m.fork(condition); other != nil {
				return in.addr, other, in.addr
			}
			refuse("what happens depends on data, or on a flag that is not defined")
		}
		switch {
		case op[0] == 'j' && holds:
			return a[0].imm, nil, 0
		case op[0] == 'j':
		case holds:
			m.set(a[0], m.get(a[1]))
		default:
			m.set(a[0], m.get(a[0]))
		}
		return in.next, nil, 0
	}
	if !m.scalarAMD64(in) {
		m.vectorAMD64(in)
	}
	return in.next, nil, 0
}

// scalarAMD64 executes an instruction of general and mask registers, or says that it is
// none.
func (m *machine) scalarAMD64(in *instruction) bool {
	a := in.args
	size := 8
	if len(a) > 0 && a[0].size != 0 {
		size = a[0].size
	}
	truncated := func(v value) value {
		if size == 4 {
			return data(v.low(), constant(0))
		}
		return v
	}
	switch in.op {
	case "mov", "movabs":
		m.set(a[0], m.get(a[1]))
	case "push":
		v := m.gp[a[0].reg]
		m.gp[sp] = m.gp[sp].moved(-8)
		m.stackMoved()
		m.store64(m.gp[sp], v)
	case "pop":
		v := m.load64(m.gp[sp])
		m.gp[sp] = m.gp[sp].moved(8)
		m.stackMoved()
		m.set(a[0], v)
	case "lea":
		m.set(a[0], m.addressAMD64(a[1]))
	case "prefetcht0":
		m.prefetch(m.addressAMD64(a[0]))
	case "xchg":
		x, y := m.get(a[0]), m.get(a[1])
		m.set(a[0], y)
		m.set(a[1], x)
	case "add":
		x, y := m.get(a[0]), m.get(a[1])
		var r value
		if size == 4 {
			r = data(add(x.low(), y.low()), constant(0))
		} else {
			r = x.plus(y)
		}
		m.set(a[0], r)
		m.f = flags{}
		m.resultFlags(r, size)
		m.f.signOK = false // overflow is not modelled
		if x.isNumber() && y.isNumber() && size == 8 {
			m.f.carry, m.f.carryOK = uint64(x.at.n)+uint64(y.at.n) < uint64(x.at.n), true
		}
	case "sub", "cmp":
		if in.op == "cmp" && a[0].size == 1 {
			if at := m.addressAMD64(a[0]); at != address(m.mem[tableName(hasAVX)], linear{}) || a[1].imm != 0 {
				refuse("the byte at %v is not whether the CPU has something, or is compared with %d", at, a[1].imm)
			}
			m.f = flags{cpu: true}
			break
		}
		x, y := m.get(a[0]), m.get(a[1])
		if in.op == "sub" {
			m.set(a[0], x.plus(numeric(-y.num())))
		}
		m.compare(x, y, size)
	case "test":
		x, y := m.get(a[0]), m.get(a[1])
		switch {
		case a[0] == a[1]:
		case x.isNumber() && y.isNumber():
			x = numeric(x.at.n & y.at.n)
		default:
			x = data(and(x.low(), y.low()), and(x.high(), y.high()))
		}
		m.f = flags{}
		m.resultFlags(x, size)
		m.f.carry, m.f.carryOK = false, true
	case "dec", "inc":
		by := map[string]int64{"dec": -1, "inc": 1}[in.op]
		x := m.get(a[0])
		if x.kind != aNumber || x.symbolic() && size != 8 {
			refuse("%v is counted", x)
		}
		r := x.moved(by)
		if size == 4 {
			r = numeric(int64(uint32(r.at.n)))
		}
		m.set(a[0], r)
		carry, ok := m.f.carry, m.f.carryOK
		m.f = flags{}
		m.resultFlags(r, size)
		m.f.carry, m.f.carryOK = carry, ok
		m.f.signOK = m.f.signOK && in.op == "dec" && !(r.isNumber() && (r.at.n == 1<<63-1 || size == 4 && uint32(r.at.n) == 1<<31-1))
	case "neg":
		x := m.get(a[0])
		if x.kind != aNumber {
			refuse("%v is made negative", x)
		}
		x.at = x.at.times(-1)
		m.set(a[0], x)
		m.f = flags{}
	case "xor", "and", "or":
		f := map[string]uint8{"xor": xorOf, "and": andOf, "or": orOf}[in.op]
		var r value
		x, y := value{}, value{}
		idiom := in.op == "xor" && a[0] == a[1] // whatever it was
		if !idiom {
			x, y = m.get(a[0]), m.get(a[1])
		}
		switch {
		case idiom:
			r = numeric(0)
		case in.op == "and" && x.kind == anAddress && y.isNumber() && y.at.n < 0 && y.at.n&-y.at.n == -y.at.n:
			r = m.alignedDown(x, -y.at.n)
		default:
			r = truncated(data(logic(f, x.low(), y.low(), x.low()), logic(f, x.high(), y.high(), x.high())))
		}
		m.set(a[0], r)
		m.f = flags{}
		m.resultFlags(r, size)
		m.f.carryOK = true
	case "ror", "rorx":
		x, n := m.get(a[len(a)-2]), a[len(a)-1].imm&31
		m.set(a[0], data(rotateRight(x.low(), int(n)), constant(0)))
		if in.op == "ror" {
			m.f = flags{}
		}
	case "shl", "shr":
		x, n := m.get(a[0]), int64(1)
		if len(a) > 1 {
			if n = a[1].imm; a[1].kind == 'r' {
				n = m.gp[a[1].reg].num()
			}
		}
		n &= int64(8*size - 1)
		var r value
		switch {
		case x.kind == aNumber && x.symbolic() && in.op == "shl":
			r = counted(x.at.shiftedLeft(n))
		case x.kind == aNumber && x.symbolic():
			r = counted(m.shiftedRight(x.at, n))
		case in.op == "shl":
			r = truncated(joined(x.bits().shifted(int(n))))
		default:
			r = joined(x.bits().shifted(-int(n)))
		}
		m.set(a[0], r)
		if n != 0 {
			m.f = flags{}
			m.resultFlags(r, size)
			m.f.signOK = false
		}
	case "imul":
		m.set(a[0], m.get(a[len(a)-2]).times(m.get(a[len(a)-1])))
		m.f = flags{}
	case "bswap":
		m.set(a[0], m.get(a[0]).reversed())
	case "shlx":
		m.set(a[0], joined(m.get(a[1]).bits().shifted(int(m.get(a[2]).num()&63))))
	case "bzhi":
		x, n := m.get(a[1]).bits(), m.get(a[2]).num()&255
		for i := n; i < 64; i++ {
			x[i] = fnFalse
		}
		r := truncated(joined(x))
		m.set(a[0], r)
		m.f = flags{}
		m.resultFlags(r, size)
		m.f.carry, m.f.carryOK = n >= int64(8*size), true
	case "movzx":
		to := a[0]
		to.size = 8 // what is above is 0
		if at := m.addressAMD64(a[1]); a[1].size == 1 {
			m.set(to, data(m.loadBytes(at, 1, 1)[0], constant(0)))
		} else {
			m.set(to, m.load16(at))
		}
	case "kmovq":
		x := m.get(a[1])
		m.k[a[0].reg] = data(x.low(), x.high())
	case "kmovd":
		m.k[a[0].reg] = data(m.get(a[1]).low(), constant(0))
	case "btc":
		x, n := m.get(a[0]), a[1].imm&63
		if x.kind == anAddress && (x.symbolic() || n > 32 || x.region.align < 2<<n) || x.kind != anAddress && !x.isNumber() {
			refuse("bit %d of %v is not known", n, x)
		}
		m.f = flags{carry: x.at.n>>n&1 != 0, carryOK: true, zero: m.f.zero, zeroOK: m.f.zeroOK}
		x.at.n ^= 1 << n
		m.set(a[0], x)
	case "kmovw":
		if a[0].kind == 'k' {
			m.k[a[0].reg] = data(and(m.get(a[1]).low(), constant(0xffff)), constant(0))
		} else {
			m.set(a[0], data(and(m.k[a[1].reg].low(), constant(0xffff)), constant(0)))
		}
	case "knotw":
		m.k[a[0].reg] = data(and(not(m.k[a[1].reg].low()), constant(0xffff)), constant(0))
	default:
		return false
	}
	return true
}

// vectorOf reads an operand of n words.
func (m *machine) vectorOf(o operand, n int, aligned bool) (r vector) {
	if o.kind == 'v' {
		copy(r[:n], m.v[o.reg][:n])
		return r
	}
	a := m.addressAMD64(o)
	if o.broadcast {
		w := m.load32(a)
		for i := range n {
			r[i] = w
		}
		return r
	}
	if aligned {
		m.mustBeMultiple(a, int64(o.size))
	}
	return m.loadVector(a, n)
}

// masked is x in the lanes, of so many bytes, of which the mask of a destination has the
// bit, and what was there, or 0, in the others.
func (m *machine) masked(o operand, x vector, n, lane int) vector {
	mask := uint64(m.k[o.mask].num())
	for i := range n {
		ones := uint32(0)
		for j := range 4 {
			if mask>>((4*i+j)/lane)&1 != 0 {
				ones |= 0xff << (8 * j)
			}
		}
		old := constant(0)
		if !o.zeroing {
			old = m.v[o.reg][i]
		}
		switch ones {
		case 0:
			x[i] = old
		case ^uint32(0):
		default:
			x[i] = logic(choice, constant(ones), x[i], old)
		}
	}
	return x
}

// setVector writes n words; above them VEX and EVEX write zeros.
func (m *machine) setVector(o operand, x vector, n int, vex bool) {
	if o.kind == 'm' {
		m.storeVector(m.addressAMD64(o), x, n)
		return
	}
	zero := constant(0)
	copy(m.v[o.reg][:n], x[:n])
	for i := n; vex && i < 16; i++ {
		m.v[o.reg][i] = zero
	}
	m.dirty = m.dirty || n > 4 && o.reg < 16
}

// vectorAMD64 executes an instruction of vectors. A name with v has VEX or EVEX
// encoding, and a destination of its own.
func (m *machine) vectorAMD64(in *instruction) {
	a := in.args
	if in.op == "vzeroupper" {
		for i := range 16 {
			for j := 4; j < 16; j++ {
				m.v[i][j] = constant(0)
			}
		}
		m.dirty = false
		return
	}
	op, vex := strings.CutPrefix(in.op, "v")
	if !vex && m.dirty {
		refuse("an SSE instruction while the upper part of a register is in use")
	}
	n := a[0].size / 4
	if a[0].kind != 'v' {
		n = 0
	}
	imm := int(a[len(a)-1].imm)
	lane := 4 // of masks, in bytes
	destination := func(r vector) {
		if a[0].kind == 'v' && a[0].mask != 0 {
			r = m.masked(a[0], r, n, lane)
		}
		m.setVector(a[0], r, n, vex)
	}
	two := func() (x, y vector) {
		if vex {
			return m.vectorOf(a[1], n, false), m.vectorOf(a[2], n, false)
		}
		return m.vectorOf(a[0], n, false), m.vectorOf(a[1], n, true)
	}
	each := func(f func(x, y word) word) {
		x, y := two()
		for i := range n {
			x[i] = f(x[i], y[i])
		}
		destination(x)
	}
	shift := func(f func(x word, c int) word) {
		x := m.vectorOf(a[len(a)-2], n, false)
		for i := range n {
			x[i] = f(x[i], imm)
		}
		destination(x)
	}
	// blocks does the same in each 128 bits.
	blocks := func(order ...int) { // of x, and of y from 4 on
		x, y := two()
		var r vector
		for i := range n {
			if j := order[i&3]; j < 4 {
				r[i] = x[i&^3+j]
			} else {
				r[i] = y[i&^3+j-4]
			}
		}
		destination(r)
	}
	switch op {
	case "movdqu8":
		lane = 1
		mask := uint64(m.k[a[0].mask].num()) // the forms that are known have one
		switch {
		case a[0].kind == 'm':
			m.storeBytes(m.addressAMD64(a[0]), m.v[a[1].reg], a[1].size/4, mask)
		case a[1].kind == 'm':
			destination(m.loadBytes(m.addressAMD64(a[1]), n, mask))
		default:
			destination(m.v[a[1].reg])
		}
	case "movdqa", "movdqu", "movdqu32", "movdqa32", "movdqu64", "movdqa64":
		aligned := strings.HasPrefix(op, "movdqa")
		if n == 0 {
			n = a[1].size / 4
		}
		if aligned && a[0].kind == 'm' {
			m.mustBeMultiple(m.addressAMD64(a[0]), int64(a[0].size))
		}
		destination(m.vectorOf(a[1], n, aligned))
	case "movq":
		if a[0].kind == 'r' {
			x := m.v[a[1].reg]
			m.set(a[0], data(x[0], x[1]))
			break
		}
		r := vector{0: constant(0), 1: constant(0), 2: constant(0), 3: constant(0)}
		if a[1].kind == 'r' {
			r[0], r[1] = m.gp[a[1].reg].low(), m.gp[a[1].reg].high()
		} else {
			x := m.vectorOf(a[1], 2, false)
			r[0], r[1] = x[0], x[1]
		}
		destination(r)
	case "movss":
		z := constant(0)
		destination(vector{m.vectorOf(a[1], 1, false)[0], z, z, z})
	case "movhps":
		x, y := m.vectorOf(a[0], 4, false), m.vectorOf(a[1], 2, false)
		destination(vector{x[0], x[1], y[0], y[1]})
	case "movmskps":
		x := m.vectorOf(a[1], a[1].size/4, false)
		var r [32]fn
		for i := range a[1].size / 4 {
			r[i] = bitsOf(x[i])[31]
		}
		m.set(a[0], data(fromBits(&r), constant(0)))
	case "paddd":
		each(func(x, y word) word {
			r := add(x, y)
			if s, ok := substitutes[r]; ok {
				return s
			}
			return r
		})
	case "psubd":
		each(func(x, y word) word { return add(x, negative(y)) })
	case "pxor", "pxord", "pxorq":
		if a[len(a)-2] == a[len(a)-1] { // whatever it was
			each(func(_, _ word) word { return constant(0) })
			break
		}
		each(xor)
	case "pand":
		each(and)
	case "por", "porq":
		each(or)
	case "pcmpgtd":
		if a[0].kind != 'k' {
			each(greater)
			break
		}
		n = a[1].size / 4
		x, y := m.vectorOf(a[1], n, false), m.vectorOf(a[2], n, false)
		var r [32]fn
		for i := range n {
			r[i] = bitsOf(greater(x[i], y[i]))[0]
		}
		m.k[a[0].reg] = data(fromBits(&r), constant(0))
	case "pternlogd":
		d := m.vectorOf(a[0], n, false)
		x, y := m.vectorOf(a[1], n, false), m.vectorOf(a[2], n, false)
		for i := range n {
			d[i] = logic(uint8(imm), d[i], x[i], y[i])
		}
		destination(d)
	case "prord":
		shift(func(x word, c int) word { return rotateRight(x, c&31) })
	case "psrld":
		shift(func(x word, c int) word { return shiftRight(x, min(c, 32)) })
	case "pslld":
		shift(func(x word, c int) word { return shiftLeft(x, min(c, 32)) })
	case "psrlq":
		x := m.vectorOf(a[len(a)-2], n, false)
		for i := 0; i < n; i += 2 {
			v := joined(value{kind: aData, lo: x[i], hi: x[i+1]}.bits().shifted(-imm))
			x[i], x[i+1] = v.low(), v.high()
		}
		destination(x)
	case "pshufd":
		x := m.vectorOf(a[1], n, !vex)
		var r vector
		for i := range n {
			r[i] = x[i&^3|imm>>(2*(i&3))&3]
		}
		destination(r)
	case "pshufb":
		x, y := two()
		var r vector
		for i := range n {
			order, ok := isConstant(y[i])
			if !ok {
				refuse("the order is data")
			}
			var b [32]fn
			for j := range 4 {
				if s := int(order >> (8 * j) & 255); s&0x80 == 0 {
					copy(b[8*j:8*j+8], bitsOf(x[i&^3|s>>2&3])[8*(s&3):])
				}
			}
			r[i] = fromBits(&b)
		}
		destination(r)
	case "palignr":
		if imm&3 != 0 || imm > 16 {
			refuse("bytes are shifted by %d", imm)
		}
		x, y := two()
		var r vector
		for i := range n {
			if j := i&3 + imm/4; j < 4 {
				r[i] = y[i&^3|j]
			} else {
				r[i] = x[i&^3|j&3]
			}
		}
		destination(r)
	case "punpckldq":
		blocks(0, 4, 1, 5)
	case "punpckhdq":
		blocks(2, 6, 3, 7)
	case "punpcklqdq":
		blocks(0, 1, 4, 5)
	case "punpckhqdq":
		blocks(2, 3, 6, 7)
	case "broadcastss", "pbroadcastd":
		w := m.vectorOf(a[1], 1, false)[0]
		var r vector
		for i := range r {
			r[i] = w
		}
		destination(r)
	case "pbroadcastq":
		lane = 8
		x := m.gp[a[1].reg]
		var r vector
		for i := 0; i < n; i += 2 {
			r[i], r[i+1] = x.low(), x.high()
		}
		destination(r)
	case "pbroadcastb":
		w := pick(m.gp[a[1].reg].low(), func(i int) int { return i & 7 })
		var r vector
		for i := range n {
			r[i] = w
		}
		destination(r)
	case "broadcasti128", "broadcasti32x4":
		x := m.vectorOf(a[1], 4, false)
		var r vector
		for i := range r {
			r[i] = x[i&3]
		}
		destination(r)
	case "inserti128", "inserti32x4", "inserti64x4":
		k := 4
		if op == "inserti64x4" {
			k = 8
		}
		x, y := m.vectorOf(a[1], n, false), m.vectorOf(a[2], k, false)
		copy(x[k*(imm&(n/k-1)):], y[:k])
		destination(x)
	case "extracti128", "extracti32x4", "extracti64x4":
		k, of := 4, a[1].size/4
		if op == "extracti64x4" {
			k = 8
		}
		var r vector
		x := m.vectorOf(a[1], of, false)
		copy(r[:k], x[k*(imm&(of/k-1)):])
		n = k
		destination(r)
	case "shufi32x4":
		x, y := two()
		var r vector
		for q := range 4 {
			s := x
			if q >= 2 {
				s = y
			}
			copy(r[4*q:4*q+4], s[4*(imm>>(2*q)&3):])
		}
		destination(r)
	case "permt2q":
		d, x, y := m.vectorOf(a[0], n, false), m.vectorOf(a[1], n, false), m.vectorOf(a[2], n, false)
		var r vector
		for i := 0; i < n; i += 2 {
			c, ok := isConstant(x[i])
			if !ok {
				refuse("the order is data")
			}
			s, j := d, int(c)&(n/2-1)
			if int(c)&(n/2) != 0 {
				s = y
			}
			r[i], r[i+1] = s[2*j], s[2*j+1]
		}
		destination(r)
	case "sha256rnds2":
		s1, s2, wk := m.vectorOf(a[0], 4, false), m.vectorOf(a[1], 4, true), m.v[0]
		v := state{s2[3], s2[2], s1[3], s1[2], s2[1], s2[0], s1[1], s1[0]} // a to h
		for i := range 2 {
			t := sum(ch(v[4], v[5], v[6]), bigSigma1(v[4]), wk[i], v[7])
			v = state{sum(t, maj(v[0], v[1], v[2]), bigSigma0(v[0])), v[0], v[1], v[2], add(t, v[3]), v[4], v[5], v[6]}
		}
		destination(vector{v[5], v[4], v[1], v[0]})
	case "sha256msg1":
		x, y := two()
		destination(vector{add(x[0], smallSigma0(x[1])), add(x[1], smallSigma0(x[2])),
			add(x[2], smallSigma0(x[3])), add(x[3], smallSigma0(y[0]))})
	case "sha256msg2":
		x, y := two()
		w16, w17 := add(x[0], smallSigma1(y[2])), add(x[1], smallSigma1(y[3]))
		destination(vector{w16, w17, add(x[2], smallSigma1(w16)), add(x[3], smallSigma1(w17))})
	default:
		panic("a form is listed, but not modelled: " + in.form)
	}
}
