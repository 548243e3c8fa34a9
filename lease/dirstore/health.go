package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/gofrs/flock"

	"holdfast/internal/durable"
)

// Health is what a look at a whole store found. It judges nothing.
type Health struct {
	Path       string
	Condition  Condition
	Foreign    []string // names in a directory that is no store
	FileSystem FileSystem
	Owner      uint32 // uid; meaningless when missing
	Locks      LockTest
	LocksError error      // why LocksUntested, nil where there was nothing to test
	Modes      []Odd      // what is not ours, or has another mode than ours
	Leftovers  []Leftover // what no current generation needs
	Unread     []error    // what could not be looked at
	Bad        []string   // paths in Unread of files that do not hold what their names say
}

// LockTest is whether a lock excludes a second descriptor.
type LockTest string

// The test is left out where it could not be made without changing the store.
const (
	LocksExclude  LockTest = "exclude"
	LocksDoNot    LockTest = "do not exclude"
	LocksUntested LockTest = "untested"
)

// Odd is a file that is another user's or has another mode than the store gives.
type Odd struct {
	Path string
	UID  uint32
	Mode fs.FileMode
	Want fs.FileMode // permissions, and whether it is a directory
}

// Health looks at the store, also where it would be refused for use. It changes
// nothing; the locks are tested on the marker, which nobody else locks.
func (s *Store) Health(ctx context.Context) (Health, error) {
	s = &Store{path: s.path, options: s.options, lenient: true, met: s.met}
	h := Health{Path: s.path, Condition: Missing, Locks: LocksUntested}
	var err error
	if h.FileSystem, err = s.fileSystem(); err != nil {
		return h, err
	}
	e, err := lstat(s.path)
	if missing(err) {
		return h, nil
	}
	if err != nil {
		return h, s.failed("look at store", s.path, err)
	}
	h.Owner = e.UID
	root, err := os.OpenRoot(s.path)
	if err != nil {
		return h, s.failed("look at store", s.path, err)
	}
	defer root.Close()
	if h.Condition, h.Foreign, err = conditionOf(root); err != nil {
		return h, s.failed("look at store", s.path, err)
	}
	if h.Condition != Foreign {
		s.examine(ctx, root, e, &h)
	}
	return h, ctx.Err()
}

func (s *Store) examine(ctx context.Context, root *os.Root, e durable.Entry, h *Health) {
	h.checkMode(s.path, e, directory)
	wants := map[string]fs.FileMode{markerName: durable.FileMode, sessionsName: directory, quarantineName: directory, journalName: durable.FileMode}
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		info, err := root.Lstat(name)
		if err == nil {
			h.checkMode(s.at(name), durable.EntryOf(info), wants[name])
		} else if !missing(err) {
			h.Unread = append(h.Unread, err)
		}
	}
	if h.Condition == Complete && !h.FileSystem.ReadOnly {
		h.Locks, h.LocksError = s.testLocks()
	}
	for d, err := range s.List(ctx) {
		if err != nil {
			h.Unread = append(h.Unread, err)
		} else if err := s.examineSession(ctx, d, h); err != nil {
			h.Unread = append(h.Unread, err)
		}
	}
}

// directory is what a directory of the store is like.
const directory = durable.DirMode | fs.ModeDir

func (h *Health) checkMode(path string, e durable.Entry, want fs.FileMode) {
	if e.UID != uint32(os.Geteuid()) || e.Mode.Perm() != want.Perm() || e.Mode.Type() != want.Type() {
		h.Modes = append(h.Modes, Odd{path, e.UID, e.Mode, want})
	}
}

// testLocks takes a lock on the marker twice. Somebody else who has it, another test,
// proves the same.
func (s *Store) testLocks() (LockTest, error) {
	first := flock.New(s.at(markerName), flock.SetFlag(readFlags))
	ok, err := try(first.TryLock)
	if err != nil {
		return LocksUntested, s.lockError(err)
	}
	if !ok {
		return LocksExclude, nil
	}
	second := flock.New(s.at(markerName), flock.SetFlag(readFlags))
	ok, err = try(second.TryRLock)
	if err := errors.Join(err, giveBack(second), giveBack(first)); err != nil {
		return LocksUntested, s.lockError(err)
	}
	if ok {
		return LocksDoNot, nil
	}
	return LocksExclude, nil
}
