package main

import (
	"encoding/base64"
	"hash"
	"strconv"
	"strings"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/composite"
)

// parts computes the composite checksum that S3 gives an object that was
// uploaded in parts: the digest of the parts' digests, and their number. It
// keeps neither parts nor digests, so that memory does not grow with the file.
type parts struct {
	size    int64       // of each part but the last
	left    int64       // bytes that the current part lacks
	current hash.Hash   // of the current part
	whole   []hash.Hash // of parts that end in this round
	spare   []hash.Hash
	digests hash.Hash
	count   int64
}

func newParts(size int64) *parts {
	return &parts{size: size, left: size, current: sha256.New(), digests: sha256.New()}
}

// cut appends the parts, or pieces of parts, that make up piece, so that they
// are hashed side by side. join must follow.
func (p *parts) cut(hashes []hash.Hash, pieces [][]byte, piece []byte) ([]hash.Hash, [][]byte) {
	for len(piece) > 0 {
		n := min(p.left, int64(len(piece)))
		hashes, pieces = append(hashes, p.current), append(pieces, piece[:n])
		piece = piece[n:]
		if p.left -= n; p.left > 0 {
			break
		}
		p.whole = append(p.whole, p.current)
		p.left = p.size
		if n := len(p.spare); n > 0 {
			p.current, p.spare = p.spare[n-1], p.spare[:n-1]
		} else {
			p.current = sha256.New()
		}
	}
	return hashes, pieces
}

// join adds the digests of the parts that have become whole.
func (p *parts) join() {
	for _, h := range p.whole {
		p.add(h)
		h.Reset()
	}
	p.spare = append(p.spare, p.whole...)
	p.whole = p.whole[:0]
}

func (p *parts) add(h hash.Hash) {
	var digest [sha256.Size]byte
	p.digests.Write(h.Sum(digest[:0]))
	p.count++
}

// checksum ends the last part. An empty file is one empty part.
func (p *parts) checksum() string {
	if p.left < p.size || p.count == 0 {
		p.add(p.current)
	}
	return compositeString([sha256.Size]byte(p.digests.Sum(nil)), p.count)
}

// onePart returns the composite checksum of a file of one part.
func onePart(digest [sha256.Size]byte) string {
	return compositeString(sha256.Sum256(digest[:]), 1)
}

func compositeString(digest [sha256.Size]byte, count int64) string {
	return base64.StdEncoding.EncodeToString(digest[:]) + "-" + strconv.FormatInt(count, 10)
}

// refusal says why S3 takes no upload of size bytes in parts of partSize, or "" if it
// takes one.
func refusal(size, partSize int64) string {
	// More parts are refused without a look at digests.
	const maxDigests = 1 << 14
	count := max(0, size-1)/partSize + 1
	c := composite.Checksum{Parts: make([][sha256.Size]byte, min(count, maxDigests)), Size: size, PartSize: partSize}
	err := c.CheckS3()
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "composite: ")
}
