package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// escapeName returns name as it stands in a list: backslash, newline and
// carriage return are escaped, and a line that holds such a name begins with
// the prefix, a backslash.
func escapeName(name string) (prefix, escaped string) {
	if !strings.ContainsAny(name, "\\\n\r") {
		return "", name
	}
	return `\`, nameEscaper.Replace(name)
}

var nameEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// unescapeName undoes escapeName. It reports false for an escape that no tool
// writes.
func unescapeName(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case 0:
			return "", false
		case '\\':
			i++
			if i == len(s) {
				return "", false
			}
			switch s[i] {
			case '\\':
				c = '\\'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			default:
				return "", false
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// quoteShell returns name as it stands in a message: bare when it is plain,
// otherwise as quoteShellAlways. It is the style of the GNU tools.
func quoteShell(name string) string {
	plain := name != "" && !strings.ContainsAny(name, " :'!\"$&()*;<=>?[\\^`|") &&
		!strings.ContainsRune("#~", rune(name[0])) && name != "{" && name != "}"
	for i, r := range name {
		plain = plain && printable(name[i:], r)
	}
	if plain {
		return name
	}
	return quoteShellAlways(name)
}

// quoteShellAlways returns name between quotation marks, in a form that can be
// pasted into a shell; control characters and bytes that are no characters
// stand in $'...'.
func quoteShellAlways(name string) string {
	// Inside double quotes an apostrophe needs no escape.
	double := strings.Contains(name, "'") && !strings.ContainsAny(name, "!\"$&()*;<=>?[\\^`{|}") &&
		!strings.ContainsAny(name[1:], "#~")
	for i, r := range name {
		double = double && printable(name[i:], r)
	}
	if double {
		return `"` + name + `"`
	}

	var b strings.Builder
	b.WriteByte('\'')
	first, _ := utf8.DecodeRuneInString(name)
	last, n := utf8.DecodeLastRuneInString(name)
	if strings.Contains(name, "'") && first != '\'' && printable(name, first) && !printable(name[len(name)-n:], last) {
		// Needless, but the GNU tools have it.
		b.WriteString("''")
	}
	dollar := false // inside $'...'
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		char := name[i : i+n]
		i += n
		if char == "'" {
			b.WriteString(`'\''`)
			dollar = false
			continue
		}
		if printable(char, r) {
			if dollar {
				b.WriteString("''")
				dollar = false
			}
			b.WriteString(char)
			continue
		}
		if !dollar {
			b.WriteString("'$'")
			dollar = true
		}
		for _, c := range []byte(char) {
			if k := strings.IndexByte("\a\b\t\n\v\f\r", c); k >= 0 {
				b.WriteByte('\\')
				b.WriteByte("abtnvfr"[k])
			} else {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// printable reports whether r, the first character of s, can be shown as it
// is. In a locale that is not UTF-8 only ASCII can.
func printable(s string, r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r <= '~'
	}
	if r == utf8.RuneError && !strings.HasPrefix(s, string(utf8.RuneError)) {
		return false
	}
	return utf8Locale() && (unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Co))
}

func utf8Locale() bool {
	for _, v := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if s := os.Getenv(v); s != "" {
			s = strings.ToLower(s)
			return strings.Contains(s, "utf-8") || strings.Contains(s, "utf8")
		}
	}
	return false
}

// reason returns what the operating system said, in the words of strerror,
// without the operation and the path, which the message names already.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	s := err.Error()
	var errno syscall.Errno
	if errors.As(err, &errno) && s != "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}
