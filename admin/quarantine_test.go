package admin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/ownership"
)

func TestUnreadableIsSetAsideByteForByte(t *testing.T) {
	w := newWorld(t)
	generation := w.strand(plan{Key: "k"}).Record.Generation
	i := w.damage("k")
	raw, err := os.ReadFile(w.file("k", "record.json"))
	require.NoError(t, err)
	require.Equal(t, ownership.RevisionOf(raw), *i.Revision)

	r := admin.Recovery{Target: target("k"), Expect: *i.Revision}
	p := w.previewed(r) // I1, I8
	require.Contains(t, p.Command, "--quarantine")
	require.Nil(t, p.Owner)
	for _, partial := range []admin.Consent{admin.Force, admin.Quarantine} {
		r.Consent = partial
		w.previewed(r)
	}
	receipt := w.recovered(w.typed(p.Command))
	require.Greater(t, receipt.Generation, generation) // I2
	require.Equal(t, *i.Revision, receipt.PreviousRevision)
	require.Equal(t, ownership.Unproven, receipt.Liveness)
	require.Equal(t, "k", *receipt.Key)

	kept, err := os.ReadFile(filepath.Join(w.path, "quarantine", i.KeyDigest.String()+"."+i.Revision.String()))
	require.NoError(t, err)
	require.Equal(t, raw, kept)
	is := w.inspect(target("k"))
	require.Equal(t, ownership.StateIdle, is.State)
	require.Nil(t, is.Record.Owner)

	again := w.recovered(w.typed(p.Command))
	require.True(t, again.Replayed)
	again.Replayed = false
	require.Equal(t, receipt, again)
	w.own(plan{Key: "k"}).release()
}

func TestUnreadableWithAStaleRevision(t *testing.T) {
	w := newWorld(t)
	was := w.strand(plan{Key: "k"})
	i := w.damage("k")
	r := admin.Recovery{Target: target("k"), Expect: *was.Revision, Consent: admin.Force | admin.Quarantine}
	refusal := w.refused(r, ownership.ReasonRevisionMismatch)
	require.Equal(t, *i.Revision, *refusal.Inspection.Revision)
}

// With no record to say which generation is in force, a lock of any protects (I7).
func TestUnreadableWithALivingOwner(t *testing.T) {
	w := newWorld(t)
	o := w.own(plan{Key: "k", Survivor: true})
	i := w.damage("k")
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.Quarantine}
	refusal := w.refused(r, ownership.ReasonActiveOwner)
	require.Contains(t, pids(refusal.Inspection.Liveness.Holders), o.cmd.Process.Pid)

	o.kill()
	refusal = w.refused(r, ownership.ReasonActiveOwner)
	require.Equal(t, []int{o.report.Survivor}, pids(refusal.Inspection.Liveness.Holders))

	o.killSurvivor(target("k"))
	w.recovered(r)
}

func TestUnreadableWithoutAnyTraceOfAGeneration(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "k"}).release()
	dir := filepath.Dir(w.file("k", "record.json"))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Mkdir(dir, 0o700))
	i := w.damage("k")
	receipt := w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.Quarantine})
	require.EqualValues(t, receipt.RecoveredAt.Time().Unix(), receipt.Generation)
}

// What is not even a file is set aside as it is.
func TestDirectoryInPlaceOfARecord(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "k"}).release()
	require.NoError(t, os.Remove(w.file("k", "record.json")))
	require.NoError(t, os.Mkdir(w.file("k", "record.json"), 0o700))
	i := w.inspect(target("k"))
	require.Equal(t, ownership.StateUnreadable, i.State)
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.Quarantine})
	require.Equal(t, ownership.StateIdle, w.inspect(target("k")).State)
}

func pids(all []ownership.Process) []int {
	var found []int
	for _, p := range all {
		found = append(found, p.PID)
	}
	return found
}
