package gitwork

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

func assumed(flag byte) bool { return flag >= 'a' && flag <= 'z' }

// trackedPaths returns the flag of each path in the index: a small letter is "assume unchanged", S is "skip".
func (c *counter) trackedPaths(ctx context.Context) (map[string]byte, error) {
	lines, err := c.fields(ctx, "ls-files", "-v", "-z")
	flags := make(map[string]byte, len(lines))
	for _, line := range lines {
		if len(line) > 2 {
			flags[line[2:]] = line[0]
		}
	}
	return flags, err
}

func (c *counter) countHidden(e entry, x index, flag byte) error {
	if flag != 'S' && !assumed(flag) {
		return nil
	}
	same, err := c.sameAsIndex(e, x.merged[e.path])
	if errors.Is(err, fs.ErrNotExist) {
		same, err = false, nil
	}
	if !same {
		c.risk.Unstaged++
	}
	return err
}

// sameAsIndex compares a file with its blob, byte for byte.
func (c *counter) sameAsIndex(e entry, want indexEntry) (bool, error) {
	full := filepath.Join(c.worktree, e.path)
	if !e.isRegular() {
		target, err := os.Readlink(full)
		if !e.isLink() || err != nil {
			return false, err
		}
		h := c.format.BlobHash(int64(len(target)))
		h.Write([]byte(target))
		return string(h.Sum(nil)) == want.oid, nil
	}
	sums, err := hashFile(full, c.format)
	return string(sums.blob) == want.oid, err
}
