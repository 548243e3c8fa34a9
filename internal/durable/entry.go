package durable

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Entry is what a name stands for.
type Entry struct {
	ID   ID
	Mode fs.FileMode // type and permissions
	UID  uint32
}

// ID tells files apart for as long as one of the names or descriptors of each lasts.
type ID struct{ Device, Inode uint64 }

// EntryOf returns the identity, mode and owner of a file of the operating system.
func EntryOf(info fs.FileInfo) Entry {
	st := info.Sys().(*syscall.Stat_t)
	return Entry{ID{uint64(st.Dev), uint64(st.Ino)}, info.Mode(), st.Uid}
}

func entryOf(st *unix.Stat_t) Entry {
	return Entry{IDOf(st), modeOf(uint32(st.Mode)), st.Uid}
}

// IDOf returns the identity that the system told of a file.
func IDOf(st *unix.Stat_t) ID { return ID{uint64(st.Dev), uint64(st.Ino)} }

func modeOf(mode uint32) fs.FileMode {
	permissions := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return permissions
	case unix.S_IFDIR:
		return permissions | fs.ModeDir
	case unix.S_IFLNK:
		return permissions | fs.ModeSymlink
	case unix.S_IFIFO:
		return permissions | fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return permissions | fs.ModeSocket
	}
	return permissions | fs.ModeDevice
}

// LstatAt says what a name of one element below a directory, or a path, stands for.
func LstatAt(at int, name string) (Entry, error) {
	var st unix.Stat_t
	err := Retry(func() error { return unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Entry{}, pathError("fstatat", name, err)
	}
	return entryOf(&st), nil
}

// Fstat says what a descriptor is open on.
func Fstat(fd int) (Entry, error) {
	var st unix.Stat_t
	if err := Retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return Entry{}, os.NewSyscallError("fstat", err)
	}
	return entryOf(&st), nil
}
