package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// messages are n messages of `size` bytes each: a list of slices, or the rows of one
// buffer. Rows need no list of slices.
type messages struct {
	slices  [][]byte // or nil
	rows    Rows     // if there are no slices
	n, size int
}

// messagesOf returns `slices` as messages. There is at least one slice, and all slices have
// the same length.
func messagesOf(slices [][]byte) *messages {
	return &messages{slices: slices, n: len(slices), size: len(slices[0])}
}

// message returns message i.
func (m *messages) message(i int) []byte {
	if m.slices != nil {
		return m.slices[i]
	}
	return m.rows.row(i)
}

// start sets the states of `jobs` to h. It copies the end of each message, from byte `last`
// on, to offset `at` of a job's scratch. jobs[i] gets message first+i.
func (m *messages) start(jobs []Job, h block.State, at, first, last int) {
	if m.slices != nil {
		for i, p := range m.slices[first:][:len(jobs)] {
			j := &jobs[i]
			j.H = h
			copyShort(j.Scratch[at:], p[last:])
		}
		return
	}
	data, size, stride := m.rows.Data, m.rows.Size, m.rows.Stride
	row := first * stride
	for i := range jobs {
		j := &jobs[i]
		j.H = h
		copyShort(j.Scratch[at:], data[row:][:size][last:])
		row += stride
	}
}

// point sets next[i] to byte `at` of message first+i.
func (m *messages) point(next []*byte, first, at int) {
	if m.slices != nil {
		for i, p := range m.slices[first:][:len(next)] {
			next[i] = unsafe.SliceData(p[at:])
		}
		return
	}
	data, stride := m.rows.Data, m.rows.Stride
	row := first*stride + at
	for i := range next {
		next[i] = unsafe.SliceData(data[row:])
		row += stride
	}
}

// areFar reports whether to prefetch the messages before they are hashed.
func (m *messages) areFar() bool {
	if !isFar(m.n, m.n*m.size) {
		return false
	}
	if m.slices != nil {
		return !areClose(m.slices[0], m.slices[min(1, m.n-1)])
	}
	return m.rows.Stride > closeBytes
}

// fetch prefetches `count` messages from message `first` on, or as many as there are.
func (m *messages) fetch(first, count int) {
	end := min(first+count, m.n)
	if m.slices != nil {
		block.Fetch(m.slices[first:end])
		return
	}
	for i := first; i < end; i++ {
		row := [1][]byte{m.rows.row(i)}
		block.Fetch(row[:])
	}
}

// copyShort copies all of src to dst. For 32 to 64 bytes, copyShort is faster than a call
// of memmove.
func copyShort(dst, src []byte) {
	const half = 32
	n := len(src)
	if n < half || n > 2*half {
		copy(dst, src)
		return
	}
	first, last := *(*[half]byte)(src), *(*[half]byte)(src[n-half:])
	*(*[half]byte)(dst) = first
	*(*[half]byte)(dst[n-half:]) = last
}
