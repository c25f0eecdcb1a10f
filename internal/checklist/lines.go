package checklist

import (
	"bufio"
	"errors"
	"io"
)

// MaxLine is the length of the longest line that Lines returns whole. Names that
// a system can open are much shorter.
const MaxLine = 64 << 10

// Lines reads lines of any length in bounded memory. It is not safe for
// concurrent use.
type Lines struct {
	r     *bufio.Reader
	end   byte
	ended bool
}

// NewLines returns the lines of r, each of which ends with the byte end.
func NewLines(r io.Reader, end byte) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, MaxLine), end: end}
}

// Next returns the next line without its end. Of a line longer than MaxLine it
// returns the beginning, and false. The last line needs no end. The error is
// io.EOF behind the last line, or the error of the reader.
func (l *Lines) Next() (line string, whole bool, err error) {
	b, err := l.r.ReadSlice(l.end)
	l.ended = err == nil
	switch {
	case err == nil:
		return string(b[:len(b)-1]), true, nil
	case err == io.EOF && len(b) > 0:
		return string(b), true, nil
	case !errors.Is(err, bufio.ErrBufferFull):
		return "", false, err
	}
	line = string(b)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice(l.end)
	}
	l.ended = err == nil
	if err == io.EOF {
		err = nil
	}
	return line, false, err
}

// Ended reports whether the line that Next returned last had its end.
func (l *Lines) Ended() bool { return l.ended }
