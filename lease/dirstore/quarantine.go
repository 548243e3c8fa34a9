package dirstore

import (
	"context"
	"errors"
	"os"
	"path"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// Quarantine keeps what is in the record's place under quarantine/ and publishes b
// over it, in one publish: the bytes are durable there before they are replaced here.
func (s *Store) Quarantine(ctx context.Context, held lease.Hold, displaced ownership.Revision, b []byte) error {
	p := &publication{previous: displaced, bytes: b, revision: ownership.RevisionOf(b), displace: (*publication).quarantine}
	return s.publish(ctx, held, p)
}

// quarantine runs under the directory's lock.
func (p *publication) quarantine() (place func() error, err error) {
	info, err := p.x.Lstat(recordName)
	switch {
	case missing(err):
		_, err := p.shelf().keep(p.writeFault)
		return nil, err
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return nil, p.quarantineFile(durable.EntryOf(info))
	}
	return p.exchangeRecord, nil
}

func (p *publication) shelf() shelf {
	return shelf{p.x.store, p.root, p.hold.view.digest, p.previous}
}

// writeFault keeps the one line whose hash stands for a record that is missing.
func (p *publication) writeFault(name string) error {
	f, err := p.root.Create(name)
	if err != nil {
		return err
	}
	if err = f.Chmod(durable.FileMode); err == nil {
		_, err = f.Write(faultLine(missingFault))
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, p.root.Remove(name))
	}
	return nil
}

// quarantineFile links the bytes, which somebody else wrote and perhaps never synced.
func (p *publication) quarantineFile(e durable.Entry) error {
	f, err := openRegular(p.x.Root, recordName)
	if err != nil {
		return err
	}
	if err := errors.Join(p.of.syncFile(recordName, f), f.Close()); err != nil {
		return err
	}
	_, err = p.shelf().keep(func(name string) error { return p.root.Link(p.inSession(recordName), name) })
	if noLinks(err) && e.UID != uint32(os.Geteuid()) {
		return foreignOwner("quarantine", p.recordPath(), e.UID)
	}
	return err
}

// exchangeRecord swaps what is no file with the new record, which takes the name in
// quarantine first.
func (p *publication) exchangeRecord() error {
	next := p.inSession(nextName(p.hold.generation))
	name, err := p.shelf().firstName(func(name string) error { return p.root.Link(next, name) })
	if err == nil {
		err = p.root.Exchange(name, p.inSession(recordName))
	}
	if err != nil {
		return errors.Join(err, p.takeBack(next, name))
	}
	return errors.Join(p.root.Remove(next), p.shelf().sync())
}

// takeBack removes name if it still stands for the same file as next.
func (p *publication) takeBack(next, name string) error {
	want, err := p.root.Lstat(next)
	if err != nil {
		return err
	}
	got, err := p.root.Lstat(name)
	if err != nil || got.ID != want.ID {
		return ignoreMissing(err)
	}
	return p.root.Remove(name)
}

func (p *publication) inSession(name string) string {
	return path.Join(sessionsName, p.hold.view.digest.String(), name)
}
