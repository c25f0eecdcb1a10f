//go:build !unix || boringcrypto

package guard

import (
	"errors"
	"testing"
)

// Guarded reports whether buffers border on pages that cannot be accessed.
const Guarded = false

func allocate(_ testing.TB, size, _ int) ([]byte, error) {
	return make([]byte, size), nil
}

func protect([]byte) error { return errors.ErrUnsupported }

func zeros(testing.TB, int) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

func hasAddresses() bool { return true }
