package verity_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/sha256-simd/sha256-simd/hashtree/verity"
)

func ExampleFS() {
	// Usually an *os.File.
	file := strings.NewReader("Hello, world!\n")

	digest, err := verity.FS(context.Background(), file, file.Size(), verity.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("sha256:%x\n", digest)
	// Output:
	// sha256:f719ccd6ef84e2143c62f6925e2501073ed114ef167f9db117da2867079be471
}

func ExampleDM() {
	disk := strings.NewReader(strings.Repeat("A sector of this disk's 512 bytes. ", 4096)[:32*4096])

	root, err := verity.DM(context.Background(), disk, disk.Size(), nil, verity.Options{Salt: []byte("salt")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x\n", root)
	// Output:
	// a9c5966fc157ecd7fbc9741583b4917dce0d2cd65984d6ef2cde68d67551de5f
}
