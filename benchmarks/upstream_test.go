package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
	"testing/iotest"

	comet "github.com/cometbft/cometbft/crypto/merkle"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
)

// proofsFromByteSlices is cometbft's ProofsFromByteSlices on this library.
func proofsFromByteSlices(items [][]byte) (rootHash []byte, proofs []*comet.Proof) {
	leafHashes := make([][32]byte, len(items))
	rfc6962.LeafHashes(leafHashes, items)
	root, aunts := rfc6962.RootAndProofs(leafHashes)
	proofs = make([]*comet.Proof, len(items))
	for i := range items {
		proofs[i] = &comet.Proof{
			Total:    int64(len(items)),
			Index:    int64(i),
			LeafHash: leafHashes[i][:],
			Aunts:    make([][]byte, len(aunts[i])),
		}
		for j := range aunts[i] {
			proofs[i].Aunts[j] = aunts[i][j][:]
		}
	}
	return root[:], proofs
}

// TestProofsBesideCometbft compares roots and proofs with cometbft's, every field of
// them, for random items.
func TestProofsBesideCometbft(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pool := random(600)
	for n := range 400 {
		if n > 300 {
			n = r.IntN(3000)
		}
		items := make([][]byte, n)
		for i := range items {
			from := r.IntN(300)
			items[i] = pool[from : from+r.IntN(300)]
		}
		root, proofs := proofsFromByteSlices(items)
		theirRoot, theirs := comet.ProofsFromByteSlices(items)
		if !bytes.Equal(root, theirRoot) || !bytes.Equal(root, comet.HashFromByteSlices(items)) {
			t.Fatalf("%d items: root %x, cometbft's %x", n, root, theirRoot)
		}
		if !reflect.DeepEqual(proofs, theirs) {
			t.Fatalf("%d items: other proofs than cometbft's", n)
		}
		if n > 0 {
			i := r.IntN(n)
			if err := proofs[i].Verify(root, items[i]); err != nil {
				t.Fatalf("item %d of %d: %v", i, n, err)
			}
		}
	}
}

// TestHash1BesideXMod compares hashes of random files with those of dirhash.Hash1, in
// memory, in a directory and in a zip file.
func TestHash1BesideXMod(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	pool := random(300_000)
	for range 300 {
		files, names := fstest.MapFS{}, []string{}
		for range r.IntN(100) {
			name := fmt.Sprintf("%c%d.go", 'A'+rune(r.IntN(60)), r.IntN(1000))
			size := r.IntN(2000)
			if r.IntN(30) == 0 {
				size = r.IntN(len(pool))
			}
			files[name] = &fstest.MapFile{Data: pool[len(pool)-size:]}
			names = append(names, name) // perhaps twice
		}
		before := fmt.Sprint(names)
		compareHash1(t, names, func(name string) (io.ReadCloser, error) { return files.Open(name) })
		if fmt.Sprint(names) != before {
			t.Fatal("hash1 sorts its caller's list")
		}
	}

	dir := t.TempDir()
	for i := range 50 {
		name := filepath.Join(dir, fmt.Sprint(i%7), fmt.Sprint(i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, pool[:r.IntN(100_000)], 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := dirhash.HashDir(dir, "module@v1.0.0", hash1)
	want, theirs := dirhash.HashDir(dir, "module@v1.0.0", dirhash.Hash1)
	if got != want || err != nil || theirs != nil {
		t.Errorf("directory: %q, error %v, x/mod: %q, error %v", got, err, want, theirs)
	}

	archive := filepath.Join(t.TempDir(), "module.zip")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	if err := errors.Join(w.AddFS(os.DirFS(dir)), w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	got, err = dirhash.HashZip(archive, hash1)
	want, theirs = dirhash.HashZip(archive, dirhash.Hash1)
	if got != want || err != nil || theirs != nil {
		t.Errorf("zip file: %q, error %v, x/mod: %q, error %v", got, err, want, theirs)
	}
}

// TestHash1Errors compares errors with those of dirhash.Hash1.
func TestHash1Errors(t *testing.T) {
	open := func(name string) (io.ReadCloser, error) {
		switch name {
		case "missing":
			return nil, fs.ErrNotExist
		case "broken":
			return io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)), nil
		}
		return io.NopCloser(bytes.NewReader([]byte(name))), nil
	}
	for _, names := range [][]string{nil, {"a"}, {"z", "missing", "a"}, {"z", "broken"}, {"missing", "broken"}, {"a\n", "b"}} {
		compareHash1(t, names, open)
	}
}

// compareHash1 fails the test unless hash1 and dirhash.Hash1 return the same.
func compareHash1(t *testing.T, names []string, open func(string) (io.ReadCloser, error)) {
	t.Helper()
	got, err := hash1(names, open)
	want, theirs := dirhash.Hash1(names, open)
	if got != want || (err == nil) != (theirs == nil) {
		t.Fatalf("%q: %q, error %v, x/mod: %q, error %v", names, got, err, want, theirs)
	}
	for _, target := range []error{fs.ErrNotExist, io.ErrUnexpectedEOF} {
		if errors.Is(err, target) != errors.Is(theirs, target) {
			t.Fatalf("%q: error %v, x/mod: %v", names, err, theirs)
		}
	}
}

// TestCARInspect checks CARs of blocks of many lengths, of which some are broken.
func TestCARInspect(t *testing.T) {
	sizes := []int{0, 1, 8 << 10, 3*8<<10 + 1, 100_000}
	for size := range 100 {
		sizes = append(sizes, 100*size)
	}
	car := newCAR(sizes)
	for _, tt := range []struct {
		name   string
		damage func(car []byte) []byte
		ok     bool
	}{
		{"whole", func(car []byte) []byte { return car }, true},
		{"empty", func(car []byte) []byte { return nil }, true},
		{"wrong byte in a block", func(car []byte) []byte { car[len(car)-1]++; return car }, false},
		{"another hash", func(car []byte) []byte { car[3]++; return car }, false},
		{"truncated", func(car []byte) []byte { return car[:len(car)-1] }, false},
	} {
		data := tt.damage(bytes.Clone(car))
		blocks := carBlocks{dst: make([][32]byte, len(sizes)), lanes: make([]carLane, 16)}
		err := eachBlock(bytes.NewReader(data), blocks.add)
		if err == nil {
			err = blocks.wait()
		}
		if (err == nil) != tt.ok {
			t.Errorf("%s: error %v, want none: %v", tt.name, err, tt.ok)
		}
	}
}
