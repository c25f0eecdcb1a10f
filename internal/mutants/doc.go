// Mutants breaks this repository on purpose, in one place at a time, and demands
// that a test notices.
//
//	go run ./internal/mutants [flags] [pattern ...]
//
// A mutant is an entry of one of the tables, the .txt files beside this one:
//
//	== what it does
//	file: many.go
//	packages: . ./hashtree
//	test: TestSumMany/x4_avx
//	--- text
//		exactly what is there, in whole or in part, once in the file
//	+++ replacement
//		what replaces it
//	.
//
// Lines before "--- text" say where it is and what notices it:
//
//	module:     the folder of the module, the root if there is none. Modules
//	            outside of the workspace run without it.
//	file:       in the module.
//	packages:   that have the test, separated by spaces.
//	test:       that has to fail, with its subtests as "go test -v" prints it.
//	flags:      for go test, such as -race; -timeout is 60s if it is not there.
//	env:        for go test, such as SHA256SIMD_DISABLE=avx512.
//	cpu:        an architecture and, for an emulator, a model: "arm64 max".
//	equivalent: instead of test: why no test can notice it.
//
// Patterns select the mutants whose names match one of these regular expressions.
// The tree stays as it is: mutants live in copies of it. What a mutant's test
// says without it is looked at first: it has to pass, or, where this machine lacks
// a kernel, to be skipped, and then the mutant is skipped as well. A text that is
// not in its file exactly once is an error, and so is a mutant that does not build,
// or whose test does not begin.
//
// The exit status is 1 if mutants survived or there were errors.
package main
