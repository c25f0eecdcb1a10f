package main

import _ "embed"

// completions are the scripts that make a shell complete the options.
var completions = map[string]string{
	"bash": bashCompletion,
	"zsh":  zshCompletion,
	"fish": fishCompletion,
}

//go:embed completion/sha256sum.bash
var bashCompletion string

//go:embed completion/sha256sum.zsh
var zshCompletion string

//go:embed completion/sha256sum.fish
var fishCompletion string
