package settle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"holdfast/ownership"
)

// TailSize is how many bytes at the end of a transcript are looked at.
const TailSize = 256 << 10

// looks bounds how often a transcript is read anew that grew meanwhile.
const looks = 3

// ReadTranscript reads the end of the regular file at path, however large it is, and
// follows no link that stands in its place. An error says in words, without the path,
// why it cannot be used.
func ReadTranscript(path string) (Transcript, error) {
	f, err := openTranscript(path)
	if err != nil {
		return Transcript{}, bare(err)
	}
	defer f.Close()
	for range looks {
		t, whole, err := lookAt(f)
		if err != nil || whole {
			return t, bare(err)
		}
	}
	return Transcript{}, errors.New("it is still being written")
}

// openTranscript looks before it opens: to open a device, or a pipe, can do something.
// What was opened is compared with what was seen.
func openTranscript(path string) (*os.File, error) {
	want, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !want.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no regular file but %s", kindOf(want.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err == nil && os.SameFile(want, got) {
		return f, nil
	}
	f.Close()
	return nil, errors.Join(errors.New("it was replaced while it was being opened"), err)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// lookAt reads the end once, and reports whether the file stayed as it was meanwhile.
func lookAt(f *os.File) (t Transcript, stayed bool, err error) {
	before, err := f.Stat()
	if err != nil {
		return t, false, err
	}
	tail, err := tailOf(f, before.Size())
	if err != nil {
		return t, false, err
	}
	after, err := f.Stat()
	if err != nil {
		return t, false, err
	}
	t.WrittenAt, t.Signals = ownership.At(after.ModTime()), SignalsIn(tail)
	t.Partial = before.Size() > TailSize && len(lastLines(tail)) < SignalLines
	if _, err := t.WrittenAt.MarshalText(); err != nil {
		return t, false, fmt.Errorf("the time at which it was last written cannot be told: %w", err)
	}
	return t, before.Size() == after.Size() && before.ModTime().Equal(after.ModTime()), nil
}

// tailOf returns what is whole of the last lines. Of a line that is cut nobody knows
// whether it would hold a signal alone, so it is left out.
func tailOf(f io.ReaderAt, size int64) ([]byte, error) {
	n := min(size, TailSize+1) // the byte before tells whether a line begins there
	b := make([]byte, n)
	read, err := f.ReadAt(b, size-n)
	if err != nil && err != io.EOF {
		return nil, err
	}
	b = b[:read]
	if n < size {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b, nil
}

// bare returns what the system said of a path, without the path.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
