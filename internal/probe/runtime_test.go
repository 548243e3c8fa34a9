package probe_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// deadOwner is a record whose owner has ended, and the runtime that it declared.
func deadOwner(t *testing.T, declared *ownership.Runtime) ownership.Record {
	t.Helper()
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	r.Session.Runtime = declared
	return r
}

// A kind that nobody can ask is not gone.
func TestUnknownRuntimeIsNotClear(t *testing.T) {
	r := deadOwner(t, &ownership.Runtime{Kind: "vm", Handle: "web-42"})
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	requireFindings(t, evidence, runtimeProbe, ownership.Unknown)

	alive, _, err := probe.Runtime(t.Context(), *r.Session.Runtime)
	require.Error(t, err)
	require.False(t, alive)
}

func TestCheckRuntime(t *testing.T) {
	for _, r := range []ownership.Runtime{{Kind: "tmux", Handle: "web-42"}, {Kind: "tmux", Handle: "a:b.c"}, {Kind: "process", Handle: "1@1"}} {
		require.NoError(t, probe.CheckRuntime(r), r)
	}
	for _, r := range []ownership.Runtime{
		{}, {Kind: "vm", Handle: "web-42"}, {Kind: "Tmux", Handle: "web-42"}, {Kind: "tmux"},
		{Kind: "tmux", Handle: "a\nb"}, {Kind: "tmux", Handle: "\xff"}, {Kind: "tmux", Handle: "$3"},
		{Kind: "tmux", Handle: "@1"}, {Kind: "tmux", Handle: "%5"},
		{Kind: "process"}, {Kind: "process", Handle: "1"}, {Kind: "process", Handle: "0@5"}, {Kind: "process", Handle: "1@0"},
		{Kind: "process", Handle: "-1@5"}, {Kind: "process", Handle: "1@5@6"}, {Kind: "process", Handle: "99999999999@5"},
	} {
		require.Error(t, probe.CheckRuntime(r), r)
		alive, _, err := probe.Runtime(t.Context(), r)
		require.Error(t, err, r)
		require.False(t, alive)
	}
}

// A runtime outlives its owner: it is the child of a server.
func TestTmuxRuntime(t *testing.T) {
	tmux := privateTmux(t)
	name := fmt.Sprintf("web-42-%d", os.Getpid()) // every server of this user is asked
	r := deadOwner(t, &ownership.Runtime{Kind: probe.KindTmux, Handle: name})
	tmux("new-session", "-d", "-s", name, "sleep", "600")
	tmux("new-session", "-d", "-s", "other", "sleep", "600")
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	requireFindings(t, evidence, runtimeProbe, ownership.Present)

	tmux("kill-session", "-t", "="+name)
	evidence, clear = probe.Owner(t.Context(), r, false)
	require.True(t, clear, "%+v", evidence)
	requireFindings(t, evidence, runtimeProbe, ownership.Absent)
}

// privateTmux runs tmux commands on a server that only this test knows.
func privateTmux(t *testing.T) func(words ...string) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		testkit.Skip(t, "there is no tmux")
	}
	dir, err := os.MkdirTemp("", "tmux") // short: it becomes part of a socket's path
	require.NoError(t, err)
	t.Setenv("TMUX_TMPDIR", dir)
	t.Setenv("TMUX", "")
	run := func(words ...string) {
		t.Helper()
		out, err := exec.Command("tmux", words...).CombinedOutput()
		require.NoError(t, err, "tmux %q: %s", words, out)
	}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "kill-server").Run() // none is left if the last session has ended
		_ = os.RemoveAll(dir)
	})
	return run
}
