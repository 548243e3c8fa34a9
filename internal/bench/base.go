package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"
)

// How many directories are tried, and how many files are made in each.
const (
	candidates = 8
	trialFiles = 32
)

// chooseBase makes a directory on the disk. The file system keeps what is below it near it,
// and where somebody has just removed very many files, ext4 without a journal takes longer
// than a sync to make one. That is no matter of the rows: of some directories it takes the
// one in which files are made fastest, for both sides of each row.
func chooseBase(disk string) (best string, err error) {
	least := time.Duration(math.MaxInt64)
	for range candidates {
		dir, err := os.MkdirTemp(disk, "holdfast-bench-")
		if err != nil {
			return best, err
		}
		took, err := timeToMake(filepath.Join(dir, "trial"))
		if err != nil {
			return best, errors.Join(err, os.RemoveAll(dir))
		}
		worse := dir
		if took < least {
			worse, best, least = best, dir, took
		}
		if worse == "" {
			continue
		}
		if err := os.RemoveAll(worse); err != nil {
			return best, err
		}
	}
	return best, nil
}

// timeToMake makes a directory with files in it, and removes it.
func timeToMake(dir string) (time.Duration, error) {
	began := time.Now()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	for n := range trialFiles {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(n)))
		if err != nil {
			return 0, err
		}
		if err := f.Close(); err != nil {
			return 0, err
		}
	}
	return time.Since(began), os.RemoveAll(dir)
}
