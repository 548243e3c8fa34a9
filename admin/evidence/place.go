package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// Marker is in the name of every directory in which a snapshot is being built, and of nothing else.
const Marker = ".taking-"

// place is where a snapshot will be.
type place struct {
	parent string // absolute and free of links
	name   string
	end    string // how the name ends where nobody chose it; "": somebody did
}

func (p place) dir() string { return filepath.Join(p.parent, p.name) }

// DefaultParent is where snapshots are kept unless another place is named: by the XDG base directory specification,
// by which a relative path counts as none.
func DefaultParent() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "holdfast-evidence"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", badTarget("holdfast-evidence", err, "name a directory with --out")
	}
	return filepath.Join(home, ".local", "state", "holdfast-evidence"), nil
}

// nameEnd is how the name of every snapshot of a session ends that nobody named otherwise.
func nameEnd(d ownership.Digest) string { return "-" + d.String()[:12] }

// findPlace returns the place that the options name, or one below their parent, which it does not make, with a name
// that begins with the time.
func findPlace(o Options, at, end string) (place, error) {
	switch {
	case o.Out != "":
		return namedPlace(o.Out)
	case o.Below != "":
		return place{filepath.Clean(o.Below), at + end, end}, nil
	}
	parent, err := DefaultParent()
	return place{parent, at + end, end}, err
}

// another is the place to try when the name that nobody chose is taken for the nth time: two snapshots of a session may
// be taken within one millisecond.
func (p place) another(n int) place {
	return place{p.parent, fmt.Sprintf("%s.%d%s", strings.TrimSuffix(p.name, p.end), n+1, p.end), p.end}
}

// namedPlace refuses what is there already, unless it is an empty directory.
func namedPlace(out string) (place, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return place{}, badTarget(out, err, "name a directory with --out")
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return place{}, badTarget(abs, err, "make the directory above it first, or name another one with --out")
	}
	p := place{parent: parent, name: filepath.Base(abs)}
	return p, p.vacant()
}

func (p place) vacant() error {
	const next = "name a new or empty directory with --out"
	info, err := os.Lstat(p.dir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return badTarget(p.dir(), err, next)
	case !info.IsDir():
		return badTarget(p.dir(), errors.New("it is no directory"), next)
	}
	names, err := os.ReadDir(p.dir())
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("it has %q in it", names[0].Name())
	}
	if err != nil {
		return badTarget(p.dir(), err, next)
	}
	return nil
}

// outside refuses a place inside a directory that must not change. What is not absolute is no directory.
func (p place) outside(dir, what string) error {
	if !filepath.IsAbs(dir) {
		return nil
	}
	real := resolvedAbove(dir)
	for _, at := range []string{p.dir(), resolvedAbove(p.dir())} {
		if inside, err := filepath.Rel(real, at); err == nil && filepath.IsLocal(inside) {
			return badTarget(p.dir(), fmt.Errorf("it lies inside the %s %q", what, real), "name a directory outside it with --out")
		}
	}
	return nil
}

// resolvedAbove resolves the links in as much of a path as exists.
func resolvedAbove(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || filepath.Dir(path) == path {
		return filepath.Clean(real)
	}
	return filepath.Join(resolvedAbove(filepath.Dir(path)), filepath.Base(path))
}

// prepare makes what lies above the place, each directory durable in the one above it.
func (p *place) prepare() error {
	if err := makeDirectories(p.parent); err != nil {
		return unwritable(p.parent, err)
	}
	real, err := filepath.EvalSymlinks(p.parent)
	if err != nil {
		return unwritable(p.parent, err)
	}
	p.parent = real
	return nil
}

func makeDirectories(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if err := makeDirectories(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(above)
}

// settle gives the finished directory its name. The order: the directory itself is durable, an empty one that stands
// in its place goes, rename, the directory above, after which an error is outcome unknown (I9).
func (p place) settle(aside string) (place, error) {
	if err := syncDirectory(aside); err != nil {
		return p, unwritable(aside, err)
	}
	root, err := os.OpenRoot(p.parent)
	if err != nil {
		return p, unwritable(p.parent, err)
	}
	defer root.Close()
	parent, err := durable.NewDir(root)
	if err != nil {
		return p, unwritable(p.parent, err)
	}
	defer parent.Close()
	p, err = p.take(parent, filepath.Base(aside))
	if err != nil {
		return p, badTarget(p.dir(), err, "name a new or empty directory with --out")
	}
	if err := parent.Sync(); err != nil {
		return p, &Error{Kind: lease.ErrOutcomeUnknown, Path: p.dir(), Err: fmt.Errorf("it is there, and may not outlast a crash: %w", err),
			Next: "take another snapshot on another disk with --out"}
	}
	return p, nil
}

// take renames what was built. Whatever else has come to the name meanwhile stays: rmdir takes nothing but an empty
// directory, and a directory replaces nothing else.
func (p place) take(parent durable.Dir, built string) (place, error) {
	for at, n := p, 1; ; n++ {
		err := syscall.Rmdir(at.dir())
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = parent.Rename(built, at.name)
		}
		if p.end == "" || !isTaken(err) {
			return at, err
		}
		at = p.another(n)
	}
}

// isTaken says that a name has something else.
func isTaken(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR)
}

func badTarget(path string, err error, next string) error {
	return &Error{Kind: ErrTarget, Path: path, Err: err, Next: next}
}

// unwritable returns the error for a part of a snapshot that could not be written.
func unwritable(path string, err error) error {
	var known *Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return &Error{Kind: ErrSpace, Path: path, Err: err, Next: "free space there, or name a directory on another file system with --out"}
	case errors.Is(err, fs.ErrPermission):
		return badTarget(path, err, "name a directory that you may write to with --out")
	}
	return badTarget(path, err, "name another directory with --out")
}
