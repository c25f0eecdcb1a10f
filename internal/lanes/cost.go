package lanes

import (
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A cost is the time that a kernel takes for one block, one node or one nonce
// in each of its lanes, in cycles, its lanes full. Only the ratios between the
// costs of one operation on one microarchitecture matter.
type cost struct {
	kernel string
	cycles int
}

// A row is what kernels cost on a microarchitecture. Every kernel that its CPUs
// may have should be in one list or the other, those that lose at any number of
// lanes too, since others may be disabled.
type row struct {
	microarch cpu.Microarch

	// measured are the costs that sha256bench --row measured, on is where.
	on       string
	measured []cost

	// estimated are those that nobody has measured, from says what they follow.
	from      string
	estimated []cost
}

// rows are what the choice between kernels rests on. sha256bench --row prints
// the first three fields of one for the CPU that it runs on.
var rows = []row{
	{
		microarch: cpu.Zen5,
		on:        "AMD EPYC (family 0x1a, model 0x2, stepping 1), linux/amd64, go1.26.8",
		measured: []cost{
			{"x1_avx512shani", 144}, {"x1_shani", 130}, {"x1_avx2", 359}, {"x1_avx", 403}, {"x1_ssse3", 405},
			{"x2_avx512shani", 200}, {"x2_shani", 160}, {"x4_shani", 270},
			{"x4_avx", 999}, {"x4_ssse3", 1131}, {"x8_avx2", 1007}, {"x16_avx512", 566}, {"x32_avx512", 928},
			{"node_x32_avx512", 1745}, {"node_x16_avx512", 1190}, {"node_x8_avx2", 1962},
			{"node_x4_shani", 534}, {"node_x2_avx512shani", 314}, {"node_x2_shani", 271}, {"node_x1_shani", 172},
			{"search_x32_avx512", 788}, {"search_x4_shani", 235}, {"search_x8_avx2", 873},
			{"search_x4_avx", 891}, {"search_x4_ssse3", 1013},
		},
	},
	{
		microarch: cpu.Zen4,
		on:        "an EPYC of Zen 4 (family 0x19, model 0x11)",
		measured: []cost{
			{"x1_shani", 129}, {"x2_shani", 131}, {"x4_shani", 222},
			{"x16_avx512", 1021}, {"x32_avx512", 1848},
			{"x8_avx2", 957}, {"x4_avx", 949}, {"x4_ssse3", 979},
			{"node_x1_shani", 187}, {"node_x2_shani", 246}, {"node_x4_shani", 388},
			{"node_x16_avx512", 1850}, {"node_x32_avx512", 3245}, {"node_x8_avx2", 1650},
		},
		from: "package pow there, 6.2 and 4.7 times crypto/sha256 with the first two search kernels, that at Zen 5's 292 cycles; " +
			"search_*_avx2, _avx and _ssse3 at 7/8 of the streams' costs; x1_avx2, x1_avx, x1_ssse3 at a guess",
		estimated: []cost{
			{"search_x32_avx512", 1507}, {"search_x4_shani", 249}, {"search_x8_avx2", 840},
			{"search_x4_avx", 830}, {"search_x4_ssse3", 860},
			{"x1_avx2", 450}, {"x1_avx", 560}, {"x1_ssse3", 580},
		},
	},
	{
		microarch: cpu.Zen1,
		from:      "what is published for Zen 1 to 3; nodes two blocks with SHA, 1.63 with vectors; nonces 7/8 of a block",
		estimated: []cost{
			{"x1_shani", 130}, {"x2_shani", 165}, {"x4_shani", 300},
			{"x8_avx2", 1300}, {"x4_avx", 1250}, {"x4_ssse3", 1350},
			{"x1_avx2", 480}, {"x1_avx", 580}, {"x1_ssse3", 600},
			{"node_x1_shani", 255}, {"node_x2_shani", 325}, {"node_x4_shani", 590}, {"node_x8_avx2", 2120},
			{"search_x4_shani", 265}, {"search_x8_avx2", 1140}, {"search_x4_avx", 1095}, {"search_x4_ssse3", 1180},
		},
	},
	{
		microarch: cpu.IceLake,
		on:        "a Xeon of Ice Lake (family 0x6, model 0x6a)",
		measured: []cost{
			{"x1_avx512shani", 142}, {"x2_avx512shani", 205},
			{"x1_shani", 166}, {"x2_shani", 332}, {"x4_shani", 909},
			{"x16_avx512", 941}, {"x32_avx512", 1760},
			{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x2_avx512shani", 400},
			{"node_x1_shani", 290}, {"node_x2_shani", 486}, {"node_x4_shani", 1262},
			{"node_x16_avx512", 1590}, {"node_x32_avx512", 3070}, {"node_x8_avx2", 1958},
			{"search_x32_avx512", 1504}, {"search_x4_shani", 896}, {"search_x8_avx2", 992},
			{"search_x4_avx", 972}, {"search_x4_ssse3", 1048},
		},
	},
	{
		microarch: cpu.IntelAVX512SHA,
		from: "what is published for Sapphire Rapids, two streams interleaved 1.95 times as fast as one; " +
			"vectors as measured on Ice Lake, which has as many ports for them; nodes and nonces as on Zen 1",
		estimated: []cost{
			{"x1_shani", 130}, {"x2_shani", 137}, {"x4_shani", 272},
			{"x16_avx512", 941}, {"x32_avx512", 1760},
			{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x1_shani", 255}, {"node_x2_shani", 275}, {"node_x4_shani", 560},
			{"node_x16_avx512", 1590}, {"node_x32_avx512", 3070}, {"node_x8_avx2", 1958},
			{"search_x32_avx512", 1504}, {"search_x4_shani", 240}, {"search_x8_avx2", 992},
			{"search_x4_avx", 972}, {"search_x4_ssse3", 1048},
		},
	},
	{
		microarch: cpu.IntelAVX512,
		from:      "what was measured on Ice Lake, more for 32 lanes: these CPUs' cores are smaller",
		estimated: []cost{
			{"x16_avx512", 941}, {"x32_avx512", 1900},
			{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x16_avx512", 1590}, {"node_x32_avx512", 3300}, {"node_x8_avx2", 1958},
			{"search_x32_avx512", 1600}, {"search_x8_avx2", 992}, {"search_x4_avx", 972}, {"search_x4_ssse3", 1048},
		},
	},
	{
		microarch: cpu.SHAOnly,
		from: "Alder Lake and later, most of these CPUs, whose large cores are Sapphire Rapids'; " +
			"fewer lanes preferred, for the others; nodes and nonces as on Zen 1",
		estimated: []cost{
			{"x1_shani", 150}, {"x2_shani", 220}, {"x4_shani", 460},
			{"x8_avx2", 1350}, {"x4_avx", 1350}, {"x4_ssse3", 1450},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x1_shani", 290}, {"node_x2_shani", 430}, {"node_x4_shani", 900}, {"node_x8_avx2", 2200},
			{"search_x4_shani", 400}, {"search_x8_avx2", 1180}, {"search_x4_avx", 1180}, {"search_x4_ssse3", 1270},
		},
	},
	{
		microarch: cpu.AVX2Only,
		from:      "llvm-mca for Skylake, and what is published for Haswell; nodes 1.63 blocks, nonces 7/8",
		estimated: []cost{
			{"x8_avx2", 1400}, {"x4_avx", 1400}, {"x4_ssse3", 1500},
			{"x1_avx2", 440}, {"x1_avx", 540}, {"x1_ssse3", 560},
			{"node_x8_avx2", 2280},
			{"search_x8_avx2", 1225}, {"search_x4_avx", 1225}, {"search_x4_ssse3", 1310},
		},
	},
	{
		microarch: cpu.Older,
		from:      "the costs on CPUs with AVX2",
		estimated: []cost{
			{"x4_avx", 1400}, {"x4_ssse3", 1500},
			{"x1_avx", 560}, {"x1_ssse3", 580},
			{"search_x4_avx", 1225}, {"search_x4_ssse3", 1310},
		},
	},
	{
		microarch: cpu.ArmSHA2,
		from: "llvm-mca for Neoverse N1; published for two streams against one: 1.70 times the speed on Cortex-X1, 1.65 on A76, 1.08 on A55; " +
			"four gain a little more where instructions issue in order, and elsewhere save half of the calls",
		estimated: []cost{
			{"x1_sha2", 83}, {"x2_sha2", 115}, {"x4_sha2", 229}, {"x4_neon", 1480},
			{"node_x1_sha2", 107}, {"node_x2_sha2", 197}, {"node_x4_sha2", 367}, {"node_x4_neon", 2880},
			{"search_x4_sha2", 216},
		},
	},
	{
		microarch: cpu.ArmSHA2v80,
		from:      "llvm-mca for Cortex-A72, and for nonces Cortex-A53",
		estimated: []cost{
			{"x1_sha2", 132}, {"x2_sha2", 202}, {"x4_sha2", 400}, {"x4_neon", 1480},
			{"node_x1_sha2", 193}, {"node_x2_sha2", 339}, {"node_x4_sha2", 663}, {"node_x4_neon", 2880},
			{"search_x4_sha2", 500},
		},
	},
	{
		microarch: cpu.ArmNEON,
		from:      "llvm-mca for Cortex-A72",
		estimated: []cost{{"x4_neon", 1480}, {"node_x4_neon", 2880}},
	},
	{
		microarch: cpu.Unknown,
		from: "caution: two streams interleaved, and from ten lanes on AVX-512, by which Zen 4 would lose a seventh, " +
			"and Intel's CPUs gain much more",
		estimated: []cost{
			{"x1_shani", 150}, {"x2_shani", 290}, {"x4_shani", 620},
			{"x16_avx512", 1400}, {"x32_avx512", 3000},
			{"x8_avx2", 1600}, {"x4_avx", 1600}, {"x4_ssse3", 1700},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x1_shani", 270}, {"node_x2_shani", 470}, {"node_x4_shani", 980},
			{"node_x16_avx512", 2300}, {"node_x32_avx512", 4900}, {"node_x8_avx2", 2600},
			{"search_x32_avx512", 2600}, {"search_x4_shani", 550}, {"search_x8_avx2", 1400},
			{"search_x4_avx", 1400}, {"search_x4_ssse3", 1490},
		},
	},
}

// rowOf returns the row of a microarchitecture.
func rowOf(m cpu.Microarch) row {
	i := slices.IndexFunc(rows, func(r row) bool { return r.microarch == m })
	if i < 0 {
		return row{microarch: m}
	}
	return rows[i]
}

// genericCost is what plain Go takes for a block, or a nonce; a node is two.
const genericCost = 1100

// A Basis is what a cost rests on.
type Basis string

const (
	Measured  Basis = "measured"
	Estimated Basis = "estimated"
	// Derived costs are those of kernels that a row does not name, and of plain
	// Go: such kernels come last, but before plain Go.
	Derived Basis = "derived"
)

// cost returns the cost of a kernel.
func (r row) cost(k block.Spec) (cycles int, b Basis) {
	isNamed := func(c cost) bool { return c.kernel == k.Name }
	if i := slices.IndexFunc(r.measured, isNamed); i >= 0 {
		return r.measured[i].cycles, Measured
	}
	if i := slices.IndexFunc(r.estimated, isNamed); i >= 0 {
		return r.estimated[i].cycles, Estimated
	}
	plain := genericCost
	if strings.HasPrefix(k.Name, "node_") {
		plain *= 2
	}
	return k.Lanes * (plain - 1), Derived
}
