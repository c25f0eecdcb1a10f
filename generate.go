package sha256

//go:generate go run -C _asm . ../internal/block
