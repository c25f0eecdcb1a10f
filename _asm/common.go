package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// byteOrder defines the PSHUFB mask that turns the big-endian words of a block
// around, for one 128-bit quarter.
func byteOrder(c *Context, name string) Mem {
	m := c.StaticGlobal(name + "_order")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, U64(0x0405060700010203))
	c.AddDatum(8, U64(0x0c0d0e0f08090a0b))
	return m
}

// kTable is the table of the round constants: the package's own, or one with
// each word four times, aligned to 16 bytes.
func kTable(c *Context, name string, spread bool) Mem {
	if !spread {
		return Mem{Symbol: Symbol{Name: "·k"}, Base: StaticBase}
	}
	m := c.StaticGlobal(name + "_k")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, w := range roundConstants() {
		for range 4 {
			c.AppendDatum(U32(w))
		}
	}
	return m
}
