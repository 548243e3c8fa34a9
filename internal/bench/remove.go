package main

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// removers is how many files are being removed at once.
const removers = 8

// remove is os.RemoveAll for trees of millions: what stands in a directory of very many
// is removed by several at once.
func remove(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) <= removers {
		for _, e := range entries {
			if e.IsDir() {
				err = errors.Join(err, remove(filepath.Join(dir, e.Name())))
			}
		}
		return errors.Join(err, os.RemoveAll(dir))
	}
	return errors.Join(removeEach(dir, entries), os.RemoveAll(dir))
}

func removeEach(dir string, entries []os.DirEntry) error {
	var all sync.WaitGroup
	faults := make([]error, removers)
	for r := range removers {
		all.Go(func() {
			for n := r; n < len(entries); n += removers {
				faults[r] = errors.Join(faults[r], removeOne(filepath.Join(dir, entries[n].Name())))
			}
		})
	}
	all.Wait()
	return errors.Join(faults...)
}

// removeOne removes a directory with nothing but files in it by as few calls as can be:
// each that is about its name keeps all others waiting.
func removeOne(path string) error {
	if removeFlat(path) == nil {
		return nil
	}
	return os.RemoveAll(path)
}

func removeFlat(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := unix.Unlinkat(int(dir.Fd()), name, 0); err != nil {
			return err
		}
	}
	return unix.Rmdir(path)
}
