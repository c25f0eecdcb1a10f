package walk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"io/fs"
	"slices"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
)

// A directory holds its entries, sorted. It takes the bytes of the names, up to
// 4 GiB, and 16 bytes for each, or up to twice that while it is read.
type directory struct {
	blocks  [][]byte // of keys
	entries []entry
	names   int64 // bytes of the blocks
	size    int64 // bytes that are accounted for
}

// An entry is a file or directory in a directory. Its key is its name, followed
// by a slash for a directory: keys sort as the whole names of the files do.
type entry struct {
	prefix uint64 // of the key, behind what all keys begin with
	block  uint16
	offset uint16
	length uint16
	kind   uint16 // the bits of fs.ModeType, which are upper ones
}

func (e entry) mode() fs.FileMode { return fs.FileMode(e.kind) << 16 }

const (
	smallestBlock = 1 << 10
	entrySize     = 16
)

func (d *directory) key(e entry) []byte {
	return d.blocks[e.block][e.offset:][:e.length]
}

// add appends an entry; sort must follow.
func (d *directory) add(name string, mode fs.FileMode) {
	length := len(name)
	if mode.IsDir() {
		length++
	}
	last := len(d.blocks) - 1
	if last < 0 || cap(d.blocks[last])-len(d.blocks[last]) < length {
		// The first ones are small, as most directories are.
		size := max(smallestBlock<<min(len(d.blocks), 6), length)
		d.blocks = append(d.blocks, make([]byte, 0, size))
		d.names += int64(size)
		last++
	}
	b := d.blocks[last]
	offset := len(b)
	if b = append(b, name...); mode.IsDir() {
		b = append(b, '/')
	}
	d.blocks[last] = b
	d.entries = append(d.entries, entry{block: uint16(last), offset: uint16(offset), length: uint16(length), kind: uint16(mode >> 16)})
}

// sort sorts the entries by their keys.
func (d *directory) sort() {
	if len(d.entries) == 0 {
		return
	}
	common := d.key(d.entries[0])
	for _, e := range d.entries {
		common = common[:commonLength(common, d.key(e))]
	}
	for i := range d.entries {
		e := &d.entries[i]
		var first [8]byte
		copy(first[:], d.key(*e)[len(common):])
		e.prefix = binary.BigEndian.Uint64(first[:])
	}
	slices.SortFunc(d.entries, func(a, b entry) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		return bytes.Compare(d.key(a), d.key(b))
	})
}

func commonLength(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// readDirectory reads a directory. Links in it have the types that resolve gives
// them. With an error it returns what it could read.
func readDirectory(opens *file.Descriptors, name string, resolve func(name string) fs.FileMode) (*directory, file.ID, error) {
	d := new(directory)
	var raw file.File
	var info file.Info
	err := opens.Wait(func() {}, func() (err error) {
		raw, info, err = file.Open(name)
		return err
	})
	if err != nil {
		return d, info.ID, err
	}
	f := raw.OS(name)
	defer f.Close()
	for err == nil {
		var batch []fs.DirEntry
		batch, err = f.ReadDir(512)
		for _, e := range batch {
			mode := e.Type()
			if mode&fs.ModeSymlink != 0 {
				mode = resolve(e.Name())
			}
			d.add(e.Name(), mode)
		}
		d.account()
	}
	d.sort()
	if err == io.EOF {
		err = nil
	}
	return d, info.ID, err
}

// account counts what d takes now, in steps that are worth it.
func (d *directory) account() {
	const step = 1 << 20
	if size := d.names + int64(cap(d.entries))*entrySize; size-d.size > step {
		memory.Hold(size - d.size)
		d.size = size
	}
}

// release says that d is not used any more.
func (d *directory) release() { memory.Hold(-d.size) }
