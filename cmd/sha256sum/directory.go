package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"sync/atomic"
)

// A directory holds what stands in one, sorted. It takes the bytes of the names
// and about 24 bytes for each.
type directory struct {
	blocks  [][]byte // of keys
	entries []entry
	size    int64
}

// An entry stands in a directory. Its key is its name, with a slash behind that
// of a directory: keys sort as the whole names of the files do.
type entry struct {
	prefix uint64 // of the key, behind what all keys begin with
	block  uint32
	offset uint16
	length uint16
	mode   fs.FileMode
}

const (
	blockSize = 64 << 10
	entrySize = 24
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
	if last < 0 || blockSize-len(d.blocks[last]) < length {
		d.blocks = append(d.blocks, make([]byte, 0, max(min(blockSize, 1<<10<<len(d.blocks)), length)))
		last++
	}
	b := d.blocks[last]
	offset := len(b)
	if b = append(b, name...); mode.IsDir() {
		b = append(b, '/')
	}
	d.blocks[last] = b
	d.entries = append(d.entries, entry{block: uint32(last), offset: uint16(offset), length: uint16(length), mode: mode})
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
func readDirectory(opens *descriptors, name string, resolve func(name string) fs.FileMode) (*directory, fileID, error) {
	d := new(directory)
	var raw rawFile
	var info rawInfo
	err := opens.wait(func() {}, func() (err error) {
		raw, info, err = openRaw(name)
		return err
	})
	if err != nil {
		return d, info.id, err
	}
	f := raw.file(name)
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
	}
	d.sort()
	d.account()
	if err == io.EOF {
		err = nil
	}
	return d, info.id, err
}

// directoryBytes is what the directories in memory take. Beyond what they may
// take of maxHeap, the limit rises with them: the collector cannot free them, and
// would try and try.
var directoryBytes atomic.Int64

const maxDirectories = 8 << 20

func (d *directory) account() {
	d.size = int64(cap(d.entries)) * entrySize
	for _, b := range d.blocks {
		d.size += int64(cap(b))
	}
	d.resize(d.size)
}

// release says that d is not used any more.
func (d *directory) release() { d.resize(-d.size) }

func (d *directory) resize(by int64) {
	before := directoryBytes.Add(by) - by
	if max(before, before+by) > maxDirectories {
		debug.SetMemoryLimit(maxHeap + max(0, before+by-maxDirectories))
	}
}
