package sha256tree_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sha256-simd/sha256-simd/hashtree/sha256tree"
)

// Three ways to the same digest.
func Example() {
	blob := make([]byte, 100_000)
	ctx, file, size := context.Background(), bytes.NewReader(blob), int64(len(blob))
	stream := bytes.NewReader(blob)

	inMemory := sha256tree.Sum256(blob)            // on this goroutine
	inFile, err := sha256tree.Sum(ctx, file, size) // an io.ReaderAt, on all cores, in bounded memory
	h := sha256tree.New()                          // a hash.Hash, up to 32 chunks side by side
	io.Copy(h, stream)

	fmt.Println(inFile == inMemory, err, bytes.Equal(h.Sum(nil), inMemory[:]))
	// Output: true <nil> true
}

func ExampleSum256() {
	message := []byte(strings.Repeat("All work and no play makes Jack a dull boy.\n", 100))
	fmt.Printf("%x\n", sha256tree.Sum256(message))
	// Output:
	// 8ecfd979cae7e031bc544afb673978f9d7475a8f01e7a979e443d4df54aceba5
}

func ExampleSum() {
	// Usually an *os.File.
	blob := strings.NewReader(strings.Repeat("All work and no play makes Jack a dull boy.\n", 100))
	digest, err := sha256tree.Sum(context.Background(), blob, blob.Size())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("blobs/sha256tree/%x/%d\n", digest, blob.Size())
	// Output:
	// blobs/sha256tree/8ecfd979cae7e031bc544afb673978f9d7475a8f01e7a979e443d4df54aceba5/4400
}

func ExampleNew() {
	h := sha256tree.New()
	for range 100 {
		io.WriteString(h, "All work and no play makes Jack a dull boy.\n")
	}
	fmt.Printf("%x\n", h.Sum(nil))
	// Output:
	// 8ecfd979cae7e031bc544afb673978f9d7475a8f01e7a979e443d4df54aceba5
}
