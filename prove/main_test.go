package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// goBuild builds a source file, or a package.
func goBuild(t *testing.T, source, goos, arch string) (bin string) {
	t.Helper()
	bin = filepath.Join(t.TempDir(), "program.exe")
	cmd := exec.Command("go", "build", "-o", bin, source)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// TestCommandOnPrograms runs the command on programs that link few kernels, or none.
func TestCommandOnPrograms(t *testing.T) {
	programOf(t, first("amd64")) // programs without sizes of symbols have them from there
	programOf(t, first("arm64"))
	self := goBuild(t, ".", runtime.GOOS, runtime.GOARCH)
	source := func(body string) string {
		name := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(name, []byte("package main\n\n"+body), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	one := source("import \"github.com/sha256-simd/sha256-simd\"\n\nfunc main() { println(sha256.Sum256(nil)[0]) }\n")
	none := source("func main() {}\n")
	for _, tt := range []struct {
		name, source, goos, arch string
		kernels                  []string
		exit                     int
		want                     string // matches all that it prints
	}{
		{"those that it links", one, "linux", "arm64", nil, 0,
			`^not linked: x2_sha2, .*\bputDigests_neon \(\S+\)\nproved x1_sha2: .*\nproved node_x1_sha2: .*\n$`},
		{"those that it links, without sizes of symbols", one, "darwin", "arm64", nil, 0,
			`^not linked: x2_sha2, .*\nproved x1_sha2: .*\nproved node_x1_sha2: .*\n$`},
		{"those that it links, of several", one, "windows", "amd64", nil, 0,
			`^not linked: x2_avx512shani, .*\n(proved x1_\w+: .*\n){5}proved node_x1_shani: .*\nproved finish_avx512shani: .*\n$`},
		{"one that it links", one, "linux", "arm64", []string{"x1_sha2"}, 0, `^proved x1_sha2: .*\n$`},
		{"one that it does not link", one, "linux", "arm64", []string{"x1_sha2", "x2_sha2"}, 2, `^prove: \S+: x2_sha2 is not linked\n$`},
		{"one of another architecture", one, "linux", "arm64", []string{"x1_shani"}, 2, `^prove: \S+: x1_shani is not linked\n$`},
		{"none", none, "linux", "arm64", nil, 2, `^prove: \S+: no kernel is linked\n$`},
		{"a program for another architecture", none, "linux", "riscv64", nil, 2, `^prove: \S+: .* neither amd64 nor arm64\n$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bin := goBuild(t, tt.source, tt.goos, tt.arch)
			out, err := exec.Command(self, append([]string{"-linked", folder, "-bin", bin}, tt.kernels...)...).CombinedOutput()
			exit := 0
			if e := new(exec.ExitError); errors.As(err, &e) {
				exit = e.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if exit != tt.exit || !regexp.MustCompile(tt.want).Match(out) {
				t.Errorf("exit code %d, want %d:\n%swant %s", exit, tt.exit, out, tt.want)
			}
		})
	}
}
