package supervise

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

var (
	// ErrNotFound is returned by [Run] when there is no such command: 127.
	ErrNotFound = errors.New("command not found")
	// ErrNotExecutable is returned by [Run] when the command exists but cannot be
	// executed: 126.
	ErrNotExecutable = errors.New("command not executable")
)

// lookup resolves name as a shell does: with a slash it is a path, otherwise the
// first executable file along PATH, an empty element of which is dir. If only
// files that are not executable were found, that is the error.
func lookup(name, path, dir string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("%q: %w", name, ErrNotFound)
	}
	if strings.Contains(name, "/") {
		return name, executable(name, dir)
	}
	failure := fmt.Errorf("%q: %w", name, ErrNotFound)
	for _, element := range strings.Split(path, ":") {
		candidate := element + "/" + name
		if element == "" {
			candidate = "./" + name
		}
		err := executable(candidate, dir)
		switch {
		case err == nil:
			return candidate, nil
		case errors.Is(err, ErrNotFound) || errors.Is(failure, ErrNotExecutable):
		case isRegular(candidate, dir):
			failure = err
		}
	}
	return "", failure
}

// executable says why path, seen from dir, cannot be executed.
func executable(path, dir string) error {
	at := within(dir, path)
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%q: %w", path, ErrNotFound)
	case err != nil:
		return fmt.Errorf("%q: %w: %w", path, ErrNotExecutable, err)
	case info.IsDir():
		return fmt.Errorf("%q: %w: %w", path, ErrNotExecutable, unix.EISDIR)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, at, unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%q: %w: %w", path, ErrNotExecutable, err)
	}
	return nil
}

func isRegular(path, dir string) bool {
	info, err := os.Stat(within(dir, path))
	return err == nil && info.Mode().IsRegular()
}

func within(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// searchPath is the PATH that env sets last, or what a shell assumes without one.
func searchPath(env []string) string {
	path := "/bin:/usr/bin"
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	return path
}

// isText says whether a file that the kernel does not know how to execute is to
// be taken for a shell script: its first line holds no NUL, as bash has it.
func isText(path, dir string) bool {
	f, err := os.Open(within(dir, path))
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.IndexByte(line, 0) < 0
}
