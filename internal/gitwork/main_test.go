package gitwork_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
	"holdfast/internal/testkit"
)

// userConfiguration is what the user of the tests has set: nothing of this machine's is in force.
const userConfiguration = `[user]
	name = Ana
	email = ana@example.org
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[core]
	fsync = none
[advice]
	detachedHead = false
[gc]
	auto = 0
`

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	testkit.InMemory()
	os.Exit(runAlone(m))
}

// runAlone gives the tests a home of their own.
func runAlone(m *testing.M) int {
	home, err := os.MkdirTemp("", "gitwork-home-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	file := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(file, []byte(userConfiguration), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Unsetenv("XDG_CONFIG_HOME")
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_GLOBAL": file, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
	} {
		os.Setenv(name, value)
	}
	return m.Run()
}

// needGit returns the installed git, or ends the test.
func needGit(t testing.TB) gitwork.Git {
	t.Helper()
	git, err := gitwork.FindGit(context.Background())
	if err != nil {
		testkit.Skip(t, err.Error())
	}
	return git
}

func needTools(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			testkit.Skip(t, name+" is not installed")
		}
	}
}

// shell runs a script in dir with D set to it, and returns what it printed.
func shell(t testing.TB, dir, script string, args ...string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-euc", script, "sh"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "D="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
