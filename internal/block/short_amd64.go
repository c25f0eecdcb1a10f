//go:build !purego

package block

import "unsafe"

func padShort(in shortRoutine, slots *Slot, stride uintptr, msgs *[]byte, numbers *uint16, n int, f *Front) {
	if in == inAVX512 {
		padShort_avx512(&slots.Scratch[0], int(stride), msgs, numbers, n, &f.H, &f.Rest, f.Before, unsafe.SliceData(f.Heads), f.HeadSize, int(f.Len))
	} else {
		padShort_ssse3(&slots.Scratch[0], int(stride), msgs, numbers, n, &f.H, &f.Rest, f.Before, unsafe.SliceData(f.Heads), f.HeadSize, int(f.Len))
	}
}

func putDigests(in shortRoutine, dst *byte, size, rowStride int, numbers *uint16, n int, slots *Slot, stride uintptr, next *State) {
	if in == inAVX512 {
		putDigests_avx512(dst, size, rowStride, numbers, n, &slots.Scratch[0], int(stride), next)
	} else {
		putDigests_ssse3(dst, size, rowStride, numbers, n, &slots.Scratch[0], int(stride), next)
	}
}

func write(h *State, held *[Size]byte, n int, p *byte, length int) {
	write_avx512shani(h, held, n, p, length)
}

func finish(sum *[DigestSize]byte, h *State, first *byte, before int, p *byte, n, length int) {
	finish_avx512shani(sum, h, first, before, p, n, length)
}

func appendPiece(held *[Size]byte, n int, p *byte, length int) { append_avx512(held, n, p, length) }
