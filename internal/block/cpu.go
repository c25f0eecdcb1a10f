package block

import "slices"

// IceLake reports whether an Intel CPU of this family and model is an Ice Lake,
// Tiger Lake or Rocket Lake. Their cores need more than five cycles for
// SHA256MSG1 and for SHA256MSG2, which hold up the rounds; those of Sapphire
// Rapids and Alder Lake do not.
func IceLake(family, model int) bool {
	return family == 6 && slices.Contains([]int{
		0x6a, 0x6c, 0x7d, 0x7e, 0x9d, // Ice Lake
		0x8c, 0x8d, // Tiger Lake
		0xa7, // Rocket Lake
	}, model)
}
