package cli

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// onTerminal returns what a command shows on a terminal.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	c := exec.Command("session", args...)
	home := t.TempDir()
	c.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE=", "TERM=xterm", "NO_COLOR=", "CI=")
	c.Env = append(c.Env, env...)
	f, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 80})
	require.NoError(t, err)
	defer f.Close()
	out, _ := io.ReadAll(f) // a terminal whose program has ended reads as an error
	require.NoError(t, c.Wait())
	return string(out)
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	const escapes = "\x1b["
	require.Contains(t, onTerminal(t, nil, "inspect", "K"), escapes)
	require.NotContains(t, onTerminal(t, []string{"NO_COLOR=1"}, "inspect", "K"), escapes)
	require.NotContains(t, onTerminal(t, []string{"CI=true"}, "inspect", "K"), escapes)
	require.NotContains(t, onTerminal(t, []string{"TERM=dumb"}, "inspect", "K"), escapes)
	require.NotContains(t, onTerminal(t, nil, "--no-color", "inspect", "K"), escapes)
	require.NotContains(t, onTerminal(t, nil, "--json", "inspect", "K"), escapes)
	require.NotContains(t, session(t, t.TempDir(), "inspect", "K").stdout, escapes)
}
