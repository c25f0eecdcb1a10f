//go:build race

package block

import (
	"runtime"
	"unsafe"
)

// RaceRead tells the race detector that assembly is about to read p.
func RaceRead(p []byte) {
	if len(p) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(p)), len(p))
	}
}

// RaceWrite tells the race detector that assembly is about to write p.
func RaceWrite(p []byte) {
	if len(p) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(p)), len(p))
	}
}
