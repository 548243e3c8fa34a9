package admin_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/ownership"
)

// orphan leaves a session whose owner was killed and whose child holds the kin lock.
func (w *world) orphan(p plan) *owner {
	w.Helper()
	p.Survivor = true
	o := w.own(p)
	o.kill()
	i := w.inspect(target(p.Key))
	require.Equal(w, ownership.StateHeld, i.State)
	require.Equal(w, ownership.KinLock, i.Liveness.Held)
	require.Len(w, i.Liveness.Holders, 1)
	require.Equal(w, o.report.Survivor, i.Liveness.Holders[0].PID)
	return o
}

// I7: a survivor is overridden by nobody who has not named it for certain.
func TestSurvivorsMustAllBeNamed(t *testing.T) {
	w := newWorld(t)
	o := w.orphan(plan{Key: "k"})
	i := w.inspect(target("k"))
	who := admin.ProcessRef{PID: o.report.Survivor, StartTicks: i.Liveness.Holders[0].StartTicks}
	everything := admin.Force | admin.AcceptUnproven | admin.Quarantine
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: everything}
	for _, despite := range [][]admin.ProcessRef{
		nil,
		{{PID: who.PID, StartTicks: who.StartTicks + 1}},
		{{PID: who.PID}},
		{{PID: who.PID + 1, StartTicks: who.StartTicks}},
	} {
		r.Despite = despite
		w.refused(r, ownership.ReasonActiveOwner)
	}
	r.Despite, r.Consent = []admin.ProcessRef{who}, 0
	p := w.previewed(r)
	require.Equal(t, ownership.Unproven, p.Effect.Liveness)

	receipt := w.recovered(w.typed(p.Command))
	require.Equal(t, ownership.Unproven, receipt.Liveness)
	marker := w.inspect(target("k")).Record.LastForcedRecovery
	require.Len(t, marker.Survivors, 1)
	require.Equal(t, who.PID, marker.Survivors[0].PID)
	require.Equal(t, who.StartTicks, marker.Survivors[0].StartTicks)
	require.NotEmpty(t, marker.Survivors[0].Program)
}

func TestSurvivorThatEndedLeavesTheSessionStranded(t *testing.T) {
	w := newWorld(t)
	o := w.orphan(plan{Key: "k"})
	o.killSurvivor(target("k"))
	i := w.inspect(target("k"))
	require.Equal(t, ownership.StateStranded, i.State)
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force})
}

// Naming the survivors speaks for them alone: an owner whose lock file was removed
// still runs.
func TestNamedSurvivorsDoNotHideTheOwner(t *testing.T) {
	w := newWorld(t)
	o := w.own(plan{Key: "k", Survivor: true})
	removeLife(w, "k")
	i := w.inspect(target("k"))
	require.Equal(t, ownership.KinLock, i.Liveness.Held)
	r := w.typed(i.Next[len(i.Next)-2].Argv)
	r.Consent |= admin.Force
	p := w.previewed(r)
	require.Contains(t, p.Command, "--accept-unproven")
	o.kill()
	w.recovered(r)
}

// A descendant that does not hold the kin lock is nobody that was named.
func TestOtherDescendantsMakeItUnproven(t *testing.T) {
	w := newWorld(t)
	w.orphan(plan{Key: "k"})
	i := w.inspect(target("k"))
	other := w.role("survivor")
	other.Env = append(other.Env, "SESSION_OPERATION_ID="+i.Record.Owner.OperationID.String())
	require.NoError(t, other.Start())
	kill := func() { _ = other.Process.Kill(); _ = other.Wait() }
	t.Cleanup(kill)

	refs := []admin.ProcessRef{{PID: i.Liveness.Holders[0].PID, StartTicks: i.Liveness.Holders[0].StartTicks}}
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force, Despite: refs}
	require.Contains(t, w.previewed(r).Command, "--accept-unproven")
	kill()
	w.recovered(r)
}

func removeLife(w *world, key string) {
	w.Helper()
	i := w.inspect(target(key))
	require.NoError(w, os.Remove(w.file(key, fmt.Sprintf("life.%d", i.Record.Generation))))
}
