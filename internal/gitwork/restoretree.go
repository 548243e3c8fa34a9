package gitwork

import (
	"archive/tar"
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// restoreFiles fills the working tree: directories, clean files from the objects, everything else from archives.
func (r *restoration) restoreFiles(ctx context.Context) error {
	for _, i := range r.items {
		if i.Type == typeDirectory {
			if err := r.top.MkdirAll(i.path(), 0o700); err != nil {
				return badEvidence(r.file("worktree.jsonl"), "%v", err)
			}
		}
	}
	if err := r.restoreClean(ctx); err != nil {
		return err
	}
	for _, set := range []string{setWorktree, setUntracked, setIgnored} {
		err := readArchive(ctx, r.file(set+".tar.zst"), func(h *tar.Header, content io.Reader) error {
			r.meter.add(h.Size)
			return place{r.top}.put(h, content)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreClean writes the clean files as their blobs are: no checkout, no filter, no attribute is involved.
func (r *restoration) restoreClean(ctx context.Context) error {
	clean := slices.DeleteFunc(slices.Clone(r.items), func(i item) bool { return i.Set != setClean })
	if len(clean) == 0 {
		return nil
	}
	asked, toAsk := io.Pipe()
	answers, toAnswer := io.Pipe()
	go func() {
		w := bufio.NewWriter(toAsk)
		for _, i := range clean {
			fmt.Fprintln(w, i.OID)
		}
		toAsk.CloseWithError(w.Flush())
	}()
	done := make(chan error, 1)
	go func() {
		err := r.run(ctx, asked, toAnswer, "cat-file", "--batch", "--buffer")
		toAnswer.CloseWithError(err)
		asked.CloseWithError(io.ErrClosedPipe)
		done <- err
	}()
	err := r.writeClean(clean, bufio.NewReaderSize(answers, 256<<10))
	answers.CloseWithError(err)
	if failed := <-done; err == nil {
		err = failed
	}
	return err
}

func (r *restoration) writeClean(clean []item, answers *bufio.Reader) error {
	for _, i := range clean {
		line, err := answers.ReadString('\n')
		if err != nil {
			return err
		}
		size, err := blobSize(line, i.OID)
		if err != nil {
			return badEvidence(r.file("history.bundle"), "%v", err)
		}
		if err := r.cleanFile(i, io.LimitReader(answers, size)); err != nil {
			return err
		}
		if _, err := answers.Discard(1); err != nil {
			return err
		}
		r.meter.add(size)
	}
	return nil
}

func (r *restoration) cleanFile(i item, content io.Reader) error {
	if err := r.top.MkdirAll(path.Dir(i.path()), 0o700); err != nil {
		return err
	}
	return place{r.top}.file(i.path(), content)
}

// blobSize reads "<oid> blob <size>".
func blobSize(line, oid string) (int64, error) {
	parts := strings.Fields(line)
	if len(parts) != 3 || parts[0] != oid || parts[1] != "blob" {
		return 0, fmt.Errorf("git answered %q for the blob %s", strings.TrimSpace(line), oid)
	}
	return strconv.ParseInt(parts[2], 10, 64)
}

// restoreStamps sets modes and times, of what is inside a directory before the directory's own.
func (r *restoration) restoreStamps(ctx context.Context) error {
	for _, i := range slices.Backward(r.items) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := r.stamp(i); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoration) stamp(i item) error {
	mtime := time.Unix(0, i.MtimeNs)
	if i.Type == typeLink {
		return r.stampLink(i, mtime)
	}
	perm, err := i.perm()
	if err != nil {
		return err
	}
	if err := r.top.Chmod(i.path(), fileMode(perm)); err != nil {
		return err
	}
	return r.top.Chtimes(i.path(), mtime, mtime)
}

func fileMode(perm uint32) fs.FileMode {
	mode := fs.FileMode(perm & 0o777)
	for bit, flag := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if perm&bit != 0 {
			mode |= flag
		}
	}
	return mode
}

// stampLink sets the time of the link itself, in its directory as the root resolves it.
func (r *restoration) stampLink(i item, mtime time.Time) error {
	dir, err := r.top.Open(path.Dir(i.path()))
	if err != nil {
		return err
	}
	defer dir.Close()
	at, err := unix.TimeToTimespec(mtime)
	if err != nil {
		return err
	}
	err = unix.UtimesNanoAt(int(dir.Fd()), path.Base(i.path()), []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return &os.PathError{Op: "utimensat", Path: i.path(), Err: err}
	}
	return nil
}
