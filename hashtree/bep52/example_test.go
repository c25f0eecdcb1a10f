package bep52_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/sha256-simd/sha256-simd/hashtree/bep52"
)

func ExampleSum() {
	// Usually an *os.File.
	file := strings.NewReader(strings.Repeat("All happy families are alike. ", 2000))

	tree, err := bep52.Sum(context.Background(), file, file.Size(), 32<<10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d pieces, root %x\n", len(tree.Pieces), tree.Root)
	// Output:
	// 2 pieces, root aca7bad36085f86243ee7c567d988cdfa29464fc9549d663afb3670d8c420d35
}
