// Package object writes the objects that sha256sum --json prints, and reads them as lists.
package object

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// A File is what --json prints for a file.
type File struct {
	Name      string `json:"name"`
	NameBytes []byte `json:"name_bytes,omitempty"`
	Digest    string `json:"digest,omitempty"`
	Size      *int64 `json:"size,omitempty"`
	Composite string `json:"composite,omitempty"`
	PartSize  int64  `json:"part_size,omitempty"`
	Expected  string `json:"expected,omitempty"`
	OK        *bool  `json:"ok,omitempty"`
	Status    string `json:"status,omitempty"`
	From      string `json:"from,omitempty"`
	FromBytes []byte `json:"from_bytes,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Lossless returns the bytes of a name that a JSON string cannot hold, and otherwise nil.
func Lossless(name string) []byte {
	if utf8.ValidString(name) {
		return nil
	}
	return []byte(name)
}

// Append appends one object, on a line. Bytes that are not UTF-8 become U+FFFD.
func Append(b []byte, object any) []byte {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	// Strings, numbers and a bool always encode.
	_ = enc.Encode(object)
	line := buf.Bytes()
	return append(line[:len(b)], unescape(line[len(b):])...)
}

// unescape replaces escapes of U+FFFD by that character: up to Go 1.26, package json writes
// bytes that are not UTF-8 as escapes, later as the character.
func unescape(line []byte) []byte {
	const escape = `\ufffd`
	if !bytes.Contains(line, []byte(escape)) {
		return line
	}
	var b []byte
	for len(line) > 0 {
		switch {
		case bytes.HasPrefix(line, []byte(escape)):
			b, line = append(b, "\ufffd"...), line[len(escape):]
		case line[0] == '\\': // and what it escapes, which may be a backslash
			b, line = append(b, line[:2]...), line[2:]
		default:
			b, line = append(b, line[0]), line[1:]
		}
	}
	return b
}

// ErrNoFile is of a line that is no object of a file, whoever wrote it.
var ErrNoFile = errors.New("the object is not one of a file as --json prints it")

var (
	errCheck   = errors.New("the line is of sha256sum --check --json: its digest is that of the file, which may be another one than the list's")
	errChanged = errors.New("the line is not byte for byte as sha256sum --json writes it")
)

// Parse returns what a line of --json says of a file, and its digest. A file that could not be
// read has no digest. What --json prints with --check is an error: its digest is that of the
// file, which may be another one than the list's.
//
// The line has to be what Append writes, byte for byte. Decoders differ over everything else,
// such as keys that come twice or in capitals, and so over the file that a line means.
func Parse(line string) (f File, digest []byte, err error) {
	line = strings.TrimSuffix(line, "\r")
	var o File
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &o) != nil {
		return File{}, nil, ErrNoFile
	}
	if o.NameBytes != nil {
		o.Name = string(o.NameBytes)
	}
	digest, err = hex.DecodeString(o.Digest)
	switch {
	case o.OK != nil || o.Status != "":
		return File{}, nil, errCheck
	case o.Name == "" || strings.Contains(o.Name, "\x00") || o.Digest == "" && o.Error == "":
		return File{}, nil, ErrNoFile
	case o.Expected != "" || o.From != "" || o.FromBytes != nil:
		return File{}, nil, errChanged
	case o.Digest == "":
		digest = nil
	case err != nil || len(digest) != checklist.Size || o.Error != "":
		return File{}, nil, errChanged
	}
	o.NameBytes, o.Digest = Lossless(o.Name), hex.EncodeToString(digest)
	if string(Append(nil, o)) != line+"\n" {
		return File{}, nil, errChanged
	}
	return o, digest, nil
}
