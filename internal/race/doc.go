// Package race reports to the race detector what assembly reads and writes, which it cannot
// see by itself. Without the detector its functions do nothing.
package race
