package etcdstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/etcdtest"
	"holdfast/lease"
	"holdfast/ownership"
)

// between opens a store through a proxy, and the same store past it.
func between(t *testing.T) (through, past *Store, p *proxy) {
	t.Helper()
	server := etcdtest.Shared(t)
	p = newProxy(t, server.Address)
	c := configOn(server)
	past = openStore(t, c)
	c.TTL, c.answerWithin = 2*MinTTL, MinTTL
	c.Endpoints = []string{p.address}
	return openStore(t, c), past, p
}

func keyOf(t testing.TB, s string) ownership.Key {
	t.Helper()
	key, err := ownership.ParseKey(s)
	require.NoError(t, err)
	return key
}

// interrupted is a store whose network fails right before it publishes, and whose caller
// does not wait for long then.
type interrupted struct {
	*Store
	fail func()
}

const impatience = 300 * time.Millisecond

func (s interrupted) Publish(ctx context.Context, h lease.Hold, previous ownership.Revision, b []byte) error {
	s.fail()
	ctx, cancel := context.WithTimeout(ctx, impatience)
	defer cancel()
	return s.Store.Publish(ctx, h, previous, b)
}

func (s interrupted) Displace(ctx context.Context, h lease.Hold, previous ownership.Revision, g ownership.Generation, b []byte) error {
	s.fail()
	ctx, cancel := context.WithTimeout(ctx, impatience)
	defer cancel()
	return s.Store.Displace(ctx, h, previous, g, b)
}

// What went unanswered may have been done, or not, or may be done yet: a publish says so
// and does not guess (I9).
func TestPublishWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]struct{ questions, answers bool }{
		"the answer is lost":   {answers: true},
		"the question is lost": {questions: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, past, p := between(t)
			key := keyOf(t, "web/42")
			_, err := lease.Acquire(t.Context(), interrupted{s, func() { p.keep(cut.questions, cut.answers) }}, key, lease.Owner{Kind: "test"})
			require.ErrorIs(t, err, lease.ErrOutcomeUnknown)
			i, err := lease.Inspect(t.Context(), past, key.Digest())
			require.NoError(t, err)
			require.Equal(t, cut.answers, i.Record != nil, "done, exactly where only the answer is missing")
			p.cut()
		})
	}
}

// A recovery whose answer was lost is asked for again, with the same words, and gives one
// receipt: whether or not the first one was done.
func TestRecoveryWithoutAnAnswerIsRepeated(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]struct{ questions, answers bool }{
		"the answer is lost":   {answers: true},
		"the question is lost": {questions: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, past, p := between(t)
			key := keyOf(t, "web/42")
			stranded := strand(t, past, key)
			again := admin.Recovery{
				Target: admin.ByKey(key), Expect: stranded, Actor: "ana@devbox", At: time.Now(),
				Consent: admin.Force | admin.AcceptUnproven, Snapshot: admin.SnapshotSkip,
			}
			_, err := admin.Recover(t.Context(), interrupted{s, func() { p.keep(cut.questions, cut.answers) }}, again)
			require.ErrorIs(t, err, lease.ErrOutcomeUnknown)
			p.cut()
			p.heal()

			receipt := recoverPatiently(t, past, again)
			require.Equal(t, cut.answers, receipt.Replayed)
			second, err := admin.Recover(t.Context(), past, again)
			require.NoError(t, err)
			require.True(t, second.Replayed)
			require.Equal(t, receipt.Revision, second.Revision, "one receipt for one revision")
			require.Equal(t, []string{"acquire", "recover"}, eventsOf(t, past, key))
		})
	}
}

// recoverPatiently outlasts the life key of the attempt that went unanswered.
func recoverPatiently(t *testing.T, s *Store, r admin.Recovery) admin.Receipt {
	t.Helper()
	var receipt admin.Receipt
	require.Eventually(t, func() bool {
		var err error
		receipt, err = admin.Recover(t.Context(), s, r)
		var refusal *lease.Refusal
		if err != nil {
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, ownership.ReasonActiveOwner, refusal.Reason, "%v", err)
		}
		return err == nil
	}, hang, tick)
	return receipt
}

// strand leaves a session whose owner gave it up, and returns its revision.
func strand(t *testing.T, s *Store, key ownership.Key) ownership.Revision {
	t.Helper()
	l, err := lease.Acquire(t.Context(), s, key, lease.Owner{Kind: "test"})
	require.NoError(t, err)
	require.NoError(t, l.Abandon(t.Context(), "on purpose"))
	return l.Revision()
}

func eventsOf(t *testing.T, s *Store, key ownership.Key) (all []string) {
	t.Helper()
	for e, err := range admin.History(t.Context(), s, admin.ByKey(key)) {
		require.NoError(t, err)
		all = append(all, e.Event)
	}
	return all
}
