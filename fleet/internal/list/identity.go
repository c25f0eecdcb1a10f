package list

import (
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/sha256-simd/sha256-simd"
)

// An Identity tells lists apart by what their lines say, in their order: which names, as
// the list has them, and which digests. Neither the format nor compression matters, nor the
// base that the names are put below. Lines that are too long to be read count as alike. The
// zero value is that of no lines.
type Identity struct {
	hash   hash.Hash
	record []byte
}

// The kinds of records.
const (
	kindObject    = ""
	kindDeleted   = "deleted"
	kindMalformed = "malformed"
	kindBag       = "bag"
)

// AddBag says that the lines that follow are of the bag in a directory. Bags may have equal
// manifests.
func (i *Identity) AddBag(dir string) { i.write(kindBag, dir) }

// add adds an entry whose name in the list, without a version, is written.
func (i *Identity) add(written string, e *Entry) {
	kind := kindObject
	if e.Deleted {
		kind = kindDeleted
	}
	i.write(kind, written, e.Version, e.Expected())
}

// addMalformed adds a line that names no object.
func (i *Identity) addMalformed(line string) { i.write(kindMalformed, line) }

// write adds a record. Each field has its length before it: names may hold any bytes.
func (i *Identity) write(fields ...string) {
	if i == nil {
		return
	}
	if i.hash == nil {
		i.hash = sha256.New()
	}
	i.record = i.record[:0]
	for _, f := range fields {
		i.record = append(binary.AppendUvarint(i.record, uint64(len(f))), f...)
	}
	i.hash.Write(i.record)
}

// String returns the identity, in hexadecimal.
func (i *Identity) String() string {
	if i.hash == nil {
		i.hash = sha256.New()
	}
	return hex.EncodeToString(i.hash.Sum(nil))
}
