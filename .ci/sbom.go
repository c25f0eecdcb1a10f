// Sbom prints what a Go program was linked from, as a CycloneDX bill of materials:
// the Go release and the modules that the program's build information names.
//
//	go run .ci/sbom.go PROGRAM
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
)

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type metadata struct {
	Component component `json:"component"`
}

type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(program)
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = component{
		Type:    "application",
		Name:    filepath.Base(name),
		Version: info.Main.Version,
		Hashes:  []hash{{"SHA-256", hex.EncodeToString(digest[:])}},
	}
	for _, s := range info.Settings {
		b.Metadata.Component.Properties = append(b.Metadata.Component.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b.Components = append(b.Components, component{
		Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion,
	})
	for _, m := range info.Deps {
		b.Components = append(b.Components, library(m))
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// library describes a module, or the published module that replaces it.
func library(m *debug.Module) component {
	if m.Replace != nil && m.Replace.Version != "" && m.Replace.Version != "(devel)" {
		m = m.Replace
	}
	c := component{Type: "library", Name: m.Path, Version: m.Version}
	if m.Version != "" {
		c.PURL = "pkg:golang/" + m.Path + "@" + m.Version
	}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
