package checklist

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// EscapeName returns name as a list holds it. Backslash, newline and carriage
// return are escaped, and a line with such a name begins with the prefix, a
// backslash.
func EscapeName(name string) (prefix, escaped string) {
	if !strings.ContainsAny(name, "\\\n\r") {
		return "", name
	}
	return `\`, nameEscaper.Replace(name)
}

var nameEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

var errNUL = errors.New("the name contains a NUL byte")

// UnescapeName undoes EscapeName. An escape that no tool writes is an error.
func UnescapeName(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case 0:
			return "", errNUL
		case '\\':
			i++
			if i == len(s) {
				return "", errors.New("the name ends in the middle of an escape")
			}
			switch s[i] {
			case '\\':
				c = '\\'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			default:
				return "", fmt.Errorf(`the name contains the escape \%c; expected \\, \n or \r`, s[i])
			}
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// DecodeBagIt decodes a name of a bag, from the BagIt or the EarlyBagIt format. Escapes of
// other bytes than that format's stay.
func DecodeBagIt(format Format, name string) string {
	if format == EarlyBagIt {
		return earlyDecoder.Replace(name)
	}
	return percentDecoder.Replace(name)
}

var (
	earlyEscapes   = []string{"%0A", "\n", "%0a", "\n", "%0D", "\r", "%0d", "\r"}
	earlyDecoder   = strings.NewReplacer(earlyEscapes...)
	percentDecoder = strings.NewReplacer(append([]string{"%25", "%"}, earlyEscapes...)...)
)

// AppendStandard appends a line of the Coreutils format without a line end. mark
// is the byte before the name: a blank, or an asterisk for binary mode.
func AppendStandard(b, digest []byte, mark byte, name string) []byte {
	prefix, name := EscapeName(name)
	b = append(b, prefix...)
	b = hex.AppendEncode(b, digest)
	return append(append(b, ' ', mark), name...)
}

// AppendTagged appends a line of the Tagged format without a line end.
func AppendTagged(b, digest []byte, name string) []byte {
	prefix, name := EscapeName(name)
	b = append(append(append(append(b, prefix...), "SHA256 ("...), name...), ") = "...)
	return hex.AppendEncode(b, digest)
}
