package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape returns s as it can be shown on a terminal: what is not printable, control
// characters of any kind and marks that change the direction of text among it, is
// written as Go would write it.
func escape(s string) string {
	if strings.IndexFunc(s, hidden) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[0]), 16))
		case hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }
