package etcdstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/internal/etcdtest"
	"holdfast/lease"
	"holdfast/ownership"
)

// plant writes keys as they are, many at once.
func plant(t *testing.T, s *Store, all []string) {
	t.Helper()
	client, err := s.link.use()
	require.NoError(t, err)
	const atOnce = 100
	for len(all) > 0 {
		var puts []clientv3.Op
		for _, key := range all[:min(len(all), atOnce)] {
			puts = append(puts, clientv3.OpPut(key, "x"))
		}
		_, err := client.Txn(t.Context()).Then(puts...).Commit()
		require.NoError(t, err)
		all = all[len(puts):]
	}
}

// Each session is listed once, however many there are and however long the history of
// one is: neither fits into one answer.
func TestListOfMany(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var all []string
	want := map[ownership.Digest]bool{}
	for n := range 3 * pageOfKeys / 2 {
		d := keyOf(t, fmt.Sprintf("web/%d", n)).Digest()
		want[d] = true
		all = append(all, s.keys.record(d), s.keys.past(d, ownership.Revision{1}))
		if n == 100 {
			for r := range pageOfKeys + 10 {
				all = append(all, s.keys.past(d, ownership.RevisionOf(fmt.Append(nil, r))))
			}
		}
	}
	plant(t, s, append(all, s.keys.sessions()+"no-digest/record"))
	seen := map[ownership.Digest]bool{}
	for d, err := range s.List(t.Context()) {
		require.NoError(t, err)
		require.False(t, seen[d], "listed twice")
		seen[d] = true
	}
	require.Equal(t, want, seen)
}

// A cluster without space says so, whoever asks, and nothing is half done; once there is
// space again it goes on.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, "--quota-backend-bytes", fmt.Sprint(1<<20))
	s := openStore(t, configOn(server))
	l, err := lease.Acquire(t.Context(), s, keyOf(t, "held"), lease.Owner{Kind: "test"})
	require.NoError(t, err)
	client := rawClient(t, server.Address)
	fill(t, client)

	_, err = lease.Acquire(t.Context(), s, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
	var about *lease.StoreError
	require.ErrorAs(t, err, &about)
	require.Contains(t, about.Advice, "database is full")
	require.NotErrorIs(t, l.Release(t.Context()), lease.ErrOutcomeUnknown, "it was refused: the lease is in force")
	require.NoError(t, l.Context().Err())
	require.Contains(t, problems(t, s), "NOSPACE")

	deleted, err := client.Delete(t.Context(), "fill/", clientv3.WithPrefix())
	require.NoError(t, err)
	_, err = client.Compact(t.Context(), deleted.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
	_, err = client.Defragment(t.Context(), server.Address)
	require.NoError(t, err)
	_, err = client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
	require.NoError(t, err)
	require.NoError(t, l.Release(t.Context()))
	require.NotContains(t, problems(t, s), "NOSPACE")
}

func fill(t *testing.T, client *clientv3.Client) {
	t.Helper()
	for n := 0; ; n++ {
		_, err := client.Put(t.Context(), fmt.Sprintf("fill/%d", n), strings.Repeat("x", 100<<10))
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return
		}
		require.NoError(t, err)
	}
}

func problems(t *testing.T, s *Store) string {
	t.Helper()
	checks, err := s.Examine(t.Context())
	require.NoError(t, err)
	var all strings.Builder
	for _, c := range checks {
		if c.Problem {
			require.NotEmpty(t, c.Next)
			all.WriteString(c.Detail + "\n")
		}
	}
	return all.String()
}
