package ownership

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ProgramName returns the base name of a program as a record can hold it. A kernel
// allows any byte in one; what a record does not is replaced, so that an odd name
// never keeps an owner from acquiring or a survivor from being named.
func ProgramName(name string) string {
	name = strings.Map(replaceControl, strings.ToValidUTF8(path.Base(name), "\uFFFD"))
	for len(name) > MaxNameSize {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "" || name == "/" || name == "." {
		return "unknown"
	}
	return name
}

func replaceControl(r rune) rune {
	if unicode.IsControl(r) {
		return utf8.RuneError
	}
	return r
}
