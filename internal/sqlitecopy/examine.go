package sqlitecopy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// examine checks the private copy, before anything could heal it, and makes db.sqlite.
func (t *taking) examine(ctx context.Context, private string) error {
	version, err := engineVersion(ctx)
	if err != nil {
		return t.machine(ctx, err)
	}
	t.taken.SQLite = version
	e, err := openEngine(ctx, private, "")
	if err != nil {
		return t.machine(ctx, err)
	}
	defer e.close()
	if err := t.checkBefore(ctx, e, private); err != nil {
		return err
	}
	if t.taken.Integrity == NotDatabase {
		t.taken.Form = NoForm
		return nil
	}
	if t.taken.Integrity == Damaged {
		t.mend(ctx, e)
	}
	if err := t.reform(ctx, e, private); err != nil || t.taken.Form == NoForm {
		return err
	}
	if err := e.close(); err != nil {
		return t.machine(ctx, err)
	}
	return t.checkAfter(ctx)
}

func (t *taking) checkBefore(ctx context.Context, e *engine, private string) error {
	t.meter.step("checking the tracker")
	check, result, err := e.check(ctx)
	if err != nil {
		return t.machine(ctx, err)
	}
	t.taken.Before, t.taken.Integrity = check, result
	t.meter.add(sizeOf(private))
	return nil
}

// mend makes indexes that disagree with their tables anew: VACUUM copies them as they are. That it cannot is for VACUUM
// to say.
func (t *taking) mend(ctx context.Context, e *engine) {
	if e.reindex(ctx) == nil {
		t.taken.Notes = append(t.taken.Notes, "the indexes of db.sqlite were made anew from its tables; "+
			"raw/db has them as they were")
	}
}

// reform makes db.sqlite by VACUUM INTO, or of the pages as they are where that cannot be.
func (t *taking) reform(ctx context.Context, e *engine, private string) error {
	t.meter.step("writing the tracker afresh")
	normal := t.path(normalName)
	if err := create(normal); err != nil {
		return target(normal, err)
	}
	err := e.vacuumInto(ctx, normal)
	if err == nil {
		t.taken.Form = Vacuumed
		t.meter.add(sizeOf(private))
		return nil
	}
	fault := faultOf(err)
	if fault == ofMachine {
		return t.machine(ctx, err)
	}
	t.taken.Notes = append(t.taken.Notes, fmt.Sprintf("VACUUM could not write the database afresh: %v", err))
	if fault == ofEngine {
		return t.rawOnly("the private copy cannot be relied upon")
	}
	return t.pageByPage(ctx, e, private)
}

// rawOnly removes db.sqlite, which may be incomplete.
func (t *taking) rawOnly(why string) error {
	t.taken.Form = NoForm
	t.taken.Notes = append(t.taken.Notes, why+": there is the raw copy only")
	normal := t.path(normalName)
	return target(normal, errors.Join(os.Remove(normal), os.RemoveAll(journal.of(normal))))
}

// create gives a file the mode that SQLite would not.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// pageByPage makes db.sqlite of the private copy itself, its log or journal applied.
func (t *taking) pageByPage(ctx context.Context, e *engine, private string) error {
	normal := t.path(normalName)
	e.fold(ctx)
	if err := e.close(); err != nil {
		return t.machine(ctx, err)
	}
	if sizeOf(wal.of(private))+sizeOf(journal.of(private)) > 0 {
		return t.rawOnly("the log or journal could not be applied")
	}
	t.taken.Form = PageByPage
	return target(normal, errors.Join(os.Remove(normal), t.copyFile(ctx, private, normal)))
}

func (t *taking) copyFile(ctx context.Context, from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(metered{ctx, t.meter, w}, f)
	return errors.Join(err, w.Close())
}

// checkAfter looks at db.sqlite as nobody's, so that nothing appears beside it, and makes it durable.
func (t *taking) checkAfter(ctx context.Context) error {
	t.meter.step("checking the tracker afresh")
	normal := t.path(normalName)
	e, err := openEngine(ctx, normal, "&mode=ro&immutable=1")
	if err != nil {
		return t.machine(ctx, err)
	}
	defer e.close()
	check, _, err := e.check(ctx)
	if err != nil {
		return t.machine(ctx, err)
	}
	t.taken.After = &check
	t.meter.add(sizeOf(normal))
	return t.sealNormal(ctx)
}

func (t *taking) sealNormal(ctx context.Context) error {
	normal := t.path(normalName)
	f, err := os.Open(normal)
	if err != nil {
		return target(normal, err)
	}
	defer f.Close()
	return target(normal, errors.Join(f.Sync(), t.digest(ctx, normalName, io.Discard)))
}

// machine returns an error that says nothing about the source.
func (t *taking) machine(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, errGaveUp) {
		return &Error{Kind: ErrTarget, Path: t.out, Err: err, Next: "let the command use more memory: ulimit -v unlimited"}
	}
	if full(err) {
		err = fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	}
	return unwritable(t.out, err)
}

// sizeOf is that of a file of ours, 0 if it is absent.
func sizeOf(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
