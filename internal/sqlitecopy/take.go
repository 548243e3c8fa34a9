package sqlitecopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Options say how to take a copy.
type Options struct {
	Accept   Acceptance
	Progress func(Progress) // called from the goroutine of the caller; may be nil
}

// Acceptance says which sources are no error.
type Acceptance int

const (
	DatabasesOnly Acceptance = iota
	Anything                 // what SQLite does not know as well, as a raw copy
)

// Names in the directory of a copy. The last is private and removed.
const (
	rawName       = "raw"
	normalName    = "db.sqlite"
	integrityName = "integrity.txt"
	workName      = "work"
)

// passes over the bytes of a source: raw copy, private copy, check, VACUUM, check, digest.
const passes = 6

// Size returns how many bytes [Take] may need in its directory: raw copy, private copy and db.sqlite.
func Size(source string) (int64, error) {
	l, err := lookAt(source)
	return 3 * l.size(), err
}

// SourceSize returns the size in bytes of a database with its log and journal, which it does not open. Its errors are
// those of [Size].
func SourceSize(source string) (int64, error) {
	l, err := lookAt(source)
	return l.size(), err
}

// Take copies the database source into out, a directory of the caller's: raw/db with raw/db-wal and raw/db-journal
// where there are such, db.sqlite, and integrity.txt. It makes every file, raw and out durable. After an error out
// holds leftovers, for the caller to remove, but for [ErrNotDatabase], which comes with a complete copy without
// db.sqlite. It ends with the cause of ctx when that is done.
//
// Damage in the source is no error: the copy is then as damaged, and says so. Errors that a person can act upon are of
// type [*Error].
func Take(ctx context.Context, source, out string, o Options) (*Taken, error) {
	r, err := ReadSource(ctx, source, out, o)
	if err != nil {
		return nil, err
	}
	return r.Finish(ctx, o.Progress)
}

// Reading is a copy whose source has been read: what is left is to be done with the copy alone.
type Reading struct {
	t      *taking
	accept Acceptance
}

// ReadSource is the first part of [Take], with its errors; [Reading.Finish] is the second.
func ReadSource(ctx context.Context, source, out string, o Options) (*Reading, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return nil, unreadable(source, err)
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, unwritable(out, err)
	}
	if err := vacant(out); err != nil {
		return nil, err
	}
	before, err := lookAt(source)
	if err != nil {
		return nil, err
	}
	if openHere(before[db]) {
		return nil, inUseHere(source)
	}
	t := &taking{out: out, meter: &meter{tell: o.Progress}, taken: &Taken{Source: source, Notes: []string{}}}
	t.meter.expect(passes * before.size())
	if err := t.copyRaw(ctx, before); err != nil {
		if t.raw != nil {
			t.raw.close()
		}
		return nil, err
	}
	return &Reading{t, o.Accept}, nil
}

// Finish makes the raw copy durable and db.sqlite of it. It is to be called once, from any goroutine, from which it
// calls progress; that may be nil.
func (r *Reading) Finish(ctx context.Context, progress func(Progress)) (*Taken, error) {
	r.t.meter.tell = progress
	if err := r.t.finish(ctx); err != nil {
		return nil, err
	}
	if r.t.taken.Integrity == NotDatabase && r.accept == DatabasesOnly {
		return r.t.taken, notDatabase(r.t.taken.Source, r.t.taken)
	}
	return r.t.taken, nil
}

// vacant refuses a directory with one of our names in it.
func vacant(out string) error {
	for _, name := range []string{rawName, normalName, integrityName, workName} {
		path := filepath.Join(out, name)
		switch _, err := os.Lstat(path); {
		case err == nil:
			return &Error{Kind: ErrTargetInUse, Path: path, Next: "give an empty or new directory with --out"}
		case !errors.Is(err, fs.ErrNotExist):
			return target(path, err)
		}
	}
	return nil
}

// taking is one call of Take.
type taking struct {
	out   string
	meter *meter
	taken *Taken
	raw   *rawCopy // open until it is durable
	kept  []side   // of the raw copy
}

func (t *taking) path(elements ...string) string {
	return filepath.Join(append([]string{t.out}, elements...)...)
}

func (t *taking) finish(ctx context.Context) error {
	err := t.raw.seal()
	t.raw.close()
	if err != nil {
		return err
	}
	if err := t.normalise(ctx); err != nil {
		return err
	}
	if err := t.report(); err != nil {
		return err
	}
	t.meter.finish()
	return syncDir(t.out)
}

func (t *taking) copyRaw(ctx context.Context, before look) error {
	t.meter.step("copying the tracker")
	if err := os.Mkdir(t.path(rawName), 0o700); err != nil {
		return target(t.path(rawName), err)
	}
	t.raw = newRawCopy(t.path(rawName), t.meter)
	c := newCapture(t.taken.Source, t.raw)
	guard, err := c.run(ctx)
	if err != nil {
		return err
	}
	after, err := lookAt(t.taken.Source)
	if err != nil {
		return err
	}
	t.kept, t.taken.Guard = t.raw.has(), guard
	t.taken.Tries, t.taken.SuperJournal, t.taken.Journal = c.tries, c.super, c.kind
	t.taken.Moved = moved(t.taken.Source, before, after)
	t.taken.Notes = slices.Concat(t.taken.Notes, c.notes, linkNotes(after))
	return nil
}

// linkNotes admits what cannot be seen under another name.
func linkNotes(l look) []string {
	if l[db].links < 2 {
		return nil
	}
	return []string{fmt.Sprintf("the file has %d names; a log or journal beside another of them is not in this copy",
		l[db].links)}
}

func notDatabase(path string, t *Taken) error {
	return &Error{Kind: ErrNotDatabase, Path: path, Err: errors.New(t.Before.Lines[0]),
		Next: "if it is encrypted, or not meant for SQLite, accept the raw copy with --accept"}
}
