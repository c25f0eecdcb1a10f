package lanes

import (
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// Rows are parts of a buffer that have one size and one distance: row i is the Size
// bytes of Data from i·Stride on.
type Rows struct {
	Data         []byte
	Size, Stride int
}

// row returns row i.
func (r *Rows) row(i int) []byte { return r.Data[i*r.Stride:][:r.Size] }

// rowsOf returns digests as rows.
func rowsOf(digests [][block.DigestSize]byte) Rows {
	return Rows{convert.Bytes(digests), block.DigestSize, block.DigestSize}
}

// put sets rows, from row `first` on, to the digests of jobs.
func (r *Rows) put(first int, jobs []Job) {
	data, size, stride := r.Data, r.Size, r.Stride
	row := first * stride
	if size == block.DigestSize {
		for i := range jobs {
			block.PutDigest((*[block.DigestSize]byte)(data[row:]), &jobs[i].H)
			row += stride
		}
		return
	}
	for i := range jobs {
		var sum [block.DigestSize]byte
		block.PutDigest(&sum, &jobs[i].H)
		copy(data[row:][:size], sum[:])
		row += stride
	}
}

// SumRows sets each of the first n rows of dst to the first bytes of the SHA-256 digest
// of prefix || row i of src. The size of a row of dst is at most DigestSize. Row i of
// dst may overlap rows of src up to row i, but no row behind it. dst and src are pointers, so
// that hashing rows one by one copies neither struct. For one row, that saves 5 ns on Zen 4.
func SumRows(dst *Rows, prefix *Prefix, src *Rows, n int) {
	nodes := prefix.areNodes(src.Size)
	nodesPay := nodes && n > 1 && nodePlans.current().pay(dst, src, n)
	if !nodesPay && RowsOneByOne(n, src.Size, len(prefix.Rest)) {
		sumEachRow(dst, prefix, src, n)
		return
	}
	m := &messages{rows: *src, n: n, size: src.Size}
	if nodes {
		sumNodes(*dst, m)
		return
	}
	g := acquire()
	g.sums.prefix = *prefix
	if blocks := block.PaddedBlocks(len(prefix.Rest) + src.Size); areShort(blocks, prefix.areWhole(src.Size)) {
		g.sumShortRows(*dst, m, blocks)
	} else {
		g.sumEqual(*dst, m)
	}
	g.release()
}

// sumEachRow is SumRows, one row after the other.
func sumEachRow(dst *Rows, prefix *Prefix, src *Rows, n int) {
	if dst.Size == block.DigestSize {
		for i := range n {
			prefix.Sum((*[block.DigestSize]byte)(dst.row(i)), src.row(i))
		}
		return
	}
	for i := range n {
		var sum [block.DigestSize]byte
		prefix.Sum(&sum, src.row(i))
		copy(dst.row(i), sum[:])
	}
}

// RowsOneByOne reports whether n rows of size bytes take less time one by one than side by
// side. Each follows `before` bytes of a prefix. Only kernels for streams count. For rows of
// 64 bytes, SumRows also asks the plan for nodes.
func RowsOneByOne(n, size, before int) bool {
	blocks := block.PaddedBlocks(before + size)
	p := streamPlans.current()
	if n <= block.MaxLanes && (n <= 1 || n*blocks < p.Least[n]) {
		return true
	}
	return p.OneByOne(plan.Messages, n, n*blocks, blocks, blocks, 0, p.BehindCycles(before, blocks))
}

// sumShortRows sets rows of dst to the digests of m, rows of `blocks` blocks each.
func (g *group) sumShortRows(dst Rows, m *messages, blocks int) {
	g.setFront()
	g.base, g.pointed = 0, 0
	far := m.areFar()
	for occupied, done := 0, 0; done < m.n; {
		live := m.n - done
		if live > maxShortWave {
			live = g.fullWave(live, blocks)
		}
		slices := g.slices[:live]
		for i := range slices {
			slices[i] = m.rows.row(done + i)
		}
		if far {
			m.fetch(done+live, live)
		}
		g.sums.msgs = slices
		occupied = g.sumLanes(Rows{dst.Data[done*dst.Stride:], dst.Size, dst.Stride}, g.inOrder[:live], blocks, occupied)
		done += live
	}
	clear(g.slices[:])
	g.retire(0)
}
