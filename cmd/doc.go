// Package cmd holds the module of this project's commands: sha256sum,
// sha256bench and asm2plan9s. Each has a directory of its own.
package cmd
