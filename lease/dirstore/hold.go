package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// hold is a held life lock.
type hold struct {
	store      *Store
	digest     ownership.Digest
	generation ownership.Generation
	lock       *flock.Flock
	id         durable.ID  // of the locked file
	x          *session    // kept open until the hold ends
	dir        durable.Dir // the session's, to write to; nil until then

	mu        sync.Mutex
	ended     bool
	published *published
}

// published is the latest record that a hold put in force.
type published struct {
	id       durable.ID
	revision ownership.Revision
}

// alive keeps every hold reachable until it ends: the file of an unreachable one
// would be closed by its finaliser, and the lock would be free.
var alive = struct {
	sync.Mutex
	holds map[*hold]struct{}
}{holds: map[*hold]struct{}{}}

func (h *hold) Digest() ownership.Digest         { return h.digest }
func (h *hold) Generation() ownership.Generation { return h.generation }

// Hold takes the life lock of generation g and creates the store and the session's
// directory for it as needed.
func (s *Store) Hold(ctx context.Context, d ownership.Digest, g ownership.Generation) (lease.Hold, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var h *hold
	err := patiently(func() (err error) {
		h, err = s.hold(d, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *Store) hold(d ownership.Digest, g ownership.Generation) (*hold, error) {
	x, err := s.makeSession(d)
	if err != nil {
		return nil, err
	}
	h := &hold{store: s, digest: d, generation: g, x: x}
	for range manyTimes {
		err = h.take(x.Root)
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(s.failed("take life lock", h.path(), err), x.Close())
	}
	alive.Lock()
	defer alive.Unlock()
	alive.holds[h] = struct{}{}
	return h, nil
}

func (h *hold) path() string {
	return h.store.at(sessionsName, h.digest.String(), lifeName(h.generation))
}

// take locks the file and proves that the lock is the one that others will meet. A
// claimant that backs off leaves the file: its publisher removes it.
func (h *hold) take(x *os.Root) error {
	name := lifeName(h.generation)
	if err := createEmpty(x, name); err != nil {
		return err
	}
	if _, err := lstatRegular(x, name); err != nil {
		return replacedIfMissing(err)
	}
	path := filepath.Join(x.Name(), name)
	h.lock = flock.New(path, flock.SetFlag(claimFlags))
	ok, err := try(h.lock.TryLock)
	switch {
	case err != nil:
		return replacedIfMissing(h.store.lockFailed(path, err))
	case !ok:
		return &lease.StoreError{Kind: lease.ErrHeld, Op: "take life lock", Path: path}
	}
	if err := h.prove(path); err != nil {
		return errors.Join(err, free(h.lock))
	}
	return nil
}

// replacedIfMissing is for a file that was there a moment ago: its owner removed it.
func replacedIfMissing(err error) error {
	if missing(err) {
		return errReplaced
	}
	return err
}

// lockFailed tells a file system whose locks do not work from everything else.
func (s *Store) lockFailed(path string, err error) error {
	if named := s.lockError(err); named != err {
		return s.unlockable(path, named)
	}
	return err
}

// prove compares what was locked with what the name stands for now, since its owner
// may have removed it in between, and then takes the lock a second time, as another
// process would, and must be refused.
func (h *hold) prove(path string) error {
	locked, err := h.lock.Stat()
	if err != nil {
		return err
	}
	h.id = durable.EntryOf(locked).ID
	is, err := h.names()
	if err != nil {
		return err
	}
	if !is {
		return errReplaced
	}
	second := flock.New(path, flock.SetFlag(readFlags))
	ok, err := try(second.TryRLock)
	if err != nil {
		return replacedIfMissing(h.store.lockFailed(path, err))
	}
	if !ok {
		return nil
	}
	return h.grantedTwice(path, locked, second)
}

// grantedTwice is for a second lock that should have been refused, unless it is on
// another file that took the name meanwhile.
func (h *hold) grantedTwice(path string, locked os.FileInfo, second *flock.Flock) error {
	got, err := second.Stat()
	if err := errors.Join(err, free(second)); err != nil {
		return err
	}
	if !os.SameFile(locked, got) {
		return errReplaced
	}
	return h.store.unlockable(path, fmt.Errorf("%s grants one lock twice", h.store.fileSystemName()))
}

// createEmpty makes a lock file unless the name is taken.
func createEmpty(x *os.Root, name string) error {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL | unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := x.OpenFile(name, flags, durable.FileMode)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(durable.FileMode), f.Close())
}

// names reports whether the life lock's path, from the root of the file system on, still
// stands for the locked file: the directories that the hold keeps open are the store's
// then too.
func (h *hold) names() (bool, error) {
	info, err := os.Lstat(h.path())
	if missing(err) {
		return false, nil
	}
	return err == nil && durable.EntryOf(info).ID == h.id, err
}

// session returns the session's directory, once more checked to be in a store that is
// the caller's alone. Whoever writes asks names too.
func (h *hold) session() (*session, error) {
	if err := h.store.checkOwn(h.x.store); err != nil {
		return nil, err
	}
	return h.x, h.store.checkCondition(h.x.store)
}

// directory returns the session's directory to write to, which the hold keeps.
func (h *hold) directory() (durable.Dir, error) {
	if h.dir != nil {
		return h.dir, nil
	}
	dir, err := h.store.dir(h.x.Root)
	if err == nil {
		h.dir = dir
	}
	return dir, err
}

// Load reads the record through the directory that the hold keeps. Whether that is still
// the store's, whoever publishes asks.
func (h *hold) Load(ctx context.Context) (lease.Stored, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return h.store.Load(ctx, h.digest)
	}
	if err := ctx.Err(); err != nil {
		return lease.Stored{}, err
	}
	stored, err := h.load(ctx)
	return stored, h.store.failed("read record", h.store.at(sessionsName, h.digest.String(), recordName), err)
}

// load is for whoever has mu. A publish that has begun is not cut short by its context
// here: it is settled as what it was.
func (h *hold) load(ctx context.Context) (lease.Stored, error) {
	dir, err := h.directory()
	if err != nil {
		return lease.Stored{}, err
	}
	v := view{h.store, h.digest, durable.Descriptor(dir)}
	if b := v.small(recordName); b != nil {
		return lease.Stored{Bytes: b, Revision: ownership.RevisionOf(b)}, nil
	}
	return load(ctx, h.x.Root)
}

func (h *hold) lost(why string) error {
	return &lease.StoreError{
		Kind: lease.ErrOwnershipLost, Op: "keep life lock", Path: h.path(), Err: errors.New(why),
		Advice: "stop what was started: somebody else may own the session now",
	}
}

// Drop frees the lock and leaves the names.
func (h *hold) Drop() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.end()
}

// end frees the lock, once.
func (h *hold) end() error {
	if h.ended {
		return nil
	}
	h.ended = true
	alive.Lock()
	delete(alive.holds, h)
	alive.Unlock()
	err := h.store.failed("free life lock", h.path(), free(h.lock))
	if h.dir != nil {
		err = errors.Join(err, h.dir.Close())
	}
	return errors.Join(err, h.x.Close())
}

// Retire removes the names of a generation that this hold published, and frees its
// lock last. Where nothing was published the names stay: a probe of that generation
// would miss them.
func (h *hold) Retire() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil
	}
	var err error
	if h.published != nil {
		err = h.removeNames()
	}
	return errors.Join(err, h.end())
}

func (h *hold) removeNames() error {
	is, err := h.names()
	switch {
	case err != nil:
		return h.store.failed("retire", h.path(), err)
	case !is:
		return h.lost("its name stands for another file")
	}
	dir, err := h.directory()
	if err != nil {
		return h.store.failed("retire", h.path(), err)
	}
	for _, name := range []string{nextName(h.generation), kinName(h.generation), lifeName(h.generation)} {
		if err := ignoreMissing(dir.Remove(name)); err != nil {
			return h.store.failed("retire", h.store.at(sessionsName, h.digest.String(), name), err)
		}
	}
	return nil
}
