package evidence

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"holdfast/internal/sqlitecopy"
)

// slack is room for what is not estimated: lists, patches, directories.
const slack = 16 << 20

// needed estimates how many bytes a snapshot takes at its peak. What is compressed is counted as it is. A pack counts
// twice, since it is read back from a second copy.
func (t *taking) needed(ctx context.Context) int64 {
	need := int64(slack) + TailSize
	if t.repository != nil {
		objects := filepath.Join(t.repository.CommonDir, "objects")
		need += sizeBelow(ctx, t.repository.Worktree, objects) + 2*sizeBelow(ctx, objects, "")
	}
	if t.tracker != "" {
		size, _ := sqlitecopy.Size(t.tracker) // it was looked at before
		need += size
	}
	return need
}

// sizeBelow adds up the regular files below a directory, but for those below another. What cannot be read is for the
// capture to tell of.
func sizeBelow(ctx context.Context, dir, but string) (total int64) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return filepath.SkipAll
		case err != nil:
			return nil
		case path == but:
			return filepath.SkipDir
		case e.Type().IsRegular():
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// checkSpace refuses a file system on which the snapshot would probably not fit.
func (t *taking) checkSpace(ctx context.Context) error {
	tell(t.options.Progress, Progress{Step: stepLook})
	if t.options.Accept&AcceptLittleSpace != 0 {
		return nil
	}
	var st unix.Statfs_t
	if err := unix.Statfs(t.place.parent, &st); err != nil {
		return unwritable(t.place.parent, err)
	}
	free := int64(st.Bavail) * int64(st.Bsize)
	if need := t.needed(ctx); need > free {
		return &Error{Kind: ErrSpace, Path: t.place.parent, Err: fmt.Errorf("%d MiB are free, and up to %d MiB are needed", free>>20, need>>20),
			Next: "free space there, or name a directory on another file system with --out; if much of the worktree is ignored by git, go on with --accept little-space"}
	}
	return nil
}
