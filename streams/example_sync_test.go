package streams_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"testing/fstest"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/streams"
)

// digestsOf returns the digest of each regular file below a directory. The map lacks files
// that could not be read; the error says why.
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
	files := make(map[string][sha256.Size]byte, len(names))
	for i, name := range names {
		if digests[i] != [sha256.Size]byte{} {
			files[name] = digests[i]
		}
	}
	return files, err
}

// A busyDir is a directory from which tmp.txt vanishes once it was listed.
type busyDir struct{ fstest.MapFS }

func (d busyDir) Open(name string) (fs.File, error) {
	if name == "tmp.txt" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return d.MapFS.Open(name)
}

// A tool that copies what changed compares the digests of both sides.
func Example_syncTool() {
	here := busyDir{fstest.MapFS{"a.txt": {Data: []byte("one")}, "b/c.txt": {Data: []byte("two")}, "tmp.txt": {}}}
	there := fstest.MapFS{"a.txt": {Data: []byte("one")}, "b/c.txt": {Data: []byte("old")}}

	from, err := digestsOf(context.Background(), here)
	if err != nil {
		fmt.Println(err) // the other files are copied nevertheless
	}
	to, err := digestsOf(context.Background(), there)
	if err != nil {
		fmt.Println(err)
	}
	for name, digest := range from {
		if to[name] != digest {
			fmt.Println("copy", name)
		}
	}
	// Output:
	// stream 2: open tmp.txt: file does not exist
	// copy b/c.txt
}
