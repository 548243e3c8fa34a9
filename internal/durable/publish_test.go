package durable_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/internal/durable/crashdisk"
)

var (
	errInjected = errors.New("injected")
	errCheck    = errors.New("refused by the check")
)

// scene is a session directory on a crash disk, before a publish.
type scene struct {
	disk   *crashdisk.Disk
	p      durable.Publication
	old    string // "" for a vacant session
	before []string
}

const (
	oldBytes = "the old record\n"
	newBytes = "the new record, which is longer\n"
)

// vacant has a session directory whose name nobody made durable.
func vacant(t *testing.T) *scene {
	disk := crashdisk.New()
	require.NoError(t, disk.Root().Mkdir("session"))
	return newScene(disk, "", newBytes)
}

// occupied has a durable old record.
func occupied(t *testing.T) *scene {
	disk := crashdisk.New()
	require.NoError(t, disk.Root().Mkdir("session"))
	first := newScene(disk, "", oldBytes)
	_, err := first.publish(t, nil)
	require.NoError(t, err)
	return newScene(disk, oldBytes, newBytes)
}

// replay publishes the very bytes that are in force.
func replay(t *testing.T) *scene {
	s := occupied(t)
	return newScene(s.disk, oldBytes, oldBytes)
}

// leftover has what a publisher that died before the rename left.
func leftover(t *testing.T) *scene {
	s := occupied(t)
	dir, err := s.disk.Root().OpenDir("session")
	require.NoError(t, err)
	f, err := dir.Create("next")
	require.NoError(t, err)
	_, err = f.Write([]byte("half a rec"))
	require.NoError(t, err)
	require.NoError(t, dir.Link("next", pastName(newBytes)))
	next := newScene(s.disk, oldBytes, newBytes)
	next.before = slices.DeleteFunc(next.before, func(name string) bool { return name == "session/next" })
	return next
}

var scenes = map[string]func(*testing.T) *scene{
	"vacant": vacant, "occupied": occupied, "replay": replay, "leftover": leftover,
}

func pastName(b string) string { return "past." + strings.Fields(b)[1] }

func newScene(disk *crashdisk.Disk, old, b string) *scene {
	return &scene{disk: disk, old: old, before: disk.Tree(), p: durable.Publication{
		Next: "next", Past: pastName(b), Record: "record", Bytes: []byte(b),
		Check: func() (func() error, error) { return nil, nil },
	}}
}

func (s *scene) publish(t *testing.T, with durable.Interceptor) (durable.ID, error) {
	root := s.disk.Root()
	dir, err := root.OpenDir("session")
	require.NoError(t, err)
	if with != nil {
		root, dir = durable.Intercept(root, with), durable.Intercept(dir, with)
	}
	defer dir.Close()
	p := s.p
	if s.old == "" {
		p.Parent = root
	}
	return durable.Publish(context.Background(), dir, p)
}

// record returns what a disk has in the record's place, "" for nothing.
func record(t *testing.T, disk *crashdisk.Disk) string {
	b, err := disk.Read("session/record")
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	require.NoError(t, err)
	return string(b)
}

// failures enumerates the ways in which calls fail: each call, not done or done.
type failures struct {
	at    map[int]bool // number of the call → whether it is done all the same
	seen  int
	fired bool // a call that would have succeeded was answered with an error
}

func (f *failures) intercept(_ durable.Call, apply func() error) error {
	done, fails := f.at[f.seen]
	f.seen++
	if !fails {
		return apply()
	}
	if done {
		if err := apply(); err != nil {
			return err
		}
	}
	f.fired = true
	return errInjected
}

// The whole contract, with no, one and two failing calls: nil means that the new
// record survives a power failure that loses all it can; a definite error means that
// the old record is in place and no temporary is left unless that was said; anything
// else says that it is unknown (I9).
func TestPublishAnswersTruly(t *testing.T) {
	for name, setUp := range scenes {
		t.Run(name, func(t *testing.T) {
			calls := &failures{}
			_, err := setUp(t).publish(t, calls.intercept)
			require.NoError(t, err)
			for first := range calls.seen {
				for second := first; second < calls.seen+6; second++ {
					for _, done := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
						checkAnswer(t, setUp(t), &failures{at: map[int]bool{first: done[0], second: done[1]}})
					}
				}
			}
		})
	}
}

func checkAnswer(t *testing.T, s *scene, f *failures) {
	_, err := s.publish(t, f.intercept)
	now, after := record(t, s.disk), record(t, s.disk.PowerFailure(func(int) bool { return false }))
	about := fmt.Sprintf("failing %v: %v", f.at, err)
	switch {
	case err == nil:
		require.Equal(t, string(s.p.Bytes), now, about)
		require.Equal(t, string(s.p.Bytes), after, about)
	case errors.Is(err, durable.ErrUnknown):
		require.Contains(t, []string{s.old, string(s.p.Bytes)}, now, about)
	default:
		require.Equal(t, s.old, now, about)
		if !strings.Contains(err.Error(), "clean-up") {
			require.Equal(t, s.before, s.disk.Tree(), about)
		}
	}
}

// Every failing call is told, and which outcome it has depends on nothing but whether
// the rename was behind it (I9). A close that fails is a write that failed.
func TestEveryFailingCallHasItsOutcome(t *testing.T) {
	for name, setUp := range scenes {
		t.Run(name, func(t *testing.T) {
			var calls []string
			_, err := setUp(t).publish(t, trace(&calls))
			require.NoError(t, err)
			rename := slices.Index(calls, "rename record")
			for n := range len(calls) - 1 { // the last one is the caller's own close
				for _, done := range []bool{false, true} {
					f := &failures{at: map[int]bool{n: done}}
					_, err := setUp(t).publish(t, f.intercept)
					if !f.fired {
						continue
					}
					require.ErrorIs(t, err, errInjected, calls[n])
					unknown := n > rename || n == rename && done
					require.Equal(t, unknown, errors.Is(err, durable.ErrUnknown), calls[n])
				}
			}
		})
	}
}

// A power failure or a kill at any moment leaves the old record or the new one, whole,
// whichever of the unsynced changes reached the medium.
func TestPublishSurvivesACrashAnywhere(t *testing.T) {
	for name, setUp := range scenes {
		t.Run(name, func(t *testing.T) {
			s := setUp(t)
			crashes := 0
			look := func() {
				crashes++
				checkRecord(t, s, s.disk)
				for subset := range 1 << s.disk.Pending() {
					checkRecord(t, s, s.disk.PowerFailure(func(n int) bool { return subset>>n&1 == 1 }))
				}
			}
			_, err := s.publish(t, func(_ durable.Call, apply func() error) error {
				look()
				defer look()
				return apply()
			})
			require.NoError(t, err)
			require.Greater(t, crashes, 20)
		})
	}
}

func checkRecord(t *testing.T, s *scene, disk *crashdisk.Disk) {
	require.Contains(t, []string{s.old, string(s.p.Bytes)}, record(t, disk))
}

// Whoever is killed, the record in force has its name in history (I11): also while
// the very same bytes are published once more.
func TestAKillNeverLeavesARecordWithoutHistory(t *testing.T) {
	for name, setUp := range scenes {
		t.Run(name, func(t *testing.T) {
			s := setUp(t)
			look := func() {
				if now := record(t, s.disk); now != "" {
					b, err := s.disk.Read("session/" + pastName(now))
					require.NoError(t, err)
					require.Equal(t, now, string(b))
				}
			}
			_, err := s.publish(t, func(_ durable.Call, apply func() error) error {
				look()
				defer look()
				return apply()
			})
			require.NoError(t, err)
		})
	}
}

func trace(to *[]string) durable.Interceptor {
	return func(c durable.Call, apply func() error) error {
		*to = append(*to, c.Op+" "+c.Name)
		return apply()
	}
}

func TestPublishOrder(t *testing.T) {
	for name, want := range map[string][]string{
		"occupied": {
			"create next", "write next", "fstat next", "fchmod next", "fsync next", "close next",
			"lock .", "check", "link past.new", "rename record", "unlock .", "sync .", "closedir .",
		},
		"vacant": {
			"create next", "write next", "fstat next", "fchmod next", "fsync next", "close next",
			"sync .", "lock .", "check", "link past.new", "rename record", "unlock .", "sync .", "closedir .",
		},
		"replay": {
			"create next", "write next", "fstat next", "fchmod next", "fsync next", "close next",
			"lock .", "check", "link past.old", "rename past.old", "link next", "rename record",
			"unlock .", "sync .", "closedir .",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenes[name](t)
			var got []string
			s.p.Check = func() (func() error, error) {
				got = append(got, "check")
				return nil, nil
			}
			_, err := s.publish(t, trace(&got))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestARefusedPublishFreesTheLock(t *testing.T) {
	s := occupied(t)
	dir, err := s.disk.Root().OpenDir("session")
	require.NoError(t, err)
	s.p.Check = func() (func() error, error) { return nil, errCheck }
	_, err = durable.Publish(context.Background(), dir, s.p)
	require.ErrorIs(t, err, errCheck)
	other, err := s.disk.Root().OpenDir("session")
	require.NoError(t, err)
	ok, err := other.TryLock()
	require.NoError(t, err)
	require.True(t, ok)
}

func TestARefusingCheckChangesNothing(t *testing.T) {
	for name, setUp := range scenes {
		t.Run(name, func(t *testing.T) {
			s := setUp(t)
			s.p.Check = func() (func() error, error) { return nil, errCheck }
			_, err := s.publish(t, nil)
			require.ErrorIs(t, err, errCheck)
			require.NotErrorIs(t, err, durable.ErrUnknown)
			require.Equal(t, s.old, record(t, s.disk))
			require.NotContains(t, s.disk.Tree(), "session/next")
		})
	}
}

// The wait for the lock ends, and with it nothing has changed.
func TestTheWaitForTheLockIsFinite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := occupied(t)
		holder, err := s.disk.Root().OpenDir("session")
		require.NoError(t, err)
		ok, err := holder.TryLock()
		require.NoError(t, err)
		require.True(t, ok)

		_, err = s.publish(t, nil)
		require.ErrorIs(t, err, durable.ErrLocked)
		require.Equal(t, s.before, s.disk.Tree())
		require.Equal(t, oldBytes, record(t, s.disk))

		require.NoError(t, holder.Unlock())
		_, err = s.publish(t, nil)
		require.NoError(t, err)
	})
}

func TestACancelledWaitForTheLockChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := occupied(t)
		holder, err := s.disk.Root().OpenDir("session")
		require.NoError(t, err)
		_, err = holder.TryLock()
		require.NoError(t, err)
		dir, err := s.disk.Root().OpenDir("session")
		require.NoError(t, err)

		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			synctest.Wait()
			cancel()
		}()
		_, err = durable.Publish(ctx, dir, s.p)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, s.before, s.disk.Tree())
	})
}
