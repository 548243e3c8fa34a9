package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is asked of session in a store in etcd is answered by the command beside it,
// in its place: same process, same arguments, same status.
func TestSessionBecomesTheCommandBesideIt(t *testing.T) {
	p := newPlace(t, "")
	require.Equal(t, "vacant", p.inspect(t, "K").State)
	require.Equal(t, "g=1 etcd="+p.store+"\n", p.exits(t, 3, "session", "run", "--no-worktree", "K", "--",
		"sh", "-c", "echo g=$SESSION_GENERATION etcd=$HOLDFAST_STORE; exit 3"))
	require.Equal(t, "idle", p.inspect(t, "K").State)
	p.exits(t, 0, "session-etcd", "assert", "K", "idle")
	require.Equal(t, "vacant", place{env: append(p.env, "HOLDFAST_STORE=")}.inspect(t, "K").State, "a directory is another store")
}

func TestSessionSaysHowToBuildTheCommandThatIsMissing(t *testing.T) {
	p := newPlace(t, "")
	self, err := exec.LookPath("session")
	require.NoError(t, err)
	alone := filepath.Join(t.TempDir(), "session")
	copyFile(t, self, alone)
	said := p.exits(t, 69, alone, "inspect", "K")
	require.Contains(t, said, "go build -o")
	require.Contains(t, said, "./cmd/session-etcd")
	p.exits(t, 0, alone, "version")
}

// What a command of one run prints is what the next one can be typed from.
func TestPrintedCommandsNameTheStore(t *testing.T) {
	p := newPlace(t, "?ttl=5s")
	p.hold(t, "K", "sleep", "300")
	commands := nextCommands(p.exits(t, 75, "session", "run", "--no-worktree", "K", "--", "true"))
	require.NotEmpty(t, commands)
	elsewhere := place{env: append(p.env, "HOLDFAST_STORE=")}
	for _, command := range commands {
		require.Contains(t, command, "ttl=5s")
		elsewhere.exits(t, 0, "sh", "-c", command)
	}
}
