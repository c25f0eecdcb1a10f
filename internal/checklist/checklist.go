// Package checklist reads and writes checksum lists: text in which each line
// holds the digest and the name of a file.
//
// Lines reads lines of any length in bounded memory, a Parser reads the entry
// that a line holds, and AppendStandard and AppendTagged write one.
package checklist

import "crypto/sha256"

// A Format says how the lines of a list look.
type Format byte

const (
	// Auto recognizes, line by line, the formats that cannot be confused with each
	// other:
	//
	//	digest  name        or  digest *name          (coreutils)
	//	SHA256 (name) = digest                        (BSD)
	//	SHA2-256(name)= digest                        (OpenSSL 3)
	//	digest name                                   (BSD's reversed format)
	//	size,md5,digest,name                          (hashdeep; its header names the columns)
	//	SHA256   digest   name                        (PowerShell's Get-FileHash; behind its header)
	//	"SHA256","digest","name"                      (the same as CSV, with commas, semicolons or tabs)
	//	Hash : digest, and in another line Path : name (the same by Format-List)
	//	digest                                        (certutil -hashfile; behind a line with the name)
	//
	// The first line of coreutils or of the reversed format decides which of the two
	// all such lines are. Otherwise somebody who renames a file, so that its name
	// begins with a blank, could choose how the line is read.
	Auto Format = iota
	// Coreutils is the format of coreutils alone: a digest, a blank, a blank or an
	// asterisk, a name.
	Coreutils
	// Tagged is the format of BSD and OpenSSL alone.
	Tagged
	// BagIt is the format of a bag's manifests (RFC 8493, section 2.1.3): a
	// hexadecimal digest, blanks, a name in which %0A, %0D and %25 are escapes.
	BagIt
	// EarlyBagIt is the same before version 1.0: %25 is no escape.
	EarlyBagIt
)

// Size is the length of a SHA-256 digest in bytes.
const Size = sha256.Size

// An Entry is what one line says of a file.
type Entry struct {
	Name   string // any bytes but NUL; "SHA256 () = digest" has the empty name, as coreutils reads it
	Or     string // another reading of the name, if there is no file of Name; "" if there is none
	Digest []byte // Parser.DigestSize bytes
	Size   int64  // of the file in bytes, or -1 if the line does not say it
}
