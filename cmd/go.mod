module github.com/sha256-simd/sha256-simd/cmd

go 1.25.0
