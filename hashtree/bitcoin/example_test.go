package bitcoin_test

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
)

func ExampleRoot() {
	// The transactions of block 170, the first that had two.
	var txids [][32]byte
	for _, shown := range []string{
		"b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082",
		"f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
	} {
		id, err := hex.DecodeString(shown)
		if err != nil {
			fmt.Println(err)
			return
		}
		slices.Reverse(id)
		txids = append(txids, [32]byte(id))
	}
	root, mutated := bitcoin.Root(txids)
	slices.Reverse(root[:])
	fmt.Printf("%x %v\n", root, mutated)
	// Output:
	// 7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff false
}

// headers returns the headers of the first two blocks.
func headers() [][80]byte {
	headers := make([][80]byte, 2)
	for i, shown := range []string{
		"01000000" + "0000000000000000000000000000000000000000000000000000000000000000" +
			"3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a" + "29ab5f49" + "ffff001d" + "1dac2b7c",
		"01000000" + "6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000" +
			"982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e" + "61bc6649" + "ffff001d" + "01e36299",
	} {
		if _, err := hex.Decode(headers[i][:], []byte(shown)); err != nil {
			panic(err)
		}
	}
	return headers
}

// The hash of the second block, which is shown in reverse.
func ExampleHeaderHash() {
	hash := bitcoin.HeaderHash(headers()[1])
	slices.Reverse(hash[:])
	fmt.Printf("%x\n", hash)
	// Output:
	// 00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048
}

// A client of a chain gets its headers. Each header has the hash of the block before.
func ExampleHeaderHashes() {
	headers := headers()
	hashes := make([][32]byte, len(headers))
	bitcoin.HeaderHashes(hashes, headers)
	for i, header := range headers[1:] {
		fmt.Println([32]byte(header[4:36]) == hashes[i])
	}
	// Output: true
}

// The nodes above four transactions, and the root above the nodes.
func ExampleNodes() {
	nodes := [][32]byte{{1}, {2}, {3}, {4}}
	for len(nodes) > 1 {
		if err := bitcoin.Nodes(nodes, nodes); err != nil {
			fmt.Println(err)
			return
		}
		nodes = nodes[:len(nodes)/2]
	}
	root, _ := bitcoin.Root([][32]byte{{1}, {2}, {3}, {4}})
	fmt.Println(nodes[0] == root)
	// Output: true
}

func ExampleBranch() {
	txids := [][32]byte{{1}, {2}, {3}}
	const index = 2
	branch, err := bitcoin.Branch(txids, index)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(branch), branch[0] == txids[index]) // the last of three has no sibling
	// Output: 2 true
}

// A wallet that has a transaction and its branch computes the root of the block.
func ExampleRootFromBranch() {
	txids := [][32]byte{{1}, {2}, {3}}
	root, _ := bitcoin.Root(txids) // the header has it
	branch, err := bitcoin.Branch(txids, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := bitcoin.RootFromBranch(len(txids), 1, txids[1], branch)
	fmt.Println(got == root, err)
	_, err = bitcoin.RootFromBranch(len(txids), 5, txids[1], branch)
	fmt.Println(err)
	// Output:
	// true <nil>
	// bitcoin: no transaction 5 in a tree of 3
}

// The id of the first block's only transaction, which is the root of the block.
func ExampleSums() {
	tx, err := hex.DecodeString("01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d" +
		"04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f" +
		"6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e0" +
		"3909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000")
	if err != nil {
		fmt.Println(err)
		return
	}
	txids := make([][32]byte, 1)
	bitcoin.Sums(txids, [][]byte{tx})
	slices.Reverse(txids[0][:])
	fmt.Printf("%x\n", txids[0])
	// Output:
	// 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b
}
