package hashtree_test

import (
	"fmt"

	"github.com/sha256-simd/sha256-simd/hashtree"
)

func ExampleHash() {
	// A level of a tree in one call; the level above replaces its first half.
	level := make([][32]byte, 8)
	for i := range level {
		level[i][0] = byte(i)
	}
	for len(level) > 1 {
		if err := hashtree.Hash(level, level); err != nil {
			fmt.Println(err)
			return
		}
		level = level[:len(level)/2]
	}
	fmt.Printf("%x\n", level[0])
	// Output:
	// 89a0f1577268cc19b0a39c7a69f804fd140640c699585eb635ebb03c06154cce
}

func ExampleRoot() {
	// A list of at most 2^40 leaves, as SSZ sees it.
	leaves := [][32]byte{{1}, {2}, {3}}
	root, err := hashtree.Root(leaves, 1<<40)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x\n", root)
	// Output:
	// 0162a80657fff1f72ebcd7b33bfcd2b66c43eabcac069e23bb5c11bf12f25f6e
}

func ExampleHashByteSlice() {
	// Two chunks of 32 bytes have one digest.
	chunks, digests := make([]byte, 4*32), make([]byte, 2*32)
	if err := hashtree.HashByteSlice(digests, chunks); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x…\n%x…\n", digests[:8], digests[32:40])
	// Output:
	// f5a5fd42d16a2030…
	// f5a5fd42d16a2030…
}
