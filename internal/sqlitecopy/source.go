package sqlitecopy

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
)

// errAgain is the end of a try during which the source moved.
var errAgain = errors.New("the source moved")

// openSource opens one file of the source, which was seen as want: never a link, never for writing, never waiting, and
// without moving its time of access where that is allowed.
func openSource(path string, want stamp) (*os.File, error) {
	const flags = os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := os.OpenFile(path, flags|noAtime, 0)
	if errors.Is(err, unix.EPERM) {
		f, err = os.OpenFile(path, flags, 0)
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, errAgain
	case err != nil:
		return nil, unreadable(path, err)
	}
	got, err := fstat(f)
	if err == nil && !got.same(want) {
		err = errAgain
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func fstat(f *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := durable.Retry(func() error { return unix.Fstat(int(f.Fd()), &st) }); err != nil {
		return stamp{}, unreadable(f.Name(), err)
	}
	return stampOf(&st), nil
}
