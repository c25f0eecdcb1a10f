//go:build race

package race

import (
	"runtime"
	"unsafe"
)

// Enabled says whether the race detector is part of this build.
const Enabled = true

// Read reports that assembly is about to read p.
func Read(p []byte) {
	if len(p) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(p)), len(p))
	}
}

// Write reports that assembly is about to write p.
func Write(p []byte) {
	if len(p) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(p)), len(p))
	}
}
