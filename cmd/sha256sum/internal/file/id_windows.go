package file

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/windows"
)

// An ID is what two names of one file have in common. Only an open file or directory
// shows it; all others have the same.
type ID struct {
	volume uint32
	index  uint64
}

// AppendTo appends the ID to b.
func (id ID) AppendTo(b []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, id.volume), id.index)
}

// Device is the volume that the file is on.
func (id ID) Device() uint64 { return uint64(id.volume) }

// idOf returns the ID of a regular file or a directory. Some file systems give none.
func idOf(f *os.File) ID {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return ID{}
	}
	index := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	if index == 0 {
		return ID{}
	}
	return ID{info.VolumeSerialNumber, index}
}
