package sqlitecopy

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
	"golang.org/x/sys/unix"
)

// ownFiles is where SQLite reads and writes: private files, so that there is nobody to lock out, and temporary ones in
// the directory of ours rather than wherever the environment says.
type ownFiles struct{ dir string }

func (o ownFiles) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, err := o.open(name, flags)
	if err != nil {
		return nil, flags, vfs.SystemError(err, sqlite3.CANTOPEN)
	}
	// What is known as a database gets checksums, if its pages have as many spare bytes as those need.
	return ownFile{f}, flags &^ vfs.OPEN_MAIN_DB, nil
}

func (o ownFiles) open(name string, flags vfs.OpenFlag) (*os.File, error) {
	if name == "" {
		return nameless(o.dir)
	}
	how := os.O_RDWR | unix.O_NOFOLLOW
	if flags&vfs.OPEN_READONLY != 0 {
		how = os.O_RDONLY | unix.O_NOFOLLOW
	}
	if flags&vfs.OPEN_CREATE != 0 {
		how |= os.O_CREATE
	}
	return os.OpenFile(name, how, 0o600)
}

func nameless(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "sqlite")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Delete takes no notice of syncDir: what a crash brings back is removed with the directory.
func (ownFiles) Delete(name string, syncDir bool) error {
	err := os.Remove(name)
	if errors.Is(err, os.ErrNotExist) {
		return sqlite3.IOERR_DELETE_NOENT
	}
	return err
}

// Access says of an empty file, as SQLite's own does, that there is none: it is a journal that was finished.
func (ownFiles) Access(name string, _ vfs.AccessFlag) (bool, error) { return sizeOf(name) > 0, nil }

func (ownFiles) FullPathname(name string) (string, error) { return filepath.Abs(name) }

// ownFile is open for one connection alone.
type ownFile struct{ *os.File }

func (f ownFile) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(b, at)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = vfs.SystemError(err, sqlite3.FULL)
	}
	return n, err
}

func (f ownFile) Sync(vfs.SyncFlag) error { return f.File.Sync() }

func (f ownFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (ownFile) Lock(vfs.LockLevel) error         { return nil }
func (ownFile) Unlock(vfs.LockLevel) error       { return nil }
func (ownFile) CheckReservedLock() (bool, error) { return false, nil }

func (ownFile) SectorSize() int { return 4096 }

func (ownFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE | vfs.IOCAP_SUBPAGE_READ
}
