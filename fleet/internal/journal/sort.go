package journal

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/lanrat/extsort"
)

// A sorter sorts strings by their bytes, however many there are: it keeps a few times
// its chunk in memory, and the rest in files. close must be called.
type sorter struct {
	in     chan string
	out    <-chan string
	errs   <-chan error
	ended  chan struct{} // sorting has
	cancel context.CancelFunc
	closed bool // in is
}

// newSorter returns a sorter. chunk is a number of strings.
func newSorter(ctx context.Context, chunk int) *sorter {
	ctx, cancel := context.WithCancel(ctx)
	s := &sorter{in: make(chan string, 1000), ended: make(chan struct{}), cancel: cancel}
	extsorter, out, errs := extsort.Strings(s.in, &extsort.Config{ChunkSize: chunk, NumWorkers: 2, ChanBuffSize: 0, SortedChanBuffSize: 1000, TempFilesDir: os.TempDir()})
	s.out, s.errs = out, errs
	go func() {
		defer close(s.ended)
		extsorter.Sort(ctx)
	}()
	return s
}

// add adds a string.
func (s *sorter) add(text string) {
	select {
	case s.in <- text:
	case <-s.ended: // err says why
	}
}

// all returns all strings. None can be added any more. err has to be asked after them.
func (s *sorter) all() iter.Seq[string] {
	s.end()
	return func(yield func(string) bool) {
		for text := range s.out {
			if !yield(text) {
				return
			}
		}
	}
}

// err returns why all returned fewer strings than were added.
func (s *sorter) err() error {
	if err := <-s.errs; err != nil {
		return fmt.Errorf("sorting: %w", err)
	}
	return nil
}

func (s *sorter) end() {
	if !s.closed {
		close(s.in)
		s.closed = true
	}
}

// close ends the sorting and removes its files.
func (s *sorter) close() {
	s.end()
	s.cancel()
	for range s.out {
	}
}
