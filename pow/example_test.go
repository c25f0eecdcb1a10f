package pow_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sha256-simd/sha256-simd/pow"
)

func ExampleSearch_Find() {
	// A miner's address and the end of the last block's hash.
	s := pow.Search{Prefix: []byte("kxxxxxxxxx" + "000000a1b2c3")}
	const work = 1 << 28 // one nonce in a million

	n, err := s.Find(context.Background(), work, 0, 100_000_000)
	if errors.Is(err, pow.ErrExhausted) {
		fmt.Println("try another prefix")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s%016x: %d\n", s.Prefix, n, s.Value(n))
	// Output: kxxxxxxxxx000000a1b2c3000000000003484f: 56359194
}

// A server checks the nonce that a miner sends.
func ExampleSearch_Value() {
	s := pow.Search{Prefix: []byte("kxxxxxxxxx" + "000000a1b2c3")}
	const work = 1 << 28
	for _, nonce := range []uint64{0x3484f, 0x34850} {
		fmt.Println(s.Value(nonce), s.Value(nonce) <= work)
	}
	// Output:
	// 56359194 true
	// 54801377328559 false
}

// A search that was cancelled goes on where it was.
func ExampleSearch_Find_goingOn() {
	s := pow.Search{Prefix: []byte("kxxxxxxxxx" + "000000a1b2c3")}
	const work = 1 << 28
	var n uint64
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		var err error
		n, err = s.Find(ctx, work, n, 100_000_000)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			break
		}
		// Here is the place to look for a new block.
	}
	fmt.Println(s.Value(n) <= work)
	// Output: true
}
