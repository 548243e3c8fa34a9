package sqlitecopy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
)

// normalise makes db.sqlite from a private copy, which is removed.
func (t *taking) normalise(ctx context.Context) error {
	work := t.path(workName)
	if err := os.Mkdir(work, 0o700); err != nil {
		return target(work, err)
	}
	private := filepath.Join(work, "db")
	if err := t.copyPrivate(ctx, private); err != nil {
		return err
	}
	if err := t.examine(ctx, private); err != nil {
		return err
	}
	return target(work, os.RemoveAll(work))
}

// copyPrivate copies the raw copy once more, for SQLite to recover, and digests it on the way.
func (t *taking) copyPrivate(ctx context.Context, private string) error {
	t.meter.step("preparing the tracker")
	for _, s := range t.kept {
		if err := t.copyOne(ctx, path.Join(rawName, s.of("db")), s.of(private)); err != nil {
			return target(s.of(private), err)
		}
	}
	if super := t.taken.SuperJournal; super != nil {
		return target(journal.of(private), super.settle(journal.of(private)))
	}
	return nil
}

// copyOne writes the artefact name to another place and notes its digest.
func (t *taking) copyOne(ctx context.Context, name, to string) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(t.digest(ctx, name, f), f.Close())
}

// digest notes an artefact, and copies it to w.
func (t *taking) digest(ctx context.Context, name string, w io.Writer) error {
	f, err := os.Open(t.path(filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.CopyBuffer(metered{ctx, t.meter, io.MultiWriter(sum, w)}, struct{ io.Reader }{f}, make([]byte, chunk))
	if err != nil {
		return err
	}
	t.note(name, n, sum)
	return nil
}

func (t *taking) note(name string, size int64, sum hash.Hash) {
	t.taken.Artefacts = append(t.taken.Artefacts, Artefact{name, size, hex.EncodeToString(sum.Sum(nil))})
}

// metered counts what is written, and ends when ctx does.
type metered struct {
	ctx   context.Context
	meter *meter
	to    io.Writer
}

func (m metered) Write(b []byte) (int, error) {
	if err := context.Cause(m.ctx); err != nil {
		return 0, err
	}
	n, err := m.to.Write(b)
	m.meter.add(int64(n))
	return n, err
}
