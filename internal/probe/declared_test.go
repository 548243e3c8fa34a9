package probe_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/ownership"
)

func handleOf(t *testing.T, p *process) string {
	t.Helper()
	handle, err := probe.ProcessHandle(p.pidHere(t))
	require.NoError(t, err)
	return handle
}

func askRecord(t *testing.T, r ownership.Record) bool {
	t.Helper()
	alive, detail, err := probe.RuntimeOf(t.Context(), r)
	require.NoError(t, err)
	require.NotEmpty(t, detail)
	return alive
}

// A process outlives the owner that declared it, and keeps the session from looking free.
func TestProcessRuntime(t *testing.T) {
	p := start(t, "live", nil)
	declared := &ownership.Runtime{Kind: probe.KindProcess, Handle: handleOf(t, p)}
	r := deadOwner(t, declared)
	evidence, clear := probe.Owner(t.Context(), r, false)
	require.False(t, clear)
	requireFindings(t, evidence, runtimeProbe, ownership.Present)
	alive, _, err := probe.Runtime(t.Context(), *declared)
	require.NoError(t, err)
	require.True(t, alive)

	p.end()
	evidence, clear = probe.Owner(t.Context(), r, false)
	require.True(t, clear, "%+v", evidence)
	requireFindings(t, evidence, runtimeProbe, ownership.Absent)
}

// A pid that was given again is another process.
func TestReusedNumberIsNotTheRuntime(t *testing.T) {
	p := start(t, "live", nil)
	named, err := probe.ParseProcess(handleOf(t, p))
	require.NoError(t, err)
	r := deadOwner(t, &ownership.Runtime{Kind: probe.KindProcess, Handle: fmt.Sprintf("%d@%d", named.PID, named.StartTicks-1)})
	require.False(t, askRecord(t, r))
}

func TestProcessRuntimeOfAnotherBoot(t *testing.T) {
	p := start(t, "live", nil)
	r := deadOwner(t, &ownership.Runtime{Kind: probe.KindProcess, Handle: handleOf(t, p)})
	require.True(t, askRecord(t, r))
	other := "11111111-2222-3333-4444-555555555555"
	r.Owner.BootID = &other
	_, _, err := probe.RuntimeOf(t.Context(), r)
	require.Error(t, err, "another machine may still be in that boot")

	id := procid.ThisHost().ID
	require.NotNil(t, id)
	here, err := ownership.ParseDigest(*id)
	require.NoError(t, err)
	r.Owner.HostID = &here
	require.False(t, askRecord(t, r), "this machine has restarted since, whatever has that number now")
}

// The number is the one in the pid namespace of whoever declared it.
func TestProcessRuntimeInAnotherNamespace(t *testing.T) {
	inside := start(t, "live", nil, unshared(t, "--pid", "--fork", "--mount-proc")...)
	r := recordOf(t, inside)
	r.Session.Runtime = &ownership.Runtime{Kind: probe.KindProcess, Handle: strconv.Itoa(inside.pid) + "@" + strconv.FormatUint(*r.Owner.StartTicks, 10)}
	require.True(t, askRecord(t, r))
	r.Owner.PIDNamespace = nil
	_, _, err := probe.RuntimeOf(t.Context(), r)
	require.ErrorIs(t, err, procid.ErrNamespaceUnknown)
}

func TestRecordWithoutOwnerTellsNothingOfAProcess(t *testing.T) {
	r := ownership.Record{Session: ownership.Session{Runtime: &ownership.Runtime{Kind: probe.KindProcess, Handle: "1@1"}}}
	_, _, err := probe.RuntimeOf(t.Context(), r)
	require.Error(t, err)
}
