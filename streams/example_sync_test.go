package streams_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"
	"testing/fstest"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/streams"
)

// digestsOf returns the digest of each regular file below a directory.
func digestsOf(ctx context.Context, dir fs.FS) (map[string][sha256.Size]byte, error) {
	var names []string
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	digests := make([][sha256.Size]byte, len(names))
	err = streams.Sum(ctx, digests, func(i int) (io.ReadCloser, error) {
		return dir.Open(names[i])
	}, streams.Options{})
	if err != nil {
		return nil, err
	}
	files := make(map[string][sha256.Size]byte, len(names))
	for i, name := range names {
		files[name] = digests[i]
	}
	return files, nil
}

// A tool that copies what changed compares the digests of both sides.
func Example_syncTool() {
	here := fstest.MapFS{"a.txt": {Data: []byte("one")}, "b/c.txt": {Data: []byte("two")}}
	there := fstest.MapFS{"a.txt": {Data: []byte("one")}, "b/c.txt": {Data: []byte("old")}}

	from, err := digestsOf(context.Background(), here)
	if err != nil {
		log.Fatal(err)
	}
	to, err := digestsOf(context.Background(), there)
	if err != nil {
		log.Fatal(err)
	}
	for name, digest := range from {
		if to[name] != digest {
			fmt.Println("copy", name)
		}
	}
	// Output: copy b/c.txt
}
