package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// streamAhead is how many bytes in front of a block the kernels of several streams
// fetch each stream, a line for each block. The CPU's own prefetchers follow one
// stream, and on Zen 3 four, but lose 32 that cross pages at different times.
//
// 256 was found by measuring: on Zen 5 for AVX-512, where 256 to 512 gain most and
// 64 is too near; on Zen 3 every distance from 128 to 1,024 is as good for the
// others. On arm64 it follows from arithmetic: four blocks of each of four streams
// take x4_sha2 some 300 ns on a large core, and memory takes 100 to 200.
//
// A prefetch cannot fault, so that it may lie beyond the end of the stream.
const streamAhead = 256

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
		return Mem{Symbol: Symbol{Name: "·tableK"}, Base: StaticBase}
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
