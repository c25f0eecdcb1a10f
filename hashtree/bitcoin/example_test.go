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
