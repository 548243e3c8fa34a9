package probe_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// From inside a pid namespace, processes outside it cannot be seen: not seeing them
// proves nothing, and whoever has the number there is somebody else.
func TestOwnerOutsideOurNamespaceIsNotClear(t *testing.T) {
	wrap := unshared(t, "--pid", "--fork", "--mount-proc")
	living := start(t, "live", nil)
	r := recordOf(t, living)
	sameNumber := r
	sameNumber.Owner = new(*r.Owner)
	sameNumber.Owner.PID, sameNumber.Owner.StartTicks = 1, nil
	for _, r := range []ownership.Record{r, sameNumber} {
		got := probeThrough(t, r, wrap...)
		require.False(t, got.Clear)
		requireFindings(t, got.Evidence, ownerProbe, ownership.Unknown)
	}
}

// With the /proc of another namespace, pids found there would name other processes.
func TestForeignProcIsNotClear(t *testing.T) {
	wrap := unshared(t, "--pid", "--fork")
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	got := probeThrough(t, r, wrap...)
	require.False(t, got.Clear)
	requireFindings(t, got.Evidence, descendantsProbe, ownership.Unknown)
}

// An owner inside a container is seen from outside under another number.
func TestOwnerInsideAnotherNamespace(t *testing.T) {
	wrap := unshared(t, "--pid", "--fork", "--mount-proc", "--kill-child")
	p := start(t, "live", nil, wrap...)
	require.Equal(t, 1, p.pid)
	r := recordOf(t, p)
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	requireFindings(t, evidence, ownerProbe, ownership.Present)
	require.Contains(t, evidence[0].Detail, "in its own pid namespace it is pid 1")

	p.end()
	evidence, clear = probe.Owner(t.Context(), r, false)
	if !clear {
		requireFindings(t, evidence, ownerProbe, ownership.Unknown)
		testkit.Skip(t, "this is not the first pid namespace, so nothing here sees every other one")
	}
}

// What runs in a namespace below ours is seen by its environment all the same.
func TestDescendantInsideAnotherNamespaceIsNotClear(t *testing.T) {
	wrap := unshared(t, "--pid", "--fork", "--mount-proc", "--kill-child")
	owner := start(t, "live", nil)
	r := recordOf(t, owner)
	start(t, "live", []string{operation(r)}, wrap...)
	owner.end()
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	require.Equal(t, ownership.Present, evidence[1].Finding)
}

// /proc that cannot be read tells nothing.
func TestUnreadableProcIsNotClear(t *testing.T) {
	unshared(t, "--mount")
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	got := probeThrough(t, r, "unshare", "--mount", "sh", "-c", `mount -t tmpfs none /proc && exec "$0"`)
	require.False(t, got.Clear)
	requireFindings(t, got.Evidence, ownerProbe, ownership.Unknown)
	requireFindings(t, got.Evidence, descendantsProbe, ownership.Unknown)
}

// /proc that hides the processes of others (hidepid) proves no absence.
func TestHidingProcIsNotClear(t *testing.T) {
	unshared(t, "--mount")
	user := strings.Join(asNobody(t), " ")
	p := start(t, "live", nil)
	r := recordOf(t, p)
	p.end()
	hiding := []string{"unshare", "--mount", "sh", "-c", `mount -t proc -o hidepid=2 proc /proc && exec ` + user + ` "$0"`}
	got := probeThrough(t, r, hiding...)
	require.False(t, got.Clear)
	requireFindings(t, got.Evidence, ownerProbe, ownership.Unknown)
	requireHidden(t, got.Evidence)

	ours := recordOf(t, start(t, "live", nil, asNobody(t)...))
	got = probeInRole(t, "probe-abandoned", ours, hiding...)
	require.False(t, got.Clear, "the owner is seen and has given up, but not what it may have started")
	requireFindings(t, got.Evidence, ownerProbe, ownership.Present)
	requireHidden(t, got.Evidence)
}

// requireHidden leaves aside that there may also be others whose environment may not be read.
func requireHidden(t *testing.T, evidence []ownership.Evidence) {
	t.Helper()
	found := findings(evidence, descendantsProbe)
	require.GreaterOrEqual(t, len(found), 2)
	require.Equal(t, []ownership.Finding{ownership.Absent, ownership.Unknown}, found[:2], "%+v", evidence)
}

// No probe ever sends a signal, signal 0 included, to a pid from a record.
func TestProbeSendsNoSignal(t *testing.T) {
	if out, err := exec.Command("strace", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		testkit.Skip(t, "strace: "+string(out))
	}
	r := recordOf(t, start(t, "live", nil))
	trace := t.TempDir() + "/trace"
	got := probeThrough(t, r, "strace", "-f", "--seccomp-bpf", "-o", trace, "-e", "trace=kill,tkill,tgkill,pidfd_open,pidfd_send_signal,rt_sigqueueinfo,rt_tgsigqueueinfo",
		"env", "GODEBUG=asyncpreemptoff=1")
	require.False(t, got.Clear)
	require.NotRegexp(t, `\b(kill|tkill|tgkill|pidfd_\w+|rt_\w*sigqueueinfo)\(`, readFile(t, trace))
}
