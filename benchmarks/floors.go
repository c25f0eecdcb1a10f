package main

// floors are the least ratios that this project accepts, by the names of rows:
// beside crypto/sha256 (gohashtree for nodes), on a core of Zen 5 with AVX-512.
// Nothing but the report depends on them. A row without one is there for
// orientation.
var floors = map[string]float64{
	"Sum256/size=0":   1.45,
	"Sum256/size=8":   1.45,
	"Sum256/size=55":  1.45,
	"Sum256/size=64":  1.3,
	"Sum256/size=256": 1.08,
	"Sum256/size=1K":  0.97,
	"Sum256/size=8K":  0.97,
	"Sum256/size=64K": 0.97,
	"Sum256/size=1M":  0.97,

	"SumMany/size=8K/n=1":        0.97,
	"SumMany/size=8K/n=2":        1.5,
	"SumMany/size=8K/n=4":        1.75,
	"SumMany/size=8K/n=8":        1.75,
	"SumMany/size=8K/n=16":       3.0,
	"SumMany/size=8K/n=32":       3.9,
	"SumMany/size=8K/n=33":       3.3,
	"SumMany/size=64K/n=32":      3.3,
	"SumMany/size=4K/n=500":      3.3,
	"SumMany/size=4000/n=500":    3.2,
	"SumMany/size=1K/n=1000":     3.4,
	"SumMany/size=64/n=2000":     3.3,
	"SumMany/size=20/n=2000":     3.0,
	"SumMany/size=1-64K/n=600":   2.9,
	"SumMany/size=1M+4K/n=1+200": 1.35,

	"WriteMany/size=8K/n=32":              3.6,
	"WriteMany/size=8K/n=16":              2.8,
	"WriteMany/size=1000/n=32/offset=odd": 2.5,
	"SumHashes/size=100/n=1000":           2,

	"Server/goroutines=1/size=1M/write=32K":    0.9,
	"Server/goroutines=4/size=1M/write=32K":    1.3,
	"Server/goroutines=16/size=1M/write=32K":   2.4,
	"Server/goroutines=64/size=1M/write=32K":   3.0,
	"Server/goroutines=256/size=64K/write=32K": 2.6,
	"Server/goroutines=256/size=1M/write=1M":   3.2,
	"Server/goroutines=256/size=1K/write=1K":   0.85,

	"Server/goroutines=1/size=1M/write=32K/procs=2":    0.8 * 0.9,
	"Server/goroutines=4/size=1M/write=32K/procs=2":    0.8 * 1.3,
	"Server/goroutines=16/size=1M/write=32K/procs=2":   1.4,
	"Server/goroutines=64/size=1M/write=32K/procs=2":   0.8 * 3.0,
	"Server/goroutines=256/size=64K/write=32K/procs=2": 0.8 * 2.6,
	"Server/goroutines=256/size=1M/write=1M/procs=2":   0.8 * 3.2,
	"Server/goroutines=256/size=1K/write=1K/procs=2":   0.8 * 0.85,

	"Nodes/n=1":     0.95,
	"Nodes/n=4":     1.0,
	"Nodes/n=16":    1.6,
	"Nodes/n=32":    2.4,
	"Nodes/n=1024":  2.7,
	"Nodes/n=65536": 2.4,

	"Composite/size=256M/part=8M": 2.6,

	"Search/prefix=22/n=16K": 7,

	"SumMany/size=8K/n=32/disable=avx512":                1.75,
	"SumMany/size=1K/n=1000/disable=avx512":              1.6,
	"SumMany/size=64/n=2000/disable=avx512":              1.6,
	"Search/prefix=22/n=16K/disable=avx512":              2.5,
	"SumMany/size=8K/n=32/disable=avx512+shani":          2.0,
	"SumMany/size=1K/n=1000/disable=avx512+shani":        1.8,
	"SumMany/size=8K/n=32/disable=avx512+shani+avx2":     2.0,
	"SumMany/size=8K/n=32/disable=avx512+shani+avx2+avx": 2.0,
}
