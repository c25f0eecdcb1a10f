// Package object reads the lists that --json prints.
package object

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

var errNoFile = errors.New("the object is not one of a file as --json prints it")

// Parse returns what a line of --json says of a file. A file that could not be read has no
// digest. What --json prints with --check is an error: its digest is that of the file, which
// may be another one than the list's.
func Parse(line string) (name string, digest []byte, err error) {
	var object struct {
		Name      string `json:"name"`
		NameBytes []byte `json:"name_bytes"`
		Digest    string `json:"digest"`
		Size      *int64 `json:"size"`
		Composite string `json:"composite"`
		PartSize  int64  `json:"part_size"`
		Error     string `json:"error"`
	}
	// The decoder would put other characters, and longer ones, in the place of bytes that are
	// not UTF-8.
	if !strings.HasPrefix(line, "{") || !utf8.ValidString(line) {
		return "", nil, errNoFile
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if d.Decode(&object) != nil {
		return "", nil, errNoFile
	}
	if _, err := d.Token(); err != io.EOF {
		return "", nil, errNoFile
	}
	if name = object.Name; len(object.NameBytes) > 0 {
		name = string(object.NameBytes)
	}
	digest, err = hex.DecodeString(object.Digest)
	switch {
	case name == "" || strings.Contains(name, "\x00"):
		return "", nil, errNoFile
	case object.Digest == "" && object.Error != "":
		return name, nil, nil
	case err != nil || len(digest) != checklist.Size || object.Error != "":
		return "", nil, errNoFile
	}
	return name, digest, nil
}
