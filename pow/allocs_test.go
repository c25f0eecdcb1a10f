package pow_test

import (
	"context"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/pow"
)

func TestFindAllocatesNothing(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	s := pow.Search{Prefix: []byte("thrift")}
	ctx := context.Background()
	for _, count := range []uint64{1, 1000} {
		if n := testing.AllocsPerRun(100, func() { s.Find(ctx, 0, 0, count) }); n != 0 {
			t.Errorf("Find of %d nonces allocates %v times", count, n)
		}
	}
}
