package tmux

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPromptIsWhereAPaneSeemsToWait(t *testing.T) {
	for screen, want := range map[string]string{
		"done\nana@devbox:~/wt$ ": "ana@devbox:~/wt$",
		"Password:":               "Password:",
		"Overwrite? [y/N] ":       "Overwrite? [y/N]",
		"╭────╮\n│ >  │\n╰────╯\n  ? for shortcuts":    ">",
		"╭────╮\n│ > fix the parser │\n╰────╯":         "> fix the parser",
		"❯ 1. Yes\n  2. No\n\nDo you want to proceed?": "Do you want to proceed?",
		"compiling foo.go": "",
		"Downloading 45%":  "",
		"":                 "",
		"✻ Thinking… (12s · esc to interrupt)\n│ >        │": "",
		"$ make\ncc -c a.c\ncc -c b.c":                       "",
	} {
		p := View{Screen: strings.TrimRight(screen, " \n")}
		p.Cursor = strings.Count(p.Screen, "\n")
		line, waits := p.Prompt()
		require.Equal(t, want, line, screen)
		require.Equal(t, want != "", waits, screen)
	}
}

func TestPanesShowWhatRunsInThem(t *testing.T) {
	private(t)
	serve(t, "", "web.42")
	client(t, "", "split-window", "-t", "web_42", "printf 'name? '; read x")
	var panes []View
	require.Eventually(t, func() bool {
		var err error
		panes, err = Views(t.Context(), "web.42")
		require.NoError(t, err)
		return len(panes) == 2 && strings.Contains(panes[1].Screen, "name?")
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, "0.1", panes[1].Place)
	require.True(t, panes[1].AtShell())
	require.NotZero(t, panes[0].PID)
	_, waits := panes[0].Prompt()
	require.False(t, waits)
	line, waits := panes[1].Prompt()
	require.True(t, waits)
	require.Equal(t, "name?", line)
	_, err := Views(t.Context(), "other")
	require.Error(t, err)
}
