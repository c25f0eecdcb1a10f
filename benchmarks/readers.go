package main

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/streams"
)

// readers is streams read and hashed side by side, beside loops that read one at a time.
func readers() section {
	return section{
		title: "Streams",
		about: "`streams.Sum` of streams in memory; of Go's compiler, `internal` and all, as `dirhash` of x/mod hashes it: files in the page cache, " +
			"then the list of their digests; of the blocks of a CAR of 256 MiB in memory, by `WriteHashes`, as `Inspect` of go-car checks them. " +
			"The others read one stream at a time.",
		rows: []row{
			sumReaders(500, 40_000, 1000),
			dirhashRow(1),
			dirhashRow(2),
			carInspect(256<<10, 1<<20),
		},
	}
}

func sumReaders(shortest, longest, n int) row {
	sizes, total := make([]int, n), 0
	r := rand.New(rand.NewPCG(1, 2))
	for i := range sizes {
		sizes[i] = shortest + r.IntN(longest-shortest+1)
		total += sizes[i]
	}
	return row{
		bench:   "StreamsSum",
		load:    fmt.Sprintf("size=%d-%d/n=%d", shortest, longest, n),
		bytes:   total,
		digests: n,
		base:    "crypto",
		impls: func() []impl {
			msgs := messages(sizes...)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					must(streams.Sum(context.Background(), dst, func(i int) (io.ReadCloser, error) {
						return io.NopCloser(bytes.NewReader(msgs[i])), nil
					}, streams.Options{}))
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					h, buf := stdsha256.New(), make([]byte, 32<<10)
					for i, msg := range msgs {
						h.Reset()
						// Without WriteTo, which hands over all at once.
						_, err := io.CopyBuffer(h, struct{ io.Reader }{bytes.NewReader(msg)}, buf)
						must(err)
						h.Sum(dst[i][:0])
					}
				}},
			}
		},
	}
}

// dirhashRow is the hash of a module's files that go.sum has.
func dirhashRow(procs int) row {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	must(err)
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "cmd", "compile")
	size := 0
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += int(info.Size())
		}
		return nil
	})
	return row{
		bench:   "Dirhash",
		load:    "tree=compile",
		bytes:   size,
		digests: 1,
		base:    "x/mod",
		procs:   procs,
		impls: func() []impl {
			names, err := dirhash.DirFiles(dir, "compile")
			must(err)
			open := func(name string) (io.ReadCloser, error) {
				return os.Open(filepath.Join(dir, strings.TrimPrefix(name, "compile")))
			}
			hash := func(hash func([]string, func(string) (io.ReadCloser, error)) (string, error)) func([][32]byte) {
				return func(dst [][32]byte) {
					h1, err := hash(names, open)
					must(err)
					sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(h1, "h1:"))
					must(err)
					copy(dst[0][:], sum)
				}
			}
			return []impl{
				{name: "sha256-simd", run: hash(hash1)},
				{name: "x/mod", run: hash(dirhash.Hash1)},
			}
		},
	}
}

// hash1 is dirhash.Hash1 on streams.Sum. It calls open concurrently.
func hash1(files []string, open func(string) (io.ReadCloser, error)) (string, error) {
	files = slices.Sorted(slices.Values(files))
	for _, name := range files {
		if strings.Contains(name, "\n") {
			return "", fmt.Errorf("file %q: newline in its name", name)
		}
	}
	sums := make([][sha256.Size]byte, len(files))
	err := streams.Sum(context.Background(), sums, func(i int) (io.ReadCloser, error) {
		return open(files[i])
	}, streams.Options{})
	var failed *streams.Error
	if errors.As(err, &failed) { // the first file
		return "", failed.Err
	}
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for i, name := range files {
		fmt.Fprintf(h, "%x  %s\n", sums[i], name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}
