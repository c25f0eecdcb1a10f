package main

import (
	"fmt"
	"hash"
	"math/rand/v2"
	"strings"
	"unsafe"
)

// A row is one load, and everything that can bear it.
type row struct {
	// bench is the row's function in go test -bench, less "Benchmark".
	bench string
	// load distinguishes the row from others of that function, in the form that
	// benchstat reads: size=8K/n=32.
	load string
	// bytes are hashed by one call of an impl. Of a row without, the report gives times.
	bytes int
	// digests is how many digests one call computes.
	digests int
	// base is the impl that the first one is compared with.
	base string
	// twin is the name of the row whose gain this one is to come near to, or "".
	twin string
	// byCPU is set if ratios are of CPU time, where it is known: what is far from
	// the core runs long enough for neighbours to disturb every run.
	byCPU bool
	// procs is GOMAXPROCS, if not 1.
	procs int
	// env is what the environment is for the row, if it is a special one.
	env environment
	// impls prepares the row. This library comes first.
	impls func() []impl
}

// name is the row's name without its impl: SumMany/size=8K/n=32.
func (r row) name() string {
	name := r.bench + "/" + r.load
	if r.procs > 1 {
		name += fmt.Sprintf("/procs=%d", r.procs)
	}
	if r.env.disable != "" {
		name += "/disable=" + strings.ReplaceAll(r.env.disable, ",", "+")
	}
	return name
}

// An impl bears the load of a row.
type impl struct {
	name string
	// run bears it once, and writes the digests to dst.
	run func(dst [][32]byte)
	// hashes, if not nil, are what run writes to instead of dst.
	hashes []hash.Hash
	// other is set if the digests are not SHA-256: it is there for orientation.
	other bool
	// stop ends what the impl left running, if not nil.
	stop func()
	// alone is set if the impl leaves running what nothing can stop. Another process
	// measures it, so that it does not disturb the others.
	alone bool
}

func stop(impls []impl) {
	for _, im := range impls {
		if im.stop != nil {
			im.stop()
		}
	}
}

// A section is a table of the report: rows with the same impls, or some of them.
type section struct {
	title string
	// about says what a row is.
	about string
	rows  []row
}

// sections are the whole report.
func sections() []section {
	return []section{
		oneMessage(),
		manyMessages(),
		hashes(),
		readers(),
		programs(),
		server(),
		trees(),
		onePrefix(),
		otherTrees(),
		hashChains(),
		passwords(),
		signatures(),
		objects(),
		search(),
		otherCPUs(),
		byLanes(),
		byLength(),
		farMessages(),
		byListSize(),
		unequalMessages(),
		bySpread(),
		files(),
	}
}

// random returns n random bytes. Fresh memory would not do: until it is
// written, all of it is one page of zeros, and loads hit the same cache lines.
func random(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{'s', 'h', 'a'}).Read(p)
	return p
}

// onPage returns the index of the first byte of p that begins a page.
func onPage(p []byte) int {
	const page = 4096
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(p))) % page)
}

// messages returns random messages of these sizes, one after the other in
// memory.
func messages(sizes ...int) [][]byte {
	total := 0
	for _, n := range sizes {
		total += n
	}
	data := random(total)
	msgs := make([][]byte, len(sizes))
	for i, n := range sizes {
		msgs[i], data = data[:n:n], data[n:]
	}
	return msgs
}

// unit writes a number of bytes as benchmark names do: 64K.
func unit(n int) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%dG", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dK", n>>10)
	}
	return fmt.Sprint(n)
}
