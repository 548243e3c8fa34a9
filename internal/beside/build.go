package beside

import (
	"fmt"
	"os"
	"strings"
)

// Build says how the program of that name gets to where [Path] looks for it, to follow "to
// have it," or the like: a command to be typed into a shell, in backquotes, and where. Go
// does not write over what it has not built, so that this is to be moved away first.
func Build(name, path string) string {
	command := fmt.Sprintf("`go build -o %s ./cmd/%s` in the source of this command", quote(path), name)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Sprintf("move %s away and run %s", quote(path), command)
	}
	return "run " + command
}

// plainInShell are the characters that a shell takes as they are.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// quote returns a word of a POSIX shell.
func quote(path string) string {
	if strings.Trim(path, plainInShell) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
