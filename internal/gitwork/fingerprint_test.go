package gitwork_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fingerprint says of every name below dir what can be said: bytes, mode, inode, modification and change time.
func fingerprint(t testing.TB, dir string) map[string]string {
	t.Helper()
	prints := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		content, err := contentOf(path, d)
		rel, _ := filepath.Rel(dir, path)
		prints[rel] = fmt.Sprintf("%o ino %d size %d mtime %d ctime %d %s", st.Mode, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano(), content)
		return err
	}))
	return prints
}

func contentOf(path string, d fs.DirEntry) (string, error) {
	switch {
	case d.Type().IsRegular():
		b, err := os.ReadFile(path)
		return fmt.Sprintf("%x", sha256.Sum256(b)), err
	case d.Type()&fs.ModeSymlink != 0:
		return os.Readlink(path)
	}
	return "", nil
}

// like is how closely two trees must agree.
type like int

const (
	exactly like = iota // bytes, types, modes and times
	byHand              // bytes, types, and whether a file is executable
)

// tree describes the working tree at top for comparison, without what belongs to git.
func tree(t testing.TB, top string, how like, skip func(rel string) bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(top, path)
		if isRepositorys(path) || skip(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		found[rel], err = describe(path, d, how)
		return err
	}))
	return found
}

// isRepositorys reports whether a path is the .git of a repository, not merely called so.
func isRepositorys(path string) bool {
	if filepath.Base(path) != ".git" {
		return false
	}
	b, err := os.ReadFile(filepath.Join(path, "HEAD"))
	return err != nil || !strings.HasPrefix(string(b), "nonsense")
}

func describe(path string, d fs.DirEntry, how like) (string, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "", err
	}
	content, err := contentOf(path, d)
	if how == exactly {
		mode := st.Mode
		if d.Type()&fs.ModeSymlink != 0 {
			mode = 0
		}
		return fmt.Sprintf("%s %o %d %s", d.Type(), mode, st.Mtim.Nano(), content), err
	}
	executable := d.Type().IsRegular() && st.Mode&0o100 != 0
	return fmt.Sprintf("%s %v %s", d.Type(), executable, content), err
}
