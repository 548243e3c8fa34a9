package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An answer that cannot be written is no answer (I9).
func TestAnswerThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{
		{"inspect", "K"},
		{"--json", "inspect", "K"},
		{"assert", "K", "vacant"},
		{"version"},
		{"--help"},
		{"help", "list"},
		{"completion", "bash"},
		{"--json", "assert", "K", "held"},
	} {
		code, stderr := sessionInto(t, t.TempDir(), devFull(t), args...)
		require.Equal(t, 74, code, "%v: %s", args, stderr)
		require.Contains(t, stderr, "could not be written", "%v", args)

		code, stderr = sessionInto(t, t.TempDir(), closedPipe(t), args...)
		require.Equal(t, 74, code, "%v: %s", args, stderr)
		require.Empty(t, stderr, "a reader that went away needs no remark")
	}
}

// A recovery whose receipt was lost is in force, says so, and can be asked for again.
func TestReceiptThatCannotBeWritten(t *testing.T) {
	home := t.TempDir()
	held := start(t, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE="), "holder", "K")
	require.Eventually(t, func() bool { return session(t, home, "assert", "K", "held").code == 0 }, patience, pollEvery)
	require.NoError(t, held.Process.Kill())
	_ = held.Wait()
	var i struct{ Revision string }
	require.NoError(t, json.Unmarshal([]byte(session(t, home, "--json", "inspect", "K").stdout), &i))

	again := []string{"--json", "recover", "K", "--expect", i.Revision, "--force"}
	for _, stdout := range []func(*testing.T) *os.File{devFull, closedPipe} {
		code, stderr := sessionInto(t, home, stdout(t), again...)
		require.Equal(t, 82, code, stderr)
		require.Contains(t, stderr, "is in force")
	}
	r := session(t, home, again...)
	require.Zero(t, r.code, r.stdout)
	require.Contains(t, r.stdout, `"replayed":true`)
}

func devFull(t *testing.T) *os.File {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	return f
}

func closedPipe(t *testing.T) *os.File {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return w
}

func sessionInto(t *testing.T, home string, stdout *os.File, args ...string) (code int, stderr string) {
	defer stdout.Close()
	c := exec.Command("session", args...)
	c.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE=")
	c.Stdout = stdout
	var b strings.Builder
	c.Stderr = &b
	err := c.Run()
	if _, ended := err.(*exec.ExitError); !ended {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode(), b.String()
}
