package walk

import (
	"errors"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A filter is an --exclude or an --include.
type filter struct {
	glob    string
	include bool
}

// NewFilter returns a filter, or an error if the glob is not one.
func NewFilter(glob string, include bool) (filter, error) {
	// Shells complete directories with a slash behind them.
	if glob = strings.TrimRight(glob, "/"); glob == "" || glob == "." {
		return filter{}, errors.New("a name or a path below a directory is needed")
	}
	if !doublestar.ValidatePattern(glob) {
		return filter{}, doublestar.ErrBadPattern
	}
	return filter{glob, include}, nil
}

// Filters are the --exclude and --include options in their order.
type Filters []filter

// KeepPath reports whether a walk that comes to the file at a path leaves it in, with all
// directories that it is in.
func (f Filters) KeepPath(below string) bool {
	if len(f) == 0 {
		return true
	}
	below = path.Clean(below)
	for i := range below {
		if dir := below[:i]; below[i] == '/' && dir != "" && path.Base(dir) != ".." && !f.Keep(dir, true) {
			return false
		}
	}
	return f.Keep(below, false)
}

// Keep reports whether the options leave in the file at a path: below the root
// of a walk, or as it was named. The last that matches counts; what none
// matches is left in, but for files where the first option is an --include.
func (f Filters) Keep(below string, dir bool) bool {
	for i := len(f) - 1; i >= 0; i-- {
		if f[i].matches(below) && !(dir && f[i].include) {
			return f[i].include
		}
	}
	return len(f) == 0 || dir || !f[0].include
}

// matches reports whether the glob matches: one without a slash the last element,
// one with a slash the whole path. A slash in front is the root of the walk.
func (f filter) matches(below string) bool {
	glob, s := strings.TrimPrefix(f.glob, "./"), strings.TrimPrefix(below, "./")
	if !strings.HasPrefix(s, "/") { // otherwise it was named so
		glob = strings.TrimPrefix(glob, "/")
	}
	if !strings.Contains(f.glob, "/") {
		s = path.Base(below)
	}
	// The glob was found valid when the options were read.
	ok, _ := doublestar.Match(glob, s)
	return ok
}
