package block

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// TestEncode compares a state with that of a hash of crypto/sha256 after messages of 0 to 130
// bytes. The memory was not zero before.
func TestEncode(t *testing.T) {
	for n := range 131 {
		message := bytes.Repeat([]byte{7}, n)
		std := sha256.New().(StdHash)
		std.Write(message)
		want, err := std.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		h := IV256
		Compress(&h, message[:n&^(Size-1)])
		got := Marshaled(bytes.Repeat([]byte{0xff}, MarshaledSize))
		got.Encode(Magic256, &h, message[n&^(Size-1):], uint64(n))
		if !bytes.Equal(got[:], want) {
			t.Errorf("%d bytes: %x, want %x", n, got, want)
		}
	}
}
