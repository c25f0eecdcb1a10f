package composite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/streams"
)

func ExampleSum() {
	// Usually an *os.File, and parts of as many bytes as the upload has.
	object := strings.NewReader(strings.Repeat("All happy families are alike. ", 1000))

	sum, err := composite.Sum(context.Background(), object, object.Size(), 8<<10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x\n", sum.Parts[0])
	fmt.Println(sum)
	// Output:
	// 5400e7c4e5f821f6c74e65e8380f72aefc07b32164f58babbb8e19f106aa96da
	// VKzoPLA4NlrTcAXvJwGSYc36Pnbp0Ta6xpPfutYv06k=-4
}

// A program uploads what it reads from a pipe. The parts are hashed on the way.
func ExampleChecksum() {
	const partSize = 8 << 10
	sum := composite.Checksum{PartSize: partSize}
	blocks := streams.NewBlocks(partSize, func(digests [][32]byte) error {
		sum.Parts = append(sum.Parts, digests...)
		return nil
	})
	pipe := strings.NewReader(strings.Repeat("All happy families are alike. ", 1000))
	var upload bytes.Buffer // in its place, a request for each part
	var err error
	sum.Size, err = io.Copy(io.MultiWriter(&upload, blocks), pipe)
	if err := errors.Join(err, blocks.Close()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum)
	// Output: VKzoPLA4NlrTcAXvJwGSYc36Pnbp0Ta6xpPfutYv06k=-4
}

// An uploader that knows the digests of the parts knows the checksum of the object.
func ExampleChecksum_String() {
	parts := [][32]byte{sha256.Sum256([]byte("first part")), sha256.Sum256([]byte("second part"))}
	fmt.Println(composite.Checksum{Parts: parts})
	// Output: sg6d8BNJbkHAOY5kYrCynKnoKQWtMiDAkfK9TZUURiA=-2
}
