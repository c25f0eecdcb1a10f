package plan

import "github.com/sha256-simd/sha256-simd/internal/cpu"

// rows are the costs by which kernels are chosen. sha256bench -row measures and prints
// a row, without estimates, for the CPU that it runs on.
var rows = []Row{
	{
		Microarch: cpu.Zen5,
		On:        "AMD EPYC (family 0x1a, model 0x2, stepping 1), linux/amd64, go1.26.8",
		overhead:  defaultOverhead,
		measured: []cost{
			{"x1_avx512shani", 144}, {"x1_shani", 130}, {"x1_avx2", 359}, {"x1_avx", 403}, {"x1_ssse3", 405},
			{"x2_avx512shani", 200}, {"x2_shani", 160}, {"x4_shani", 270},
			{"x4_avx", 999}, {"x4_ssse3", 1131}, {"x8_avx2", 1007}, {"x16_avx512", 566}, {"x32_avx512", 928},
			{"node_x32_avx512", 1745}, {"node_x16_avx512", 1190}, {"node_x8_avx2", 1962},
			{"node_x4_shani", 534}, {"node_x2_avx512shani", 314}, {"node_x2_shani", 271}, {"node_x1_shani", 172},
			{"search_x32_avx512", 788}, {"search_x4_shani", 235}, {"search_x8_avx2", 873},
			{"search_x4_avx", 891}, {"search_x4_ssse3", 1013},
		},
		from:      "llvm-mca for Zen 4",
		estimated: []cost{{"x8_avx512", 737}, {"node_x8_avx512", 1203}},
	},
	{
		Microarch: cpu.Zen4,
		On:        "AMD EPYC (family 0x19, model 0x11, stepping 1), linux/amd64, go1.26.8",
		overhead:  overhead{call: 21, callLane: 11, turnLane: 9, turnMax: 97, pointers: 23, rest: 307, padding: 219, generic: 1070},
		measured: []cost{
			{"x1_avx512shani", 133}, {"x1_shani", 129}, {"x1_avx2", 456}, {"x1_avx", 518},
			{"x1_ssse3", 521}, {"x2_avx512shani", 173}, {"x2_shani", 130}, {"x4_shani", 201},
			{"x4_avx", 949}, {"x4_ssse3", 980}, {"x8_avx2", 962}, {"x16_avx512", 974},
			{"x32_avx512", 1807},
			{"node_x32_avx512", 3123}, {"node_x16_avx512", 1718}, {"node_x8_avx2", 1631}, {"node_x4_shani", 352},
			{"node_x2_avx512shani", 294}, {"node_x2_shani", 248}, {"node_x1_shani", 190},
			{"search_x32_avx512", 1481}, {"search_x4_shani", 222}, {"search_x8_avx2", 820}, {"search_x4_avx", 809},
			{"search_x4_ssse3", 854},
		},
		from:      "llvm-mca",
		estimated: []cost{{"x8_avx512", 737}, {"node_x8_avx512", 1203}},
	},
	{
		Microarch: cpu.Zen3,
		On:        "AMD EPYC (family 0x19, model 0x1, stepping 1), linux/amd64, go1.26.8",
		overhead:  overhead{call: 93, callLane: 9, turnLane: 8, turnMax: 41, pointers: 48, rest: 44, padding: 227, generic: 1102},
		measured: []cost{
			{"x1_shani", 126}, {"x1_avx2", 458}, {"x1_avx", 575}, {"x1_ssse3", 531},
			{"x2_shani", 130}, {"x4_shani", 213}, {"x4_avx", 948}, {"x4_ssse3", 987},
			{"x8_avx2", 958},
			{"node_x8_avx2", 1650}, {"node_x4_shani", 360}, {"node_x2_shani", 250}, {"node_x1_shani", 183},
			{"search_x4_shani", 224}, {"search_x8_avx2", 819}, {"search_x4_avx", 817}, {"search_x4_ssse3", 992},
		},
	},
	{
		Microarch: cpu.Zen1,
		overhead:  defaultOverhead,
		from:      "published figures of Zen 1 to 3; Zen 3, measured later, takes a fifth less; nodes two blocks with SHA, 1.63 with vectors; nonces 7/8 of a block",
		estimated: []cost{
			{"x1_shani", 130}, {"x2_shani", 165}, {"x4_shani", 300},
			{"x8_avx2", 1300}, {"x4_avx", 1250}, {"x4_ssse3", 1350},
			{"x1_avx2", 480}, {"x1_avx", 580}, {"x1_ssse3", 600},
			{"node_x1_shani", 255}, {"node_x2_shani", 325}, {"node_x4_shani", 590}, {"node_x8_avx2", 2120},
			{"search_x4_shani", 265}, {"search_x8_avx2", 1140}, {"search_x4_avx", 1095}, {"search_x4_ssse3", 1180},
		},
	},
	{
		Microarch: cpu.IceLake,
		On:        "Intel Xeon (Ice Lake, family 0x6, model 0x6a), linux/amd64",
		overhead:  defaultOverhead,
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
		from: "the ratio to x16_avx512 and node_x16_avx512 on Granite Rapids, which has the same ports for vectors; " +
			"llvm-mca has 629 and 1,024",
		estimated: []cost{{"x8_avx512", 614}, {"node_x8_avx512", 1134}},
	},
	{
		Microarch: cpu.GoldenCove,
		On:        "Intel Xeon (Emerald Rapids, family 0x6, model 0xcf, stepping 2), linux/amd64, go1.26.8",
		// sha256bench measured 131 for x1_avx512shani. See IntelAVX512SHA for why it has 132,
		// and for why the overhead is not the one measured.
		overhead: defaultOverhead,
		lists:    &intelLists, listsAVX512: &intelListsAVX512,
		measured: []cost{
			{"x1_avx512shani", 132}, {"x1_shani", 131}, {"x1_avx2", 461}, {"x1_avx", 520},
			{"x1_ssse3", 525}, {"x2_avx512shani", 193}, {"x2_shani", 217}, {"x4_shani", 383},
			{"x4_avx", 1123}, {"x4_ssse3", 1150}, {"x8_avx2", 1133}, {"x8_avx512", 592},
			{"x16_avx512", 910}, {"x32_avx512", 1717},
			{"node_x32_avx512", 2880}, {"node_x16_avx512", 1493}, {"node_x8_avx512", 1068}, {"node_x8_avx2", 1925},
			{"node_x4_shani", 765}, {"node_x2_avx512shani", 382}, {"node_x2_shani", 382}, {"node_x1_shani", 212},
			{"search_x32_avx512", 1400}, {"search_x4_shani", 400}, {"search_x8_avx2", 980}, {"search_x4_avx", 964},
			{"search_x4_ssse3", 1000},
		},
	},
	{
		Microarch: cpu.IntelAVX512SHA,
		On:        "Intel Xeon (family 0x6, model 0xa7 by its hypervisor; AVX512_FP16 and caches of Granite Rapids), linux/amd64, go1.26.8",
		// With the overhead that sha256bench measured there, 11, 30 and 31 messages of 4 KiB
		// would not rotate, and take 2 to 5% longer. sha256bench measured 131 for
		// x1_avx512shani, too. This row has 132, because a message of 256 bytes takes 11%
		// longer with x1_avx512shani than with x1_shani.
		overhead: defaultOverhead,
		lists:    &intelLists, listsAVX512: &intelListsAVX512,
		measured: []cost{
			{"x1_avx512shani", 132}, {"x1_shani", 131}, {"x1_avx2", 463}, {"x1_avx", 511},
			{"x1_ssse3", 517}, {"x2_avx512shani", 193}, {"x2_shani", 217}, {"x4_shani", 384},
			{"x4_avx", 1124}, {"x4_ssse3", 1148}, {"x8_avx2", 1133}, {"x8_avx512", 593},
			{"x16_avx512", 909}, {"x32_avx512", 1850},
			{"node_x32_avx512", 3079}, {"node_x16_avx512", 1499}, {"node_x8_avx512", 1069}, {"node_x8_avx2", 1924},
			{"node_x4_shani", 765}, {"node_x2_avx512shani", 382}, {"node_x2_shani", 382}, {"node_x1_shani", 208},
			{"search_x32_avx512", 1404}, {"search_x4_shani", 400}, {"search_x8_avx2", 982}, {"search_x4_avx", 968},
			{"search_x4_ssse3", 1000},
		},
	},
	{
		Microarch: cpu.IntelAVX512,
		overhead:  defaultOverhead,
		from:      "Ice Lake's costs, more for 32 lanes: these CPUs' cores are smaller",
		estimated: []cost{
			{"x8_avx512", 614}, {"x16_avx512", 941}, {"x32_avx512", 1900},
			{"x8_avx2", 1155}, {"x4_avx", 1141}, {"x4_ssse3", 1191},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x8_avx512", 1134}, {"node_x16_avx512", 1590}, {"node_x32_avx512", 3300}, {"node_x8_avx2", 1958},
			{"search_x32_avx512", 1600}, {"search_x8_avx2", 992}, {"search_x4_avx", 972}, {"search_x4_ssse3", 1048},
		},
	},
	{
		Microarch: cpu.SHAOnly,
		overhead:  defaultOverhead,
		from: "Alder Lake and later, most of these CPUs, whose large cores are Sapphire Rapids' " +
			"(on Granite Rapids x1_shani took 131, x2_shani 217, x4_shani 384); " +
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
		Microarch: cpu.AVX2Only,
		overhead:  defaultOverhead,
		from:      "llvm-mca for Skylake, and what is published for Haswell; nodes 1.63 blocks, nonces 7/8",
		estimated: []cost{
			{"x8_avx2", 1400}, {"x4_avx", 1400}, {"x4_ssse3", 1500},
			{"x1_avx2", 440}, {"x1_avx", 540}, {"x1_ssse3", 560},
			{"node_x8_avx2", 2280},
			{"search_x8_avx2", 1225}, {"search_x4_avx", 1225}, {"search_x4_ssse3", 1310},
		},
	},
	{
		Microarch: cpu.Older,
		overhead:  defaultOverhead,
		from:      "the costs on CPUs with AVX2",
		estimated: []cost{
			{"x4_avx", 1400}, {"x4_ssse3", 1500},
			{"x1_avx", 560}, {"x1_ssse3", 580},
			{"search_x4_avx", 1225}, {"search_x4_ssse3", 1310},
		},
	},
	{
		Microarch: cpu.ArmSHA2,
		overhead:  defaultOverhead,
		from: "llvm-mca for Neoverse N1; published for two streams against one: 1.70 times the speed on Cortex-X1, 1.65 on A76, 1.08 on A55; " +
			"four gain a little more where instructions issue in order, and elsewhere save half of the calls",
		estimated: []cost{
			{"x1_sha2", 83}, {"x2_sha2", 115}, {"x4_sha2", 229}, {"x4_neon", 1480},
			{"node_x1_sha2", 107}, {"node_x2_sha2", 197}, {"node_x4_sha2", 367}, {"node_x4_neon", 2880},
			{"search_x4_sha2", 216},
		},
	},
	{
		Microarch: cpu.ArmSHA2v80,
		overhead:  defaultOverhead,
		from:      "llvm-mca for Cortex-A72, and for nonces Cortex-A53",
		estimated: []cost{
			{"x1_sha2", 132}, {"x2_sha2", 202}, {"x4_sha2", 400}, {"x4_neon", 1480},
			{"node_x1_sha2", 193}, {"node_x2_sha2", 339}, {"node_x4_sha2", 663}, {"node_x4_neon", 2880},
			{"search_x4_sha2", 500},
		},
	},
	{
		Microarch: cpu.ArmNEON,
		overhead:  defaultOverhead,
		from:      "llvm-mca for Cortex-A72",
		estimated: []cost{{"x4_neon", 1480}, {"node_x4_neon", 2880}},
	},
	{
		Microarch: cpu.Unknown,
		overhead:  defaultOverhead,
		from: "chosen cautiously: two streams interleaved, and from ten lanes on AVX-512; with these costs Zen 4 would " +
			"be a seventh slower, and Intel's CPUs gain much more",
		estimated: []cost{
			{"x1_shani", 150}, {"x2_shani", 290}, {"x4_shani", 620},
			{"x8_avx512", 1200}, {"x16_avx512", 1400}, {"x32_avx512", 3000},
			{"x8_avx2", 1600}, {"x4_avx", 1600}, {"x4_ssse3", 1700},
			{"x1_avx2", 518}, {"x1_avx", 600}, {"x1_ssse3", 604},
			{"node_x1_shani", 270}, {"node_x2_shani", 470}, {"node_x4_shani", 980},
			{"node_x8_avx512", 2000}, {"node_x16_avx512", 2300}, {"node_x32_avx512", 4900}, {"node_x8_avx2", 2600},
			{"search_x32_avx512", 2600}, {"search_x4_shani", 550}, {"search_x8_avx2", 1400},
			{"search_x4_avx", 1400}, {"search_x4_ssse3", 1490},
		},
	},
}

// defaultOverhead was measured on Zen 5. Without its blocks, a call took 58 ns with
// x32_avx512, 32 ns with x16_avx512 and 8 ns with x4_shani. Another turn took 15 ns
// with x32_avx512 and x16_avx512, and 1 or 2 ns with x4_shani. On other CPUs it is an
// estimate.
var defaultOverhead = overhead{call: 30, callLane: 6, turnLane: 4, turnMax: 60, pointers: 6, rest: 250, padding: 150, generic: 1100}

// intelLists are the costs of lists on Intel's cores since Sapphire Rapids. They were measured on
// Emerald Rapids: of random lists of 2 to 32 messages, and of random writes to 2 to 360 hashes, in
// cache. With defaultLists, 12% of the lists whose digests are nested, and 17% of the lists of
// writes, ran one by one though they would gain 5% or more. With the costs of that time, fewer than
// 1% of the lists of messages and 4% of those of writes would. Of 120 lists of writes to 1,100 to
// 60,000 hashes, 22 would gain 5% with defaultLists, and 5 with the costs of that time. There,
// ClassedWrites cost what they cost in cache.
//
// Later, writes and ends took less time with AVX-512. These costs were measured again, on Granite
// Rapids: in listsAVX512, longEqual, longBehind, oneBlock and nestings of Messages; in both, those
// of writes but for classJobs, oneClass and far. Of 62,000 random lists of 2 to 21 messages, plain,
// behind a prefix or nested, 0.2% take 3% longer than one by one, and 1.8% run one by one though
// they would gain 5%. Of 56,000 lists of writes to 2 to 143 hashes, 0.2% take 3% longer, and 1.1%
// miss that gain; of 39,000 without AVX-512, 0.5% and 5%.
var intelLists = kindCosts{
	Messages: {
		list: 450, message: 10, longList: 150, longMessage: 100, longEqual: 110, oneBlock: 10,
		nestings: [...]nestingCost{Nested: {each: -80, list: 190}, NestedEach: {each: -65, list: 190}},
	},
	Jobs:          jobCosts,
	EqualWrites:   {list: 450, message: 50, far: 25},
	ClassedWrites: {list: 850, message: 65, classJobs: 4, oneClass: 22},
	MixedWrites:   {list: 350, message: 135, far: 200},
}

// intelListsAVX512 are the same where AVX-512 is enabled.
var intelListsAVX512 = kindCosts{
	Messages: {
		list: 360, message: 2, longList: 130, longMessage: 100, longEqual: 50, longBehind: 25, oneBlock: 12,
		nestings: [...]nestingCost{Nested: {each: -58, list: 190}, NestedEach: {each: -66, list: 270}},
	},
	Jobs:          jobCosts,
	EqualWrites:   {list: 500, message: 55, far: 25, fresh: 20},
	ClassedWrites: {list: 900, message: 90, classJobs: 4, oneClass: 14},
	MixedWrites:   {list: 500, message: 128, far: 200},
}
