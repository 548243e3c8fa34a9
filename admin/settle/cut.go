package settle

import (
	"strings"
	"unicode/utf8"
)

// Cut returns s as valid UTF-8 of at most limit bytes. What is too long ends before the
// first character that does not fit.
func Cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
