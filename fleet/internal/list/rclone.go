package list

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// isRcloneFrame reports whether a line of rclone lsjson is of no object: a bracket
// around them all, or a directory. A quotation mark in a name is escaped.
func isRcloneFrame(line string) bool {
	return line == "[" || line == "]" || strings.Contains(line, `"IsDir":true`)
}

// parseRclone reads a line of rclone lsjson, an element of an array. Its path is seen
// from what rclone listed.
func parseRclone(line string, e *Entry) error {
	var r struct {
		Path    string
		Size    int64
		ModTime string
		Hashes  map[string]string
	}
	if err := json.Unmarshal([]byte(strings.TrimSuffix(line, ",")), &r); err != nil {
		return fmt.Errorf("not a line of rclone lsjson: %w", err)
	}
	e.Name, e.Size = r.Path, max(r.Size, -1)
	if t, err := time.Parse(time.RFC3339, r.ModTime); err == nil {
		e.Modified = t
	}
	hashes, ignored := make(map[string]string), []string{}
	for name, sum := range r.Hashes {
		as := columnName(name)
		switch {
		case !slices.Contains(digestColumns, as):
			ignored = append(ignored, name)
		case hashes[as] != "" && sum != "" && hashes[as] != sum:
			return fmt.Errorf("two hashes of %s", as)
		case sum != "":
			hashes[as] = sum
		}
	}
	if len(hashes) == 0 {
		slices.Sort(ignored)
		e.ignored = strings.Join(ignored, ", ")
	}
	return e.setDigests(hashes)
}
