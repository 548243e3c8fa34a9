package gitwork

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openSource opens a file of the source for reading only. It follows no link at the end of path, does not wait for
// the writer of a FIFO, and where it may leaves the access time alone.
func openSource(path string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	f, err := os.OpenFile(path, flags|noAtime, 0)
	if noAtime != 0 && errors.Is(err, syscall.EPERM) {
		return os.OpenFile(path, flags, 0) // another user's file: reading is allowed, hiding it is not
	}
	return f, err
}

// readSource returns the content of a file of at most limit bytes.
func readSource(path string, limit int64) ([]byte, error) {
	f, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return b, err
}

// readNames returns the names in a directory of the source, unsorted.
func readNames(dir string) ([]string, error) {
	f, err := openSource(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// stamp is what tells that a file was not touched: any write, chmod, link or rename changes one of these, and the
// change time cannot be set back.
type stamp struct {
	Dev, Ino     uint64
	Mode         uint32
	Size         int64
	Mtime, Ctime int64 // nanoseconds since the epoch, within [earliest] and [latest]
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{
		Dev: uint64(st.Dev), Ino: st.Ino, Mode: uint32(st.Mode), Size: st.Size,
		Mtime: nanoseconds(st.Mtim), Ctime: nanoseconds(st.Ctim),
	}
}

// File systems know times of the years before 1678 and after 2262, which no number of nanoseconds has room for.
const earliest, latest = math.MinInt64, math.MaxInt64

func nanoseconds(t unix.Timespec) int64 {
	const first, last = int64(earliest) / 1e9, int64(latest) / 1e9
	switch s := int64(t.Sec); {
	case s <= first:
		return earliest
	case s >= last:
		return latest
	}
	return t.Nano()
}

func lstat(path string) (stamp, error) {
	st, err := lstatAll(path)
	return stampOf(&st), err
}

func lstatAll(path string) (st unix.Stat_t, err error) {
	for {
		if err = unix.Lstat(path, &st); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		err = &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	return st, err
}

func fstat(f *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stamp{}, &os.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	return stampOf(&st), nil
}

func (s stamp) kind() uint32     { return s.Mode & unix.S_IFMT }
func (s stamp) perm() uint32     { return s.Mode & 0o7777 }
func (s stamp) isDir() bool      { return s.kind() == unix.S_IFDIR }
func (s stamp) isRegular() bool  { return s.kind() == unix.S_IFREG }
func (s stamp) isLink() bool     { return s.kind() == unix.S_IFLNK }
func (s stamp) isFIFO() bool     { return s.kind() == unix.S_IFIFO }
func (s stamp) executable() bool { return s.Mode&0o100 != 0 }
