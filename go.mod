module github.com/sha256-simd/sha256-simd

go 1.25.0

require golang.org/x/sys v0.46.0
