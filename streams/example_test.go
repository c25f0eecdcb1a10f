package streams_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing/fstest"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/streams"
)

// The files are read a piece at a time, up to 64 of them at the same time.
func ExampleSum() {
	files := []string{"example_test.go", "sum.go", "no such file"}
	digests := make([][sha256.Size]byte, len(files))
	err := streams.Sum(context.Background(), digests, func(i int) (io.ReadCloser, error) {
		return os.Open(files[i])
	}, streams.Options{})

	var failed *streams.Error
	if errors.As(err, &failed) { // the first one
		fmt.Printf("%s: %v\n", files[failed.Index], errors.Is(failed.Err, fs.ErrNotExist))
	}
	for i, digest := range digests[:2] {
		content, err := os.ReadFile(files[i])
		fmt.Println(files[i], digest == sha256.Sum256(content), err)
	}
	// Output:
	// no such file: true
	// example_test.go true <nil>
	// sum.go true <nil>
}

// Each stream that failed is reported by its name.
func ExampleError() {
	files := fstest.MapFS{"a": {Data: []byte("one")}, "c": {Data: []byte("two")}}
	names := []string{"a", "b", "c", "d"}
	digests := make([][sha256.Size]byte, len(names))
	err := streams.Sum(context.Background(), digests, func(i int) (io.ReadCloser, error) {
		return files.Open(names[i])
	}, streams.Options{})

	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			var failed *streams.Error
			if errors.As(err, &failed) {
				fmt.Printf("%s: %v\n", names[failed.Index], failed.Err)
			}
		}
	}
	// Output:
	// b: open b: file does not exist
	// d: open d: file does not exist
}

func ExampleError_Unwrap() {
	err := &streams.Error{Index: 3, Err: fs.ErrPermission}
	fmt.Println(err)
	fmt.Println(errors.Is(err, fs.ErrPermission))
	// Output:
	// stream 3: permission denied
	// true
}

// What is downloaded is written to a file, and its blocks are hashed on the way.
func ExampleNewBlocks() {
	var digests [][32]byte
	blocks := streams.NewBlocks(16<<10, func(some [][32]byte) error {
		digests = append(digests, some...)
		return nil
	})
	var file bytes.Buffer
	download := strings.NewReader(strings.Repeat("All happy families are alike. ", 5000))
	_, err := io.Copy(io.MultiWriter(&file, blocks), download)
	if err := errors.Join(err, blocks.Close()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(digests), "blocks")
	fmt.Println(digests[1] == sha256.Sum256(file.Bytes()[16<<10:][:16<<10]))
	// Output:
	// 10 blocks
	// true
}

// One buffer serves for many files, one after the other.
func ExampleBlocks_Reset() {
	var digests [][32]byte
	blocks := streams.NewBlocks(8, func(some [][32]byte) error {
		digests = append(digests, some...)
		return nil
	})
	for _, file := range []string{"one block and more", "two", ""} {
		blocks.Reset()
		digests = digests[:0]
		_, err := blocks.ReadFrom(strings.NewReader(file))
		fmt.Println(len(digests), errors.Join(err, blocks.Close()), len(digests))
	}
	// Output:
	// 2 <nil> 3
	// 0 <nil> 1
	// 0 <nil> 0
}

// A tool that copies only the blocks that changed sends their digests first.
func ExampleParts() {
	old := bytes.Repeat([]byte("All happy families are alike. "), 1000)
	changed := bytes.Clone(old)
	changed[20_000]++

	const blockSize = 8 << 10
	digestsOf := func(file []byte) [][32]byte {
		digests, err := streams.Parts(context.Background(), bytes.NewReader(file), int64(len(file)), blockSize, streams.PartsOptions{})
		if err != nil {
			fmt.Println(err)
		}
		return digests
	}
	was := digestsOf(old)
	for i, digest := range digestsOf(changed) {
		if digest != was[i] {
			fmt.Printf("block %d of %d changed\n", i, len(was))
		}
	}
	// Output: block 2 of 4 changed
}
