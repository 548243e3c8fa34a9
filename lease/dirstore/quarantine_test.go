package dirstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

func itoa(n int) string { return strconv.Itoa(n) }

// quarantine publishes a fresh idle record over what is no record, of the generation
// after everything that is left.
func quarantine(s *dirstore.Store, name string) (ownership.Record, error) {
	d := keyOf(name).Digest()
	stored, err := s.Load(background, d)
	if err != nil {
		return ownership.Record{}, err
	}
	traces, err := s.Traces(background, d)
	if err != nil {
		return ownership.Record{}, err
	}
	h, err := s.Hold(background, d, traces.Highest+1)
	if err != nil {
		return ownership.Record{}, err
	}
	defer h.Retire()
	force := ownership.Force{At: ownership.At(time.Now()), Actor: "test", Liveness: ownership.Unproven}
	r := ownership.Quarantine(d, stored.Revision, traces.Highest+1, force)
	b, err := ownership.Encode(r)
	if err != nil {
		return r, err
	}
	return r, s.Quarantine(background, h, stored.Revision, b)
}

// damaged ends a session's second generation and puts something else in the place of
// its record.
func damaged(t *testing.T, put func(at string)) (*dirstore.Store, string) {
	t.Helper()
	s, dir := newStore(t)
	for range 2 {
		require.NoError(t, mustAcquire(t, s, "k", self()).release())
	}
	at := filepath.Join(sessionDir(dir, "k"), "record.json")
	require.NoError(t, os.Remove(at))
	put(at)
	return s, dir
}

func TestQuarantineKeepsBytesExactly(t *testing.T) {
	for what, b := range map[string][]byte{
		"empty": {}, "half": []byte(`{"key":`), "huge": bytes.Repeat([]byte("x"), 3<<20),
	} {
		t.Run(what, func(t *testing.T) {
			s, dir := damaged(t, func(at string) { require.NoError(t, os.WriteFile(at, b, 0o600)) })
			stored, err := s.Load(background, keyOf("k").Digest())
			require.NoError(t, err)
			r, err := quarantine(s, "k")
			require.NoError(t, err)
			require.Equal(t, ownership.Generation(3), r.Generation)
			kept, err := os.ReadFile(filepath.Join(dir, "quarantine", keyOf("k").Digest().String()+"."+stored.Revision.String()))
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, kept))
			c := mustAcquire(t, s, "k", self())
			require.Equal(t, ownership.Generation(4), c.hold.Generation())
		})
	}
}

// Bytes that an earlier attempt kept are not kept twice, and others of that name not
// replaced.
func TestQuarantineMeetsATakenName(t *testing.T) {
	for there, want := range map[string]int{"garbage": 1, "other bytes": 2} {
		s, dir := damaged(t, func(at string) { require.NoError(t, os.WriteFile(at, []byte("garbage"), 0o600)) })
		name := keyOf("k").Digest().String() + "." + ownership.RevisionOf([]byte("garbage")).String()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "quarantine", name), []byte(there), 0o600))
		_, err := quarantine(s, "k")
		require.NoError(t, err)
		kept := names(t, filepath.Join(dir, "quarantine"))
		require.Len(t, kept, want)
		b, err := os.ReadFile(filepath.Join(dir, "quarantine", kept[want-1]))
		require.NoError(t, err)
		require.Equal(t, "garbage", string(b))
		b, err = os.ReadFile(filepath.Join(dir, "quarantine", name))
		require.NoError(t, err)
		require.Equal(t, there, string(b))
	}
}

// What is displaced is durable in quarantine before it is replaced.
func TestQuarantineOrder(t *testing.T) {
	_, dir := damaged(t, func(at string) { require.NoError(t, os.WriteFile(at, []byte("garbage"), 0o600)) })
	seen := &calls{failAt: -1}
	_, err := quarantine(seen.store(t, dir), "k")
	require.NoError(t, err)
	kept := "link quarantine/" + names(t, filepath.Join(dir, "quarantine"))[0]
	from := slices.Index(seen.seen, "lock .")
	require.Equal(t, []string{"lock .", "fsync record.json", kept, "opendir quarantine", "sync .", "closedir ."}, seen.seen[from:from+6])
	require.Equal(t, "rename record.json", seen.seen[from+7])
}

func TestQuarantineOfAMissingRecordKeepsTheLineThatWasHashed(t *testing.T) {
	s, dir := damaged(t, func(string) {})
	_, err := quarantine(s, "k")
	require.NoError(t, err)
	kept := names(t, filepath.Join(dir, "quarantine"))
	require.Len(t, kept, 1)
	b, err := os.ReadFile(filepath.Join(dir, "quarantine", kept[0]))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(b), "\n"))
	require.Equal(t, keyOf("k").Digest().String()+"."+ownership.RevisionOf(b).String(), kept[0])
	requireModes(t, dir)
	mustAcquire(t, s, "k", self())
}

// What is no file is exchanged, untouched, and twice the same kind has two names.
func TestQuarantineExchangesWhatIsNoFile(t *testing.T) {
	for kind, plant := range plants {
		t.Run(kind, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "target")
			require.NoError(t, os.WriteFile(target, []byte("untouched"), 0o600))
			s, dir := damaged(t, func(at string) { plant(t, at, target) })
			at := filepath.Join(sessionDir(dir, "k"), "record.json")
			for n := 1; n <= 2; n++ {
				want, err := os.Lstat(at)
				require.NoError(t, err)
				within(t, 20*time.Second, func() { _, err = quarantine(s, "k") })
				require.NoError(t, err)
				kept := names(t, filepath.Join(dir, "quarantine"))
				require.Len(t, kept, n)
				got, err := os.Lstat(filepath.Join(dir, "quarantine", kept[n-1]))
				require.NoError(t, err)
				require.True(t, os.SameFile(want, got))
				c := mustAcquire(t, s, "k", self())
				require.NoError(t, c.release())
				for _, name := range names(t, sessionDir(dir, "k")) {
					require.NotContains(t, name, "next")
				}
				h, err := s.Health(background)
				require.NoError(t, err)
				require.Equal(t, dirstore.Complete, h.Condition)
				require.NoError(t, os.Remove(at))
				plant(t, at, target+".second")
				if kind == "link" || kind == "dangling link" {
					break // the line names the target, so that the next is another revision
				}
			}
			b, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Equal(t, "untouched", string(b))
		})
	}
}

// Whatever call fails, the displaced thing is in its place or in quarantine, nothing
// is lost, and doing it again works.
func TestAFailingQuarantineLosesNothing(t *testing.T) {
	t.Parallel() // others wait meanwhile
	puts := map[string]func(at string){
		"bytes":     func(at string) { require.NoError(t, os.WriteFile(at, []byte("garbage"), 0o600)) },
		"directory": func(at string) { require.NoError(t, os.Mkdir(at, 0o700)) },
		"missing":   func(string) {},
	}
	for what, put := range puts {
		t.Run(what, func(t *testing.T) {
			_, dir := damaged(t, put)
			whole := &calls{failAt: -1}
			_, err := quarantine(whole.store(t, dir), "k")
			require.NoError(t, err)
			for failAt, call := range whole.seen {
				for n, done := range []bool{false, true} {
					if (failAt+n)%testkit.Rounds(2, 1) != 0 {
						continue // every second one of them, and both kinds
					}
					intact, dir := damaged(t, put)
					stored, err := intact.Load(background, keyOf("k").Digest())
					require.NoError(t, err)
					broken := &calls{failAt: failAt, done: done}
					_, err = quarantine(broken.store(t, dir), "k")
					now, loadErr := intact.Load(background, keyOf("k").Digest())
					require.NoError(t, loadErr)
					if err != nil && !isUnknown(err) {
						require.Equal(t, stored, now, call)
						_, err = quarantine(intact, "k")
						require.NoError(t, err, call)
					}
					requireKept(t, dir, stored.Revision, call)
				}
			}
		})
	}
}

func requireKept(t *testing.T, dir string, displaced ownership.Revision, about string) {
	t.Helper()
	for _, name := range names(t, filepath.Join(dir, "quarantine")) {
		if strings.HasPrefix(name, keyOf("k").Digest().String()+"."+displaced.String()) {
			return
		}
	}
	t.Fatalf("nothing in quarantine after failing %s", about)
}

func isUnknown(err error) bool { return errors.Is(err, lease.ErrOutcomeUnknown) }

func TestQuarantineComparesTheDisplacedRevision(t *testing.T) {
	s, dir := damaged(t, func(at string) { require.NoError(t, os.WriteFile(at, []byte("one"), 0o600)) })
	d := keyOf("k").Digest()
	h, err := s.Hold(background, d, 3)
	require.NoError(t, err)
	defer h.Drop()
	before := tree(t, dir)
	err = s.Quarantine(background, h, ownership.RevisionOf([]byte("two")), []byte("{}"))
	require.ErrorIs(t, err, lease.ErrConflict)
	require.Equal(t, before, tree(t, dir))
}

// An ordinary publish never replaces what is no record, not even by its revision (I1).
func TestPublishDoesNotReplaceWhatIsNoRecord(t *testing.T) {
	s, dir := damaged(t, func(at string) {
		require.NoError(t, os.WriteFile(at, bytes.Repeat([]byte("x"), ownership.MaxRecordSize+1), 0o600))
	})
	d := keyOf("k").Digest()
	stored, err := s.Load(background, d)
	require.NoError(t, err)
	h, err := s.Hold(background, d, 3)
	require.NoError(t, err)
	defer h.Drop()
	before := tree(t, dir)
	require.ErrorIs(t, s.Publish(background, h, stored.Revision, []byte("{}")), lease.ErrConflict)
	require.Equal(t, before, tree(t, dir))
}

func TestTracesSeeEveryGenerationAndEveryLock(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	kin, err := c.hold.Kin()
	require.NoError(t, err)
	defer kin.Close()
	for _, name := range []string{
		"life.9", "kin.11", "next.12.json", "life.013", "life.9007199254740992", "rev." + strings.Repeat("a", 64) + ".json",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), name), nil, 0o600))
	}
	traces, err := s.Traces(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, ownership.Generation(12), traces.Highest)
	require.ElementsMatch(t, []lease.HeldLock{
		{Lock: ownership.LifeLock, Generation: 1}, {Lock: ownership.KinLock, Generation: 1},
	}, traces.Held)
}

// History alone keeps the generation (I2).
func TestTracesReadHistory(t *testing.T) {
	s, dir := damaged(t, func(at string) { require.NoError(t, os.WriteFile(at, nil, 0o600)) })
	for _, name := range names(t, sessionDir(dir, "k")) {
		require.NotContains(t, name, "life")
	}
	traces, err := s.Traces(background, keyOf("k").Digest())
	require.NoError(t, err)
	require.Equal(t, ownership.Generation(2), traces.Highest)
	require.Empty(t, traces.Held)
}
