package probe_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

const (
	ownerProbe       = "owner process"
	descendantsProbe = "descendants"
	runtimeProbe     = "runtime"
)

func TestLivingOwnerIsNotClear(t *testing.T) {
	p := start(t, "live", nil)
	r := recordOf(t, p)
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	requireFindings(t, evidence, ownerProbe, ownership.Present)
	require.Contains(t, evidence[0].Detail, strconv.Itoa(p.pid))
	require.Contains(t, evidence[0].Detail, r.Owner.Program)

	evidence, clear = probe.Owner(t.Context(), r, true)
	require.True(t, clear, "it said itself that it abandoned this generation")
	requireFindings(t, evidence, ownerProbe, ownership.Present)
}

func TestDeadOwnerIsClear(t *testing.T) {
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.True(t, clear, "%+v", evidence)
	requireFindings(t, evidence, ownerProbe, ownership.Absent)
	requireFindings(t, evidence, runtimeProbe)
	require.Equal(t, descendantsProbe, evidence[1].Probe)
	require.Equal(t, ownership.Absent, evidence[1].Finding)
}

// A zombie is dead.
func TestZombieOwnerIsClear(t *testing.T) {
	p := start(t, "live", nil)
	r := recordOf(t, p)
	require.NoError(t, p.stdin.Close())
	require.Eventually(t, func() bool { return stateOf(t, p.pid) == 'Z' && len(threadsOf(t, p.pid)) == 1 }, hang, tick)
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.True(t, clear, "%+v", evidence)
}

// A process that only looks like a zombie, since its first thread has ended, is alive.
func TestOwnerWithoutFirstThreadIsNotClear(t *testing.T) {
	p := start(t, "live-without-first-thread", nil)
	require.Eventually(t, func() bool { return stateOf(t, p.pid) == 'Z' }, hang, tick)
	_, clear := probe.Owner(t.Context(), recordOf(t, p), false)
	require.False(t, clear)
}

// A pid alone proves nothing: another process has it now.
func TestAnotherProcessWithThePidIsClear(t *testing.T) {
	r := recordOf(t, start(t, "live", nil))
	earlier := *r.Owner.StartTicks - 1
	r.Owner.StartTicks = &earlier
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.True(t, clear, "%+v", evidence)
}

// A thread id is not a process, even where no start was recorded to tell them apart.
func TestThreadWithThePidIsClear(t *testing.T) {
	p := start(t, "live", nil)
	r := recordOf(t, p)
	r.Owner.PID, r.Owner.StartTicks = threadOf(t, p.pid), nil
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.True(t, clear, "%+v", evidence)
}

func TestUnrecordedNamespaceIsNotClear(t *testing.T) {
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	r.Owner.PIDNamespace = nil
	evidence, clear := probe.Owner(t.Context(), r, true)
	require.False(t, clear)
	requireFindings(t, evidence, ownerProbe, ownership.Unknown)
}

func TestDescendantIsNotClear(t *testing.T) {
	owner := start(t, "live", nil)
	r := recordOf(t, owner)
	other := r
	other.Owner = new(*r.Owner)
	other.Owner.OperationID[15] ^= 1
	child := start(t, "live", []string{operation(r)}, "setsid")
	owner.end()

	for _, abandoned := range []bool{false, true} {
		evidence, clear := probe.Owner(t.Context(), r, abandoned)
		require.False(t, clear)
		requireFindings(t, evidence, ownerProbe, ownership.Absent)
		require.Equal(t, ownership.Present, evidence[1].Finding)
		require.Contains(t, evidence[1].Detail, strconv.Itoa(child.pid))
	}
	_, clear := probe.Owner(t.Context(), other, false)
	require.True(t, clear, "another operation's child is nobody's sign of life")
	child.end()
	_, clear = probe.Owner(t.Context(), r, false)
	require.True(t, clear)
}

func TestManyDescendantsAreNamedBriefly(t *testing.T) {
	owner := start(t, "live", nil)
	r := recordOf(t, owner)
	for range 12 {
		start(t, "live", []string{operation(r)})
	}
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	require.Contains(t, evidence[1].Detail, "and 2 more")
}

// Processes of others whose environment may not be read are a line and no verdict.
func TestUnreadableEnvironmentIsNoVerdict(t *testing.T) {
	wrap := asNobody(t)
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	got := probeThrough(t, r, wrap...)
	require.True(t, got.Clear, "%+v", got.Evidence)
	requireFindings(t, got.Evidence, descendantsProbe, ownership.Absent, ownership.Unknown)
}

// "May not look" is not "dead".
func TestOwnerOfAnotherUserIsNotClear(t *testing.T) {
	wrap := asNobody(t)
	got := probeThrough(t, recordOf(t, start(t, "live", nil)), wrap...)
	require.False(t, got.Clear)
	requireFindings(t, got.Evidence, ownerProbe, ownership.Present)
}

func TestEndedContextIsNotClear(t *testing.T) {
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	evidence, clear := probe.Owner(ctx, r, false)
	require.False(t, clear)
	requireFindings(t, evidence, descendantsProbe, ownership.Unknown)
}

// asNobody returns the words that start a command as a user who may not look into our
// processes.
func asNobody(t *testing.T) []string {
	t.Helper()
	if os.Getuid() != 0 {
		testkit.Skip(t, "only root can start a process of another user")
	}
	words := []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"}
	if out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput(); err != nil {
		testkit.Skip(t, "setpriv: "+string(out))
	}
	return words
}
