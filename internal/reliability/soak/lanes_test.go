package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/faults"
	"holdfast/internal/reliability/killpoint"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/powerloss"
	"holdfast/internal/reliability/preempt"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// A few rounds of every lane, every day.
func TestLanes(t *testing.T) {
	for _, l := range lanes {
		if l.quick > 0 {
			t.Run(l.name, func(t *testing.T) { l.test(t, lab.Plan{Seed: 1, Rounds: l.quick, Jobs: 2}) })
		}
	}
}

func (l lane) test(t *testing.T, p lab.Plan) {
	if l.missing != nil && l.missing() != "" {
		testkit.Skip(t, l.missing())
	}
	r, err := l.run(context.Background(), p)
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.NoError(t, l.didNothing(r))
}

// I1: a record is in force whole or not at all.
func TestKillEveryWriteOfAPublish(t *testing.T) {
	l := lane{run: killpoint.Changes, missing: lab.HasStrace, figures: []string{"kills"}}
	l.test(t, lab.Plan{Seed: 1, Jobs: 2, Only: "next acquire"})
}

// I4: from the moment at which a record says who owns the session, everybody sees him.
func TestAnOwnerIsNeverSeenWithoutItsLock(t *testing.T) {
	l := lane{run: preempt.Seen, missing: lab.HasStrace, figures: []string{"stops"}}
	l.test(t, lab.Plan{Seed: 1, Jobs: 2, Only: "next acquire"})
}

// I11: history that the archive has no room for stays where it is.
func TestAnArchiveThatRefusesTakesNothing(t *testing.T) {
	l := lane{run: faults.Shorts, missing: lab.HasStrace, figures: []string{"short writes"}}
	l.test(t, lab.Plan{Seed: 1, Rounds: 4, Jobs: 2, Only: "prune, new archive"})
}

// The lanes follow one thread: what a recovery does to the store it does in that one.
func TestARecoveryIsSeenWhole(t *testing.T) {
	l := lane{run: killpoint.Changes, missing: lab.HasStrace, figures: []string{"kills"}}
	l.test(t, lab.Plan{Seed: 1, Rounds: 1, Only: "forced recovery of"})
}

// I11: history that went into a new archive is there after a power failure.
func TestANewArchiveIsDurableBeforeHistoryIsRemoved(t *testing.T) {
	l := lane{run: powerloss.Once, missing: lab.HasStrace, figures: []string{"states"}}
	l.test(t, lab.Plan{Seed: 1, Rounds: 60, Jobs: 2, Only: "prune, new archive"})
}
