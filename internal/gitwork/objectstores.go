package gitwork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxStores bounds a chain of alternates, which may lead in a circle.
const maxStores = 64

// objectStores returns dir and every object directory that it borrows from, absolute: a relative line in a copy
// would silently mean another directory. One that is missing is left out, as git does.
func objectStores(dir string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	found := []string{real}
	for i := 0; i < len(found) && len(found) < maxStores; i++ {
		more, err := borrowed(found[i])
		if err != nil {
			return nil, err
		}
		for _, store := range more {
			if !slices.Contains(found, store) {
				found = append(found, store)
			}
		}
	}
	return found, nil
}

func borrowed(store string) ([]string, error) {
	file := filepath.Join(store, "info", "alternates")
	b, err := readSource(file, maxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	var found []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if real, err := filepath.EvalSymlinks(against(store, unquotePath(line))); err == nil {
			found = append(found, real)
		}
	}
	return found, nil
}

func unquotePath(line string) string {
	if s, err := strconv.Unquote(line); err == nil && strings.HasPrefix(line, `"`) {
		return s
	}
	return line
}

// looseObjects calls found with the name of every loose object in store, as hex, and returns their size on disk.
func looseObjects(store string, hexSize int, found func(name string)) (bytes int64, err error) {
	for high := range 256 {
		dir := fmt.Sprintf("%02x", high)
		names, err := readNames(filepath.Join(store, dir))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
			continue
		}
		if err != nil {
			return 0, unreadable(filepath.Join(store, dir), err)
		}
		for _, low := range names {
			if name := dir + low; len(name) == hexSize && isHex(name) {
				found(name)
				bytes += sizeOf(filepath.Join(store, dir, low))
			}
		}
	}
	return bytes, nil
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// sizeOf returns the size of a file, or 0 where it cannot be told: it is for estimates.
func sizeOf(path string) int64 {
	if info, err := os.Lstat(path); err == nil {
		return info.Size()
	}
	return 0
}
