package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// files is commands that hash files, which the system holds in memory.
func files() section {
	s := section{
		title: "Files",
		about: "`cmd/sha256sum` of files in the page cache, beside the commands that are installed, processes and all.",
	}
	if _, err := exec.LookPath("sha256sum"); err != nil {
		return s
	}
	jobs := []int{1}
	if n := runtime.NumCPU(); n > 1 {
		jobs = append(jobs, n)
	}
	for _, n := range jobs {
		s.rows = append(s.rows, filesRow(2000, 16<<10, n), filesRow(64, 4<<20, n), filesRow(1, 256<<20, n))
	}
	return s
}

func filesRow(count, size, jobs int) row {
	return row{
		bench:   "Files",
		load:    fmt.Sprintf("size=%s/n=%d/jobs=%d", unit(size), count, jobs),
		bytes:   count * size,
		digests: count,
		base:    "coreutils",
		procs:   jobs,
		impls: func() []impl {
			dir, err := os.MkdirTemp("", "files")
			must(err)
			prepared := false
			defer func() {
				if !prepared {
					os.RemoveAll(dir)
				}
			}()
			data := random(size)
			args := make([]string, count)
			for i := range args {
				copy(data, strconv.Itoa(i))
				args[i] = strconv.Itoa(i)
				must(os.WriteFile(filepath.Join(dir, args[i]), data, 0o600))
			}
			own := buildOwn(dir)
			impls := []impl{{
				name: "sha256-simd",
				run:  command(dir, own, append([]string{"-j", strconv.Itoa(jobs)}, args...)),
				stop: func() { os.RemoveAll(dir) },
			}}
			for _, c := range []struct {
				name, program string
				args          []string
			}{
				{"coreutils", "sha256sum", nil},
				{"openssl", "openssl", []string{"dgst", "-sha256", "-r"}},
				{"b3sum", "b3sum", []string{"--num-threads", strconv.Itoa(jobs)}},
			} {
				if path, err := exec.LookPath(c.program); err == nil {
					impls = append(impls, impl{
						name:  c.name,
						run:   command(dir, path, append(c.args, args...)),
						other: c.name == "b3sum",
					})
				}
			}
			prepared = true
			return impls
		},
	}
}

// command returns a function that runs a program and reads the digests that
// begin its lines.
func command(dir, program string, args []string) func(dst [][32]byte) {
	return func(dst [][32]byte) {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			must(fmt.Errorf("%s: %w", program, err))
		}
		lines := strings.SplitAfter(string(out), "\n")
		for i := range dst {
			if _, err := hex.Decode(dst[i][:], []byte(lines[i][:64])); err != nil {
				must(fmt.Errorf("%s: line %d: %w", program, i+1, err))
			}
		}
	}
}

// buildOwn builds this project's sha256sum into dir.
func buildOwn(dir string) string {
	path := filepath.Join(dir, "sha256sum.exe")
	cmd := exec.Command("go", "build", "-o", path, "github.com/sha256-simd/sha256-simd/cmd/sha256sum")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		must(fmt.Errorf("build sha256sum: %w", err))
	}
	return path
}
