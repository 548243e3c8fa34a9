package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

const publishOp = "publish"

// Publish replaces record.json, whose revision must be previous.
func (s *Store) Publish(ctx context.Context, held lease.Hold, previous ownership.Revision, b []byte) error {
	p := &publication{previous: previous, bytes: b}
	return s.publish(ctx, held, p)
}

// publication is one publish in progress.
type publication struct {
	previous ownership.Revision
	bytes    []byte
	// displace keeps what is no record before it is replaced, under the directory's
	// lock, and may return how to replace it. Nil: only a record may be replaced.
	displace func(*publication) (place func() error, err error)

	of   *Store
	hold *hold
	x    *session
	dir  durable.Dir // the session's
	root durable.Dir // the store's; nil until it is needed
}

func (s *Store) publish(ctx context.Context, held lease.Hold, p *publication) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h, ok := held.(*hold)
	if !ok || h.store != s {
		return &lease.StoreError{Op: publishOp, Path: s.path, Err: errors.New("the hold is not of this store")}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return &lease.StoreError{Op: publishOp, Path: h.path(), Err: errors.New("the hold has ended")}
	}
	x, err := h.session()
	if err != nil {
		return err
	}
	p.of, p.hold, p.x = s, h, x
	defer p.close()
	id, err := p.run(ctx)
	if err != nil {
		return p.failed(err)
	}
	h.published = &published{id, ownership.RevisionOf(p.bytes)}
	return nil
}

// close closes what was opened for this publish alone.
func (p *publication) close() {
	if p.root != nil {
		p.root.Close()
	}
}

// storeDir returns the store's directory to write to.
func (p *publication) storeDir() (_ durable.Dir, err error) {
	if p.root == nil {
		p.root, err = p.of.dir(p.x.store)
	}
	return p.root, err
}

// run compares before it creates anything, so that what would be refused anyway leaves
// no trace at all; the comparison that counts is made again under the lock. It works on
// the directories that the hold keeps open, so that no call but a comparison depends on
// a path.
func (p *publication) run(ctx context.Context) (id durable.ID, err error) {
	if err := p.compare(ctx); err != nil {
		return id, err
	}
	if p.dir, err = p.hold.directory(); err != nil {
		return id, err
	}
	parent, err := p.parent()
	if err != nil {
		return id, err
	}
	if parent != nil {
		defer parent.Close()
	}
	return durable.Publish(ctx, p.dir, durable.Publication{
		Next:   nextName(p.hold.generation),
		Past:   revName(ownership.RevisionOf(p.bytes)),
		Record: recordName,
		Bytes:  p.bytes,
		Parent: parent,
		Check:  func() (func() error, error) { return p.check(ctx) },
	})
}

// parent opens sessions/ where the session was vacant: whoever made the session's
// directory may have died before its name was durable.
func (p *publication) parent() (durable.Dir, error) {
	if !p.previous.IsZero() {
		return nil, nil
	}
	return p.of.dir(p.x.sessions)
}

// check decides under the directory's lock (I3, I6).
func (p *publication) check(ctx context.Context) (place func() error, err error) {
	if err := p.compare(ctx); err != nil {
		return nil, err
	}
	if p.displace != nil {
		if _, err := p.storeDir(); err != nil {
			return nil, err
		}
		return p.displace(p)
	}
	return nil, p.keepPrevious(ctx)
}

// compare changes nothing.
func (p *publication) compare(ctx context.Context) error {
	is, err := p.hold.names()
	if err == nil && !is {
		err = p.hold.lost("its file was removed or replaced")
	}
	if err != nil {
		return err
	}
	current, err := p.hold.load(ctx)
	switch {
	case err != nil:
		return err
	case current.Revision != p.previous:
		return p.conflict("it is now " + revisionInWords(current))
	case current.Fault != nil && p.displace == nil:
		return p.conflict("what is there is not a record")
	}
	return nil
}

func revisionInWords(s lease.Stored) string {
	if s.Vacant() {
		return "vacant"
	}
	return "at revision " + s.Revision.String()
}

func (p *publication) conflict(why string) error {
	return &lease.StoreError{
		Kind: lease.ErrConflict, Op: publishOp, Path: p.recordPath(), Err: errors.New(why),
		Advice: "look at the session again and decide anew",
	}
}

func (p *publication) recordPath() string {
	return p.of.at(sessionsName, p.hold.digest.String(), recordName)
}

// keepPrevious gives the record that is about to be replaced its name in history (I11),
// should a power failure have kept its rename and lost that name, or somebody have put
// something else there, which is kept in quarantine. It is durable before the rename that
// makes it the only one: another power failure may keep that.
func (p *publication) keepPrevious(ctx context.Context) error {
	if p.previous.IsZero() {
		return nil
	}
	err := checkSecondName(ctx, p.x.Root, p.hold.digest, p.previous)
	var bad *badError
	switch {
	case errors.As(err, &bad):
		root, err := p.storeDir()
		if err != nil {
			return err
		}
		a := asider{p.of, p.x, p.hold.digest, revName(p.previous), p.dir, root}
		if _, err := a.keep(ctx, bad); err != nil {
			return err
		}
	case !missing(err):
		return err
	}
	return giveSecondName(p.dir, p.previous)
}

// giveSecondName gives the record that is in force its name in history, durably.
func giveSecondName(dir durable.Dir, r ownership.Revision) error {
	if err := dir.Link(recordName, revName(r)); err != nil {
		return err
	}
	return dir.Sync()
}

// failed sorts what went wrong into the outcomes that callers are promised (I9).
func (p *publication) failed(err error) error {
	switch {
	case errors.Is(err, durable.ErrUnknown):
		return &lease.StoreError{
			Kind: lease.ErrOutcomeUnknown, Op: publishOp, Path: p.recordPath(), Err: err,
			Advice: "inspect the session; own nothing until then",
		}
	case errors.Is(err, durable.ErrLocked):
		return p.locked(err)
	case errors.Is(err, durable.ErrNoExchange):
		return p.of.unusable(p.recordPath(), err)
	case noLinks(err):
		return p.of.unusable(p.recordPath(), fmt.Errorf("no hard links: %w", err))
	}
	return p.of.failed(publishOp, p.recordPath(), err)
}

// unusable is the refusal of a file system that lacks what a publish needs.
func (s *Store) unusable(path string, err error) error {
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: publishOp, Path: path,
		Err:    fmt.Errorf("%s cannot hold a store: %w", s.fileSystemName(), err),
		Advice: "name a store on a local disk with a file system made for Unix",
	}
}

func (p *publication) locked(err error) error {
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: publishOp, Path: p.x.Name(),
		Err:    fmt.Errorf("%w by %s", err, p.lockHolders()),
		Advice: "a publish takes microseconds: see why that process does not go on, and try again",
	}
}

func (p *publication) lockHolders() string {
	info, err := os.Lstat(p.x.Name())
	if err != nil {
		return inWords(nil, err)
	}
	return inWords(holdersOf(info))
}
