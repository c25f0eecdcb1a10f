// Command summany hashes many messages.
package main

import (
	"os"

	"github.com/sha256-simd/sha256-simd"
)

func main() {
	sums := make([][sha256.Size]byte, len(os.Args))
	msgs := make([][]byte, len(os.Args))
	for i, arg := range os.Args {
		msgs[i] = []byte(arg)
	}
	sha256.SumMany(sums, msgs)
	os.Stdout.Write(sums[0][:])
}
