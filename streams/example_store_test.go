package streams_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/streams"
)

// A contentStore is a directory of blobs, in files named after their digests.
type contentStore string

// put stores blobs and returns their digests.
func (s contentStore) put(blobs [][]byte) ([][sha256.Size]byte, error) {
	digests := make([][sha256.Size]byte, len(blobs))
	sha256.SumMany(digests, blobs)
	for i, digest := range digests {
		// A real store writes a temporary file and renames it.
		if err := os.WriteFile(s.file(digest), blobs[i], 0o666); err != nil {
			return nil, err
		}
	}
	return digests, nil
}

// changed returns the digests of blobs that have other content now. The error says
// which blobs it could not read.
func (s contentStore) changed(ctx context.Context, digests [][sha256.Size]byte) (changed [][sha256.Size]byte, err error) {
	now := make([][sha256.Size]byte, len(digests))
	err = streams.Sum(ctx, now, func(i int) (io.ReadCloser, error) {
		return os.Open(s.file(digests[i]))
	}, streams.Options{})
	for i, was := range digests {
		if now[i] != was && now[i] != [sha256.Size]byte{} {
			changed = append(changed, was)
		}
	}
	return changed, err
}

func (s contentStore) file(digest [sha256.Size]byte) string {
	return filepath.Join(string(s), fmt.Sprintf("%x", digest))
}

// A store finds the blob that changed on the disk.
func Example_contentAddressedStore() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store := contentStore(dir)

	digests, err := store.put([][]byte{[]byte("one"), []byte("two"), []byte("three")})
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(store.file(digests[1]), []byte("tvo"), 0o666); err != nil {
		log.Fatal(err)
	}
	changed, err := store.changed(context.Background(), digests)
	fmt.Println(len(changed), changed[0] == sha256.Sum256([]byte("two")), err)
	// Output: 1 true <nil>
}
