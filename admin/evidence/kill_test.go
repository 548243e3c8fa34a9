package evidence_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
	"holdfast/internal/gitwork"
	"holdfast/internal/testkit"
)

// Killed at any step, a snapshot is complete or absent, and what is left is recognisable.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	steps := stepsOf(t, w)
	for n := range steps {
		if n%testkit.Rounds(4, 1) != 0 && n != len(steps)-1 {
			continue
		}
		killAt(t, w, n)
		complete := n == len(steps)-1 // the last step comes after the name
		if !complete {
			require.NoDirExists(t, w.path("snapshot"), steps[n])
		} else {
			require.Empty(t, differences(t, w.path("snapshot")))
		}
		for _, left := range w.leftovers() {
			require.True(t, strings.HasPrefix(filepath.Base(left), ".snapshot"+evidence.Marker))
		}
		require.NoError(t, os.RemoveAll(w.path("snapshot")))
	}
	w.taken(evidence.Options{}) // the kills did no harm, and what they left goes
	require.Empty(t, w.leftovers())
}

// What was left goes only where a whole snapshot supersedes it: neither what is in use, nor another name's, nor when a
// source was gone.
func TestSupersededLeftoversGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	leave := func(name string) string {
		dir := filepath.Join(w.path("below"), name+evidence.Marker+"X")
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "git"), 0o700))
		return dir
	}
	end := "-" + w.inspect().KeyDigest.String()[:12]
	old, used, other := leave(".20260101T000000.000Z"+end), leave(".20260102T000000.000Z"+end), leave(".20260101T000000.000Z-ffffffffffff")
	claim, err := gitwork.Claim(used)
	require.NoError(t, err)
	defer claim.Close()
	for _, accept := range []evidence.Acceptance{evidence.AcceptMissing, 0} {
		require.DirExists(t, old)
		_, err = evidence.Take(t.Context(), w.store, w.inspect(), evidence.Options{Below: w.path("below"), Accept: accept})
		require.NoError(t, err)
	}
	require.NoDirExists(t, old)
	require.DirExists(t, used)
	require.DirExists(t, other)
}

// killAt starts a snapshot and kills it at its n-th step.
func killAt(t *testing.T, w *world, n int) {
	t.Helper()
	c := exec.Command(os.Args[0], w.path("store"), w.path("snapshot"))
	c.Env, c.Stderr = append(os.Environ(), roleVariable+"=take"), os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	said := bufio.NewReader(out)
	for range n {
		_, err = said.ReadString('\n')
		require.NoError(t, err)
		_, err = in.Write([]byte("on\n"))
		require.NoError(t, err)
	}
	_, err = said.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
}
