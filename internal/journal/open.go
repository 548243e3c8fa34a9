package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/internal/procid"
)

// openFlags open without following a link and without waiting for a FIFO's writer.
const openFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK

// use opens the file for one piece of work and closes it. A file that is not there is
// fs.ErrNotExist.
func (j *Journal) use(ctx context.Context, a access, work func(*bbolt.DB) error) error {
	f, err := j.openFile(a)
	if err != nil {
		return j.failed(a, err)
	}
	err = j.lock(ctx, f, a)
	if err == nil {
		err = plausible(f)
	}
	if err != nil {
		return j.failed(a, errors.Join(err, f.Close()))
	}
	return j.failed(a, guarded(f, a, work))
}

// openFile opens what must be a regular file.
func (j *Journal) openFile(a access) (*os.File, error) {
	root, err := os.OpenRoot(j.dir())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	want, err := root.Lstat(j.name())
	if err != nil {
		return nil, err
	}
	if !want.Mode().IsRegular() {
		return nil, damaged("it is not a regular file but %s", want.Mode().Type())
	}
	how := os.O_RDONLY
	if a == writing {
		how = os.O_RDWR
	}
	f, err := root.OpenFile(j.name(), how|openFlags, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = damaged("it was replaced while it was opened")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lock takes the lock that bbolt takes, on the same descriptor, so that the file can be
// looked at before it is mapped, and so that the wait ends with ctx.
func (j *Journal) lock(ctx context.Context, f *os.File, a access) error {
	how := unix.LOCK_SH
	if a == writing {
		how = unix.LOCK_EX
	}
	const longest = 20 * time.Millisecond
	deadline := time.Now().Add(LockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, longest) {
		err := durable.Retry(func() error { return unix.Flock(int(f.Fd()), how|unix.LOCK_NB) })
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w by %s", ErrLocked, holders(f))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// holders names who has the lock of a file.
func holders(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return "somebody who cannot be named"
	}
	found, _ := procid.Holders(info) // a part of them is better than none
	var words []string
	for _, p := range found {
		words = append(words, fmt.Sprintf("%s (pid %d)", p.Program, p.PID))
	}
	if len(words) == 0 {
		return "a reader, or somebody who cannot be seen from here"
	}
	return strings.Join(words, ", ")
}

// guarded maps the file and does the work. A page that is not there or not what it
// should be faults or panics inside bbolt; either becomes an error here. bbolt is left
// as it is then, since its locks may be taken for ever, but the file's own lock is
// freed: a mapping would keep it.
func guarded(f *os.File, a access, work func(*bbolt.DB) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
			err = errors.Join(damaged("%s", inWords(p)), closed(f))
		}
	}()
	db, err := bbolt.Open(f.Name(), durable.FileMode, options(f, a))
	if err != nil {
		return errors.Join(damaged("%v", err), closed(f))
	}
	err = work(db)
	// Closing alone leaves the lock with any child that is between fork and exec.
	unlocked := durable.Retry(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) })
	return errors.Join(err, unlocked, db.Close())
}

// inWords says what bbolt met. A fault of the mapping has an address.
func inWords(p any) string {
	if _, ok := p.(interface{ Addr() uintptr }); ok {
		return "a page that it names is not in it"
	}
	return fmt.Sprint(p)
}

func options(f *os.File, a access) *bbolt.Options {
	return &bbolt.Options{
		Timeout:      LockWait,
		ReadOnly:     a == reading,
		FreelistType: bbolt.FreelistMapType,
		NoStatistics: true,
		OpenFile:     func(string, int, os.FileMode) (*os.File, error) { return f, nil },
	}
}

// closed closes a file that bbolt may have closed already.
func closed(f *os.File) error {
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// orEmpty is for readers: a journal that does not exist is empty.
func orEmpty(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
