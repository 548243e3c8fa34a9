package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// completed returns what real bash offers for a command line that ends at its last
// word, which may be empty.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		testkit.Skip(t, "bash is missing")
	}
	script := `source <(session completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_session_complete session
printf '%s\n' "${COMPREPLY[@]}"`
	c := exec.Command("bash", append([]string{"--norc", "-uc", script, "bash"}, words...)...)
	c.Dir = t.TempDir()
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	requireEmpty(t, c.Dir)
	return strings.Fields(string(out))
}

func TestCompletionInBash(t *testing.T) {
	require.Contains(t, completed(t, "session", ""), "inspect")
	require.Equal(t, []string{"recover"}, completed(t, "session", "recov"))
	require.ElementsMatch(t, []string{"--quarantine", "--quiet"}, completed(t, "session", "recover", "--qu"))
	require.Equal(t, []string{"--expect"}, completed(t, "session", "recover", "K", "--ex"))
	require.Subset(t, completed(t, "session", "completion", ""), []string{"bash", "zsh", "fish", "pwsh"})
	require.Empty(t, completed(t, "session", "run", "K", "--", "rm", "-"), "options of the command are its own")
}

// What is being typed is not carried out.
func TestCompletionEvaluatesNothing(t *testing.T) {
	require.Empty(t, completed(t, "session", "inspect", "$(touch made)", "`touch made`", ">", "made", ""))
}

func TestCompletionScriptsForOtherShells(t *testing.T) {
	for _, shell := range []string{"zsh", "fish", "pwsh"} {
		r := session(t, t.TempDir(), "completion", shell)
		require.Zero(t, r.code)
		require.Contains(t, r.stdout, "--generate-shell-completion")
		require.Empty(t, r.stderr)
	}
}
