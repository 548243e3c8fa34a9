package tmux

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckTyped returns why a text cannot be typed into a pane: it would be keys of another meaning.
func CheckTyped(text string) error {
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%.80q is not one line of text", text)
	}
	return nil
}

// Type types a line and Enter into a pane of the session, which must still be this one.
func (s *Session) Type(ctx context.Context, pane Pane, text string) error {
	if err := CheckTyped(text); err != nil {
		return err
	}
	quoted := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	return s.do(ctx, fmt.Sprintf("copy-mode -q -t '%[1]s' ; send-keys -t '%[1]s' -l -- %[2]s ; send-keys -t '%[1]s' Enter", pane.ID, quoted))
}
