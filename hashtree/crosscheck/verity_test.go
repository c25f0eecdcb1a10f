package crosscheck_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree/verity"
)

// run runs a program of Debian and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// program skips the test if this machine lacks a program.
func program(t *testing.T, name, from string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	t.Skipf("this machine has no %s, which is in Debian's %s", name, from)
	return ""
}

func TestFSAgainstFsverity(t *testing.T) {
	fsverity := program(t, "fsverity", "fsverity")
	r := rand.New(rand.NewPCG(1, 1))
	name, data := filepath.Join(t.TempDir(), "data"), random(r, maxLeaves*4096)
	for _, n := range sizes(t, r) {
		o := verity.Options{BlockSize: 1024 << r.IntN(4), Salt: data[:r.IntN(33)]}
		size := min(n*o.BlockSize, len(data))
		if r.IntN(2) == 0 {
			size -= min(size, r.IntN(o.BlockSize))
		}
		b := data[len(data)-size:]
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"digest", "--compact", fmt.Sprint("--block-size=", o.BlockSize), name}
		if len(o.Salt) > 0 {
			args = append(args, "--salt="+hex.EncodeToString(o.Salt))
		}
		want := strings.TrimSpace(run(t, fsverity, args...))
		got, err := verity.FS(t.Context(), bytes.NewReader(b), int64(size), o)
		if err != nil || hex.EncodeToString(got[:]) != want {
			t.Fatalf("%d bytes, blocks of %d, salt of %d: %x, error %v, fsverity's %s", size, o.BlockSize, len(o.Salt), got, err, want)
		}
	}
}

var rootHash = regexp.MustCompile(`Root hash:\s*([0-9a-f]{64})`)

func TestDMAgainstVeritysetup(t *testing.T) {
	veritysetup := program(t, "veritysetup", "cryptsetup-bin")
	r := rand.New(rand.NewPCG(2, 2))
	dir, data := t.TempDir(), random(r, maxLeaves*4096)
	name, treeName := filepath.Join(dir, "data"), filepath.Join(dir, "tree")
	for _, n := range sizes(t, r) {
		if n == 0 { // which it refuses, as we do
			continue
		}
		o := verity.Options{BlockSize: 512 << r.IntN(4), Salt: data[:r.IntN(257)]}
		if r.IntN(20) == 0 {
			o.BlockSize <<= r.IntN(8)
		}
		size := min(n*o.BlockSize, len(data)&^(o.BlockSize-1))
		b := data[len(data)-size:]
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(treeName); err != nil {
			t.Fatal(err)
		}
		salt := "-"
		if len(o.Salt) > 0 {
			salt = hex.EncodeToString(o.Salt)
		}
		out := run(t, veritysetup, "format", "--no-superblock", "--hash=sha256", "--salt="+salt,
			fmt.Sprint("--data-block-size=", o.BlockSize), fmt.Sprint("--hash-block-size=", o.BlockSize), name, treeName)
		match := rootHash.FindStringSubmatch(out)
		if match == nil {
			t.Fatalf("veritysetup printed no root hash:\n%s", out)
		}
		wantTree, err := os.ReadFile(treeName)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, "ours"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := verity.DM(t.Context(), bytes.NewReader(b), int64(size), f, o)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		tree, readErr := os.ReadFile(f.Name())
		if readErr != nil {
			t.Fatal(readErr)
		}
		what := fmt.Sprintf("%d blocks of %d, salt of %d", size/o.BlockSize, o.BlockSize, len(o.Salt))
		if err != nil || hex.EncodeToString(got[:]) != match[1] {
			t.Fatalf("%s: root hash %x, error %v, veritysetup's %s", what, got, err, match[1])
		}
		if !bytes.Equal(tree, wantTree) {
			t.Fatalf("%s: a tree of %d bytes that differs from veritysetup's of %d", what, len(tree), len(wantTree))
		}
	}
}
