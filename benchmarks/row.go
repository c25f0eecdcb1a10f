package main

import (
	"fmt"
	"hash"
	"math/rand/v2"
	"strings"
)

// A row is one load, and everything that can bear it.
type row struct {
	// bench is the row's function in go test -bench, less "Benchmark".
	bench string
	// load tells it from the other rows of that function, in the form that
	// benchstat reads: size=8K/n=32.
	load string
	// bytes are hashed by one call of an impl.
	bytes int
	// digests is how many digests one call computes.
	digests int
	// base is the impl that the first one is compared with.
	base string
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
		server(),
		trees(),
		onePrefix(),
		otherTrees(),
		objects(),
		search(),
		otherCPUs(),
		byLanes(),
		byLength(),
		files(),
	}
}

// random returns n bytes that no compiler, cache or page table can take for
// others: fresh memory is all one page of zeros until it is written, and then
// loads hit the same cache lines.
func random(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{'s', 'h', 'a'}).Read(p)
	return p
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
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dK", n>>10)
	}
	return fmt.Sprint(n)
}
