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

// Kernels of one stream fetch as many bytes in front of a block as the call has blocks,
// 1,024 at most: of what is fetched, a 64th at most lies beyond the call's blocks. The
// CPU's own prefetchers stop at the end of each page of 4 KiB. On Granite Rapids a stream
// from memory ran at 1.2 GB/s without prefetching, at 1.75, 1.87, 1.9 and 1.9 GB/s with
// one 256, 512, 1,024 and 2,048 bytes ahead, and at 1.96 from the cache with any of them.
// With 1,024 bytes in every call, messages of 4 KiB that lie apart lost 14%.
//
// Kernels without SHA instructions do not need it: they are slow, so from memory x1_avx2
// and x1_avx reach 0.98 of their speed in the cache.

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
