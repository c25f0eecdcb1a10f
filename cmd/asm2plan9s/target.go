package main

import (
	"fmt"
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"
)

// otherArchs are the architectures that Go knows and this command does not.
var otherArchs = []string{
	"386", "arm", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm",
}

// An archError is about a file as a whole: nothing here assembles for its
// architecture. Other files are converted nevertheless.
type archError struct{ error }

func (e archError) Unwrap() error { return e.error }

// archOf returns the architecture that a file is for by its name, read as the go
// command does (x4_neon_arm64.s), and by its build constraint. It is nil where
// both allow several.
func archOf(path string, data []byte) (*arch, error) {
	named := nameArch(path)
	if slices.Contains(otherArchs, named) {
		return nil, archError{fmt.Errorf("%s: the name says %s: want amd64 or arm64", path, named)}
	}
	line, expr, err := buildConstraint(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: reading the build constraint: %w", path, line, err)
	}
	if expr == nil {
		return archByName(named), nil
	}
	var allowed []*arch
	for _, a := range archs {
		if can, _ := possible(expr, a); can {
			allowed = append(allowed, a)
		}
	}
	switch a := archByName(named); {
	case len(allowed) == 0:
		return nil, archError{fmt.Errorf("%s:%d: %q allows neither amd64 nor arm64", path, line, "//go:build "+expr.String())}
	case a != nil && !slices.Contains(allowed, a):
		return nil, fmt.Errorf("%s:%d: %q and the name of the file contradict each other", path, line, "//go:build "+expr.String())
	case a != nil:
		return a, nil
	case len(allowed) == 1:
		return allowed[0], nil
	}
	return nil, nil
}

// nameArch returns the architecture in a file's name, or "".
func nameArch(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	base = strings.TrimSuffix(base, "_test")
	if i := strings.LastIndexByte(base, '_'); i >= 0 {
		if name := base[i+1:]; archByName(name) != nil || slices.Contains(otherArchs, name) {
			return name
		}
	}
	return ""
}

// buildConstraint returns a file's //go:build line, which precedes everything
// but blank lines and comments, and its number; nil if there is none.
func buildConstraint(data []byte) (int, constraint.Expr, error) {
	number, inBlock := 0, false
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if !inBlock && constraint.IsGoBuild(line) {
			expr, err := constraint.Parse(line)
			return number, expr, err
		}
		var code string
		code, _, inBlock = splitLine(line, inBlock)
		if strings.Trim(code, maskBlock+" \t") != "" {
			break
		}
	}
	return 0, nil, nil
}

// possible reports whether a constraint can hold, and whether it can fail, on an
// architecture: all other tags may be set or not.
func possible(expr constraint.Expr, a *arch) (hold, fail bool) {
	switch x := expr.(type) {
	case *constraint.TagExpr:
		if archByName(x.Tag) != nil || slices.Contains(otherArchs, x.Tag) {
			return x.Tag == a.name, x.Tag != a.name
		}
	case *constraint.NotExpr:
		fail, hold = possible(x.X, a)
		return hold, fail
	case *constraint.AndExpr:
		hold, fail = possible(x.X, a)
		h, f := possible(x.Y, a)
		return hold && h, fail || f
	case *constraint.OrExpr:
		hold, fail = possible(x.X, a)
		h, f := possible(x.Y, a)
		return hold || h, fail && f
	}
	return true, true
}
