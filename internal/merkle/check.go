package merkle

import (
	"errors"
	"fmt"
)

// Errors of packages that hash levels of nodes. Package hashtree exports them.
var (
	ErrOddChunks        = errors.New("odd number of chunks")
	ErrNotEnoughDigests = errors.New("not enough digest length")
)

// CheckPairs returns an error unless chunks is even and there are enough digests for the
// pairs.
func CheckPairs(digests, chunks int) error {
	if chunks%2 != 0 {
		return ErrOddChunks
	}
	if digests < chunks/2 {
		return NotEnoughDigests(chunks/2, digests)
	}
	return nil
}

// NotEnoughDigests returns an error that wraps ErrNotEnoughDigests and has the numbers.
func NotEnoughDigests(need, got int) error {
	return fmt.Errorf("%w, need at least %d, got %d", ErrNotEnoughDigests, need, got)
}
