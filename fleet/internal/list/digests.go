package list

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/fleet/internal/checksum"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// checksums returns the parser of checksum lists. In the place of a digest of SHA-256
// it takes any other that says what it is: by an algorithm and a colon before it, by
// the word of a tagged line or a column, or by its length.
func checksums(p *checklist.Parser) func(string, *Entry) error {
	var current *Entry
	p.Other = func(algorithm, digest string) (bool, error) {
		if name, text, ok := strings.Cut(digest, ":"); ok && algorithm == "" {
			taken, err := current.setDigest(name, text)
			if err == nil && !taken {
				err = fmt.Errorf("unknown algorithm %s", name)
			}
			return taken, err
		}
		return current.setDigest(algorithm, digest)
	}
	return func(line string, e *Entry) error {
		current = e
		e.withVersion = true
		if strings.Contains(line, "\x00") {
			return errNUL // what is behind it would go unread
		}
		c, err := p.Parse(line)
		e.Name, e.Size = c.Name, c.Size
		if err == nil && c.Digest != nil {
			e.SHA256 = hex.EncodeToString(c.Digest)
		}
		return err
	}
}

var errNUL = errors.New("a NUL in a line that ends with newline")

// bagManifest returns the parser of a bag's manifests of any algorithm. format is BagIt or
// EarlyBagIt.
func bagManifest(format checklist.Format) func(string, *Entry) error {
	return func(line string, e *Entry) error {
		digits, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		p := checklist.Parser{Format: format}
		a := checksum.OfDigest(digits)
		if a != nil {
			p.DigestSize = a.Size
		}
		c, err := p.Parse(line)
		e.Name = c.Name
		switch {
		case err != nil:
			return err
		// Whoever made the bag could have any object read, and any store asked.
		case checklist.LeadsOut(c.Name) || hasScheme.MatchString(c.Name):
			return errors.New("the name leads out of the bag")
		case a == nil:
			e.SHA256 = hex.EncodeToString(c.Digest)
		default:
			_, err = e.setDigest(a.Name, digits)
		}
		return err
	}
}

// setDigest sets what is expected, and reports whether it has taken the digest.
// algorithm is as somebody may write it or, for a digest that only its length
// describes, "".
func (e *Entry) setDigest(algorithm, digest string) (taken bool, err error) {
	a := checksum.Named(algorithm)
	switch {
	case algorithm == "" && Parts(digest) > 0:
		e.SHA256 = digest
		return true, nil
	case algorithm == "":
		if a = checksum.OfDigest(digest); a == nil {
			return false, nil
		}
	case isSHA256(algorithm):
		e.SHA256 = digest
		if Parts(digest) > 0 {
			return true, nil
		}
		sum, err := checklist.ParseDigest(digest)
		if err != nil {
			return false, fmt.Errorf("not a SHA-256 digest: %q: %w", digest, err)
		}
		e.SHA256 = hex.EncodeToString(sum)
		return true, nil
	case a == nil:
		return false, nil
	}
	text, err := a.Parse(digest)
	if err != nil {
		return false, err
	}
	e.Checksums = strings.TrimPrefix(e.Checksums+" "+text, " ")
	return true, nil
}

// isSHA256 reports whether that is what an algorithm or a column is called.
func isSHA256(name string) bool {
	return slices.Contains([]string{"sha256", "sha2256", "checksumsha256"}, plainName.Replace(strings.ToLower(name)))
}

var plainName = strings.NewReplacer("-", "", "_", "")

// setExpected sets what a text of Expected says.
func (e *Entry) setExpected(text string) error {
	for _, digest := range strings.Fields(text) {
		name, value, ok := strings.Cut(digest, ":")
		if !ok {
			name, value = "sha256", digest
		}
		taken, err := e.setDigest(name, value)
		if err == nil && !taken {
			err = fmt.Errorf("not an expected digest: %q", digest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// columnName returns the name under which setRow knows a column.
func columnName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if a := checksum.Named(name); a != nil {
		return a.Name
	}
	if isSHA256(name) {
		return "sha256"
	}
	return plainName.Replace(name)
}

// setDigests sets what the columns of a row, or the hashes of rclone, say.
func (e *Entry) setDigests(row map[string]string) error {
	for _, name := range digestColumns {
		if row[name] == "" {
			continue
		}
		if _, err := e.setDigest(name, row[name]); err != nil {
			return err
		}
	}
	return nil
}

// digestColumns are the columns of digests, as columnName returns them.
var digestColumns = func() []string {
	names := []string{"sha256"}
	for _, a := range checksum.Algorithms {
		names = append(names, a.Name)
	}
	return names
}()
