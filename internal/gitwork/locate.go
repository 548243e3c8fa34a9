package gitwork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Repository names the three directories of a working tree. All are absolute and free of symbolic links.
type Repository struct {
	Worktree  string `json:"worktree"`
	GitDir    string `json:"gitDir"`    // HEAD, index and operation state
	CommonDir string `json:"commonDir"` // objects, branches and configuration; GitDir unless the worktree is a linked one
}

// Linked reports whether the worktree shares its repository with others.
func (r Repository) Linked() bool { return r.GitDir != r.CommonDir }

// maxPointer is more than any file that only names a directory has.
const maxPointer = 64 << 10

// Locate finds the repository of the working tree whose top is dir, without running git. It returns an [*Error] of
// kind ErrNotRepository, ErrUnreadable or ErrUnsupported. It does not search upwards: a stray directory below a
// home directory that happens to be a repository is not that repository.
func Locate(dir string) (Repository, error) {
	top, err := realDirectory(dir)
	if err != nil {
		return Repository{}, err
	}
	gitDir, err := gitDirOf(top)
	if err != nil {
		return Repository{}, err
	}
	common, err := commonDirOf(gitDir)
	if err != nil {
		return Repository{}, err
	}
	r := Repository{Worktree: top, GitDir: gitDir, CommonDir: common}
	return r, r.check()
}

func realDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", sourceError(dir, err, "the directory does not exist: name the working tree as it is called now")
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", sourceError(dir, err, "name the top directory of a working tree")
	}
	if !info.IsDir() {
		return "", notRepository(dir, "name the top directory of a working tree, not a file", nil)
	}
	return abs, nil
}

// sourceError tells what may not be read from what is not there.
func sourceError(path string, err error, next string) error {
	if errors.Is(err, fs.ErrPermission) {
		return unreadable(path, err)
	}
	return notRepository(path, next, err)
}

func gitDirOf(top string) (string, error) {
	dot := filepath.Join(top, ".git")
	info, err := os.Stat(dot)
	switch {
	case err != nil:
		return "", sourceError(top, err, nextWithoutGit(top))
	case info.IsDir():
		return resolved(dot, dot)
	case !info.Mode().IsRegular():
		return "", notRepository(top, "its .git is neither a directory nor a file", nil)
	}
	text, err := readPointer(dot)
	if err != nil {
		return "", sourceError(dot, err, "a .git file names a git directory in one line: save the tree with tar")
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return "", notRepository(top, "its .git file names no git directory", nil)
	}
	return resolved(dot, against(top, target))
}

func nextWithoutGit(top string) string {
	for dir := filepath.Dir(top); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return fmt.Sprintf("name the top of the working tree, which may be %q", dir)
		}
		if dir == filepath.Dir(dir) {
			return "name a directory that has a .git, or save this one with tar"
		}
	}
}

func commonDirOf(gitDir string) (string, error) {
	file := filepath.Join(gitDir, "commondir")
	text, err := readPointer(file)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", sourceError(file, err, "the linked worktree is damaged: `git worktree repair` in its main repository mends it")
	}
	return resolved(file, against(gitDir, text))
}

// readPointer reads a small file that names a directory.
func readPointer(file string) (string, error) {
	b, err := readSource(file, maxPointer)
	return strings.TrimRight(string(b), "\r\n"), err
}

func against(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

func resolved(from, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", sourceError(from, err, fmt.Sprintf("it names %q, which is not there: `git worktree repair` in its main repository mends a moved one", path))
	}
	return real, nil
}

// check turns away what git would not take for a repository, and what we cannot read.
func (r Repository) check() error {
	if _, err := os.Lstat(filepath.Join(r.GitDir, "HEAD")); err != nil {
		return sourceError(r.GitDir, err, "its git directory has no HEAD: save the tree with tar")
	}
	if info, err := os.Stat(filepath.Join(r.CommonDir, "objects")); err != nil || !info.IsDir() {
		return sourceError(r.CommonDir, err, "its git directory has no objects: save the tree with tar")
	}
	if _, err := os.Lstat(filepath.Join(r.CommonDir, "reftable")); err == nil {
		return unsupported(r.CommonDir, "its references are kept as a reftable")
	}
	return nil
}

func unsupported(path, what string) error {
	return &Error{
		Kind: ErrUnsupported, Path: path, Err: errors.New(what),
		Next: "save the working tree and its git directory with tar",
	}
}
