package sha256_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"strings"

	sha256 "github.com/sha256-simd/sha256-simd"
)

// An ID names content.
type ID [sha256.Size]byte

// addFile stores the chunks of a file, each under its ID. It returns the ID of the list
// of these IDs.
func addFile(store map[ID][]byte, r io.Reader, chunkSize int) (ID, error) {
	var err error
	chunks := func(yield func(chunk, msg []byte) bool) {
		for err == nil {
			chunk := make([]byte, chunkSize) // another one for each chunk
			var n int
			n, err = io.ReadFull(r, chunk)
			if n > 0 && !yield(chunk[:n], chunk[:n]) {
				return
			}
		}
	}
	var ids []ID
	for chunk, sum := range sha256.SumSeq(chunks) {
		store[sum] = chunk
		ids = append(ids, sum)
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return ID{}, err
	}
	list := sha256.RowsOf(ids).Data // the memory of ids
	id := ID(sha256.Sum256(list))
	store[id] = bytes.Clone(list)
	return id, nil
}

func Example_chunker() {
	store := map[ID][]byte{}
	id, err := addFile(store, strings.NewReader(strings.Repeat("All happy families are alike. ", 1000)), 4096)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(store[id])/sha256.Size, "chunks")
	first := ID(store[id][:sha256.Size])
	fmt.Printf("%s…\n", store[first][:29])
	// Output:
	// 8 chunks
	// All happy families are alike.…
}
