package etcdstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// What is older than what is asked for is not read, however much of it there is, and what
// is newer is told like the history of each session tells it.
func TestHistoryOfAllReadsOnlyWhatIsNewer(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	old := keyOf(t, "old")
	requireCycle(t, s, old)
	client, err := s.link.use()
	require.NoError(t, err)
	_, err = client.Put(t.Context(), s.keys.past(old.Digest(), s.revisionOf(t, old)), "no record")
	require.NoError(t, err)
	since := time.Now().Add(time.Hour) // two clocks need not agree to a millisecond

	for m := range marksOf(t, s, since) {
		require.Fail(t, "read too early", "%+v", m)
	}
	now := time.Now()
	waitForClock(now)
	for n := range pageOfValues {
		requireCycle(t, s, keyOf(t, fmt.Sprintf("new/%d", n)))
	}
	told := map[string][]string{}
	for e, err := range admin.HistoryOfAll(t.Context(), s, now.Add(time.Millisecond)) {
		require.NoError(t, err, "the old one is damaged, and not looked at")
		told[*e.Key] = append(told[*e.Key], e.Event)
	}
	require.Len(t, told, pageOfValues)
	for key, events := range told {
		require.Equal(t, eventsOf(t, s, keyOf(t, key)), events, "oldest first")
	}

	faults := 0
	for _, err := range admin.HistoryOfAll(t.Context(), s, time.Time{}) {
		if err != nil {
			faults++
		}
	}
	require.Equal(t, 1, faults, "one damaged record keeps nothing else from being told")
}

func requireCycle(t *testing.T, s *Store, key ownership.Key) {
	t.Helper()
	l, err := lease.Acquire(t.Context(), s, key, lease.Owner{Kind: "test"})
	require.NoError(t, err)
	require.NoError(t, l.Describe(t.Context(), ownership.Facts{Resume: new("x")}))
	require.NoError(t, l.Release(t.Context()))
}

func (s *Store) revisionOf(t *testing.T, key ownership.Key) ownership.Revision {
	t.Helper()
	stored, err := s.Load(t.Context(), key.Digest())
	require.NoError(t, err)
	return stored.Revision
}

func marksOf(t *testing.T, s *Store, since time.Time) map[mark]bool {
	t.Helper()
	marks, err := s.marks(t.Context(), since)
	require.NoError(t, err)
	all := map[mark]bool{}
	for _, m := range marks {
		all[m] = true
	}
	return all
}

// waitForClock returns once what happens is later than a moment, in milliseconds.
func waitForClock(than time.Time) {
	for time.Now().UnixMilli() <= than.UnixMilli()+1 {
		time.Sleep(time.Millisecond)
	}
}

// What was noted within one millisecond is told in the order in which it was done.
func TestNotesOfOneMillisecondKeepTheirOrder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	key := keyOf(t, "web/42")
	at := ownership.At(time.Now())
	var want []string
	for n := range 8 {
		want = append(want, fmt.Sprintf(`{"n":%d}`, n))
		require.NoError(t, s.Note(t.Context(), key.Digest(), at, []byte(want[n])))
	}
	require.NoError(t, s.Note(t.Context(), key.Digest(), at, []byte(want[0])), "once more is once")
	var told, all []string
	for b, err := range s.Notes(t.Context(), key.Digest()) {
		require.NoError(t, err)
		told = append(told, string(b))
	}
	require.Equal(t, want, told)
	for h, err := range s.Since(t.Context(), at.Time()) {
		require.NoError(t, err)
		all = append(all, string(h.Note))
	}
	require.Equal(t, want, all)
}
