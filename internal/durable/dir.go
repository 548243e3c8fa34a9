package durable

import (
	"errors"
	"io"
	"io/fs"
)

// Modes of everything that is created, whatever the umask.
const (
	FileMode fs.FileMode = 0o600
	DirMode  fs.FileMode = 0o700
)

// ErrNoExchange is returned by Dir.Exchange where two names cannot be exchanged in
// one step.
var ErrNoExchange = errors.New("names cannot be exchanged here")

// Dir is an open directory. Names may have several elements; none of them is
// followed out of the directory. Errors wrap what the system said.
type Dir interface {
	// Create makes an empty file, which must not exist, and opens it for writing. Its
	// mode depends on the umask until File.Chmod.
	Create(name string) (File, error)
	// Mkdir makes a directory whose mode depends on the umask until Chmod.
	Mkdir(name string) error
	// OpenDir opens a directory and refuses whatever else has that name, links too.
	OpenDir(name string) (Dir, error)
	// Names lists the directory.
	Names() ([]string, error)
	// Lstat says what a name stands for, without following it.
	Lstat(name string) (Entry, error)
	Link(from, to string) error
	Rename(from, to string) error
	// Exchange swaps two names in one step, or returns ErrNoExchange.
	Exchange(a, b string) error
	Remove(name string) error
	// Chmod changes the mode of a name of one element, without following it.
	Chmod(name string, mode fs.FileMode) error
	// Sync makes durable which names the directory has.
	Sync() error
	// TryLock takes the exclusive flock of this descriptor without waiting.
	TryLock() (bool, error)
	Unlock() error
	Close() error
}

// File is a file being written.
type File interface {
	io.Writer
	Chmod(fs.FileMode) error
	Sync() error
	Stat() (Entry, error)
	Close() error
}
