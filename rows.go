package sha256

import (
	"fmt"
	"hash"
	"math/bits"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Rows are parts of a buffer, all of one size, at equal distances. Row i is Data[i*Stride :
// i*Stride+Size]. Size and Stride are in bytes. If Stride is 0, it counts as Size: the rows
// are contiguous.
type Rows struct {
	Data         []byte
	Size, Stride int
}

// RowsOf returns the memory of d as Rows, one digest in each row. A write to Data writes
// to d. On 32-bit ports, RowsOf panics if d has 2 GiB or more.
func RowsOf[D ~[Size]byte](d []D) Rows {
	return Rows{Data: convert.Bytes(d), Size: Size}
}

// SumRows sets row i of dst to the digest of the bytes written to prefix, followed by row i
// of src, for every i below n. A nil prefix is an empty prefix. A row of dst that is
// smaller than a digest receives the first bytes of the digest. [SumManyAfter] computes the
// same digests if each message is a row of src. SumRows needs no slice for each row. It
// writes each digest straight to its place, for example between the nodes of a tree. Memory
// between the rows of dst stays as it is. Like SumManyAfter, SumRows uses only the calling
// goroutine and leaves prefix as it is. Once its pools are filled, it allocates nothing,
// unless it has to clone or restore prefix.
//
// dst and src may share memory: row i of dst may overlap rows 0 to i of src.
//
// SumRows panics, before it touches anything, if the Size of dst is not 1 to 32, if a Size,
// a Stride or n is negative, if a Stride other than 0 is smaller than the Size of its Rows,
// if Data is too short for n rows, if a row of dst overlaps a later row of src, or if
// SumManyAfter would panic because of a prefix that is not nil.
func SumRows(dst Rows, prefix hash.Hash, src Rows, n int) {
	if n < 0 {
		panic(fmt.Sprintf("sha256: SumRows: n is %d; expected 0 or more", n))
	}
	if dst.Size < 1 || dst.Size > Size {
		panic(fmt.Sprintf("sha256: SumRows: dst has Size %d; expected 1 to %d", dst.Size, Size))
	}
	dst.check("dst", n)
	src.check("src", n)
	if i, j, ok := overlap(offset(dst.Data, src.Data), &dst, &src, n); ok {
		panic(fmt.Sprintf("sha256: SumRows: row %d of dst overlaps row %d of src, which is hashed later", i, j))
	}
	if prefix == nil && block.UsesStd() {
		for i := range n {
			sum := Sum256(src.row(i))
			copy(dst.row(i), sum[:])
		}
		return
	}
	if prefix == nil {
		p := lanes.Prefix{H: block.IV256}
		lanes.SumRows((*lanes.Rows)(&dst), &p, (*lanes.Rows)(&src), n)
		return
	}
	d, taken := stateOf("SumRows", prefix)
	if d == nil {
		sumRowsForeign(dst, prefix, src, n)
		return
	}
	var p lanes.Prefix
	d.setPrefix(&p)
	lanes.SumRows((*lanes.Rows)(&dst), &p, (*lanes.Rows)(&src), n)
	taken.release()
}

func sumRowsForeign(dst Rows, prefix hash.Hash, src Rows, n int) {
	sumForeign("SumRows", prefix, n, src.row, func(i int, sum *[Size]byte) { copy(dst.row(i), sum[:]) })
}

// row returns row i.
func (r *Rows) row(i int) []byte { return r.Data[i*r.Stride:][:r.Size] }

// check panics unless r has n rows. It sets a Stride of 0 to Size.
func (r *Rows) check(name string, n int) {
	if r.Size < 0 || r.Stride < 0 {
		panic(fmt.Sprintf("sha256: SumRows: %s has Size %d and Stride %d; expected 0 or more", name, r.Size, r.Stride))
	}
	if r.Stride == 0 {
		r.Stride = r.Size
	}
	if r.Stride < r.Size {
		panic(fmt.Sprintf("sha256: SumRows: %s has Size %d and Stride %d; expected a Stride of at least Size", name, r.Size, r.Stride))
	}
	if n == 0 {
		return
	}
	more, last := bits.Mul(uint(n-1), uint(r.Stride)) // where the last row begins
	if r.Size > len(r.Data) || more > 0 || last > uint(len(r.Data)-r.Size) {
		panic(fmt.Sprintf("sha256: SumRows: %s has %d bytes of Data, too few for %d rows of Size %d and Stride %d", name, len(r.Data), n, r.Size, r.Stride))
	}
}

// offset returns how many bytes behind the beginning of b the beginning of a lies. On 32-bit
// ports, an int could not hold every such number.
func offset(a, b []byte) int64 {
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(a)))) - int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// overlap reports whether one of the first n rows of dst overlaps a later row of src. If
// so, row i of dst overlaps row j of src. The data of dst begins `offset` bytes behind the
// data of src. overlap checks each row only if the spans of dst and src overlap, and some row
// i of dst ends after row i+1 of src begins.
func overlap(offset int64, dst, src *Rows, n int) (i, j int, ok bool) {
	if n < 2 || src.Size == 0 {
		return 0, 0, false
	}
	last := n - 1
	// Offsets are from the beginning of src.
	if offset >= int64(last*src.Stride+src.Size) || offset+int64(last*dst.Stride+dst.Size) <= 0 {
		return 0, 0, false
	}
	endsBeforeNext := func(i int) bool { return offset+int64(i*dst.Stride+dst.Size) <= int64((i+1)*src.Stride) }
	if endsBeforeNext(0) && endsBeforeNext(last-1) {
		return 0, 0, false
	}
	for i := range last {
		begin := offset + int64(i*dst.Stride)
		// Among the rows of src after row i, row j is the first that ends after begin.
		j := i + 1
		if begin >= int64(src.Size) {
			j = max(j, int((begin-int64(src.Size))/int64(src.Stride)+1))
		}
		if j <= last && int64(j*src.Stride) < begin+int64(dst.Size) {
			return i, j, true
		}
	}
	return 0, 0, false
}
