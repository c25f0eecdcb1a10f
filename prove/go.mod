module github.com/sha256-simd/sha256-simd/prove

go 1.25.0

require github.com/sha256-simd/sha256-simd v0.0.0-00010101000000-000000000000

require golang.org/x/sys v0.46.0 // indirect

replace github.com/sha256-simd/sha256-simd => ../
