package main

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
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
				faults[r] = errors.Join(faults[r], os.RemoveAll(filepath.Join(dir, entries[n].Name())))
			}
		})
	}
	all.Wait()
	return errors.Join(faults...)
}
