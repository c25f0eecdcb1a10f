package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every option stands in everything that tells about options.
func TestOptionsAreDocumented(t *testing.T) {
	manual, err := os.ReadFile("sha256sum.1")
	if err != nil {
		t.Fatal(err)
	}
	new(options).flags().VisitAll(func(f *pflag.Flag) {
		for where, has := range map[string]bool{
			"help":            strings.Contains(helpText, " --"+f.Name),
			"bash completion": strings.Contains(bashCompletion, "--"+f.Name),
			"zsh completion":  strings.Contains(zshCompletion, "--"+f.Name),
			"fish completion": strings.Contains(fishCompletion, " -l "+f.Name+" "),
			"manual page":     strings.Contains(string(manual), `\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)),
		} {
			if !has {
				t.Errorf("--%s is missing in the %s", f.Name, where)
			}
		}
		if f.Shorthand != "" && !strings.Contains(helpText, "-"+f.Shorthand+", --"+f.Name) {
			t.Errorf("-%s is missing in the help", f.Shorthand)
		}
	})
}
