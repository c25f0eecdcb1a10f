package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd"
)

type session struct {
	*options
	stdin  io.Reader
	out    *bufio.Writer
	errs   io.Writer
	failed bool
}

func (s *session) complain(format string, args ...any) {
	s.out.Flush()
	fmt.Fprintf(s.errs, "sha256sum: "+format+"\n", args...)
}

func (s *session) run() {
	files := s.files
	if len(files) == 0 {
		files = []string{"-"}
	}
	var parser lineParser
	for _, name := range files {
		switch {
		case s.check:
			s.checkList(name, &parser)
		case s.recursive && name != "-":
			s.walk(name)
		default:
			s.print(name)
		}
	}
}

func (s *session) print(name string) {
	digest, err := s.hash(name)
	if err != nil {
		s.complain("%s: %s", quoteShell(name), reason(err))
		s.failed = true
		return
	}
	end := byte('\n')
	prefix, shown := escapeName(name)
	if s.zero {
		end, prefix, shown = 0, "", name
	}
	switch {
	case s.tag:
		fmt.Fprintf(s.out, "%sSHA256 (%s) = %x%c", prefix, shown, digest, end)
	case s.binary:
		fmt.Fprintf(s.out, "%s%x *%s%c", prefix, digest, shown, end)
	default:
		fmt.Fprintf(s.out, "%s%x  %s%c", prefix, digest, shown, end)
	}
}

func (s *session) hash(name string) (digest [sha256.Size]byte, err error) {
	r := s.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return digest, err
		}
		defer f.Close()
		r = f
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 256<<10)); err != nil {
		return digest, err
	}
	h.Sum(digest[:0])
	return digest, nil
}

// walk hashes the files under name in the order of their whole names.
func (s *session) walk(name string) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		s.print(name)
		return
	}
	s.walkDir(name)
}

func (s *session) walkDir(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.complain("%s: %s", quoteShell(dir), reason(err))
		s.failed = true
	}
	sortKey := func(e fs.DirEntry) string {
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	for _, e := range entries {
		name := strings.TrimSuffix(dir, "/") + "/" + e.Name()
		switch {
		case e.IsDir():
			s.walkDir(name)
		case e.Type().IsRegular():
			s.print(name)
		}
	}
}

func (s *session) checkList(name string, parser *lineParser) {
	shown := name
	r := s.stdin
	if name == "-" {
		shown = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			s.complain("%s: %s", quoteShell(name), reason(err))
			s.failed = true
			return
		}
		defer f.Close()
		r = f
	}
	var proper, malformed, unreadable, mismatched, matched int
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			s.complain("%s: read error", quoteShell(shown))
			s.failed = true
			return
		}
		if line == "" {
			break
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		file, want, ok := parser.parse(line)
		if !ok || name == "-" && file == "-" {
			malformed++
			if s.warn {
				s.complain("%s: %d: improperly formatted SHA256 checksum line", quoteShell(shown), n)
			}
			continue
		}
		proper++
		got, err := s.hash(file)
		verdict := "OK"
		switch {
		case s.ignoreMissing && errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			s.complain("%s: %s", quoteShell(file), reason(err))
			verdict = "FAILED open or read"
			unreadable++
		case got != want:
			verdict = "FAILED"
			mismatched++
		default:
			matched++
		}
		if !s.status && (verdict != "OK" || !s.quiet) {
			prefix, shown := escapeName(file)
			fmt.Fprintf(s.out, "%s%s: %s\n", prefix, shown, verdict)
		}
	}
	switch {
	case proper == 0:
		s.complain("%s: no properly formatted checksum lines found", quoteShell(shown))
	case !s.status:
		s.warnCount(malformed, "%d line is improperly formatted", "%d lines are improperly formatted")
		s.warnCount(unreadable, "%d listed file could not be read", "%d listed files could not be read")
		s.warnCount(mismatched, "%d computed checksum did NOT match", "%d computed checksums did NOT match")
		if s.ignoreMissing && matched == 0 {
			s.complain("%s: no file was verified", quoteShell(shown))
		}
	}
	if matched == 0 || mismatched > 0 || unreadable > 0 || s.strict && malformed > 0 {
		s.failed = true
	}
}

func (s *session) warnCount(n int, one, many string) {
	switch {
	case n == 1:
		s.complain("WARNING: "+one, n)
	case n > 1:
		s.complain("WARNING: "+many, n)
	}
}
