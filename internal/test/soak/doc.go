// Package soak is a test of endurance: every public function, from many
// goroutines, against crypto/sha256, while one kernel after the other is the only
// one in use, GOMAXPROCS changes, the garbage collector runs, a profiler sends
// signals, servers are closed and memory faults.
//
//	go test -v -timeout 0 ./internal/test/soak -for 30m
//
// With the other tests it takes a few seconds.
package soak
