package update

import (
	"encoding/binary"
	"slices"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// An Index finds the records of a list in any order. It keeps 32 bytes for each of them,
// from the first that is asked for on.
type Index struct {
	list    string
	read    bool
	records []indexed
	err     error // that broke the reading off
}

type indexed struct {
	key    names.Key
	digest [8]byte // its beginning
	stamp  [8]byte // of what is compared
}

// An Origin is what the records say of a file that has another digest than was listed.
type Origin int

const (
	Unknown Origin = iota // there is no record of what was listed
	Written               // the size or the time of modification is another one
	Damaged               // both are the same
)

// OpenIndex returns the index of a list's records, of which there may be none.
func OpenIndex(list string) (*Index, error) {
	x := &Index{list: list}
	lines, err := x.open()
	if err != nil {
		return nil, err
	}
	if lines != nil {
		lines.file.Close()
	}
	return x, nil
}

// open returns the records, or nil if there are none. Who only looks at a file of another
// program may leave it as it is.
func (x *Index) open() (*recordLines, error) {
	lines, err := openRecords(x.list)
	if err == errForeign {
		err = nil
	}
	return lines, err
}

// Err returns the error that broke the reading of the records off.
func (x *Index) Err() error { return x.err }

// Origin returns what the records say of a file that was listed with a digest, and now has
// a stamp and another one.
func (x *Index) Origin(name string, listed [sha256.Size]byte, now stamp.Stamp) Origin {
	return x.find(name).origin([8]byte(listed[:8]), now)
}

// Origin returns what known, the record of a file or nil, says if the file now has a stamp
// and another digest than the list says. If f is nil, or the list lacks the file, the record
// alone tells what the digest was.
func (f *Former) Origin(known *Record, now stamp.Stamp) Origin {
	if known == nil {
		return Unknown
	}
	r := indexOf(known)
	listed := r.digest
	if i, found := f.find(known.Name); found {
		listed = f.lines[i].digest
	}
	return r.origin(listed, now)
}

// origin is the rule for audits and for --update. listed is the beginning of the digest
// that the list says; r may be nil. A record is of a regular file; nothing else has a
// stamp.
func (r *indexed) origin(listed [8]byte, now stamp.Stamp) Origin {
	switch {
	case r == nil || r.digest != listed:
		return Unknown
	case now != stamp.Stamp{} && r.stamp == compared(now):
		return Damaged
	}
	return Written
}

// hasOther reports whether there is a record of a file with another digest.
func (x *Index) hasOther(name string, digest [sha256.Size]byte) bool {
	r := x.find(name)
	return r != nil && r.digest != [8]byte(digest[:8])
}

// find returns the record of a file, or nil.
func (x *Index) find(name string) *indexed {
	if !x.read {
		x.read = true
		x.load()
	}
	i, found := slices.BinarySearchFunc(x.records, names.KeyOf(name), func(r indexed, k names.Key) int { return names.Compare(r.key, k) })
	if !found {
		return nil
	}
	return &x.records[i]
}

func (x *Index) load() {
	lines, err := x.open()
	if err != nil || lines == nil {
		x.err = err
		return
	}
	defer lines.file.Close()
	for r := lines.next(); r != nil; r = lines.next() {
		x.records = memory.Append(x.records, indexOf(r))
	}
	x.err = lines.err
	slices.SortFunc(x.records, func(a, b indexed) int { return names.Compare(a.key, b.key) })
}

func indexOf(r *Record) indexed {
	return indexed{names.KeyOf(r.Name), [8]byte(r.Digest[:8]), compared(r.Stamp)}
}

// compared stands for what tells that a file was written to: a new name, link, owner or
// mode gives it another time of change, a copy another inode, and leave its contents.
func compared(s stamp.Stamp) [8]byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(s.Size))
	binary.BigEndian.PutUint64(b[8:], uint64(s.Modified))
	digest := sha256.Sum256(b[:])
	return [8]byte(digest[:8])
}
