package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

const publishOp = "publish"

// Publish replaces record.json, whose revision must be previous.
func (s *Store) Publish(ctx context.Context, held lease.Hold, previous ownership.Revision, b []byte) error {
	p := &publication{previous: previous, bytes: b, revision: ownership.RevisionOf(b)}
	return s.publish(ctx, held, p)
}

// Supersede takes the names of the hold away once the record is in force, in the wait for
// the disk that makes that durable. A power failure may keep the one and not the other:
// what is left then is a record of the generation before, whose own locks were not touched,
// or a name that means nothing.
func (s *Store) Supersede(ctx context.Context, held lease.Hold, previous ownership.Revision, b []byte) error {
	p := &publication{previous: previous, bytes: b, revision: ownership.RevisionOf(b), last: true}
	return s.publish(ctx, held, p)
}

// publication is one publish in progress.
type publication struct {
	previous ownership.Revision
	bytes    []byte
	revision ownership.Revision // of bytes
	// displace keeps what is no record before it is replaced, under the directory's
	// lock, and may return how to replace it. Nil: only a record may be replaced.
	displace func(*publication) (place func() error, err error)
	last     bool // the hold is over with it

	of   *Store
	hold *hold
	// x and root, the store's directory, are for what is not plain; nil until then.
	x    *session
	root durable.Dir
}

func (s *Store) publish(ctx context.Context, held lease.Hold, p *publication) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h, ok := held.(*hold)
	if !ok || h.view.store != s {
		return &lease.StoreError{Op: publishOp, Path: s.path, Err: errors.New("the hold is not of this store")}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return h.hasEnded(publishOp)
	}
	if err := s.checkOwn(durable.Fstat(h.view.at.store)); err != nil {
		return err
	}
	p.of, p.hold = s, h
	defer p.close()
	id, err := p.run(ctx)
	if err != nil {
		return p.failed(err)
	}
	h.published = &published{id, p.revision, p.last}
	h.view.seen.Stored = lease.Stored{Bytes: p.bytes, Revision: p.revision}
	return nil
}

// close closes what was opened for this publish alone.
func (p *publication) close() {
	if p.root != nil {
		p.root.Close()
	}
}

// beyondPlain opens what is needed to move what is no record of ours.
func (p *publication) beyondPlain() (err error) {
	if p.root != nil {
		return nil
	}
	if p.x, err = p.hold.session(); err == nil {
		p.root, err = p.of.dir(p.x.store)
	}
	return err
}

// run compares before it creates anything, so that what would be refused anyway leaves
// no trace at all; the comparison that counts is made again under the lock. It works on
// the directories that the hold keeps open, so that no call but a comparison depends on
// a path.
func (p *publication) run(ctx context.Context) (id durable.ID, err error) {
	if err := p.compare(ctx); err != nil {
		return id, err
	}
	parent, err := p.parent()
	if err != nil {
		return id, err
	}
	if parent != nil {
		defer parent.Close()
	}
	publication := durable.Publication{
		Next:   nextName(p.hold.generation),
		Past:   revName(p.revision),
		Record: recordName,
		Bytes:  p.bytes,
		Parent: parent,
		Check:  func() (func() error, error) { return p.check(ctx) },
	}
	if p.last {
		publication.Over = []string{kinName(p.hold.generation), lifeName(p.hold.generation)}
	}
	return durable.Publish(ctx, p.hold.dir, publication)
}

// parent opens sessions/ where the session was vacant: whoever made the session's
// directory may have died before its name was durable.
func (p *publication) parent() (durable.Dir, error) {
	if !p.previous.IsZero() {
		return nil, nil
	}
	fd, err := durable.OpenDirAt(p.hold.view.at.sessions, ".")
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: p.of.SessionsPath(), Err: err}
	}
	return p.of.watched(durable.DirAt(fd, p.of.SessionsPath())), nil
}

// check decides under the directory's lock (I3, I6).
func (p *publication) check(ctx context.Context) (place func() error, err error) {
	if err := p.compare(ctx); err != nil {
		return nil, err
	}
	if p.displace != nil {
		if err := p.beyondPlain(); err != nil {
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
	return p.of.at(sessionsName, p.hold.view.digest.String(), recordName)
}

// keepPrevious gives the record that is about to be replaced its name in history (I11),
// should a power failure have kept its rename and lost that name, or somebody have put
// something else there, which is kept in quarantine. It is durable before the rename that
// makes it the only one: another power failure may keep that.
func (p *publication) keepPrevious(ctx context.Context) error {
	if p.previous.IsZero() {
		return nil
	}
	if second, err := durable.LstatAt(p.hold.view.at.self, revName(p.previous)); err == nil && second.ID == p.hold.view.seen.id {
		return nil // the file that was just compared has both names
	}
	x, err := p.hold.session()
	if err != nil {
		return err
	}
	err = checkSecondName(ctx, x.Root, p.hold.view.digest, p.previous)
	var bad *badError
	switch {
	case errors.As(err, &bad):
		if err := p.beyondPlain(); err != nil {
			return err
		}
		a := asider{p.of, x, p.hold.view.digest, revName(p.previous), p.hold.dir, p.root}
		if _, err := a.keep(ctx, bad); err != nil {
			return err
		}
	case !missing(err):
		return err
	}
	return giveSecondName(p.hold.dir, p.previous)
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
	path := p.of.SessionPath(p.hold.view.digest)
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: publishOp, Path: path,
		Err:    fmt.Errorf("%w by %s", err, lockHolders(path)),
		Advice: "a publish takes microseconds: see why that process does not go on, and try again",
	}
}

// lockHolders names who has a directory's lock.
func lockHolders(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return inWords(nil, err)
	}
	return inWords(holdersOf(info))
}
