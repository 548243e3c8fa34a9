package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// Quarantine keeps what is in the record's place under quarantine/ and publishes b
// over it, in one publish: the bytes are durable there before they are replaced here.
func (s *Store) Quarantine(ctx context.Context, held lease.Hold, displaced ownership.Revision, b []byte) error {
	p := &publication{previous: displaced, bytes: b, displace: (*publication).quarantine}
	return s.publish(ctx, held, p)
}

// quarantine runs under the directory's lock.
func (p *publication) quarantine() (place func() error, err error) {
	info, err := p.x.Lstat(recordName)
	switch {
	case missing(err):
		return nil, p.keepIn(p.writeFault)
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return nil, p.quarantineFile(durable.EntryOf(info))
	}
	return p.exchangeRecord, nil
}

// keepIn gives displaced bytes a name in quarantine/, unless they are there already, and
// makes the name durable.
func (p *publication) keepIn(keep func(name string) error) error {
	_, err := p.firstName(func(name string) error {
		err := keep(name)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		same, readErr := p.isKept(name)
		if same || readErr != nil {
			return readErr
		}
		return err
	})
	return errors.Join(err, p.syncQuarantine())
}

// firstName offers one name after the other until one is not taken.
func (p *publication) firstName(take func(name string) error) (string, error) {
	for n := 1; ; n++ {
		name := p.quarantineName(n)
		if err := take(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// quarantineName returns the name of the n-th thing of one session that has the
// displaced revision. All directories are described by the same line.
func (p *publication) quarantineName(n int) string {
	name := path.Join(quarantineName, p.hold.digest.String()+"."+p.previous.String())
	if n > 1 {
		name = fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

// isKept reports whether the displaced bytes are in quarantine already, put there by an
// earlier attempt.
func (p *publication) isKept(name string) (bool, error) {
	stored, err := readNamed(context.Background(), p.x.store, name)
	var irregular *irregularError
	if errors.As(err, &irregular) {
		return false, nil
	}
	return err == nil && stored.Revision == p.previous, err
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
	err = p.keepIn(func(name string) error { return p.root.Link(p.inSession(recordName), name) })
	if noLinks(err) && e.UID != uint32(os.Geteuid()) {
		return foreignOwner("quarantine", p.recordPath(), e.UID)
	}
	return err
}

// exchangeRecord swaps what is no file with the new record, which takes the name in
// quarantine first.
func (p *publication) exchangeRecord() error {
	next := p.inSession(nextName(p.hold.generation))
	name, err := p.firstName(func(name string) error { return p.root.Link(next, name) })
	if err == nil {
		err = p.root.Exchange(name, p.inSession(recordName))
	}
	if err != nil {
		return errors.Join(err, p.takeBack(next, name))
	}
	return errors.Join(p.root.Remove(next), p.syncQuarantine())
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
	return path.Join(sessionsName, p.hold.digest.String(), name)
}

func (p *publication) syncQuarantine() error {
	room, err := p.root.OpenDir(quarantineName)
	if err != nil {
		return err
	}
	return errors.Join(room.Sync(), room.Close())
}
