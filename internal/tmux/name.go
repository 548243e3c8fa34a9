package tmux

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// spelling is how tmux spells names (session_check_name in its session.c): a colon or a period would be a separator in a
// target, and what the C library's vis(3) escapes is escaped.
var spelling = strings.NewReplacer(":", "_", ".", "_", `\`, `\\`)

// expandable is a dollar sign as tmux escapes it from version to version: where a variable's name could follow. Most
// programs never ask for a session by name, and do not pay for it.
var expandable = compiledOnce(`\$([A-Za-z_{])`)

// escaped is what expandable is escaped to.
var escaped = compiledOnce(`\\\$([A-Za-z_{])`)

func compiledOnce(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// called reports whether a name that tmux lists is the spelled one.
func called(listed, spelled string) bool { return listed == spelled || listed == unescaped(spelled) }

func unescaped(spelled string) string { return escaped().ReplaceAllString(spelled, "$$$1") }

// spelled returns a session name as tmux keeps it. It fails for what no session can be called, and for control
// characters and invalid UTF-8, whose escapes differ between versions.
func spelled(name string) (string, error) {
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fmt.Errorf("%q cannot be the name of a tmux session", name)
	}
	return expandable().ReplaceAllString(spelling.Replace(name), `\$$$1`), nil
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
