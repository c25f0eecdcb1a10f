// Command _asm generates the amd64 kernels of internal/block.
package main

func main() {}
