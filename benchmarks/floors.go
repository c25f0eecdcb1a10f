package main

import "github.com/klauspost/cpuid/v2"

// A kind is a sort of CPU that this project has had: its results are called
// after it, and it has floors.
type kind string

const (
	zen5    kind = "Zen 5"
	zen4    kind = "Zen 4"
	iceLake kind = "Ice Lake"
)

// kindOf returns the kind of a CPU, by its family and model as displayed, or ""
// if floors are known for none such. Cores of these names with fewer or narrower
// vector units, in laptops, are other CPUs.
func kindOf(vendor cpuid.Vendor, family, model int) kind {
	switch models := model &^ 0xf; {
	case vendor == cpuid.AMD && family == 0x1a && models != 0x20 && models != 0x60:
		return zen5
	case vendor == cpuid.AMD && family == 0x19 && (models == 0x10 || models >= 0x60):
		return zen4
	case vendor == cpuid.Intel && family == 6 && (model == 0x6a || model == 0x6c):
		return iceLake
	}
	return ""
}

// A floor is the least ratio that this project accepts of a row on each kind of
// CPU, or 0.
type floor struct{ zen5, zen4, iceLake float64 }

// floorOf returns the floor of a row, or 0 if there is none.
func floorOf(k kind, row string) float64 {
	switch f := floors[row]; k {
	case zen5:
		return f.zen5
	case zen4:
		return f.zen4
	case iceLake:
		return f.iceLake
	}
	return 0
}

// floors are all that there are, by the names of rows: beside crypto/sha256, for
// nodes gohashtree, for trees the programs that they are of, on one core, SHA and AVX-512 enabled. Nothing but the report
// depends on them. A row without one is there for orientation.
var floors = map[string]floor{
	"Sum256/size=0":   {1.45, 0, 0},
	"Sum256/size=8":   {1.45, 0, 0},
	"Sum256/size=55":  {1.45, 0, 0},
	"Sum256/size=64":  {1.3, 0, 0},
	"Sum256/size=256": {1.08, 0, 0},
	"Sum256/size=1K":  {0.97, 0, 0},
	"Sum256/size=8K":  {0.97, 0, 0},
	"Sum256/size=64K": {0.97, 0, 0},
	"Sum256/size=1M":  {0.97, 0, 0},

	"SumMany/size=8K/n=1":        {0.97, 0, 0},
	"SumMany/size=8K/n=2":        {1.5, 0, 0},
	"SumMany/size=8K/n=4":        {1.75, 2.2, 1.5},
	"SumMany/size=8K/n=8":        {1.75, 2.2, 1.5},
	"SumMany/size=8K/n=16":       {3.4, 2.2, 2.6},
	"SumMany/size=8K/n=32":       {4.15, 2.25, 2.95},
	"SumMany/size=8K/n=33":       {3.3, 0, 0},
	"SumMany/size=64K/n=32":      {4, 2.25, 2.95},
	"SumMany/size=4K/n=500":      {4.05, 2.25, 2.95},
	"SumMany/size=4000/n=500":    {3.2, 0, 0},
	"SumMany/size=1K/n=1000":     {3.4, 0, 0},
	"SumMany/size=64/n=2000":     {4.6, 2.5, 2.6},
	"SumMany/size=20/n=2000":     {5, 2.8, 3},
	"SumMany/size=1-64K/n=600":   {2.9, 0, 0},
	"SumMany/size=1M+4K/n=1+200": {1.35, 0, 0},

	"WriteMany/size=8K/n=32":              {4.1, 2.2, 2.85},
	"WriteMany/size=8K/n=16":              {2.8, 0, 0},
	"WriteMany/size=1000/n=32/offset=odd": {2.5, 0, 0},
	"SumHashes/size=100/n=1000":           {2, 0, 0},

	"Server/goroutines=1/size=1M/write=32K":    {0.9, 0, 0},
	"Server/goroutines=4/size=1M/write=32K":    {1.3, 0, 0},
	"Server/goroutines=16/size=1M/write=32K":   {2.4, 0, 0},
	"Server/goroutines=64/size=1M/write=32K":   {3.2, 2.1, 2.6},
	"Server/goroutines=256/size=64K/write=32K": {2.6, 0, 0},
	"Server/goroutines=256/size=1M/write=1M":   {3.2, 0, 0},
	"Server/goroutines=256/size=1K/write=1K":   {0.85, 0, 0},

	"Server/goroutines=1/size=1M/write=32K/procs=2":    {0.72, 0, 0},
	"Server/goroutines=4/size=1M/write=32K/procs=2":    {1.04, 0, 0},
	"Server/goroutines=16/size=1M/write=32K/procs=2":   {1.4, 0, 0},
	"Server/goroutines=64/size=1M/write=32K/procs=2":   {2.5, 1.7, 2},
	"Server/goroutines=256/size=64K/write=32K/procs=2": {2.08, 0, 0},
	"Server/goroutines=256/size=1M/write=1M/procs=2":   {2.56, 0, 0},
	"Server/goroutines=256/size=1K/write=1K/procs=2":   {0.68, 0, 0},

	"Nodes/n=1":     {0.95, 0, 0},
	"Nodes/n=4":     {1.04, 1.15, 1.1},
	"Nodes/n=16":    {1.6, 0, 0},
	"Nodes/n=32":    {2.4, 0, 0},
	"Nodes/n=1024":  {2.85, 1.18, 2.4},
	"Nodes/n=65536": {2.4, 0, 0},

	"Composite/size=256M/part=8M": {2.6, 0, 0},

	"RFC6962/size=250/n=16":   {1.9, 1.9, 1.9},
	"RFC6962/size=250/n=1000": {4, 2.5, 3},
	"Bitcoin/n=2000":          {2.5, 2.5, 2.5},
	"BEP52/size=1G/piece=4M":  {0.9, 0.9, 0.9},
	"Verity/size=1G/block=4K": {0.9, 0.9, 0.9},
	"HMAC/size=64/n=1":        {1.3, 1.3, 1.3},
	"HMAC/size=64/n=1000":     {5, 3, 0},

	"Search/prefix=22/n=16K": {11, 6, 6.6},

	"SumMany/size=8K/n=32/disable=avx512":                {1.75, 0, 0},
	"SumMany/size=1K/n=1000/disable=avx512":              {1.6, 0, 0},
	"SumMany/size=64/n=2000/disable=avx512":              {1.6, 0, 0},
	"Search/prefix=22/n=16K/disable=avx512":              {2.5, 0, 0},
	"SumMany/size=8K/n=32/disable=avx512+shani":          {2, 0, 0},
	"SumMany/size=1K/n=1000/disable=avx512+shani":        {1.8, 0, 0},
	"SumMany/size=8K/n=32/disable=avx512+shani+avx2":     {2, 0, 0},
	"SumMany/size=8K/n=32/disable=avx512+shani+avx2+avx": {2, 0, 0},
}
