package admin_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// Every command that an inspection offers works when it is typed in that very state.
// States are made afresh for each command, since some of them change it.
func TestEveryOfferedCommandWorks(t *testing.T) {
	t.Parallel() // others wait meanwhile
	facts := ownership.Facts{Worktree: new("/no/such/tree")}
	for _, c := range []struct {
		name  string
		reach func(w *world)
	}{
		{"vacant", func(w *world) {}},
		{"idle", func(w *world) { w.own(plan{Key: "k"}).release() }},
		{"held", func(w *world) { w.own(plan{Key: "k"}) }},
		{"survivors", func(w *world) { w.orphan(plan{Key: "k"}) }},
		{"stranded", func(w *world) { w.strand(plan{Key: "k"}) }},
		{"stranded with work", func(w *world) { w.strand(plan{Key: "k", Facts: facts}) }},
		{"unproven", func(w *world) { w.unprove(plan{Key: "k"}) }},
		{"unreadable", func(w *world) { w.strand(plan{Key: "k"}); w.damage("k") }},
		{"unreadable but held", func(w *world) { w.own(plan{Key: "k"}); w.damage("k") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 0; ; n++ {
				w := newWorld(t)
				c.reach(w)
				i := w.inspect(target("k"))
				require.NotEmpty(t, i.Next)
				if n == len(i.Next) {
					return
				}
				w.enter(i.Next[n])
			}
		})
	}
}

// enter does what a command says and checks what it says about changing something.
func (w *world) enter(n lease.Next) {
	w.Helper()
	before := w.inspect(target("k")).Stored.Revision
	require.NotEmpty(w, n.Why)
	require.NotContains(w, n.Argv, "rm")
	switch verb := strings.Join(n.Argv[:2], " "); verb {
	case "kill -TERM":
		require.True(w, n.ChangesState)
		require.NoError(w, exec.Command(n.Argv[0], n.Argv[1:]...).Run())
		w.eventually(func() bool {
			live := w.inspect(target("k")).Liveness
			return live == nil || live.Verdict != ownership.Alive
		})
		return
	case "session list":
		for _, err := range admin.List(w.Context(), w.store, nil) {
			require.NoError(w, err)
		}
	case "session inspect":
		require.Equal(w, []string{"k"}, n.Argv[2:])
	case "session recover":
		w.typeRecovery(n)
	default:
		require.Fail(w, "unknown command", verb)
	}
	changed := before != w.inspect(target("k")).Stored.Revision
	require.Equal(w, n.ChangesState, changed)
}

func (w *world) typeRecovery(n lease.Next) {
	w.Helper()
	_, err := admin.Recover(w.Context(), w.store, w.typed(n.Argv))
	if slices.Contains(n.Argv, "--force") {
		require.NoError(w, err)
		return
	}
	var preview *admin.ForceRequired
	require.True(w, errors.As(err, &preview), "%v", err)
	require.Equal(w, "session", preview.Preview.Command[0])
}

func TestExplainNamesTheHoldersForARefusal(t *testing.T) {
	w := newWorld(t)
	o := w.own(plan{Key: "k"})
	key, err := ownership.ParseKey("k")
	require.NoError(t, err)
	_, err = lease.Acquire(t.Context(), w.store, key, lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Empty(t, refusal.Inspection.Next)
	admin.Explain(t.Context(), w.store, &refusal.Inspection)
	require.Equal(t, []int{o.cmd.Process.Pid}, pids(refusal.Inspection.Liveness.Holders))
	require.NotEmpty(t, refusal.Inspection.Next)
}

func TestProcessRefs(t *testing.T) {
	p, err := admin.ParseProcessRef("12:345")
	require.NoError(t, err)
	require.Equal(t, admin.ProcessRef{PID: 12, StartTicks: 345}, p)
	require.Equal(t, "12:345", p.String())
	for _, bad := range []string{"", "12", "12:", ":5", "0:5", "-1:5", "12:x", "12:5:6", "99999999999:5"} {
		_, err := admin.ParseProcessRef(bad)
		require.Error(t, err, bad)
	}
}
