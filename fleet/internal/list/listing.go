package list

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sha256-simd/sha256-simd"
)

// A Listing writes the lines of 'fleetsum list'. Each line names the listing, and a line
// after them says that it ended: a listing that broke off, or a part of one, shows as such
// whatever sorts, joins or filters the lines.
type Listing struct {
	patterns string
	id       string
	objects  int64
}

// NewListing returns the listing of patterns, with all versions of the objects or without.
func NewListing(patterns []string, versions bool) *Listing {
	d := sha256.Sum256(fmt.Appendf(nil, "%t %q", versions, patterns))
	return &Listing{patterns: strings.Join(patterns, " "), id: hex.EncodeToString(d[:4])}
}

// Append appends the line of an entry to b.
func (l *Listing) Append(b []byte, e *Entry) []byte {
	l.objects++
	r := e.record()
	r.Listing = l.id
	return AppendJSON(b, r)
}

// AppendEnd appends the line after all entries to b.
func (l *Listing) AppendEnd(b []byte) []byte {
	return AppendJSON(b, ending{l.patterns, l.id, l.objects})
}

// An ending is the last line of a listing.
type ending struct {
	Ended   string `json:"ended"` // the patterns
	Listing string `json:"listing"`
	Objects int64  `json:"objects"`
}

// summaryPrefix begins the last line of a worker's output.
const summaryPrefix = `{"summary":`

func isEnding(line string) bool { return strings.HasPrefix(line, `{"ended":`) }

// Listings collects from the lines of lists which listings they belong to, and whether
// these ended. The outputs of workers are listings, too. The zero value is ready for use.
type Listings struct {
	ended  map[string]bool // by what names a listing
	broken bool

	results, summed int64 // of workers, and how many of these their summaries count
}

// rclone names the array that rclone lsjson writes.
const rclone = "["

// results names what the output of a worker says of objects that are as they should be. Its
// other lines may stand alone, as in the problems of a report.
const results = "{"

// ErrBroken says that lists have a part of a listing.
var ErrBroken = errors.New("it has lines of a listing, but not the line that ends the listing: the listing broke off, or a filter dropped that line")

// ErrNoSummary says that lists have a part of a worker's output.
var ErrNoSummary = errors.New("it has results of a worker, but not the summary behind them: the worker was cut off, or a filter dropped that line")

// Check returns ErrBroken unless all listings ended, and ErrNoSummary if there are more
// results of workers than summaries count: filters may drop results.
func (l *Listings) Check() error {
	broken := l.broken
	for _, ended := range l.ended {
		broken = broken || !ended
	}
	if broken {
		return ErrBroken
	}
	if l.results > l.summed {
		return ErrNoSummary
	}
	return nil
}

// has notes a line of a listing, which is "" if the line is of none.
func (l *Listings) has(id string) {
	if id == results {
		l.results++
		return
	}
	if id == "" || l.ended[id] {
		return
	}
	if l.ended == nil {
		l.ended = make(map[string]bool)
	}
	l.ended[id] = false
}

// frame notes a line that is not of an object.
func (l *Listings) frame(line string) {
	switch {
	case line == "[":
		if ended, ok := l.ended[rclone]; ok && !ended {
			l.broken = true
		}
		delete(l.ended, rclone)
		l.has(rclone)
	case line == "]":
		l.has(rclone)
		l.ended[rclone] = true
	case strings.HasPrefix(line, summaryPrefix):
		var s struct{ Summary struct{ Match, New int64 } }
		if json.Unmarshal([]byte(line), &s) == nil {
			l.summed += s.Summary.Match + s.Summary.New
		}
	case isEnding(line):
		var e ending
		if json.Unmarshal([]byte(line), &e) == nil && e.Listing != "" {
			l.has(e.Listing)
			l.ended[e.Listing] = true
		}
	}
}
