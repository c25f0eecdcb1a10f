package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vec returns vector register i, at its full width.
func vec(i int) VecPhysical {
	return [...]VecPhysical{
		Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
	}[i].(VecPhysical)
}

// byteOrder defines the PSHUFB mask that turns the big-endian words of a block
// around, for one 128-bit lane.
func byteOrder(c *Context, name string) Mem {
	m := c.StaticGlobal(name + "_order")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, U64(0x0405060700010203))
	c.AddDatum(8, U64(0x0c0d0e0f08090a0b))
	return m
}
