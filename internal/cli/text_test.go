package cli

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"plain ünïcode 日本": "plain ünïcode 日本",
		"a\x1b[31mb":       `a\x1b[31mb`,
		"a\nb\r\tc":        `a\nb\r\tc`,
		"a\u202eb\u2066c":  `a\u202eb\u2066c`,
		"a\u200bb\ufeff":   `a\u200bb\ufeff`,
		"a\u009bb":         `a\u009bb`,
		"a\xffb\x01":       `a\xffb\x01`,
		"\u2028":           `\u2028`,
		"'":                "'",
	} {
		require.Equal(t, want, escape(s))
	}
}

// Whatever an argument holds, a shell reads back the very bytes.
func TestShellCommandIsReadBack(t *testing.T) {
	args := []string{"", "plain", "a b", "it's", `"`, `\`, "$HOME", "`id`", "*", "~", "a;b", "a\nb", "-x", "#c", "!x", "日本", "a\u202eb", "a\x1b[1mb\\'", "a=b", "{a,b}", "100%\n%s"}
	line := shellCommand(args)
	require.Equal(t, line, escape(line), "nothing hidden")
	for _, shell := range []string{"sh", "bash"} {
		out, err := exec.Command(shell, "-c", `printf '%s\0' `+line).Output()
		require.NoError(t, err)
		require.Equal(t, strings.Join(args, "\x00")+"\x00", string(out))
	}
}

func TestWhen(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 40, 2, 117e6, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                  "just now",
		time.Second:        "1 second ago",
		12 * time.Minute:   "12 minutes ago",
		119 * time.Minute:  "1 hour ago",
		50 * time.Hour:     "2 days ago",
		-2 * time.Hour:     "2 hours from now by this clock",
		-time.Second / 2:   "just now",
		3 * 24 * time.Hour: "3 days ago",
		59 * time.Second:   "59 seconds ago",
	} {
		require.Equal(t, "2026-11-29 12:40:02 UTC, "+want, when(ownership.At(at), at.Add(d)))
	}
}

func TestWrapKeepsWhatCanBeCopied(t *testing.T) {
	require.Equal(t, []string{"aa bb", "cc"}, wrap("aa bb cc", 5))
	require.Equal(t, []string{"a", "a-long-word", "b"}, wrap("a a-long-word b", 4))
	require.Equal(t, []string{"a  b"}, wrap("a  b", 10), "a path may have two spaces")
	require.Equal(t, []string{""}, wrap("", 5))
	require.Equal(t, []string{"日本", "日本"}, wrap("日本 日本", 5))
}
