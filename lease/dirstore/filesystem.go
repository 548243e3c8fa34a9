package dirstore

import (
	"fmt"
	"os"
	"path/filepath"

	"holdfast/lease"
)

// Reach says who may share a file system.
type Reach string

// Locks are only trusted where a file system is known to be local.
const (
	Local   Reach = "local"
	Network Reach = "network"
	Unknown Reach = "unknown"
)

// FileSystem is what holds a store, or will.
type FileSystem struct {
	Name       string
	Reach      Reach
	ReadOnly   bool
	FreeBytes  uint64 // for users without privileges
	FreeInodes uint64 // 0 where TotalInodes is 0
	// TotalInodes is 0 where the file system makes them as needed.
	TotalInodes uint64
}

// fileSystem asks about the file system that holds the store, or that will once the
// store is created.
func (s *Store) fileSystem() (FileSystem, error) {
	for at := s.path; ; at = filepath.Dir(at) {
		fs, err := statFileSystem(at)
		if missing(err) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return FileSystem{}, s.failed("stat file system of", at, &os.PathError{Op: "statfs", Path: at, Err: err})
		}
		return fs, nil
	}
}

// fileSystemName is for messages.
func (s *Store) fileSystemName() string {
	fs, err := s.fileSystem()
	if err != nil {
		return "this file system"
	}
	return "the file system " + fs.Name
}

// checkFileSystem refuses to write where other machines may, unless that was allowed.
func (s *Store) checkFileSystem() error {
	fs, err := s.fileSystem()
	if err != nil || fs.Reach == Local || s.options.AllowNetworkFS {
		return err
	}
	why := "may be shared with other machines, whose locks do not reach here"
	if fs.Reach == Unknown {
		why = "is not known to be local to this machine"
	}
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "use store", Path: s.path,
		Err:    fmt.Errorf("its file system %s %s", fs.Name, why),
		Advice: "name a store on a local disk, or allow it with --allow-network-fs if one machine alone uses this one",
	}
}
