module github.com/sha256-simd/sha256-simd/_asm

go 1.25.0
