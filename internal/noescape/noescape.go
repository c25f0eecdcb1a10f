// Package noescape hides pointers from escape analysis, which takes a function that it cannot
// see into to keep what it is given: a kernel, a method of an interface, a function variable.
// What would be on the heap for that reason alone stays on the stack.
package noescape

import "unsafe"

// Pointer returns p. The caller passes the result only to what keeps no copy of it.
//
//go:nosplit
func Pointer(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
