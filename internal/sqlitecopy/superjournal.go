package sqlitecopy

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SuperJournal is a file that a rollback journal refers to, since its transaction spanned several databases: while it
// exists that transaction is to be undone, in all of them; without it, it counts as committed.
type SuperJournal struct {
	Path    string `json:"path"`
	Present bool   `json:"present"` // when the copy was taken
}

// The end of a journal that names a super-journal: the name, its length, the sum of its bytes, and this.
const (
	journalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	trailerSize  = 4 + 4 + int64(len(journalMagic))
	maxName      = 4096
)

// readSuperJournal returns nil for a journal that names none.
func readSuperJournal(f *os.File) (*SuperJournal, error) {
	name, err := superJournalName(f)
	if err != nil || name == "" {
		return nil, err
	}
	// "Could not ask" counts as present, as it does for SQLite: undoing what was committed elsewhere shows.
	_, err = os.Stat(name)
	absent := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	return &SuperJournal{name, !absent}, nil
}

func superJournalName(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil || info.Size() < trailerSize {
		return "", err
	}
	var trailer [trailerSize]byte
	if _, err := f.ReadAt(trailer[:], info.Size()-trailerSize); err != nil {
		return "", err
	}
	length := int64(binary.BigEndian.Uint32(trailer[:]))
	if string(trailer[8:]) != journalMagic || length == 0 || length > min(maxName, info.Size()-trailerSize) {
		return "", nil
	}
	name := make([]byte, length)
	if _, err := f.ReadAt(name, info.Size()-trailerSize-length); err != nil {
		return "", err
	}
	if !sumsTo(name, binary.BigEndian.Uint32(trailer[4:])) {
		return "", nil
	}
	return string(name), nil
}

// sumsTo allows for both kinds of char: the sum depends on the platform that wrote it.
func sumsTo(name []byte, want uint32) bool {
	var signed, unsigned uint32
	for _, b := range name {
		signed += uint32(int8(b))
		unsigned += uint32(b)
	}
	return want == signed || want == unsigned
}

// settle makes the private journal mean what it meant when it was copied, whatever became of the super-journal since:
// recovery of the private copy then neither looks at it nor, as SQLite does with one that nobody needs, deletes it.
func (s *SuperJournal) settle(journal string) error {
	if !s.Present {
		return os.Remove(journal)
	}
	f, err := os.OpenFile(journal, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, len(journalMagic)), info.Size()-int64(len(journalMagic)))
	return err
}
