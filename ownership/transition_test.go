package ownership_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// situation is a session in one of the places from which a transition can start.
type situation struct {
	name    string
	current ownership.Current
}

func situations(t *testing.T) []situation {
	t.Helper()
	key := mustKey(t, "web/42")
	first := current(t, acquired(t, ownership.Current{}, claimOf(key, 1)))
	described := current(t, must(ownership.Describe(first, someFacts()))(t))
	released := current(t, must(ownership.ReleaseAcknowledge(described))(t))
	again := current(t, acquired(t, released, claimOf(key, 2)))
	forced := current(t, must(ownership.Recover(again, someForce()))(t))
	afterForced := current(t, acquired(t, forced, claimOf(key, 3)))
	quarantined := current(t, ownership.Quarantine(key.Digest(), ownership.Revision{7}, 40, someForce()))
	afterQuarantine := current(t, acquired(t, quarantined, claimOf(key, 4)))
	return []situation{
		{"vacant", ownership.Current{}}, {"first", first}, {"described", described}, {"released", released},
		{"again", again}, {"forced", forced}, {"after forced", afterForced},
		{"quarantined", quarantined}, {"after quarantine", afterQuarantine},
	}
}

func claimOf(key ownership.Key, operation byte) ownership.Claim {
	return ownership.Claim{Key: key, Owner: someOwner(operation)}
}

func someForce() ownership.Force {
	return ownership.Force{At: late, Actor: "ana@devbox", Reason: "OOM at 13:52", Liveness: ownership.Gone}
}

func must(r ownership.Record, err error) func(*testing.T) ownership.Record {
	return func(t *testing.T) ownership.Record {
		t.Helper()
		require.NoError(t, err)
		return r
	}
}

// transition is one of the ways in which a record replaces another.
type transition struct {
	name  string
	from  func(ownership.Current) bool
	step  ownership.Generation
	apply func(ownership.Current) (ownership.Record, error)
	state ownership.RecordState
}

func transitions(t *testing.T) []transition {
	key := mustKey(t, "web/42")
	idle := func(c ownership.Current) bool { return c.Record == nil || c.Record.State == ownership.RecordIdle }
	active := func(c ownership.Current) bool { return !idle(c) }
	return []transition{
		{"acquire", idle, 1, func(c ownership.Current) (ownership.Record, error) {
			return ownership.Acquire(c, claimOf(key, 9))
		}, ownership.RecordActive},
		{"describe", active, 0, func(c ownership.Current) (ownership.Record, error) {
			return ownership.Describe(c, ownership.Facts{Resume: new("other")})
		}, ownership.RecordActive},
		{"release", active, 0, ownership.ReleaseAcknowledge, ownership.RecordIdle},
		{"recover", active, 1, func(c ownership.Current) (ownership.Record, error) {
			return ownership.Recover(c, someForce())
		}, ownership.RecordIdle},
	}
}

// I6: a transition is possible from exactly the states that allow it, and what it
// makes is a record (I1) of the right generation (I2) linked to the last (I11).
func TestTransitionsFromEverySituation(t *testing.T) {
	for _, s := range situations(t) {
		for _, tr := range transitions(t) {
			t.Run(tr.name+" from "+s.name, func(t *testing.T) {
				before := asJSON(t, s.current)
				r, err := tr.apply(s.current)
				require.Equal(t, before, asJSON(t, s.current), "a transition changed the record it started from")
				if !tr.from(s.current) {
					requireNoTransition(t, r, err)
					return
				}
				require.NoError(t, err)
				requireFollows(t, tr, s.current, r)
			})
		}
	}
}

func requireNoTransition(t *testing.T, r ownership.Record, err error) {
	t.Helper()
	var no *ownership.TransitionError
	require.ErrorAs(t, err, &no)
	require.Zero(t, r)
}

func requireFollows(t *testing.T, tr transition, c ownership.Current, r ownership.Record) {
	t.Helper()
	now := current(t, r)
	require.Equal(t, tr.state, r.State)
	require.Equal(t, generationOf(c)+tr.step, r.Generation)
	require.NotEqual(t, c.Revision, now.Revision)
	if c.Record == nil {
		require.Nil(t, r.PreviousRevision)
		return
	}
	require.Equal(t, c.Revision, *r.PreviousRevision)
	require.Equal(t, c.Record.KeyDigest, r.KeyDigest)
}

func generationOf(c ownership.Current) ownership.Generation {
	if c.Record == nil {
		return 0
	}
	return c.Record.Generation
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// I2: where no generation is left, nothing wraps round.
func TestNoGenerationFollowsTheLast(t *testing.T) {
	r := fullRecord()
	r.Generation = ownership.MaxGeneration
	last := current(t, r)
	got, err := ownership.Recover(last, someForce())
	requireNoTransition(t, got, err)

	released := current(t, must(ownership.ReleaseAcknowledge(last))(t))
	got, err = ownership.Acquire(released, claimOf(mustKey(t, "web/42"), 1))
	requireNoTransition(t, got, err)
}

func TestAcquireKeepsSessionAndMarker(t *testing.T) {
	all := map[string]ownership.Current{}
	for _, s := range situations(t) {
		all[s.name] = s.current
	}
	forced := all["forced"]
	r := acquired(t, forced, claimOf(mustKey(t, "web/42"), 9))
	require.Equal(t, someFacts().Applied(ownership.Session{}), r.Session)
	require.Equal(t, forced.Record.LastForcedRecovery, r.LastForcedRecovery)
	require.Nil(t, r.Release)
	require.Equal(t, someOwner(9), *r.Owner)
}

func TestAcquirePrivateKeepsOnlyTheDigest(t *testing.T) {
	key := mustKey(t, "secret/1")
	claim := claimOf(key, 1)
	claim.Private = true
	private := current(t, acquired(t, ownership.Current{}, claim))
	require.Nil(t, private.Record.Key)
	require.Equal(t, key.Digest(), private.Record.KeyDigest)

	released := current(t, must(ownership.ReleaseAcknowledge(private))(t))
	require.Nil(t, released.Record.Key)
	open := acquired(t, released, claimOf(key, 2))
	require.Equal(t, key.String(), *open.Key, "each owner decides anew")
	released = current(t, must(ownership.ReleaseAcknowledge(current(t, open)))(t))
	require.Nil(t, acquired(t, released, claim).Key)
}

func TestReleaseKeepsOwner(t *testing.T) {
	c := current(t, fullRecord())
	r := must(ownership.ReleaseAcknowledge(c))(t)
	require.Equal(t, ownership.ReleaseAcknowledged, *r.Release)
	require.Equal(t, c.Record.Owner, r.Owner)
	require.Equal(t, c.Record.Session, r.Session)
}

func TestFacts(t *testing.T) {
	full := someFacts().Applied(ownership.Session{})
	require.Equal(t, full, ownership.Facts{}.Applied(full), "nil keeps")
	cleared := ownership.Facts{
		Runtime: &ownership.Runtime{}, Resume: new(""), Worktree: new(""), Transcript: new(""), Tracker: new(""),
	}
	require.Zero(t, cleared.Applied(full), "empty clears")
	require.Zero(t, cleared.Applied(ownership.Session{}))

	one := ownership.Facts{Worktree: new("/elsewhere")}.Applied(full)
	require.Equal(t, "/elsewhere", *one.Worktree)
	one.Worktree = full.Worktree
	require.Equal(t, full, one, "the others stay")
}
