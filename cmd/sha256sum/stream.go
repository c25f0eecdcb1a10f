package main

import (
	"bytes"
	"hash"
	"io"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
)

// A stream is a file that is read piece by piece.
type stream struct {
	item    *fileItem
	file    file.File
	reading *reading  // nil: not a regular file
	start   int64     // the offset that it is read from
	r       io.Reader // what is left of it
	hash    hash.Hash
	parts   *parts // with --part-size

	ended bool // for the reader
}

func newStream(it *fileItem, f file.File, info file.Info) *stream {
	s := &stream{item: it, file: f, r: f, hash: sha256.New()}
	if info.Regular {
		s.reading = newReading(info)
		s.start, _ = f.Offset()
	}
	return s
}

// behind makes s begin with what was read of the file before.
func (s *stream) behind(head []byte) *stream {
	s.start = 0
	s.r = io.MultiReader(bytes.NewReader(bytes.Clone(head)), s.file)
	return s
}

// restart makes s begin again.
func (s *stream) restart() {
	s.r = s.file
	s.hash.Reset()
	s.item.size = 0
}

// A round is the next piece of every stream.
type round struct {
	pieces [maxStreams][]byte
	errs   [maxStreams]error // io.EOF with the last piece
	buf    []byte            // what the pieces share
}

// One round is read while the other is hashed.
const roundsAhead = 2

// hashStreams reads the streams to their ends and hashes them side by side.
func (w *worker) hashStreams(streams []*stream) {
	for len(streams) > 0 {
		streams = w.readStreams(streams)
	}
}

// readStreams reads and hashes the streams once. It returns the streams that have to be
// read again. A second goroutine reads ahead, so that hashing a single large file does
// not wait while it is read.
func (w *worker) readStreams(streams []*stream) (again []*stream) {
	for _, s := range streams {
		s.ended = false
		if size := w.pipeline.options.partSize; size > 0 {
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
		sha256.WriteHashes(hashes, pieces)
		for i, s := range streams {
			n := len(r.pieces[i])
			if n == 0 && r.errs[i] == nil { // it has ended: its item may be printed already
				continue
			}
			s.item.size += int64(n)
			w.pipeline.hashed.Add(int64(n))
			if s.parts != nil {
				s.parts.join()
			}
			if err := r.errs[i]; err != nil && !w.endStream(s, err) {
				again = append(again, s)
			}
		}
		empty <- r
	}
	return again
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
			n, err := readFull(s.r, buf[:share])
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

// endStream ends a stream whose last read returned err. It reports false when the
// stream has to be read again at once.
func (w *worker) endStream(s *stream, err error) bool {
	it, done := s.item, true
	if err == io.EOF {
		err = nil
	}
	if err == nil && s.reading != nil {
		done, err = s.reading.end(w.ctx, s.file, s.start, func() digest { return digestOf(s.hash.Sum(nil)) })
		it.stamp = s.reading.before.Stamp
	}
	if !done && err == nil {
		w.pipeline.hashed.Add(-it.size)
		s.restart()
		return false
	}
	w.pipeline.files.Close(s.file)
	if err == nil {
		it.digest = digestOf(s.hash.Sum(nil))
		if s.parts != nil {
			it.composite = s.parts.checksum()
		}
	}
	w.fail(it, err)
	return true
}
