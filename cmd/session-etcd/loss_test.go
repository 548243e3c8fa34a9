package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/etcdtest"
	"holdfast/internal/testkit"
)

// etcdctl is what an administrator of the cluster types.
func (p place) etcdctl(t *testing.T, words ...string) string {
	t.Helper()
	c := exec.Command("etcdctl", append([]string{"--endpoints", p.server.Address}, words...)...)
	c.Env = append(p.env, "ETCDCTL_API=3")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func needEtcdctl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("etcdctl"); err != nil {
		testkit.Skip(t, "there is no etcdctl on this machine: apt-get install etcd-client")
	}
}

// stubborn is a command that has to be killed.
var stubborn = []string{"sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// Losing the lease ends the ownership and not the record: the owner stops its command and
// publishes nothing, and the next one needs a recovery.
func TestRevokedLease(t *testing.T) {
	t.Parallel()
	needEtcdctl(t)
	p := placeOn(t, etcdtest.Start(t), "?ttl=60s")
	owner := p.start(t, append([]string{"session", "run", "--no-worktree", "--grace", "300ms", "K", "--"}, stubborn...)...)
	held := p.awaitState(t, "K", "held")

	leases := strings.Fields(p.etcdctl(t, "lease", "list"))
	p.etcdctl(t, "lease", "revoke", leases[len(leases)-1])
	require.Equal(t, 81, owner.ends(t), "%s", owner.printed(t))
	p.saysWhatToDo(t, owner)
	after := p.inspect(t, "K")
	require.Equal(t, held.Revision, after.Revision, "the record is on no lease, and nothing was published")
	require.Equal(t, "active", after.Record.State)
	p.exits(t, 76, "session", "run", "--no-worktree", "K", "--", "true")
}

// A cluster that cannot be reached ends the ownership by the owner's own clock: the
// command is dead before the cluster, which says nothing meanwhile, would let anybody
// else in.
func TestUnreachableClusterStopsTheCommandInTime(t *testing.T) {
	t.Parallel()
	ttl := time.Duration(testkit.Rounds(3, 10)) * time.Second
	p := placeOn(t, etcdtest.Start(t), "?ttl="+ttl.String())
	owner := p.start(t, append([]string{"session", "run", "--no-worktree", "K", "--"}, stubborn...)...)
	held := p.awaitState(t, "K", "held")

	began := time.Now()
	p.server.Stop(t)
	command := childOf(t, owner.Process.Pid)
	require.Eventually(t, func() bool { return !alive(command) }, hang, tick)
	took := time.Since(began)
	p.server.Continue(t)
	if ttl > 3*time.Second { // on a busy machine a second is nothing
		require.Less(t, took, ttl, "the lease was renewed before the cluster became silent, and outlives the command")
	}
	require.Equal(t, 81, owner.ends(t), "%s", owner.printed(t))
	p.saysWhatToDo(t, owner)
	require.Equal(t, held.Revision, p.inspect(t, "K").Revision)
}

// An owner that was stopped beyond the TTL finds out before it writes: others may have
// been let in meanwhile, and here somebody was.
func TestOwnerThatWakesUpLate(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "?ttl=3s")
	end := filepath.Join(t.TempDir(), "end")
	owner := p.hold(t, "K", "sh", "-c", "until [ -e '"+end+"' ]; do sleep 0.05; done")
	held := p.inspect(t, "K")
	require.NoError(t, owner.Process.Signal(syscall.SIGSTOP))
	p.awaitState(t, "K", "unproven")
	p.exits(t, 76, "session", "run", "--no-worktree", "K", "--", "true")
	p.exits(t, 0, "session", "recover", "K", "--expect", held.Revision, "--force", "--accept-unproven")
	p.exits(t, 0, "session", "run", "--no-worktree", "K", "--", "true")
	after := p.inspect(t, "K")
	require.NoError(t, os.WriteFile(end, nil, 0o600)) // it has something to acknowledge
	require.NoError(t, owner.Process.Signal(syscall.SIGCONT))
	require.Equal(t, 81, owner.ends(t), "%s", owner.printed(t))
	p.saysWhatToDo(t, owner)
	require.Contains(t, owner.printed(t), "generation 3", "who has it now")
	require.Equal(t, after, p.inspect(t, "K"), "it wrote nothing")
}

// Before and after the life key of a killed owner goes, nobody else gets in; the TTL of
// the contender has nothing to do with it.
func TestKilledOwner(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "?ttl=3s")
	contender := p
	contender.env = append(p.env, "HOLDFAST_STORE="+strings.Replace(p.store, "3s", "2s", 1))
	owner := p.hold(t, "K", "sleep", "300")
	command := childOf(t, owner.Process.Pid)
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // it was killed
	contender.exits(t, 75, "session", "run", "--no-worktree", "K", "--", "true")
	i := p.inspect(t, "K") // while the key is there
	require.Empty(t, i.Liveness.Holders, "its number may be another's soon: nobody is asked to end it")
	require.Contains(t, evidence(i), "has ended")
	i = p.awaitState(t, "K", "unproven") // the life key is gone, and what the owner started lives
	require.Contains(t, evidence(i), "SESSION_OPERATION_ID")
	contender.exits(t, 76, "session", "run", "--no-worktree", "K", "--", "true")

	require.NoError(t, syscall.Kill(command, syscall.SIGKILL))
	i = p.awaitState(t, "K", "stranded") // this very host can prove it
	contender.exits(t, 76, "session", "run", "--no-worktree", "K", "--", "true")
	contender.exits(t, 0, "session", "recover", "K", "--expect", i.Revision, "--force", "--reason", "killed")
	contender.exits(t, 0, "session", "run", "--no-worktree", "K", "--", "true")
	require.Equal(t, 3, p.inspect(t, "K").Record.Generation)
}

// saysWhatToDo holds that an owner that lost its session says what happened and when, and
// commands that can be typed.
func (p place) saysWhatToDo(t *testing.T, owner *running) {
	t.Helper()
	said := owner.printed(t)
	require.Contains(t, said, "not ours any more (generation 1)")
	require.Contains(t, said, "noticed at")
	commands := nextCommands(said)
	require.NotEmpty(t, commands, said)
	for _, command := range commands {
		p.exits(t, 0, "sh", "-c", command)
	}
}

// An owner with a long TTL is not overtaken by a contender with a short one.
func TestContenderWithAShorterTTL(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "?ttl=60s")
	p.hold(t, "K", "sleep", "300")
	contender := p
	contender.env = append(p.env, "HOLDFAST_STORE="+strings.Replace(p.store, "60s", "2s", 1))
	contender.exits(t, 124, "session", "run", "--no-worktree", "--wait", "2500ms", "K", "--", "true")
	require.Equal(t, "held", p.inspect(t, "K").State)
}

func evidence(i inspection) string {
	var all strings.Builder
	for _, e := range i.Liveness.Evidence {
		all.WriteString(e.Detail + "\n")
	}
	return all.String()
}
