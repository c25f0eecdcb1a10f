module github.com/sha256-simd/sha256-simd/cmd

go 1.25.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/klauspost/asmfmt v1.3.2
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/rogpeppe/go-internal v1.14.1
	github.com/sha256-simd/sha256-simd v0.0.0-00010101000000-000000000000
	golang.org/x/crypto v0.51.0
	golang.org/x/sys v0.46.0
	golang.org/x/term v0.44.0
	golang.org/x/text v0.37.0
)

require golang.org/x/tools v0.44.0 // indirect

replace github.com/sha256-simd/sha256-simd => ../
