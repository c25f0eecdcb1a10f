package hashtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash"
	"testing"
)

// A Hash has all the interfaces of crypto/sha256's hashes.
type Hash interface {
	hash.Cloner
	State
}

// TestStandIn tests that mh's hashes can replace std's, which are
// crypto/sha256's New or New224: digests, marshalled states, which either reads
// of the other, and the errors of states that are none.
func TestStandIn(t *testing.T, mh, std MakeHash) {
	std = WithClone(std)
	t.Run("Interfaces", func(t *testing.T) {
		h := mh()
		if _, ok := h.(Hash); !ok {
			t.Errorf("%T lacks an interface of crypto/sha256", h)
		}
		if h.Size() != std().Size() || h.BlockSize() != std().BlockSize() {
			t.Errorf("Size %d and BlockSize %d", h.Size(), h.BlockSize())
		}
		methods := hash.Cloner(h.(Hash))
		NoExtraMethods(t, &methods, "MarshalBinary", "AppendBinary", "UnmarshalBinary")
	})

	t.Run("Digest", func(t *testing.T) {
		for n := range 300 {
			h, want := mh(), std()
			write(t, h, Data(n))
			write(t, want, Data(n))
			compare(t, fmt.Sprintf("%d bytes", n), h, want)
		}
	})

	t.Run("Marshal", func(t *testing.T) {
		for n := range 200 {
			h, want := mh(), std()
			write(t, h, Data(n))
			write(t, want, Data(n))
			state := marshal(t, want)
			if got := marshal(t, h); !bytes.Equal(got, state) {
				t.Fatalf("%d bytes: marshalled as %x, want %x", n, got, state)
			}
			for _, spare := range []int{0, 1, len(state) - 1, len(state), len(state) + 7} {
				prefix := append(make([]byte, 0, 3+spare), "abc"...)
				got, err := h.(Hash).AppendBinary(prefix)
				if err != nil || !bytes.Equal(got, append([]byte("abc"), state...)) {
					t.Fatalf("%d bytes: AppendBinary: %x, %v", n, got, err)
				}
			}

			// Into a new hash.
			fresh := mh()
			unmarshal(t, fresh, state)
			compare(t, fmt.Sprintf("%d bytes, marshalled", n), fresh, want)

			// Into hashes that are in use, and back.
			h2, want2 := mh(), std()
			write(t, h2, Data(77))
			write(t, want2, Data(77))
			unmarshal(t, h2, state)
			unmarshal(t, want2, marshal(t, h))
			for _, more := range []int{0, 1, 64, 200} {
				write(t, h, Data(more))
				write(t, h2, Data(more))
				write(t, want, Data(more))
				write(t, want2, Data(more))
				what := fmt.Sprintf("%d bytes, marshalled, and %d", n, more)
				compare(t, what, h, want)
				compare(t, what, h2, want)
				compare(t, what, want2, want)
			}
		}
	})

	t.Run("MarshalledStateIsACopy", func(t *testing.T) {
		h := mh()
		write(t, h, Data(100))
		want := h.Sum(nil)
		state := marshal(t, h)
		unmarshal(t, h, state)
		clear(state)
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("clearing a marshalled state changes the hash")
		}
	})

	t.Run("UnmarshalRefuses", func(t *testing.T) {
		h := std()
		write(t, h, Data(100))
		state := marshal(t, h)
		refused := [][]byte{nil, append(bytes.Clone(state), 0), append(bytes.Clone(state), state...)}
		for n := range state {
			refused = append(refused, state[:n])
		}
		for i := range 4 {
			for bit := range 8 {
				other := bytes.Clone(state)
				other[i] ^= 1 << bit
				refused = append(refused, other, other[:len(other)-1], other[:4])
			}
		}
		for _, b := range refused {
			CompareUnmarshal(t, b, mh(), std())
		}
	})

	t.Run("UnmarshalAccepts", func(t *testing.T) {
		if BoringCrypto {
			t.Skip("BoringCrypto reads other lengths and blocks out of dirty states")
		}
		template := marshal(t, std())
		for i, length := range []uint64{
			0, 1, 63, 64, 1<<29 - 1, 1 << 29, 1<<29 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1,
			1<<61 - 1, 1 << 61, 1<<63 + 55, 1<<64 - 1,
		} {
			// A state with dirt in the block buffer beyond what length says.
			state := append(bytes.Clone(template[:4]), Data(8*4 + 64 + i)[i:]...)
			state = binary.BigEndian.AppendUint64(state, length)
			h, want := mh(), std()
			CompareUnmarshal(t, state, h, want)
		}
	})
}

// CompareUnmarshal fails the test unless h and want say the same of b as a
// marshalled state, and go on in the same way.
func CompareUnmarshal(t *testing.T, b []byte, h, want hash.Hash) {
	t.Helper()
	write(t, h, Data(90))
	write(t, want, Data(90))
	before := bytes.Clone(b)
	err, wantErr := h.(State).UnmarshalBinary(b), want.(State).UnmarshalBinary(b)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("unmarshalling %x: error %v, want %v", b, err, wantErr)
		return
	}
	if !bytes.Equal(b, before) {
		t.Errorf("unmarshalling %x changes it to %x", before, b)
	}
	what := fmt.Sprintf("after unmarshalling %x", b)
	compare(t, what, h, want)
	write(t, h, Data(130))
	write(t, want, Data(130))
	compare(t, what+" and a write", h, want)
}

// compare fails the test unless h and want have the same digest and state.
func compare(t *testing.T, what string, h, want hash.Hash) {
	t.Helper()
	if got, want := h.Sum(nil), want.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("%s: digest %x, want %x", what, got, want)
	}
	if got, want := marshal(t, h), marshal(t, want); !bytes.Equal(got, want) {
		t.Errorf("%s: state %x, want %x", what, got, want)
	}
}

func marshal(t *testing.T, h hash.Hash) []byte {
	t.Helper()
	state, err := h.(State).MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary: %v", err)
	}
	return state
}

func unmarshal(t *testing.T, h hash.Hash, state []byte) {
	t.Helper()
	if err := h.(State).UnmarshalBinary(state); err != nil {
		t.Fatalf("UnmarshalBinary: %v", err)
	}
}
