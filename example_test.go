package sha256_test

import (
	"bufio"
	"encoding"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"iter"
	"log"
	"os"
	"slices"
	"strings"

	sha256 "github.com/sha256-simd/sha256-simd"
)

func ExampleSum256() {
	fmt.Printf("%x\n", sha256.Sum256([]byte("hello, world\n")))
	// Output: 853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020
}

func ExampleSum224() {
	fmt.Printf("%x\n", sha256.Sum224([]byte("hello, world\n")))
	// Output: 4d24b28f636f8e3f4a638c833739c9e3026034056005ad6caf00dac4
}

func ExampleNew() {
	h := sha256.New()
	if _, err := io.Copy(h, strings.NewReader("hello, world\n")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020
}

// A program saves its state before it ends. When it runs again, it goes on from there.
func ExampleNew_marshal() {
	h := sha256.New()
	io.WriteString(h, "hello, ")
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}

	h = sha256.New()
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		log.Fatal(err)
	}
	io.WriteString(h, "world\n")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020
}

// A program saves its state after each line, in the memory of the state before.
func ExampleNew_append() {
	h, state := sha256.New(), []byte(nil)
	for line := range strings.Lines("one\ntwo\nthree\n") {
		io.WriteString(h, line)
		var err error
		if state, err = h.(encoding.BinaryAppender).AppendBinary(state[:0]); err != nil {
			log.Fatal(err)
		}
	}

	restored := sha256.New()
	if err := restored.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		log.Fatal(err)
	}
	fmt.Println([sha256.Size]byte(restored.Sum(nil)) == sha256.Sum256([]byte("one\ntwo\nthree\n")))
	// Output: true
}

// Two streams begin in the same way. A hash of the beginning is cloned for one of them, and
// goes on with the other.
func ExampleNew_clone() {
	h := sha256.New()
	io.WriteString(h, "hello, ")
	clone, err := h.(hash.Cloner).Clone()
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(h, "moon\n")
	io.WriteString(clone, "world\n")
	fmt.Printf("%x…\n%x…\n", h.Sum(nil)[:8], clone.Sum(nil)[:8])
	// Output:
	// aa6a76d39dc9565c…
	// 853ff93762a06ddb…
}

func ExampleNew224() {
	h := sha256.New224()
	io.WriteString(h, "hello, ")
	io.WriteString(h, "world\n")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 4d24b28f636f8e3f4a638c833739c9e3026034056005ad6caf00dac4
}

func ExampleSumMany() {
	msgs := [][]byte{[]byte("one"), []byte("two"), []byte("three"), nil}
	digests := make([][sha256.Size]byte, len(msgs))
	sha256.SumMany(digests, msgs)
	for i, d := range digests {
		fmt.Printf("%x… %q\n", d[:8], msgs[i])
	}
	// Output:
	// 7692c3ad3540bb80… "one"
	// 3fc4ccfe745870e2… "two"
	// 8b5b9db0c13db242… "three"
	// e3b0c44298fc1c14… ""
}

func ExampleSumMany224() {
	msgs := [][]byte{[]byte("one"), []byte("two")}
	digests := make([][sha256.Size224]byte, len(msgs))
	sha256.SumMany224(digests, msgs)
	for i, d := range digests {
		fmt.Println(d == sha256.Sum224(msgs[i]))
	}
	// Output:
	// true
	// true
}

// Lines are named by their digests as they arrive. The scanner overwrites each line with
// the next one, so they are copied.
func ExampleSumSeq() {
	lines := func(r io.Reader) iter.Seq2[string, []byte] {
		return func(yield func(string, []byte) bool) {
			for s := bufio.NewScanner(r); s.Scan(); {
				if line := s.Text(); !yield(line, []byte(line)) {
					return
				}
			}
		}
	}
	for line, digest := range sha256.SumSeq(lines(strings.NewReader("one\ntwo\nthree\n"))) {
		fmt.Printf("%x… %q\n", digest[:8], line)
	}
	// Output:
	// 7692c3ad3540bb80… "one"
	// 3fc4ccfe745870e2… "two"
	// 8b5b9db0c13db242… "three"
}

// Three files are read in step, a piece of each at a time.
func ExampleWriteHashes() {
	files := []string{"the first file", "the second file, which is longer", "the third"}
	hashes := make([]hash.Hash, len(files))
	readers := make([]io.Reader, len(files))
	pieces := make([][]byte, len(files))
	for i, f := range files {
		hashes[i], readers[i], pieces[i] = sha256.New(), strings.NewReader(f), make([]byte, 10)
	}
	for more := true; more; {
		more = false
		for i, r := range readers {
			n, err := io.ReadFull(r, pieces[i][:10])
			pieces[i] = pieces[i][:n]
			more = more || err == nil
		}
		sha256.WriteHashes(hashes, pieces)
	}
	digests := make([][sha256.Size]byte, len(files))
	sha256.SumHashes(digests, hashes)
	for i, d := range digests {
		fmt.Println(d == sha256.Sum256([]byte(files[i])))
	}
	// Output:
	// true
	// true
	// true
}

func ExampleSumHashes() {
	salt := []byte("pepper")
	hashes := []hash.Hash{sha256.New(), sha256.New()}
	sha256.WriteHashes(hashes, [][]byte{salt, salt})
	sha256.WriteHashes(hashes, [][]byte{[]byte("one"), []byte("two")})
	digests := make([][sha256.Size]byte, len(hashes))
	sha256.SumHashes(digests, hashes)
	fmt.Printf("%x…\n%x…\n", digests[0][:8], digests[1][:8])
	// Output:
	// f30d8b13ad374a3a…
	// 98eb435e3e9b74c1…
}

// Each leaf of a log is hashed behind a byte 0.
func ExampleSumManyAfter() {
	prefix := sha256.New()
	prefix.Write([]byte{0})
	leaves := [][]byte{[]byte("one"), []byte("two")}
	digests := make([][sha256.Size]byte, len(leaves))
	sha256.SumManyAfter(digests, prefix, leaves)
	fmt.Println(digests[1] == sha256.Sum256([]byte("\x00two")))
	// Output: true
}

// A hash function with a key: the block with the key is hashed once.
func ExampleSumAfter() {
	key := sha256.New()
	key.Write(make([]byte, sha256.BlockSize))
	tag := func(message string) [sha256.Size]byte { return sha256.SumAfter(key, []byte(message)) }
	one, two := tag("one"), tag("two")
	fmt.Printf("%x…\n%x…\n", one[:8], two[:8])
	// Output:
	// 9ad3a7fa2fdf5d80…
	// 87cd94b79f5bd350…
}

// A ledger has a digest for every 1,000 steps of a chain. All its parts are checked side
// by side.
func ExampleSumChains() {
	ledger := make([][sha256.Size]byte, 17)
	for i := range ledger[1:] {
		ledger[i+1] = ledger[i]
		sha256.SumChains(ledger[i+1:i+2], []int{1000})
	}

	parts := slices.Clone(ledger[:16])
	sha256.SumChains(parts, slices.Repeat([]int{1000}, len(parts)))
	fmt.Println(slices.Equal(parts, ledger[1:]))
	// Output: true
}

// A record is 24 bytes and room for the first 8 bytes of its digest.
func ExampleSumRows() {
	const records, size = 3, 32
	table := make([]byte, records*size)
	for i := range records {
		copy(table[i*size:], fmt.Sprintf("record %d", i))
	}
	sha256.SumRows(
		sha256.Rows{Data: table[24:], Size: 8, Stride: size},
		nil,
		sha256.Rows{Data: table, Size: 24, Stride: size},
		records)
	for i := range records {
		record := table[i*size:][:size]
		fmt.Printf("%s %x\n", record[:8], record[24:])
	}
	// Output:
	// record 0 d7220734be0f481b
	// record 1 484084ef12960c58
	// record 2 fca263e32a6b77af
}

// A program logs its kernels when it starts.
func ExampleSelected() {
	info := sha256.Selected()
	log.Printf("one message: %s; many: %s, %d at once", info.Single, info.Many, info.Lanes)
	fmt.Println(info.Single != "", info.Lanes >= 1)
	// Output: true true
}

// A program for minio/sha256-simd changes its import only.
func ExampleNewAvx512Server() {
	server := sha256.NewAvx512Server()
	defer server.Close()
	h := sha256.NewAvx512(server)
	io.WriteString(h, "hello, world\n")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020
}

// Without a Server the hash works alone.
func ExampleNewAvx512() {
	h := sha256.NewAvx512(nil)
	io.WriteString(h, "hello, world\n")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020
}

// The message is followed by its padding: a byte 0x80, zeros and its length in bits.
func ExampleSumCmp256() {
	data := make([]byte, sha256.BlockSize)
	n := copy(data, "kristtest00000000643868ca")
	data[n] = 0x80
	binary.BigEndian.PutUint64(data[56:], uint64(8*n))
	fmt.Println(sha256.SumCmp256(data, 15853), sha256.SumCmp256(data, 15852))
	// Output: true false
}

// The number is the first six bytes of the digest.
func ExampleSumToNum256() {
	message := "a message of 41 bytes, as mining needs it"
	data := make([]byte, sha256.BlockSize)
	n := copy(data, message)
	data[n] = 0x80
	binary.BigEndian.PutUint64(data[56:], uint64(8*n))
	digest := sha256.Sum256([]byte(message))
	fmt.Printf("%012x %x\n", sha256.SumToNum256(data), digest[:6])
	// Output: bce38fb01599 bce38fb01599
}
