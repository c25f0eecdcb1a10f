package main

import (
	"embed"
)

//go:embed completion
var completions embed.FS

// completion returns the script that makes a shell complete the options.
func completion(shell string) string {
	b, err := completions.ReadFile("completion/sha256sum." + shell)
	if err != nil {
		panic(err) // options allows only shells that are there
	}
	return string(b)
}
