package sqlitecopy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
)

// stamp tells whether a name still stands for the same bytes. The zero stamp is that of an absent file. The time of
// access is no part of it.
type stamp struct {
	dev, ino, links uint64
	mode            uint32
	size            int64
	mtime, ctime    int64 // nanoseconds
}

func (s stamp) absent() bool { return s == stamp{} }

func (s stamp) same(t stamp) bool { return s.dev == t.dev && s.ino == t.ino }

func stampOf(st *unix.Stat_t) stamp {
	return stamp{
		dev: uint64(st.Dev), ino: st.Ino, links: uint64(st.Nlink), mode: uint32(st.Mode), size: st.Size,
		mtime: unix.TimespecToNsec(st.Mtim), ctime: unix.TimespecToNsec(st.Ctim),
	}
}

// look is what the names of a source stood for at one time.
type look [sides]stamp

// lookAt refuses a source with anything but regular files in it.
func lookAt(path string) (l look, err error) {
	for s := range l {
		if l[s], err = lstat(side(s).of(path)); err != nil {
			return l, err
		}
	}
	if l[db].absent() {
		return l, missing(path)
	}
	return l, nil
}

func lstat(path string) (stamp, error) {
	var st unix.Stat_t
	err := durable.Retry(func() error { return unix.Lstat(path, &st) })
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, unreadable(path, &fs.PathError{Op: "lstat", Path: path, Err: err})
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG {
		return stamp{}, refuse(path, uint32(st.Mode)&unix.S_IFMT)
	}
	return stampOf(&st), nil
}

// refuse returns the error for what is not a regular file.
func refuse(path string, kind uint32) error {
	next := "give the path of a database file with --tracker"
	if target, err := os.Readlink(path); err == nil {
		next = fmt.Sprintf("if that is the database, give the path that the link leads to, %q, with --tracker", target)
	}
	return notRegular(path, fmt.Errorf("it is a %s", kindName(kind)), next)
}

func kindName(kind uint32) string {
	switch kind {
	case unix.S_IFLNK:
		return "symbolic link"
	case unix.S_IFDIR:
		return "directory"
	case unix.S_IFIFO:
		return "FIFO"
	case unix.S_IFSOCK:
		return "socket"
	}
	return "device"
}

// size is that of everything a raw copy takes.
func (l look) size() (bytes int64) {
	for _, s := range kept {
		bytes += l[s].size
	}
	return bytes
}

const (
	tick       = 100 * time.Millisecond // no clock of a file system that counts below seconds is coarser
	coarseTick = 2100 * time.Millisecond
)

// settled returns how long to wait until any later write to the source is sure to change a time of change: a second
// write within one tick of the clock of the file system leaves no trace. Times of change cannot be set, unlike those
// of modification.
func (l look) settled(now time.Time) time.Duration {
	var wait time.Duration
	for _, s := range l {
		wait = max(wait, s.settled(now))
	}
	return wait
}

func (s stamp) settled(now time.Time) time.Duration {
	need := tick
	if s.ctime%int64(time.Second) == 0 {
		need = coarseTick
	}
	if age := now.Sub(time.Unix(0, s.ctime)); age >= 0 {
		return need - age
	}
	return need
}
