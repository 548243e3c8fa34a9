package lab

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Copy copies a tree; files that had several names have them again.
func Copy(to, from string) error {
	names := map[uint64]string{}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return copyOne(filepath.Join(to, rel), path, info, names)
	})
}

func copyOne(to, from string, info fs.FileInfo, names map[uint64]string) error {
	if info.IsDir() {
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		return os.Chmod(to, info.Mode().Perm())
	}
	inode := info.Sys().(*syscall.Stat_t).Ino
	if first := names[inode]; first != "" {
		return os.Link(first, to)
	}
	names[inode] = to
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, b, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}
