// Command sum256 hashes one message.
package main

import (
	"os"

	"github.com/sha256-simd/sha256-simd"
)

func main() {
	h := sha256.New()
	h.Write([]byte(os.Args[0]))
	sum := sha256.Sum256(h.Sum(nil))
	os.Stdout.Write(sum[:])
}
