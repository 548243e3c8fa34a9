package dirstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"holdfast/internal/durable"
	"holdfast/lease"
)

var (
	_ lease.Store       = (*Store)(nil)
	_ lease.Quarantiner = (*Store)(nil)
	_ lease.Viewer      = (*Store)(nil)
	_ lease.Surveyor    = (*Store)(nil)
	_ lease.Gatherer    = (*Store)(nil)
)

// Options changes how a store is used.
type Options struct {
	// AllowNetworkFS also writes where the file system is shared with other machines, or
	// may be.
	AllowNetworkFS bool
	// Calls sees every system call that writes to the store or syncs it. Benchmarks
	// count with it and fault tests fail with it. Nil: none.
	Calls durable.Interceptor
}

// Store is one directory of sessions. It holds no descriptor between operations and
// may be used by several goroutines.
type Store struct {
	path    string // absolute, links resolved as far as it exists
	options Options
	// lenient also opens a store that is not the caller's alone, to look at it.
	lenient bool
	rounds  *durable.Rounds // that publishes share; nil: each waits for the disk alone
	met     *atomic.Bool    // there was a store at path, and it was opened
	rooms   *place          // that sessions share; nil: each opens them
}

// Open returns the store at path, which need not exist: the first Hold creates it.
// Nothing is created, and nothing but the path is looked at. Once there was one, its path
// without it is an error for this value: a store that was moved away has owners, whom a new
// one in its place would not know.
func Open(path string, options Options) (*Store, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, &lease.StoreError{
			Kind: lease.ErrStoreUnavailable, Op: "open store", Path: path,
			Err: errors.New("this is not a path"), Advice: "name a directory",
		}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, &lease.StoreError{Kind: lease.ErrStoreUnavailable, Op: "open store", Path: path, Err: err}
	}
	return &Store{path: canonical(absolute), options: options, met: new(atomic.Bool)}, nil
}

// Identity is the path of the store with every link resolved. Two bind mounts of one
// directory have two identities.
func (s *Store) Identity() string { return s.path }

// canonical resolves the links of the longest prefix of path that exists, so that the
// result is the same before and after the rest is created.
func canonical(path string) string {
	prefix, rest := path, ""
	for {
		resolved, err := filepath.EvalSymlinks(prefix)
		if err == nil {
			return filepath.Join(resolved, rest)
		}
		if prefix == filepath.Dir(prefix) {
			return path
		}
		rest = filepath.Join(filepath.Base(prefix), rest)
		prefix = filepath.Dir(prefix)
	}
}

// at returns the absolute path of a name below the store, for messages and for
// locks.
func (s *Store) at(elements ...string) string {
	return filepath.Join(append([]string{s.path}, elements...)...)
}

// dir returns root as a directory to write to.
func (s *Store) dir(root *os.Root) (durable.Dir, error) {
	d, err := durable.NewDir(root)
	if err != nil {
		return nil, err
	}
	return s.watched(d), nil
}

// watched lets the interceptor see every call, and waits be shared.
func (s *Store) watched(d durable.Dir) durable.Dir {
	if s.rounds != nil {
		d = s.rounds.Dir(d)
	}
	if s.options.Calls == nil {
		return d
	}
	return durable.Intercept(d, s.options.Calls)
}

// syncFile syncs a file that was opened for reading.
func (s *Store) syncFile(name string, f *os.File) error {
	if s.options.Calls == nil {
		return f.Sync()
	}
	return s.options.Calls(durable.Call{Op: "fsync", Name: name}, f.Sync)
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
