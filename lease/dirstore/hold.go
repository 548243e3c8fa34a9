package dirstore

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// hold is a held life lock. Its descriptors are plain numbers that no collector closes: it
// lasts until it is ended, or the process is.
type hold struct {
	generation ownership.Generation
	path       string     // of the locked file
	lock       int        // its descriptor
	id         durable.ID // its identity

	mu        sync.Mutex
	view      *view       // of the session; its directories stay open until the hold ends
	dir       durable.Dir // the session's, to write to
	x         *session    // the same directories for what is not plain; nil until then
	ended     bool
	published *published
}

// published is the latest record that a hold put in force.
type published struct {
	id       durable.ID
	revision ownership.Revision
	last     bool // the hold's names went with it, the life lock's last of all
}

func (h *hold) Digest() ownership.Digest         { return h.view.digest }
func (h *hold) Generation() ownership.Generation { return h.generation }

// Hold takes the life lock of generation g and creates the store and the session's
// directory for it as needed.
func (s *Store) Hold(ctx context.Context, d ownership.Digest, g ownership.Generation) (lease.Hold, error) {
	v := s.view(d)
	defer v.Close()
	return v.Hold(ctx, g)
}

// Hold is [Store.Hold]. It takes over what the view has open: whether that is still the
// store's, the path of the life lock tells, which must stand for the locked file.
func (v *view) Hold(ctx context.Context, g ownership.Generation) (lease.Hold, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var h *hold
	err := patiently(func() (err error) {
		h, err = v.hold(g)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (v *view) hold(g ownership.Generation) (*hold, error) {
	at, err := v.claimPlace()
	if err != nil {
		return nil, err
	}
	in := v.store.SessionPath(v.digest)
	h := &hold{
		generation: g,
		path:       filepath.Join(in, lifeName(g)),
		view:       &view{v.store, v.digest, at, v.seen},
		dir:        v.store.watched(durable.DirAt(at.self, in)),
	}
	for range manyTimes {
		err = h.take()
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(v.store.failed("take life lock", h.path, err), h.close())
	}
	return h, nil
}

// names reports whether the life lock's path, from the root of the file system on, still
// stands for the locked file: the directories that the hold keeps open are the store's
// then too.
func (h *hold) names() (bool, error) {
	e, err := durable.LstatAt(unix.AT_FDCWD, h.path)
	if missing(err) {
		return false, nil
	}
	return err == nil && e.ID == h.id, err
}

// session opens the same directories in the way that knows what is not plain. The caller
// has mu.
func (h *hold) session() (*session, error) {
	if h.x != nil {
		return h.x, nil
	}
	x, err := h.view.store.openSession(h.view.digest)
	if err == nil && x == nil {
		err = errReplaced
	}
	if err != nil {
		return nil, err
	}
	want, err := durable.Fstat(h.view.at.self)
	got, gotErr := entryOf(x.Root)
	if err = errors.Join(err, gotErr); err == nil && got.ID != want.ID {
		err = errReplaced
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	h.x = x
	return x, nil
}

// Load reads the record through the directory that the hold keeps. Whether that is still
// the store's, whoever publishes asks.
func (h *hold) Load(ctx context.Context) (lease.Stored, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return h.view.store.Load(ctx, h.view.digest)
	}
	if err := ctx.Err(); err != nil {
		return lease.Stored{}, err
	}
	stored, err := h.load(ctx)
	return stored, h.failed("read record", recordName, err)
}

// load is for whoever has mu. A publish that has begun is not cut short by its context
// here: it is settled as what it was.
func (h *hold) load(ctx context.Context) (lease.Stored, error) {
	if h.view.loads() {
		return h.view.seen.Stored, nil
	}
	h.view.seen = seen{}
	x, err := h.session()
	if err != nil {
		return lease.Stored{}, err
	}
	return load(ctx, x.Root)
}

// failed is [Store.failed] about a name of the session.
func (h *hold) failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return h.view.store.failed(op, h.view.store.at(sessionsName, h.view.digest.String(), name), err)
}

// hasEnded refuses what needs a hold that is in force.
func (h *hold) hasEnded(op string) error {
	return &lease.StoreError{Op: op, Path: h.path, Err: errors.New("the hold has ended")}
}

func (h *hold) lost(why string) error {
	return &lease.StoreError{
		Kind: lease.ErrOwnershipLost, Op: "keep life lock", Path: h.path, Err: errors.New(why),
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
	return errors.Join(h.failed("free life lock", lifeName(h.generation), free(h.lock)), h.close())
}

// close closes the directories, of which dir is one.
func (h *hold) close() error {
	err := h.dir.Close()
	h.view.at.self = -1
	h.view.Close()
	if h.x != nil {
		err = errors.Join(err, h.x.Close())
	}
	return err
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
	if h.published != nil && !h.superseded() {
		err = h.removeNames()
	}
	return errors.Join(err, h.end())
}

// superseded reports whether the names went with the last publish. What has them now is of
// somebody who came too late, and has backed off or will.
func (h *hold) superseded() bool {
	if !h.published.last {
		return false
	}
	if lacksAt(h.view.at.self, lifeName(h.generation)) {
		return true
	}
	is, err := h.names()
	return err == nil && !is
}

func (h *hold) removeNames() error {
	is, err := h.names()
	switch {
	case err != nil:
		return h.failed("retire", lifeName(h.generation), err)
	case !is:
		return h.lost("its name stands for another file")
	}
	for _, name := range []string{nextName(h.generation), kinName(h.generation), lifeName(h.generation)} {
		if err := ignoreMissing(h.dir.Remove(name)); err != nil {
			return h.failed("retire", name, err)
		}
	}
	return nil
}
