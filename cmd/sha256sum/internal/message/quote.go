// Package message quotes names and words errors as the GNU tools do.
package message

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

// Quote returns name as a message shows it: bare when it is plain, otherwise as
// QuoteAlways. It is the style of the GNU tools.
func Quote(name string) string {
	plain := name != "" && !strings.ContainsAny(name, " :'!\"$&()*;<=>?[\\^`|") &&
		!strings.ContainsRune("#~", rune(name[0])) && name != "{" && name != "}"
	for i, r := range name {
		plain = plain && printable(name[i:], r)
	}
	if plain {
		return name
	}
	return QuoteAlways(name)
}

// QuoteAlways returns name between quotation marks, in a form that can be
// pasted into a shell; control characters and bytes that are not characters
// become $'...'.
func QuoteAlways(name string) string {
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

// Reason returns what the operating system said, in the words of strerror,
// without the operation and the path, which the message names already.
func Reason(err error) string {
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
