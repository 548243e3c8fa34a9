package settle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"holdfast/internal/plainfile"
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
	f, err := plainfile.Open(path)
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
