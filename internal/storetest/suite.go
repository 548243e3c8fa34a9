package storetest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/procid"
	"holdfast/internal/random"
	"holdfast/lease"
	"holdfast/ownership"
)

const (
	hang = 2 * time.Minute      // bounds waits that end soon unless something is broken
	tick = 2 * time.Millisecond // between two looks at what is waited for
)

// suite is one store under test, with a session to use.
type suite struct {
	Backend
	fresh func(t *testing.T) Backend
	key   ownership.Key
	d     ownership.Digest
}

func newSuite(t *testing.T, fresh func(t *testing.T) Backend) *suite {
	key := keyOf(t, "web/42")
	return &suite{Backend: fresh(t), fresh: fresh, key: key, d: key.Digest()}
}

func keyOf(t *testing.T, s string) ownership.Key {
	t.Helper()
	key, err := ownership.ParseKey(s)
	require.NoError(t, err)
	return key
}

// told is what a hook of the backend says, or "" where it has none.
func told(hook func() string) string {
	if hook == nil {
		return ""
	}
	return hook()
}

// thisProcess is an owner of a fresh operation that this very process is.
func thisProcess() ownership.Owner {
	self, host := procid.Self(), procid.ThisHost()
	o := ownership.Owner{
		Kind: "storetest", User: "ana", Host: host.Name, BootID: host.BootID, PIDNamespace: host.PIDNamespace,
		PID: os.Getpid(), StartTicks: &self.StartTicks, Program: self.Program, AcquiredAt: ownership.At(time.Now()),
	}
	if id := host.ID; id != nil {
		if d, err := ownership.ParseDigest(*id); err == nil {
			o.HostID = &d
		}
	}
	random.Read(o.OperationID[:])
	return o
}

// deadProcess is an owner that has certainly ended: its pid, which is ours now, was
// its own before.
func deadProcess() ownership.Owner {
	o := thisProcess()
	*o.StartTicks--
	return o
}

func (s *suite) hold(t *testing.T, store lease.Store, g ownership.Generation) lease.Hold {
	t.Helper()
	h, err := store.Hold(t.Context(), s.d, g)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.Drop() }) // most were ended by their test
	require.Equal(t, s.d, h.Digest())
	require.Equal(t, g, h.Generation())
	return h
}

func (s *suite) current(t *testing.T, store lease.Store) ownership.Current {
	t.Helper()
	stored, err := store.Load(t.Context(), s.d)
	require.NoError(t, err)
	reading := stored.Reading(s.d)
	require.NoError(t, reading.Fault)
	return ownership.Current{Record: reading.Record, Revision: stored.Revision}
}

// claim returns the bytes with which o would acquire the session from c.
func (s *suite) claim(t *testing.T, c ownership.Current, o ownership.Owner) []byte {
	t.Helper()
	r, err := ownership.Acquire(c, ownership.Claim{Key: s.key, Owner: o})
	return encoded(t, r, err)
}

// encoded takes what a transition returns.
func encoded(t *testing.T, r ownership.Record, err error) []byte {
	t.Helper()
	require.NoError(t, err)
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	return b
}

// owner is a published generation, with the handle of its own that it came through.
type owner struct {
	*suite
	store lease.Store
	lease.Hold
}

// acquire publishes an active record of the next generation.
func (s *suite) acquire(t *testing.T, who ownership.Owner) owner {
	t.Helper()
	store := s.Open()
	c := s.current(t, store)
	g, err := c.NextGeneration()
	require.NoError(t, err)
	h := s.hold(t, store, g) // before the publish: I4
	require.NoError(t, store.Publish(t.Context(), h, c.Revision, s.claim(t, c, who)))
	return owner{s, store, h}
}

// release publishes the acknowledgement and retires the generation.
func (o owner) release(t *testing.T) {
	t.Helper()
	o.publish(t, ownership.ReleaseAcknowledge)
	require.NoError(t, o.Retire())
}

// publish replaces the current record by what a transition makes of it.
func (o owner) publish(t *testing.T, transition func(ownership.Current) (ownership.Record, error)) {
	t.Helper()
	c := o.current(t, o.store)
	r, err := transition(c)
	require.NoError(t, o.store.Publish(t.Context(), o.Hold, c.Revision, encoded(t, r, err)))
}

func (s *suite) requireStored(t *testing.T, b []byte) {
	t.Helper()
	stored, err := s.Open().Load(t.Context(), s.d)
	require.NoError(t, err)
	require.NoError(t, stored.Fault)
	require.Equal(t, string(b), string(stored.Bytes))
	require.Equal(t, ownership.RevisionOf(b), stored.Revision, "I10: of exactly these bytes")
}

func (s *suite) past(t *testing.T) (all []string) {
	t.Helper()
	for stored, err := range s.Open().Past(t.Context(), s.d) {
		require.NoError(t, err)
		require.NoError(t, stored.Fault)
		require.Equal(t, ownership.RevisionOf(stored.Bytes), stored.Revision)
		all = append(all, string(stored.Bytes))
	}
	return all
}

// requireUnchanged runs what must be refused and holds that no byte changed (I8).
func (s *suite) requireUnchanged(t *testing.T, refused func()) {
	t.Helper()
	before, past, contents := s.load(t), s.past(t), told(s.Contents)
	refused()
	require.Equal(t, before, s.load(t))
	require.Equal(t, past, s.past(t), "a publish that did not happen is no history")
	require.Equal(t, contents, told(s.Contents))
}

// requireUntouched runs what must not write at all, not even what it takes back.
func (s *suite) requireUntouched(t *testing.T, reading func()) {
	t.Helper()
	times := told(s.Times)
	s.requireUnchanged(t, reading)
	require.Equal(t, times, told(s.Times))
}

func (s *suite) load(t *testing.T) lease.Stored {
	t.Helper()
	stored, err := s.Open().Load(t.Context(), s.d)
	require.NoError(t, err)
	return stored
}

func (s *suite) inspect(t *testing.T) lease.Inspection {
	t.Helper()
	i, err := lease.Inspect(t.Context(), s.Open(), s.d)
	require.NoError(t, err)
	return i
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
