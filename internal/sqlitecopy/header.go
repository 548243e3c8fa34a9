package sqlitecopy

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// header is what tells whether a file of SQLite is still the one whose beginning was read.
type header [32]byte

// readHeader returns zeros for what a short file does not have.
func readHeader(f *os.File) (h header, err error) {
	_, err = f.ReadAt(h[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, unreadable(f.Name(), err)
	}
	return h, nil
}

// logged reports whether the database says that it has a write-ahead log.
func (h header) logged() bool {
	return bytes.HasPrefix(h[:], []byte("SQLite format 3\x00")) && h[18] == 2 && h[19] == 2
}
