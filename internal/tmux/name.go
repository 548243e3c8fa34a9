package tmux

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spelling is how tmux spells names (session_check_name in its session.c): a colon or a period would be a separator in a
// target, and what the C library's vis(3) escapes is escaped.
var spelling = strings.NewReplacer(":", "_", ".", "_", `\`, `\\`)

// escaped puts a backslash before each dollar sign that a variable's name could follow, as tmux does from version to
// version.
func escaped(name string) string {
	var b strings.Builder
	for n := range len(name) {
		if isVariable(name[n:]) {
			b.WriteByte('\\')
		}
		b.WriteByte(name[n])
	}
	return b.String()
}

// unescaped takes these backslashes away.
func unescaped(name string) string {
	var b strings.Builder
	for n := range len(name) {
		if name[n] != '\\' || !isVariable(name[n+1:]) {
			b.WriteByte(name[n])
		}
	}
	return b.String()
}

// isVariable is written by hand: matching it would have every program that imports this build tables at its start.
func isVariable(rest string) bool {
	if len(rest) < 2 || rest[0] != '$' {
		return false
	}
	c := rest[1]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '{'
}

// called reports whether a name that tmux lists is the spelled one.
func called(listed, spelled string) bool { return listed == spelled || listed == unescaped(spelled) }

// spelled returns a session name as tmux keeps it. It fails for what no session can be called, and for control
// characters and invalid UTF-8, whose escapes differ between versions.
func spelled(name string) (string, error) {
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fmt.Errorf("%q cannot be the name of a tmux session", name)
	}
	return escaped(spelling.Replace(name)), nil
}

// CheckName returns why this can never be asked for as the name of a session: tmux gives no such name, or spells it
// differently from version to version, or it has the form of an id, of which [Ask] never says that there is none. It
// asks no server.
func CheckName(session string) error {
	if _, err := spelled(session); err != nil {
		return err
	}
	if isID(session) {
		return fmt.Errorf("%q looks like a tmux id, which is not the name of a session", session)
	}
	return nil
}

// isID reports whether name has the form of a tmux id ($3 of a session, @1 of a window, %5 of a pane). Sessions can be
// named so, but more likely somebody has recorded an id where a name belongs.
func isID(name string) bool {
	digits := strings.TrimLeft(name[1:], "0123456789")
	return strings.ContainsRune("$@%", rune(name[0])) && len(name) > 1 && digits == ""
}
