package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// peakMemory returns the most memory in bytes that the process held.
func peakMemory(p *os.ProcessState) int64 {
	return int64(p.SysUsage().(*syscall.Rusage).Maxrss) << 10
}

// The tests have no libc in them, and so neither has the tool that scripts run: libc reserves
// 64 MiB of address space for a thread, which sometimes exceeds the limit of limits.txtar.
// Package net is what brings it in. The race detector, which that script leaves out, has it
// anyway.
func TestNoLibc(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	list := exec.Command("go", "list", "-deps", "-test", "-race=false", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1") // without it, net would not show
	deps, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, deps)
	}
	if slices.Contains(strings.Fields(string(deps)), "runtime/cgo") {
		t.Error("something that the tests import needs cgo")
	}
}
