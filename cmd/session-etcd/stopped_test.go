package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/etcdtest"
	"holdfast/internal/testkit"
)

// A cluster that stands still during a release leaves the outcome unknown, and what is
// done about it can be done twice: one receipt for one revision.
func TestClusterThatStandsStillDuringARelease(t *testing.T) {
	t.Parallel()
	if testkit.Rounds(0, 1) == 0 {
		t.Skipf("it waits for all that a silent cluster is given: set %s=1", testkit.LongVariable)
	}
	p := placeOn(t, etcdtest.Start(t), "?ttl=10s")
	end := filepath.Join(t.TempDir(), "end")
	owner := p.hold(t, "K", "sh", "-c", "until [ -e '"+end+"' ]; do sleep 0.05; done")
	held := p.inspect(t, "K")
	p.server.Stop(t)
	require.NoError(t, os.WriteFile(end, nil, 0o600))
	require.Equal(t, 82, owner.ends(t), "%s", owner.printed(t))
	p.server.Continue(t)

	p.exits(t, 69, "session", "--store", "etcd://127.0.0.1:1/x", "inspect", "K")
	i := p.inspect(t, "K")
	if i.State == "idle" {
		require.NotEqual(t, held.Revision, i.Revision, "the release was done after all")
		return
	}
	require.Equal(t, held.Revision, i.Revision, "the release was not done")
	p.awaitState(t, "K", "stranded")
	first, second := p.receipt(t, held.Revision), p.receipt(t, held.Revision)
	require.False(t, first.Replayed)
	require.True(t, second.Replayed)
	require.Equal(t, first.Revision, second.Revision)
}

type receipt struct {
	Revision string
	Replayed bool
}

func (p place) receipt(t *testing.T, revision string) (r receipt) {
	t.Helper()
	o := p.run(t, "session", "recover", "K", "--json", "--expect", revision, "--force")
	require.Zero(t, o.code, "%s\n%s", o.stdout, o.stderr)
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &r))
	return r
}
