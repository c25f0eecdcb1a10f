package lanes

// A cost is the time that a kernel takes for one block in each of its lanes,
// in cycles, its lanes full. Only the ratios between the costs of a class
// matter.
type cost struct {
	kernel string
	cycles int
}

// classCosts are the costs of the kernels that are used on a class.
type classCosts struct {
	class class
	costs []cost
}

// costs is what the choice between kernels rests on. Where it says measured,
// cmd/sha256bench measured it; elsewhere it follows published figures or
// llvm-mca, and leans towards fewer lanes. A class lists every kernel that its
// CPUs may have, those that lose at any lane count too: others may be disabled.
var costs = []classCosts{
	// Measured on an EPYC of family 0x1a, model 2.
	{zen5, []cost{
		{"x1_shani", 130}, {"x2_shani", 160}, {"x4_shani", 273},
		{"x16_avx512", 562}, {"x32_avx512", 925},
		{"x8_avx2", 1007}, {"x4_avx", 1001}, {"x4_ssse3", 1131},
		{"x1_avx2", 360}, {"x1_avx", 395}, {"x1_ssse3", 395},
	}},
	// Published: x4_shani 1.19 bytes per cycle, 16 lanes of AVX-512 0.98.
	{zen4, []cost{
		{"x1_shani", 130}, {"x2_shani", 150}, {"x4_shani", 215},
		{"x16_avx512", 1045}, {"x32_avx512", 2150},
		{"x8_avx2", 1150}, {"x4_avx", 1150}, {"x4_ssse3", 1250},
		{"x1_avx2", 450}, {"x1_avx", 560}, {"x1_ssse3", 580},
	}},
	{zen1, []cost{
		{"x1_shani", 130}, {"x2_shani", 165}, {"x4_shani", 300},
		{"x8_avx2", 1300}, {"x4_avx", 1250}, {"x4_ssse3", 1350},
		{"x1_avx2", 480}, {"x1_avx", 580}, {"x1_ssse3", 600},
	}},
	// Measured on a Xeon of Ice Lake, family 6, model 0x6a.
	{iceLake, []cost{
		{"x1_avx512shani", 142}, {"x2_avx512shani", 205},
		{"x1_shani", 166}, {"x2_shani", 332}, {"x4_shani", 909},
		{"x16_avx512", 941}, {"x32_avx512", 1760},
		{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
	}},
	// Published for Sapphire Rapids: two streams interleaved 1.95 times as fast as
	// one. AVX-512 as measured on Ice Lake, which has as many ports for it.
	{intelAVX512SHA, []cost{
		{"x1_shani", 130}, {"x2_shani", 137}, {"x4_shani", 272},
		{"x16_avx512", 941}, {"x32_avx512", 1760},
		{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
	}},
	// Measured on Ice Lake, but for 32 lanes: these CPUs' cores are smaller.
	{intelAVX512, []cost{
		{"x16_avx512", 941}, {"x32_avx512", 1900},
		{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
	}},
	// Most of them are of Alder Lake and later, whose large cores are those of
	// Sapphire Rapids.
	{shaOnly, []cost{
		{"x1_shani", 150}, {"x2_shani", 220}, {"x4_shani", 460},
		{"x8_avx2", 1350}, {"x4_avx", 1350}, {"x4_ssse3", 1450},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
	}},
	{avx2Only, []cost{
		{"x8_avx2", 1400}, {"x4_avx", 1400}, {"x4_ssse3", 1500},
		{"x1_avx2", 440}, {"x1_avx", 540}, {"x1_ssse3", 560},
	}},
	{older, []cost{
		{"x4_avx", 1400}, {"x4_ssse3", 1500},
		{"x1_avx", 560}, {"x1_ssse3", 580},
	}},
	// llvm-mca for Neoverse N1. Published for two streams against one: 1.70 times
	// the speed on Cortex-X1, 1.65 on A76, 1.08 on A55. Four gain a little more
	// where instructions issue in order, and elsewhere save half of the calls.
	{armSHA2, []cost{
		{"x1_sha2", 83}, {"x2_sha2", 115}, {"x4_sha2", 229}, {"x4_neon", 1480},
	}},
	// llvm-mca for Cortex-A72.
	{armSHA2v80, []cost{
		{"x1_sha2", 132}, {"x2_sha2", 202}, {"x4_sha2", 400}, {"x4_neon", 1480},
	}},
	{armNEON, []cost{{"x4_neon", 1480}}},
	// An unknown CPU: two streams interleaved, and from ten lanes on AVX-512, by
	// which Zen 4 would lose a fifth, and Intel's CPUs gain much more.
	{unknown, []cost{
		{"x1_shani", 150}, {"x2_shani", 290}, {"x4_shani", 620},
		{"x16_avx512", 1400}, {"x32_avx512", 3000},
		{"x8_avx2", 1600}, {"x4_avx", 1600}, {"x4_ssse3", 1700},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
	}},
}

// genericCost stands for one-stream code in plain Go.
const genericCost = 1100

// costOf returns the cost of a kernel on a class by a table, and whether it is
// used there.
func costOf(table []classCosts, c class, kernel string) (cycles int, ok bool) {
	for _, row := range table {
		if row.class == c {
			for _, k := range row.costs {
				if k.kernel == kernel {
					return k.cycles, true
				}
			}
		}
	}
	return 0, false
}
