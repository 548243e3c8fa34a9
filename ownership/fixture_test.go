package ownership_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

var (
	noon = ownership.At(time.Date(2026, 11, 29, 12, 0, 0, int(117*time.Millisecond), time.UTC))
	late = ownership.At(time.Date(2026, 11, 29, 14, 2, 31, 0, time.UTC))
)

func mustKey(t testing.TB, s string) ownership.Key {
	t.Helper()
	k, err := ownership.ParseKey(s)
	require.NoError(t, err)
	return k
}

func someOwner(operation byte) ownership.Owner {
	boot, namespace, ticks := "0b4e1c52-7d1f-4b6a-9a55-3c1f0e9d2a41", uint64(4026531836), uint64(918273)
	return ownership.Owner{
		Kind: "run", OperationID: ownership.OperationID{operation}, User: "ana", Host: "devbox",
		HostID: &ownership.Digest{3}, BootID: &boot, PIDNamespace: &namespace,
		PID: 48211, StartTicks: &ticks, Program: "claude", AcquiredAt: noon,
	}
}

// someFacts fills every member.
func someFacts() ownership.Facts {
	return ownership.Facts{
		Runtime: &ownership.Runtime{Kind: "tmux", Handle: "web-42"}, Resume: new("claude --resume 01a0"),
		Worktree: new("/home/ana/wt"), Transcript: new("/home/ana/wt.log"), Tracker: new("/home/ana/tracker.db"),
	}
}

func fullRecord() ownership.Record {
	owner := someOwner(1)
	return ownership.Record{
		KeyDigest: ownership.Digest{9}, Generation: 7, PreviousRevision: &ownership.Revision{1},
		State: ownership.RecordActive, Owner: &owner, Session: someFacts().Applied(ownership.Session{}),
	}
}

func acquired(t testing.TB, c ownership.Current, claim ownership.Claim) ownership.Record {
	t.Helper()
	r, err := ownership.Acquire(c, claim)
	require.NoError(t, err)
	return r
}

// current returns r as it would be read back, having gone through its encoding.
func current(t testing.TB, r ownership.Record) ownership.Current {
	t.Helper()
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	again, err := ownership.Decode(b)
	require.NoError(t, err)
	require.Equal(t, r, again, "I1: a record reads back as it was written")
	return ownership.Current{Record: &again, Revision: ownership.RevisionOf(b)}
}
