//go:build !linux

package file

// MadeUp reports false: no file of these systems has contents that are made up when they
// are read, as far as is known.
func (File) MadeUp() bool { return false }
