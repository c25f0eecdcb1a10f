//go:build !purego

package block

import "unsafe"

func padShort(_ shortRoutine, slots *Slot, stride uintptr, msgs *[]byte, numbers *uint16, n int, f *Front) {
	padShort_neon(&slots.Scratch[0], int(stride), msgs, numbers, n, &f.H, &f.Rest, f.Before, unsafe.SliceData(f.Heads), f.HeadSize, int(f.Len))
}

func putDigests(_ shortRoutine, dst *byte, size, rowStride int, numbers *uint16, n int, slots *Slot, stride uintptr, next *State) {
	putDigests_neon(dst, size, rowStride, numbers, n, &slots.Scratch[0], int(stride), next)
}

func write(*State, *[Size]byte, int, *byte, int) { panic("sha256: no routine writes pieces") }

func appendPiece(*[Size]byte, int, *byte, int) { panic("sha256: no routine appends pieces") }

func finish(*[DigestSize]byte, *State, *byte, int, *byte, int, int) {
	panic("sha256: no routine finishes messages")
}
