package gitwork

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"holdfast/internal/zst"
)

// keepStores archives the object stores as they are, the borrowed ones merged into one.
func (c *capture) keepStores(ctx context.Context) error {
	a, err := c.archive(ctx, "git/objects.tar.zst", zst.LevelFastest, func(int64) {})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, store := range c.stores {
		if err := c.keepStore(ctx, a, store, seen); err != nil {
			return a.finish(err)
		}
	}
	return a.finish(nil)
}

func (c *capture) keepStore(ctx context.Context, a *archive, store string, seen map[string]bool) error {
	files, err := walkAdmin(ctx, store, func(name string) bool {
		return strings.HasPrefix(name, "info/") && strings.Contains(name, "alternates") || strings.HasPrefix(filepath.Base(name), "tmp_")
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		if seen[f.name] {
			continue
		}
		seen[f.name] = true
		if err := c.keepStored(a, f); err != nil {
			return err
		}
	}
	return nil
}

func (c *capture) keepStored(a *archive, f adminFile) error {
	if f.isDir() {
		return a.addDirectory(f.name, f.stamp)
	}
	if !f.isRegular() {
		return c.vanished(f.source, fs.ErrNotExist)
	}
	k, err := a.addFile(f.name, f.source, nil)
	if k.moved {
		c.changed[f.source] = "was written to while it was read"
	}
	return c.vanished(f.source, err)
}
