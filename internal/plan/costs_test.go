package plan

import "github.com/sha256-simd/sha256-simd/internal/cpu"

// Rows of the tests that specify plans in full. They are like those of CPUs, but
// what ships is in rows.go and may change with every measurement.
var (
	zen5 = Row{Microarch: cpu.Zen5, overhead: defaultOverhead, measured: []cost{
		{"x1_shani", 130}, {"x2_shani", 160}, {"x4_shani", 273}, {"x16_avx512", 562}, {"x32_avx512", 925},
		{"x8_avx2", 1007}, {"x4_avx", 1001}, {"x4_ssse3", 1131}, {"x1_avx2", 360}, {"x1_avx", 395},
		{"x1_ssse3", 395},
		{"node_x1_shani", 174}, {"node_x2_shani", 299}, {"node_x4_shani", 527}, {"node_x16_avx512", 1200}, {"node_x32_avx512", 1740},
		{"node_x8_avx2", 1980},
		{"search_x32_avx512", 803}, {"search_x4_shani", 247}, {"search_x8_avx2", 888}, {"search_x4_avx", 908}, {"search_x4_ssse3", 1032},
	}}
	zen4 = Row{Microarch: cpu.Zen4, overhead: defaultOverhead, measured: []cost{
		{"x1_shani", 130}, {"x2_shani", 150}, {"x4_shani", 215}, {"x16_avx512", 1045}, {"x32_avx512", 2150},
		{"x8_avx2", 1150}, {"x4_avx", 1150}, {"x4_ssse3", 1250}, {"x1_avx2", 450}, {"x1_avx", 560},
		{"x1_ssse3", 580},
		{"node_x1_shani", 255}, {"node_x2_shani", 300}, {"node_x4_shani", 425}, {"node_x16_avx512", 1710}, {"node_x32_avx512", 3500},
		{"node_x8_avx2", 1880},
	}}
	zen3 = Row{Microarch: cpu.Zen3, overhead: defaultOverhead, measured: []cost{
		{"x1_shani", 129}, {"x2_shani", 130}, {"x4_shani", 226}, {"x8_avx2", 957}, {"x4_avx", 947},
		{"x4_ssse3", 987}, {"x1_avx2", 457}, {"x1_avx", 562}, {"x1_ssse3", 531},
		{"node_x1_shani", 199}, {"node_x2_shani", 254}, {"node_x4_shani", 370}, {"node_x8_avx2", 1652},
		{"search_x4_shani", 224}, {"search_x8_avx2", 828}, {"search_x4_avx", 818}, {"search_x4_ssse3", 990},
	}}
	zen1 = Row{Microarch: cpu.Zen1, overhead: defaultOverhead, measured: []cost{
		{"x1_shani", 130}, {"x2_shani", 165}, {"x4_shani", 300}, {"x8_avx2", 1300}, {"x4_avx", 1250},
		{"x4_ssse3", 1350}, {"x1_avx2", 480}, {"x1_avx", 580}, {"x1_ssse3", 600},
		{"node_x1_shani", 255}, {"node_x2_shani", 325}, {"node_x4_shani", 590}, {"node_x8_avx2", 2120},
	}}
	iceLake = Row{Microarch: cpu.IceLake, overhead: defaultOverhead, measured: []cost{
		{"x1_avx512shani", 142}, {"x2_avx512shani", 205}, {"x1_shani", 166}, {"x2_shani", 332}, {"x4_shani", 909}, {"x8_avx512", 614},
		{"x16_avx512", 941}, {"x32_avx512", 1760}, {"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
		{"node_x2_avx512shani", 400}, {"node_x8_avx512", 1134}, {"node_x1_shani", 290}, {"node_x2_shani", 486}, {"node_x4_shani", 1262}, {"node_x16_avx512", 1590},
		{"node_x32_avx512", 3070}, {"node_x8_avx2", 1958},
		{"search_x32_avx512", 1504}, {"search_x4_shani", 896}, {"search_x8_avx2", 992}, {"search_x4_avx", 972}, {"search_x4_ssse3", 1048},
	}}
	intelAVX512SHA = Row{Microarch: cpu.IntelAVX512SHA, overhead: defaultOverhead, measured: []cost{
		{"x1_avx512shani", 131}, {"x2_avx512shani", 193}, {"x1_shani", 130}, {"x2_shani", 217}, {"x4_shani", 384}, {"x8_avx512", 593},
		{"x16_avx512", 909}, {"x32_avx512", 1850}, {"x8_avx2", 1133}, {"x4_avx", 1124}, {"x4_ssse3", 1148}, {"x1_avx2", 463},
		{"x1_avx", 511}, {"x1_ssse3", 517},
		{"node_x1_shani", 208}, {"node_x2_shani", 382}, {"node_x4_shani", 765}, {"node_x8_avx512", 1069}, {"node_x16_avx512", 1499},
		{"node_x32_avx512", 3079}, {"node_x8_avx2", 1924},
	}}
	intelAVX512 = Row{Microarch: cpu.IntelAVX512, overhead: defaultOverhead, measured: []cost{
		{"x8_avx512", 614}, {"x16_avx512", 941}, {"x32_avx512", 1900}, {"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
		{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
		{"node_x8_avx512", 1134}, {"node_x16_avx512", 1590}, {"node_x32_avx512", 3300}, {"node_x8_avx2", 1958},
	}}
	shaOnly = Row{Microarch: cpu.SHAOnly, overhead: defaultOverhead, measured: []cost{
		{"x1_shani", 150}, {"x2_shani", 220}, {"x4_shani", 460}, {"x8_avx2", 1350}, {"x4_avx", 1350},
		{"x4_ssse3", 1450}, {"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
		{"node_x1_shani", 290}, {"node_x2_shani", 430}, {"node_x4_shani", 900}, {"node_x8_avx2", 2200},
	}}
	avx2Only = Row{Microarch: cpu.AVX2Only, overhead: defaultOverhead, measured: []cost{
		{"x8_avx2", 1400}, {"x4_avx", 1400}, {"x4_ssse3", 1500}, {"x1_avx2", 440}, {"x1_avx", 540},
		{"x1_ssse3", 560},
		{"node_x8_avx2", 2280},
	}}
	older = Row{Microarch: cpu.Older, overhead: defaultOverhead, measured: []cost{
		{"x4_avx", 1400}, {"x4_ssse3", 1500}, {"x1_avx", 560}, {"x1_ssse3", 580},
	}}
	armSHA2 = Row{Microarch: cpu.ArmSHA2, overhead: defaultOverhead, measured: []cost{
		{"x1_sha2", 83}, {"x2_sha2", 115}, {"x4_sha2", 229}, {"x4_neon", 1480},
		{"node_x1_sha2", 107}, {"node_x2_sha2", 197}, {"node_x4_sha2", 367}, {"node_x4_neon", 2880},
	}}
	armSHA2v80 = Row{Microarch: cpu.ArmSHA2v80, overhead: defaultOverhead, measured: []cost{
		{"x1_sha2", 132}, {"x2_sha2", 202}, {"x4_sha2", 400}, {"x4_neon", 1480},
		{"node_x1_sha2", 193}, {"node_x2_sha2", 339}, {"node_x4_sha2", 663}, {"node_x4_neon", 2880},
	}}
	armNEON = Row{Microarch: cpu.ArmNEON, overhead: defaultOverhead, measured: []cost{
		{"x4_neon", 1480},
		{"node_x4_neon", 2880},
	}}
	anyCPU = Row{Microarch: cpu.Unknown, overhead: defaultOverhead, measured: []cost{
		{"x1_shani", 150}, {"x2_shani", 290}, {"x4_shani", 620}, {"x16_avx512", 1400}, {"x32_avx512", 3000},
		{"x8_avx2", 1600}, {"x4_avx", 1600}, {"x4_ssse3", 1700}, {"x1_avx2", 518}, {"x1_avx", 600},
		{"x1_ssse3", 604},
		{"node_x1_shani", 270}, {"node_x2_shani", 470}, {"node_x4_shani", 980}, {"node_x16_avx512", 2300}, {"node_x32_avx512", 4900},
		{"node_x8_avx2", 2600},
	}}
)
