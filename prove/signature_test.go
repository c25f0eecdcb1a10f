package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

// declaration returns the signature that proofs take a kernel to be declared with.
func declaration(k blocks.Spec) string {
	switch k.Name {
	case "padShort_avx512", "padShort_ssse3", "padShort_neon":
		return "func(slots *byte, stride int, msgs *[]byte, numbers *uint16, n int, h *[8]uint32, rest *[64]byte, before int, heads *byte, headSize int, length int)"
	case "putDigests_avx512", "putDigests_ssse3", "putDigests_neon":
		return "func(dst *byte, size int, stride int, numbers *uint16, n int, slots *byte, slotStride int, h *[8]uint32)"
	case "write_avx512shani":
		return "func(h *[8]uint32, held *[64]byte, n int, p *byte, length int)"
	case "finish_avx512shani":
		return "func(sum *[32]byte, h *[8]uint32, first *byte, before int, p *byte, n int, length int)"
	case "append_avx512":
		return "func(held *[64]byte, n int, p *byte, length int)"
	}
	switch k.Operation {
	case blocks.NodeOp:
		return "func(dst *byte, src *byte, n int)"
	case blocks.SearchOp:
		return "func(c *Nonces, n uint32, groups int) (hits uint32, left int)"
	case blocks.ChainOp:
		return "func(c *uint32, n int, padding *[8]uint32)"
	case blocks.WotsOp:
		return "func(c *uint32, n int)"
	}
	if k.Lanes == 1 {
		return "func(h *[8]uint32, p *byte, n int)"
	}
	return "func(states **[8]uint32, data **byte, ring int, first int, at int, slice int, turns int)"
}

// entryOf is a machine as the proof of a kernel has it at the entry.
func entryOf(k blocks.Spec) *machine {
	forget()
	c := &code{kernel: k.Name, arm: k.Arch == "arm64"}
	switch k.Name {
	case "padShort_avx512", "padShort_ssse3", "padShort_neon":
		return (&paddingProof{listProof: listProof{code: c}}).entry(of(symR, 1), 9, 4)
	case "putDigests_avx512", "putDigests_ssse3", "putDigests_neon":
		return (&digestsProof{listProof{code: c}}).entry(of(symR, 1), numeric(20), true)
	case "write_avx512shani":
		return (&writeProof{code: c}).entry(9, 100)
	case "finish_avx512shani":
		return (&finishProof{code: c}).entry(4, 9)
	case "append_avx512":
		return (&appendProof{code: c}).entry(9, 20)
	}
	switch k.Operation {
	case blocks.SearchOp:
		return (&search{code: c, lanes: k.Lanes}).entry(0, of(symR, 1))
	case blocks.ChainOp:
		return (&chainProof{code: c, lanes: k.Lanes, group: chainGroup(k)}).entry(of(symR, 1))
	case blocks.WotsOp:
		return (&wotsProof{code: c, lanes: k.Lanes}).entry(of(symR, 1))
	}
	return call{lanes: k.Lanes, nodes: k.Operation == blocks.NodeOp, turns: k.Lanes > 1}.entry(c, of(symR, 1), of(symT, 1))
}

// checkedBlock type-checks the package of the kernels for an operating system and an architecture.
func checkedBlock(t *testing.T, system, arch string) (*types.Package, []*ast.File, types.Sizes) {
	t.Helper()
	list := func(args ...string) []string {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	exports := map[string]string{}
	for _, line := range list("-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", library+"internal/block") {
		path, export, _ := strings.Cut(line, "\t")
		exports[path] = export
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range list("-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, library+"internal/block") {
		f, err := parser.ParseFile(fset, filepath.FromSlash(name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	sizes := types.SizesFor("gc", arch)
	config := types.Config{Sizes: sizes, Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		data, err := os.ReadFile(exports[path])
		return io.NopCloser(bytes.NewReader(data)), err
	})}
	p, err := config.Check(library+"internal/block", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, files, sizes
}

// TestDeclarations compares the arguments that proofs put at a kernel's entry with its
// declaration in Go: their names, types, order and places. Five counts in a row have
// the same type: their names have to be the same as well, in the type that callers use
// and in the calls. What is written in assembly has a proof.
func TestDeclarations(t *testing.T) {
	for _, b := range builds {
		if b.mode != "" {
			continue // it has the files of the build without a mode
		}
		arch := b.arch
		p, files, sizes := checkedBlock(t, b.os, arch)
		text := func(x types.Type) string { return types.TypeString(x, types.RelativeTo(p)) }
		field := func(in, name string) types.Type {
			s := p.Scope().Lookup(in).Type().Underlying().(*types.Struct)
			for f := range s.Fields() {
				if f.Name() == name {
					return f.Type()
				}
			}
			t.Fatalf("%s has no %s", in, name)
			return nil
		}
		kernels := map[string]*types.Signature{}
		assembly := map[string]bool{"fetch": true} // which fetches ahead, and changes nothing
		for _, k := range provable() {
			if k.Arch != arch {
				continue
			}
			f, ok := p.Scope().Lookup(k.Name).(*types.Func)
			if !ok {
				t.Errorf("%s/%s: %s is not declared", b.os, arch, k.Name)
				continue
			}
			s := f.Signature()
			if routineNamed(k.Name) == nil {
				kernels[k.Name] = s
			}
			assembly[k.Name] = true
			if got, want := text(s), declaration(k); got != want {
				t.Errorf("%s is declared as %s, not %s", k.Name, got, want)
			}
			var names []string
			offset := int64(0)
			for i, vs := range []*types.Tuple{s.Params(), s.Results()} {
				if i == 1 { // results begin at a multiple of 8
					offset = (offset + 7) &^ 7
				}
				for v := range vs.Variables() {
					align := sizes.Alignof(v.Type())
					if offset = (offset + align - 1) / align * align; offset != int64(8*len(names)) {
						t.Errorf("%s: %s is at %d, not at %d", k.Name, v.Name(), offset, 8*len(names))
					}
					offset += sizes.Sizeof(v.Type())
					names = append(names, v.Name())
				}
			}
			if got := entryOf(k).declared; !slices.Equal(got, names) {
				t.Errorf("%s: proofs have the arguments and results %v, Go %v", k.Name, got, names)
			}
		}
		for _, f := range files {
			for _, d := range f.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && !assembly[f.Name.Name] {
					t.Errorf("%s/%s: %s has no proof", b.os, arch, f.Name.Name)
				}
			}
		}
		// What callers have in hand.
		for in, want := range map[[2]string]string{
			{"Kernel", "Blocks"}:   "func(states **State, data **byte, ring int, first int, at int, slice int, turns int)",
			{"NodeKernel", "hash"}: "func(dst *byte, src *byte, n int)",
		} {
			if got := text(field(in[0], in[1])); got != want {
				t.Errorf("%s.%s is %s, not %s", in[0], in[1], got, want)
			}
		}
		// Calls by name have arguments of the same names.
		calls := 0
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				id, ok := c.Fun.(*ast.Ident)
				if !ok || kernels[id.Name] == nil {
					return true
				}
				calls++
				for i, a := range c.Args {
					if got, want := root(a), kernels[id.Name].Params().At(i).Name(); got != want && got != "" {
						t.Errorf("%s is called with %s as its %s", id.Name, got, want)
					}
				}
				return true
			})
		}
		if calls == 0 {
			t.Error("no kernel is called")
		}
		t.Logf("%s/%s: %d declarations, %d calls by name", b.os, arch, len(kernels), calls)
	}
}

// root is the variable that an expression is of, or nothing.
func root(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.UnaryExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.BasicLit:
		return ""
	}
	return fmt.Sprintf("%T", e)
}

// TestFetch tests that fetch, which has no proof, changes nothing but registers that callers do
// not keep, and calls nothing.
func TestFetch(t *testing.T) {
	for arch, allowed := range map[string]string{
		"amd64": `(mov|add|dec|shr) r[abcd]x\b.*|(test|cmp) .*|prefetcht0 .*|(je|jne|ja|jmp) (0x[0-9a-f]+)|ret`,
		"arm64": `(ldr|add|sub) x[0-4], .*|cmp .*|prfm pldl1keep, .*|(cbz x1,|cbnz x1,|b\.hi|b) (0x[0-9a-f]+)( .*)?|ret|udf #0`,
	} {
		p := programOf(t, first(arch))
		s := p.symbol(symbolOf("fetch"))
		if s == nil {
			t.Fatalf("%s: fetch is not linked", arch)
		}
		text, _, err := p.bytes(*s)
		if err != nil {
			t.Fatal(err)
		}
		dump, err := p.disassemble(text, s.addr)
		if err != nil {
			t.Fatal(err)
		}
		is, count := regexp.MustCompile(`^(?:`+allowed+`)$`), 0
		for line := range strings.Lines(dump) {
			in := lineOfDump.FindStringSubmatch(line)
			if in == nil {
				continue
			}
			count++
			found := is.FindStringSubmatch(strings.Join(strings.Fields(in[2]+" "+in[3]), " "))
			if found == nil {
				t.Errorf("%s: %s", arch, line)
				continue
			}
			for _, to := range found {
				if at, err := strconv.ParseInt(to, 0, 64); err == nil && (at <= s.addr || at >= s.addr+int64(len(text))) {
					t.Errorf("%s: it jumps to elsewhere: %s", arch, line)
				}
			}
		}
		if count == 0 {
			t.Errorf("%s: no instructions", arch)
		}
	}
}
