package main

import "github.com/sha256-simd/sha256-simd/internal/cpu"

// A kind is a sort of CPU that this project has had: its results are called
// after it, and it has floors.
type kind string

const (
	zen5          kind = "Zen 5"
	zen4          kind = "Zen 4"
	zen3          kind = "Zen 3"
	iceLake       kind = "Ice Lake"
	graniteRapids kind = "Granite Rapids"
	emeraldRapids kind = "Emerald Rapids"
)

// kindOf returns the kind of CPUs of a microarchitecture and a model, or "". Emerald Rapids has
// most of the floors of Granite Rapids. Sapphire Rapids was not measured, and counts as Granite
// Rapids.
func kindOf(m cpu.Microarch, model int) kind {
	if m == cpu.GoldenCove && model == 0xcf {
		return emeraldRapids
	}
	return kinds[m]
}

// kinds has the kinds of CPUs by their microarchitectures.
var kinds = map[cpu.Microarch]kind{
	cpu.Zen5: zen5, cpu.Zen4: zen4, cpu.Zen3: zen3, cpu.IceLake: iceLake, cpu.GoldenCove: graniteRapids, cpu.IntelAVX512SHA: graniteRapids,
}

// A floor is the least ratio that this project accepts of a row on each kind of
// CPU, or 0.
type floor struct{ zen5, zen4, iceLake, zen3, graniteRapids float64 }

// noLoss is the floor of every row of the Server on any CPU, at best and in the
// median: no program may lose by using it.
const noLoss = 0.97

// floorOf returns the floor of a row, or 0 if there is none.
func floorOf(k kind, row string) float64 {
	switch f := floors[row]; k {
	case zen5:
		return f.zen5
	case zen4:
		return f.zen4
	case iceLake:
		return f.iceLake
	case zen3:
		return f.zen3
	case graniteRapids:
		return f.graniteRapids
	case emeraldRapids:
		if own, ok := emeraldFloors[row]; ok {
			return own
		}
		return f.graniteRapids
	}
	return 0
}

// floors are the least ratios, by the names of rows: beside crypto/sha256, for nodes
// gohashtree, for trees and dirhash the programs that they are of, for signatures circl,
// for keys of passwords crypto/pbkdf2, on one core, all instructions enabled. Nothing but
// the report depends on them. A row without one is there for orientation.
var floors = map[string]floor{
	"Sum256/size=0":   {1.45, 0, 0, 0, 1.85},
	"Sum256/size=8":   {1.45, 0, 0, 0, 1.9},
	"Sum256/size=55":  {1.45, 0, 0, 0, 1.7},
	"Sum256/size=64":  {1.3, 0, 0, 0, 1.8},
	"Sum256/size=256": {1.08, 0, 0, 0, 1.2},
	"Sum256/size=1K":  {0.97, 0, 0, 0, 1.03},
	"Sum256/size=8K":  {0.97, 0, 0, 0, 0.97},
	"Sum256/size=64K": {0.97, 0, 0, 0, 0.97},
	"Sum256/size=1M":  {0.97, 0, 0, 0, 0.97},

	// Zen 5's floors of 2, 4, 16 and 32 messages, and of 1,024 nodes, were found on 2026-11-22,
	// not yet measured in this form. Four messages now run in an order found on Zen 4.
	"SumMany/size=8K/n=1":        {0.97, 0, 0, 0, 0.97},
	"SumMany/size=8K/n=2":        {1.75, 1.91, 0, 0, 1.3},
	"SumMany/size=8K/n=4":        {1.92, 2.5, 1.5, 0, 1.32},
	"SumMany/size=8K/n=8":        {1.75, 2.2, 1.5, 0, 1.7},
	"SumMany/size=8K/n=16":       {3.9, 2.55, 2.6, 0, 2.2},
	"SumMany/size=8K/n=32":       {4.45, 2.54, 2.95, 0, 2.2},
	"SumMany/size=8K/n=33":       {3.3, 0, 0, 0, 2.2},
	"SumMany/size=64K/n=32":      {4, 2.25, 2.95, 0, 2.2},
	"SumMany/size=4K/n=500":      {4.05, 2.25, 2.95, 0, 2.2},
	"SumMany/size=4000/n=500":    {3.2, 0, 0, 0, 2.2},
	"SumMany/size=1K/n=1000":     {3.4, 0, 0, 0, 2.25},
	"SumMany/size=64/n=2000":     {4.6, 4.4, 2.6, 0, 3.7},
	"SumMany/size=20/n=2000":     {5, 3.5, 3, 0, 3},
	"SumMany/size=1-64K/n=600":   {2.9, 0, 0, 0, 2.1},
	"SumMany/size=1M+4K/n=1+200": {1.35, 0, 0, 0, 1.3},

	"WriteHashes/size=8K/n=32":                {4.1, 2.2, 2.85, 0, 2.15},
	"WriteHashes/size=8K/n=16":                {2.8, 0, 0, 0, 2.15},
	"WriteHashes/size=1000/n=32/offset=odd":   {2.5, 0, 0, 0, 1.85},
	"WriteHashes/size=300/n=64/begun=20":      {0, 0, 0, 1.5, 0},
	"WriteHashes/size=150-450/n=256/begun=20": {0, 0, 0, 1.2, 0},
	"SumHashes/size=100/n=1000":               {2, 0, 0, 0, 1.65},

	// Zen 5 was not measured since these rows exist.
	"Dirhash/tree=compile":          {1.9, 1.4, 0, 0, 1.4},
	"Dirhash/tree=compile/procs=2":  {1.9, 2, 0, 0, 0},
	"CARInspect/size=256K-1M/n=409": {2.2, 0, 0, 0, 1.6},

	"Server/goroutines=4/size=1M/write=32K":    {1.3, 0, 0, 0, 1.2},
	"Server/goroutines=16/size=1M/write=32K":   {2.4, 0, 0, 0, 2},
	"Server/goroutines=64/size=1M/write=32K":   {3.2, 2.1, 2.6, 0, 2},
	"Server/goroutines=256/size=64K/write=32K": {2.6, 0, 0, 0, 1.85},
	"Server/goroutines=256/size=1M/write=1M":   {3.2, 0, 0, 0, 3},

	"Server/goroutines=4/size=1M/write=32K/procs=2":    {1.04, 0, 0, 0, 0},
	"Server/goroutines=16/size=1M/write=32K/procs=2":   {1.4, 0, 0, 0, 0},
	"Server/goroutines=64/size=1M/write=32K/procs=2":   {2.5, 1.7, 2, 0, 0},
	"Server/goroutines=256/size=64K/write=32K/procs=2": {2.08, 0, 0, 0, 0},
	"Server/goroutines=256/size=1M/write=1M/procs=2":   {2.56, 0, 0, 0, 0},

	"Nodes/n=1":     {0.95, 0, 0, 0, 0},
	"Nodes/n=4":     {1.04, 1.15, 1.1, 0, 0.95},
	"Nodes/n=8":     {0, 0, 0, 0, 1.3},
	"Nodes/n=16":    {1.6, 0, 0, 0, 1.9},
	"Nodes/n=32":    {2.4, 0, 0, 0, 1.9},
	"Nodes/n=1024":  {3.05, 1.5, 2.4, 0, 1.9},
	"Nodes/n=65536": {2.4, 0, 0, 0, 1.9},

	"Composite/size=256M/part=8M": {2.6, 0, 0, 0, 2.5},

	"RFC6962/size=250/n=16":   {1.9, 1.9, 1.9, 0, 1.9},
	"RFC6962/size=250/n=1000": {4, 2.5, 3, 0, 2.5},
	"Bitcoin/n=2000":          {2.5, 2.5, 2.5, 0, 2.5},
	"BEP52/size=1G/piece=4M":  {0.9, 0.9, 0.9, 0, 0.9},
	"Verity/size=1G/block=4K": {0.9, 0.9, 0.9, 0, 0.9},
	"HMAC/size=64/n=1":        {1.3, 1.3, 1.3, 0, 1.3},
	"HMAC/size=64/n=1000":     {5, 3.3, 0, 0, 2.9},

	"RFC6962Proofs/size=250/n=1000":               {3.9, 0, 0, 0, 3.9},
	"SumManyAfterCrypto/prefix=64/size=64/n=1000": {3.9, 0, 0, 0, 3.5},
	"SumRows/size=64/n=1000":                      {1, 1, 1, 0.97, 1},
	"HMACKeys/size=32/n=2":                        {1, 1, 1, 0.97, 0.97},
	"HMACKeys/size=32/n=8":                        {1, 1, 1, 1, 1.1},
	"HMACKeys/size=32/n=64":                       {2.2, 2, 0, 1.5, 1.55},
	"HMACKeys/size=32/n=256":                      {3, 2.1, 0, 1.5, 1.65},

	// Zen 5 was not measured since these trees exist. SHA256TREE of an object in parallel
	// is beside composite.
	"NMT/trees=256/leaves=256/size=512":         {3.3, 2, 0, 1.3, 1.6},
	"NMTSquare/width=256/size=512":              {5.3, 3.1, 0, 2.4, 2.8},
	"NMTCelestia/trees=256/leaves=256/size=512": {4, 3.4, 0, 0, 2.5},
	"SHA256Tree/size=64M":                       {3.3, 1.7, 0, 0, 1.9},
	"SHA256Tree/size=1G/procs=2":                {0.8, 0.8, 0.8, 0.8, 0.8},

	// Zen 5 was not measured since chain kernels exist. Elsewhere floors are 0.9 of what
	// these kernels reach alone.
	"PBKDF2/iter=4096/n=1":           {1.9, 1.95, 0, 0, 1.75},
	"PBKDF2/iter=4096/n=2":           {3.3, 3.75, 0, 0, 2.22},
	"PBKDF2/iter=4096/n=4":           {4, 4.7, 0, 0, 2.58},
	"PBKDF2/iter=4096/n=16":          {8.5, 4.7, 0, 0, 4.55},
	"PBKDF2/iter=4096/n=32":          {10, 4.7, 0, 0, 4.55},
	"PBKDF2/iter=4096/n=64":          {10, 4.7, 0, 0, 4.55},
	"PBKDF2/iter=4096/goroutines=64": {8, 4.7, 0, 0, 4.55},

	"SumChains/steps=1000/n=1":     {0, 1.95, 0, 0, 1.7},
	"SumChains/steps=1000/n=2":     {0, 3.75, 0, 0, 2.2},
	"SumChains/steps=1000/n=4":     {0, 4.7, 0, 0, 2.55},
	"SumChains/steps=1000/n=16":    {0, 4.7, 0, 0, 4.5},
	"SumChains/steps=1000/n=32":    {0, 4.7, 0, 0, 4.5},
	"SumChains/steps=1000/n=64":    {0, 4.7, 0, 0, 4.5},
	"SumChains/steps=1-2000/n=600": {0, 4.7, 0, 0, 4.3},
	"SumChains/steps=0-15/n=1000":  {0, 2.6, 0, 0, 2.8},

	"SLHDSA/set=128s/op=sign":        {8, 5, 5, 3.5, 5},
	"SLHDSA/set=128s/op=generate":    {8, 5, 5, 3.5, 5},
	"SLHDSA/set=128s/op=verify/n=1":  {4, 3, 3, 2.2, 3},
	"SLHDSA/set=128s/op=verify/n=64": {9, 5, 5, 3.5, 5},
	"SLHDSA/set=128f/op=sign":        {6.5, 4, 4, 3, 4},
	"SLHDSA/set=128f/op=generate":    {8, 5, 5, 3.5, 5},
	"SLHDSA/set=128f/op=verify/n=1":  {4, 3, 3, 2.2, 3},
	"SLHDSA/set=128f/op=verify/n=64": {9, 5, 5, 3.5, 5},
	"SLHDSA/set=192s/op=sign":        {4, 3, 3, 2.5, 3},
	"SLHDSA/set=192f/op=sign":        {4, 3, 3, 2.5, 3},
	"SLHDSA/set=256s/op=sign":        {4, 3, 3, 2.5, 3},
	"SLHDSA/set=256f/op=sign":        {4, 3, 3, 2.5, 3},

	// Of CPU time: goroutines that sign independently lose 5% at most.
	"SLHDSA/set=128s/op=sign/goroutines=2/procs=2": {0.95, 0.95, 0.95, 0.95, 0.95},
	"SLHDSA/set=256s/op=sign/goroutines=2/procs=2": {0.95, 0.95, 0.95, 0.95, 0.95},

	"Search/prefix=22/n=16K": {11, 6, 6.6, 0, 5.2},

	"SumMany/size=8K/n=32/disable=avx512":                {1.75, 0, 0, 0, 1.3},
	"SumMany/size=1K/n=1000/disable=avx512":              {1.6, 0, 0, 0, 1.35},
	"SumMany/size=64/n=2000/disable=avx512":              {1.6, 0, 0, 0, 1.9},
	"Search/prefix=22/n=16K/disable=avx512":              {2.5, 0, 0, 0, 2.6},
	"SumMany/size=8K/n=32/disable=avx512+shani":          {2, 0, 0, 0, 3.3},
	"SumMany/size=1K/n=1000/disable=avx512+shani":        {1.8, 0, 0, 0, 3.3},
	"SumMany/size=8K/n=32/disable=avx512+shani+avx2":     {2, 0, 0, 0, 2.8},
	"SumMany/size=8K/n=32/disable=avx512+shani+avx2+avx": {2, 0, 0, 0, 2.8},

	// Kernels for one stream fetch it ahead.
	"FarSum256/size=1M/n=1":   {0.98, 0.98, 0.98, 0.98, 1.25},
	"FarSum256/size=32M/n=1":  {0.98, 0.98, 0.98, 0.98, 1.25},
	"FarSum256/size=512M/n=1": {0.98, 0.98, 0.98, 0.98, 1.25},
	"FarWrite/write=32K":      {0.98, 0.98, 0.98, 0.98, 1.25},

	"FarSumMany/size=1000000/n=268/packed":         {3.7, 0, 0, 0, 0},
	"FarSumMany/size=256K-2M/n=227/allocated":      {3.4, 0, 0, 0, 0},
	"FarSumMany/size=20000-180000/n=2684/packed":   {3.5, 0, 0, 0, 0},
	"FarSumMany/size=16K-64K/n=6553/allocated":     {3.4, 0, 0, 0, 0},
	"FarSumMany/size=4K/n=65536/packed":            {3.4, 0, 0, 0, 0},
	"FarSumMany/size=1000-4000/n=107374/packed":    {2.9, 0, 0, 0, 0},
	"FarSumMany/size=1000-3000/n=134217/allocated": {2.7, 0, 0, 0, 0},
	"FarWriteHashes/size=4K/n=32/packed":           {3.4, 0, 0, 0, 0},
	"FarWriteHashes/size=64K/n=32/packed":          {3.4, 0, 0, 0, 0},
	"FarWriteHashes/size=1000K/n=32/packed":        {3.4, 0, 0, 0, 0},
	"FarServer/size=32K/n=64/packed":               {3.4, 0, 0, 0, 0},
	"FarServer/size=1M/n=64/packed":                {3.4, 0, 0, 0, 0},

	// Padding in vectors was measured on Granite Rapids, Emerald Rapids and Zen 4. On Zen 4 and
	// Zen 5 these floors of short messages are by arithmetic from a sketch.
	"Unequal/size=20/n=1000":               {6.5, 4.2, 0, 0, 3.8},
	"UnequalHMAC/size=20-119/n=1000":       {5.6, 3.6, 0, 0, 3.2},
	"UnequalLeafHashes/size=30-60/n=1000":  {6, 3.8, 0, 0, 3.4},
	"Unequal/size=16-24/n=1000":            {6.3, 4.1, 0, 0, 3.8},
	"Unequal/size=20-55/n=1000":            {6.3, 4.1, 0, 0, 3.8},
	"Unequal/size=20-119/n=1000":           {4.6, 3.2, 0, 0, 3.1},
	"Unequal/size=60-70/n=1000":            {3.6, 0, 0, 0, 0},
	"Unequal/size=20-200/n=1000":           {4.3, 3, 0, 0, 2.9},
	"Unequal/size=100-240/n=1000":          {4.2, 2.8, 0, 0, 2.65},
	"Unequal/size=200-300/n=1000":          {3.5, 0, 0, 0, 0},
	"Unequal/size=100-1000/n=1000":         {3.6, 0, 0, 0, 0},
	"Unequal/size=20-200/n=64":             {3.4, 2.7, 0, 0, 2.5},
	"Unequal/size=20-200/n=16":             {2.5, 2.4, 0, 0, 2.1},
	"UnequalRFC6962/size=100-400/n=1000":   {3.9, 0, 0, 0, 0},
	"UnequalRFC6962/size=30-60/n=1000":     {3.6, 0, 0, 0, 0},
	"UnequalRFC6962/size=100-400/n=100000": {3.2, 0, 0, 0, 0},
}

// emeraldFloors are the floors of Emerald Rapids that are not Granite Rapids': of one message
// from memory. There crypto/sha256 loses a third of its speed on Granite Rapids, and nothing on
// Emerald Rapids, so that prefetching can gain nothing.
var emeraldFloors = map[string]float64{
	"FarSum256/size=1M/n=1":   0.98,
	"FarSum256/size=32M/n=1":  0.98,
	"FarSum256/size=512M/n=1": 0.98,
	"FarWrite/write=32K":      0.98,
}

// shares are floors for rows that have none in floors on a CPU: the least share
// of the gain of the row's twin. The twin of a far list is in cache, the twin
// of a list of unequal lengths has one length.
var shares = map[string]float64{
	"FarSumMany/size=1000000/n=268/packed":           0.85,
	"FarSumMany/size=256K-2M/n=227/allocated":        0.85,
	"FarSumMany/size=20000-180000/n=2684/packed":     0.85,
	"FarSumMany/size=16K-64K/n=6553/allocated":       0.85,
	"FarSumMany/size=4K/n=65536/packed":              0.8,
	"FarSumMany/size=1000-4000/n=107374/packed":      0.75,
	"FarSumMany/size=1000-3000/n=134217/allocated":   0.75,
	"FarSumManyAfter/size=1000-4000/n=107374/packed": 0.75,
	"FarHMAC/size=1000-4000/n=107374/packed":         0.75,
	"FarWriteHashes/size=4K/n=32/packed":             0.85,
	"FarWriteHashes/size=64K/n=32/packed":            0.85,
	"FarWriteHashes/size=1000K/n=32/packed":          0.85,
	"FarServer/size=32K/n=64/packed":                 0.85,
	"FarServer/size=1M/n=64/packed":                  0.85,
	"Unequal/size=16-24/n=1000":                      0.65,
	"Unequal/size=20-55/n=1000":                      0.65,
	"Unequal/size=20-119/n=1000":                     0.65,
	"Unequal/size=60-70/n=1000":                      0.65,
	"Unequal/size=20-200/n=1000":                     0.65,
	"Unequal/size=100-240/n=1000":                    0.65,
	"Unequal/size=200-300/n=1000":                    0.65,
	"Unequal/size=100-1000/n=1000":                   0.65,
	"Unequal/size=20-200/n=64":                       0.65,
	"Unequal/size=20-200/n=16":                       0.65,
	"UnequalSumManyAfter/size=20-200/n=1000":         0.65,
	"UnequalHMAC/size=20-200/n=1000":                 0.65,
	"UnequalRFC6962/size=100-400/n=1000":             0.65,
	"UnequalRFC6962/size=30-60/n=1000":               0.65,
	"UnequalRFC6962/size=100-400/n=100000":           0.65,
}
