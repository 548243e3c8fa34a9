package gitwork

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// differs returns the error for something restored that is not what was captured.
func (r *restoration) differs(path, format string, args ...any) error {
	return &Error{
		Kind: ErrRestoreDiffers, Path: filepath.Join(r.worktree, path), Err: fmt.Errorf(format, args...),
		Next: "restore by hand as the README of the evidence says, on a file system that keeps what the original had",
	}
}

// prove compares everything that was restored with the evidence.
func (r *restoration) prove(ctx context.Context) error {
	for _, check := range []func(context.Context) error{r.proveTree, r.proveAdmin, r.proveIndex, r.proveRefs} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoration) proveTree(ctx context.Context) error {
	found, err := walkTree(ctx, r.worktree)
	if err != nil {
		return err
	}
	there := make(map[string]stamp, len(found))
	for _, e := range found {
		there[e.path] = e.stamp
	}
	for _, i := range r.items {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		st, ok := there[i.path()]
		if !ok {
			return r.differs(i.path(), "it is missing")
		}
		if err := r.proveItem(i, st); err != nil {
			return err
		}
		delete(there, i.path())
	}
	for path, st := range there {
		if !st.isDir() { // above a nested repository there may be directories that were not captured
			return r.differs(path, "it was not captured")
		}
	}
	return nil
}

func (r *restoration) proveItem(i item, st stamp) error {
	perm, err := i.perm()
	switch {
	case err != nil:
		return err
	case i.Type != typeOf(st):
		return r.differs(i.path(), "it is a %s, not a %s", typeOf(st), i.Type)
	case i.Type != typeLink && st.perm() != perm:
		return r.differs(i.path(), "its mode is %04o, not %04o", st.perm(), perm)
	case st.Mtime != i.MtimeNs:
		return r.differs(i.path(), "its time is %d ns, not %d", st.Mtime, i.MtimeNs)
	}
	return r.proveContent(i)
}

func typeOf(st stamp) string {
	switch {
	case st.isDir():
		return typeDirectory
	case st.isRegular():
		return typeFile
	case st.isLink():
		return typeLink
	case st.isFIFO():
		return typeFIFO
	}
	return "device or socket"
}

func (r *restoration) proveContent(i item) error {
	full := filepath.Join(r.worktree, i.path())
	switch i.Type {
	case typeLink:
		if target, err := os.Readlink(full); err != nil || target != i.target() {
			return r.differs(i.path(), "it leads to %q, not to %q (%v)", target, i.target(), err)
		}
	case typeFile:
		f, err := r.format()
		if err != nil {
			return err
		}
		s, err := hashFile(full, f)
		if err != nil {
			return err
		}
		r.meter.add(s.Size)
		r.result.Bytes += s.Size
		if hex.EncodeToString(s.sha256) != i.SHA256 {
			return r.differs(i.path(), "its bytes are not those captured")
		}
	}
	r.result.Files++
	return nil
}

// proveAdmin compares the git directory with its archive.
func (r *restoration) proveAdmin(ctx context.Context) error {
	return readArchive(ctx, r.file("operation.tar.zst"), func(h *tar.Header, want io.Reader) error {
		name := filepath.Join(".git", h.Name)
		switch h.Typeflag {
		case tar.TypeSymlink:
			if target, err := r.top.Readlink(name); err != nil || target != h.Linkname {
				return r.differs(name, "it leads to %q, not to %q (%v)", target, h.Linkname, err)
			}
		case tar.TypeReg:
			return r.proveSame(name, want)
		}
		return nil
	})
}

func (r *restoration) proveSame(name string, want io.Reader) error {
	f, err := r.top.Open(name)
	if err != nil {
		return r.differs(name, "%v", err)
	}
	defer f.Close()
	same, err := sameBytes(f, want)
	if err == nil && !same {
		err = r.differs(name, "its bytes are not those captured")
	}
	return err
}

func sameBytes(a, b io.Reader) (bool, error) {
	x, y := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		n, errA := io.ReadFull(a, x)
		m, errB := io.ReadFull(b, y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			return endOf(errA, errB)
		}
	}
}

func endOf(errs ...error) (bool, error) {
	for _, err := range errs {
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return false, err
		}
	}
	return true, nil
}

// proveIndex compares the index as bytes and as git lists it.
func (r *restoration) proveIndex(ctx context.Context) error {
	if f, err := os.Open(r.file("index")); err == nil {
		defer f.Close()
		if err := r.proveSame(".git/index", f); err != nil {
			return err
		}
	}
	n, err := r.proveListing(ctx, "index.txt", "-c", "core.quotepath=true", "ls-files", "-s")
	r.result.Indexed = n
	return err
}

func (r *restoration) proveRefs(ctx context.Context) (err error) {
	r.result.Refs, err = r.proveListing(ctx, "refs.txt", "for-each-ref", "--format=%(objectname) %(objecttype) %(refname)")
	return err
}

// proveListing compares what git says of the restored repository with what it said of the source. It says just as
// little of a damaged one.
func (r *restoration) proveListing(ctx context.Context, name string, args ...string) (lines int, err error) {
	want, err := os.ReadFile(r.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, badEvidence(r.file(name), "it is missing")
	}
	if err != nil {
		return 0, err
	}
	got, err := r.output(ctx, args...)
	var failed *GitError
	if err != nil && !errors.As(err, &failed) {
		return 0, err
	}
	if !bytes.Equal(got, want) {
		return 0, r.differs(".git", "git %s lists something else than %s", args[len(args)-1], name)
	}
	return bytes.Count(want, []byte("\n")), nil
}
