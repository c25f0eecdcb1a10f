package main

// A roundOrder says in which order the instructions of rounds are emitted. Instruction i of
// round t of group g has the key 32·t + keys[i] + skew·g, where i counts them as group.round
// and group.schedule have them, in this form: a line of keys for each sum, as the comments
// beside them say. Of the instructions that wait for nothing, the one with the smallest key
// comes first.
type roundOrder struct {
	form roundForm
	skew float64
	keys []float64
}

// roundOrders are the orders of a kernel's rounds. nil is as they are described, the groups
// in turn.
type roundOrders struct {
	scheduled *roundOrder // with a step of the schedule
	plain     *roundOrder // without
	beside    *roundOrder // without, beside the loading of a block
	constant  *roundOrder // of constant K+W
}

// The orders were found by search on Zen 5 (family 0x1a, model 2) on 2026-11-22: it times
// loops of rounds in one order after the other. docs/experiments.md has what they gain.
var (
	lanes16 = roundOrders{scheduled: scheduled16, plain: plain16, beside: plain16, constant: plain16.constant()}
	lanes32 = roundOrders{scheduled: scheduled32, plain: plain32, beside: beside32, constant: constant32}

	scheduled16 = &roundOrder{form: splitAdd, keys: []float64{
		-73, 87.5, // W, K
		-155.6,                 // d + h
		16.7, 134.4, 57.8, 5.2, // Ch, to h and to d
		40.3, -61.8, -84.1, -22.9, 87.6, 87.5, // Σ1, to h and to d
		113.3, -28.9, -39.6, // Maj
		116.6, 37.9, 115.3, -13.6, 61.7, // Σ0
		15.3,                          // W[t-7]
		-7.5, 8.8, 73.6, 159.5, -20.8, // σ0
		70.1, 69.2, 21.8, 191.5, 48.7, // σ1
	}}
	plain16 = &roundOrder{form: difference, keys: []float64{
		-201.3, -120.1, // W, K
		13.3,              // h + d
		26, -183.1, -82.9, // Ch
		-1.3, -28.7, -38.4, 18.8, 33.4, // Σ1
		98.2,               // T1
		86.6, -38.6, -18.6, // Maj
		92.8, -19.2, -25.2, -86.7, 85, // Σ0
	}}
	scheduled32 = &roundOrder{form: fewest, skew: 8.9, keys: []float64{
		5, -44.7, // W, K
		15.8, -61.7, -40.4, // Ch
		17.5, 12.1, -7.9, 6.5, 28, // Σ1
		-13.8,            // d + T1
		39.2, 34.3, 37.1, // Maj
		12.5, -64.2, 36.1, -9.6, 57.9, // Σ0
		24.8, -50.4, // W[t-16] + W[t-7]
		11.5, -41.4, 6.6, -73.6, 28.5, 53.5, // W[t-15], σ0
		46.9, -27.4, 22, 35.3, 38.7, 63.5, // W[t-2], σ1
		44.7, // W[t]
	}}
	plain32 = &roundOrder{form: difference, skew: 23.8, keys: []float64{
		-97.5, -22.3, // W, K
		-67.6,                // h + d
		-17.2, -208.5, -29.7, // Ch
		-10.7, -183.1, -61.9, -67.6, -124, // Σ1
		36.7,                // T1
		34.5, -69.7, -100.3, // Maj
		37.6, -8.4, 33.8, -151.5, -62.3, // Σ0
	}}
	beside32 = &roundOrder{form: difference, skew: 17.6, keys: []float64{
		-58.4, 45.3, // W, K
		7.4,                // h + d
		-147.1, 50.2, 30.8, // Ch
		-33.1, -22.1, -114.9, 50.8, -75.1, // Σ1
		112.6,               // T1
		-26.5, 105.9, -43.1, // Maj
		46.9, -11.5, -20, -55.1, 11.2, // Σ0
	}}
	constant32 = &roundOrder{form: difference, skew: 11.1, keys: []float64{
		-125.7,             // K+W
		-8.5,               // h + d
		-93.8, -235.2, 3.3, // Ch
		-83.5, -93.4, -184.1, -14.9, 19.7, // Σ1
		57.4,                // T1
		53.8, -106.1, -64.9, // Maj
		50.8, 12.5, 46.2, -32.3, 41.8, // Σ0
	}}
)

// constant returns the order for rounds of constant K+W, which add one word less.
func (o *roundOrder) constant() *roundOrder {
	return &roundOrder{form: o.form, skew: o.skew, keys: o.keys[1:]}
}
