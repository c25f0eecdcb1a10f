package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// An environment makes this CPU behave like one with fewer features.
type environment struct {
	// disable is SHA256SIMD_DISABLE, for this library.
	disable string
	// godebug is GODEBUG, for crypto/sha256.
	godebug string
}

// here reports whether this process was started in the environment.
func (e environment) here() bool {
	return e == environment{} ||
		e.disable == os.Getenv("SHA256SIMD_DISABLE") && e.godebug == os.Getenv("GODEBUG")
}

// measureInChild has another process of this program measure a row in its
// environment, of all implementations or only one.
func measureInChild(ctx context.Context, r row, only string, budget time.Duration) (result, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-json", "-time", budget.String(), "-run", "^"+regexp.QuoteMeta(r.name())+"$", "-impl", only)
	if r.env != (environment{}) {
		cmd.Env = append(os.Environ(), "SHA256SIMD_DISABLE="+r.env.disable, "GODEBUG="+r.env.godebug)
	}
	out, err := cmd.Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	var rep report
	if err == nil {
		err = json.Unmarshal(out, &rep)
	}
	if err == nil && len(rep.Results) != 1 {
		err = fmt.Errorf("%d results", len(rep.Results))
	}
	if err != nil {
		return result{}, fmt.Errorf("measure %s in a process of its own: %w", r.name(), err)
	}
	return rep.Results[0], nil
}

// otherCPUs is this CPU with some of its instructions disabled.
func otherCPUs() section {
	s := section{
		title: "CPUs that have less",
		about: "This CPU with instructions disabled, in this library by `SHA256SIMD_DISABLE`, in crypto/sha256 by `GODEBUG`.",
	}
	sets := []struct {
		env  environment
		rows []row
	}{
		{environment{"avx512", ""}, []row{
			sumMany("size=8K/n=32", same(32, 8<<10)),
			sumMany("size=1K/n=1000", same(1000, 1<<10)),
			sumMany("size=64/n=2000", same(2000, 64)),
			searchRow(22),
		}},
		{environment{"avx512,shani", "cpu.sha=off"}, []row{
			sumMany("size=8K/n=32", same(32, 8<<10)),
			sumMany("size=1K/n=1000", same(1000, 1<<10)),
		}},
		{environment{"avx512,shani,avx2", "cpu.sha=off,cpu.avx2=off"}, []row{
			sumMany("size=8K/n=32", same(32, 8<<10)),
		}},
		{environment{"avx512,shani,avx2,avx", "cpu.sha=off,cpu.avx2=off"}, []row{
			sumMany("size=8K/n=32", same(32, 8<<10)),
		}},
	}
	for _, set := range sets {
		for _, r := range set.rows {
			r.env = set.env
			s.rows = append(s.rows, r)
		}
	}
	return s
}
