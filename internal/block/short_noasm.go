//go:build purego || !(amd64 || arm64)

package block

func padShort(shortRoutine, *Slot, uintptr, *[]byte, *uint16, int, *Front) {
	panic("sha256: no routine pads short messages")
}

func putDigests(shortRoutine, *byte, int, int, *uint16, int, *Slot, uintptr, *State) {
	panic("sha256: no routine stores digests")
}

func write(*State, *[Size]byte, int, *byte, int) { panic("sha256: no routine writes pieces") }

func appendPiece(*[Size]byte, int, *byte, int) { panic("sha256: no routine appends pieces") }

func finish(*[DigestSize]byte, *State, *byte, int, *byte, int, int) {
	panic("sha256: no routine finishes messages")
}
