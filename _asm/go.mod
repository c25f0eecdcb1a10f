module github.com/sha256-simd/sha256-simd/_asm

go 1.25.0

require (
	github.com/mmcloughlin/avo v0.6.0
	github.com/sha256-simd/sha256-simd v0.0.0-00010101000000-000000000000
)

require (
	golang.org/x/mod v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
	golang.org/x/tools v0.44.0 // indirect
)

replace github.com/sha256-simd/sha256-simd => ../
