package cli

import (
	"fmt"
	"strings"
)

// shellCommand returns argv as it can be typed into a POSIX shell.
func shellCommand(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = shellQuote(arg)
	}
	return strings.Join(words, " ")
}

func shellQuote(s string) string {
	switch {
	case s != "" && strings.Trim(s, safeInShell) == "":
		return s
	case escape(s) != s:
		return printed(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

const safeInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// printed has the shell print what a terminal must not see. A shell drops newlines at
// the very end; only a reason can have any.
func printed(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; strings.IndexByte(safeInShell+" ", c) < 0 || c == '%' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return `"$(printf '` + b.String() + `')"`
}
