package main

import (
	"hash"
	"io"
	"os"
	"time"

	"github.com/sha256-simd/sha256-simd"
)

// A stream is a file that is read piece by piece.
type stream struct {
	item  *item
	file  *os.File
	hash  hash.Hash
	parts *parts // with --part-size

	// Of a regular file when it was opened, to see whether it changes.
	regular bool
	size    int64
	changed time.Time

	ended bool // for the reader
}

func newStream(it *item, f *os.File) *stream {
	s := &stream{item: it, file: f, hash: sha256.New()}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.regular, s.size, s.changed = true, info.Size(), info.ModTime()
	}
	return s
}

// A round is the next piece of every stream.
type round struct {
	pieces [maxStreams][]byte
	errs   [maxStreams]error // io.EOF with the last piece
	buf    []byte            // what the pieces share
}

// One round is read while the other is hashed.
const roundsAhead = 2

// hashStreams reads the streams to their ends and hashes them side by side. A
// second goroutine reads ahead, so that reading one large file costs its hash
// no time.
func (w *worker) hashStreams(streams []*stream) {
	if len(streams) == 0 {
		return
	}
	if size := w.pipeline.options.partSize; size > 0 {
		for _, s := range streams {
			s.parts = newParts(size)
		}
	}
	if w.rounds == nil {
		size := min(maxRound, maxRounds/roundsAhead/w.pipeline.options.jobs)
		for range roundsAhead {
			w.rounds = append(w.rounds, &round{buf: make([]byte, size)})
		}
	}
	empty, full := make(chan *round, roundsAhead), make(chan *round, roundsAhead)
	for _, r := range w.rounds {
		empty <- r
	}
	go w.readAhead(streams, empty, full)

	var hashes []hash.Hash
	var pieces [][]byte
	for r := range full {
		hashes, pieces = hashes[:0], pieces[:0]
		for i, s := range streams {
			if len(r.pieces[i]) == 0 {
				continue
			}
			hashes, pieces = append(hashes, s.hash), append(pieces, r.pieces[i])
			if s.parts != nil {
				hashes, pieces = s.parts.cut(hashes, pieces, r.pieces[i])
			}
		}
		sha256.WriteMany(hashes, pieces)
		for i, s := range streams {
			n := len(r.pieces[i])
			s.item.size += int64(n)
			w.pipeline.hashed.Add(int64(n))
			if s.parts != nil {
				s.parts.join()
			}
			if err := r.errs[i]; err != nil {
				w.end(s, err)
			}
		}
		empty <- r
	}
}

// readAhead fills rounds until all streams have ended. It closes full.
func (w *worker) readAhead(streams []*stream, empty <-chan *round, full chan<- *round) {
	defer close(full)
	for live := len(streams); live > 0; {
		r := <-empty
		share := len(r.buf) / live &^ (sha256.BlockSize - 1)
		buf := r.buf
		for i, s := range streams {
			r.pieces[i], r.errs[i] = nil, nil
			if s.ended {
				continue
			}
			n, err := io.ReadFull(s.file, buf[:share])
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			r.pieces[i], r.errs[i] = buf[:n], err
			buf = buf[share:]
			if err != nil {
				s.ended = true
			}
		}
		live = 0
		for _, s := range streams {
			if !s.ended {
				live++
			}
		}
		if w.ctx.Err() != nil {
			return
		}
		full <- r
	}
}

// end finishes a stream whose last read returned err.
func (w *worker) end(s *stream, err error) {
	it := s.item
	if err == io.EOF {
		err = nil
	}
	if err == nil && s.regular {
		info, statErr := s.file.Stat()
		if err = statErr; err == nil && (info.Size() != s.size || !info.ModTime().Equal(s.changed)) {
			err = errChanged
		}
	}
	if it.name != "-" {
		s.file.Close()
	}
	if err == nil {
		s.hash.Sum(it.digest[:0])
		if s.parts != nil {
			it.composite = s.parts.checksum()
		}
	}
	it.err = err
	w.pipeline.finish(it)
}
