package gitwork

import (
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"

	"holdfast/internal/zst"
)

// contents writes down the working tree: what is clean by name, everything else byte for byte.
type contents struct {
	*capture
	manifest                     *manifest
	worktree, untracked, ignored *archive
}

func (c *capture) keepContents(ctx context.Context) error {
	k := &contents{capture: c}
	if err := k.open(ctx); err != nil {
		return k.finish(err)
	}
	return k.finish(k.all(ctx))
}

func (k *contents) open(ctx context.Context) (err error) {
	if k.manifest, err = newManifest(k.out); err != nil {
		return err
	}
	open := func(name string) (*archive, error) {
		return k.archive(ctx, name, zst.LevelDefault, k.meter.add)
	}
	if k.worktree, err = open("git/worktree.tar.zst"); err != nil {
		return err
	}
	if k.untracked, err = open("git/untracked.tar.zst"); err != nil {
		return err
	}
	if k.options.IncludeIgnored {
		k.ignored, err = open("git/ignored.tar.zst")
	}
	return err
}

func (k *contents) finish(err error) error {
	failed := err
	for _, a := range []*archive{k.worktree, k.untracked, k.ignored} {
		if a != nil {
			err = errors.Join(err, a.finish(failed))
		}
	}
	if k.manifest != nil {
		err = errors.Join(err, k.manifest.finish(failed))
	}
	if failed != nil {
		return failed // what follows from giving up says nothing more
	}
	return err
}

func (k *contents) all(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for h := range hashAhead(ctx, k.entries, k.hash, k.options.Threads) {
		<-h.done
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := k.keep(h); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// hash reads a file that may turn out to be clean.
func (k *contents) hash(e entry) (s sums, read bool, err error) {
	x, tracked := k.index.merged[e.path]
	if !tracked || !e.isRegular() || (x.mode != modeFile && x.mode != modeExec) || !k.keeps(x.oid) {
		return sums{}, false, nil
	}
	s, err = hashFile(filepath.Join(k.source.Worktree, e.path), k.format)
	k.meter.add(s.Size)
	return s, true, err
}

func (k *contents) keep(h *hashing) error {
	k.omitAttributes(h.e, filepath.Join(k.source.Worktree, h.e.path))
	switch {
	case h.e.nested:
		return k.keepNested(h.e)
	case h.e.isRegular():
		return k.keepFile(h)
	case h.e.isDir(), h.e.isLink(), h.e.isFIFO():
		return k.keepOther(h.e)
	}
	k.omit("sockets and devices", "they have no content of their own", h.e.path)
	return nil
}

func (k *contents) keepFile(h *hashing) error {
	k.countFile(h.e)
	full := filepath.Join(k.source.Worktree, h.e.path)
	if h.err != nil {
		return k.vanished(full, h.err)
	}
	k.result.Counts.Bytes += h.e.Size
	x := k.index.merged[h.e.path]
	if h.read && string(h.sums.blob) == x.oid && h.sums.executable() == (x.mode == modeExec) && !h.sums.moved {
		k.result.Counts.Clean++
		i := itemOf(h.e.path, setClean, h.sums.stamp, hex.EncodeToString(h.sums.sha256))
		i.OID = hex.EncodeToString(h.sums.blob)
		return k.manifest.add(i)
	}
	if !h.e.ignored && (h.read || k.index.knows(h.e.path)) {
		k.result.Counts.Changed++
	}
	return k.archiveFile(h.e, full)
}

func (k *contents) archiveFile(e entry, full string) error {
	a, set := k.destination(e)
	if a == nil {
		return nil
	}
	got, err := a.addFile(e.path, full, nil)
	if got.moved {
		k.changed[full] = "was written to while it was read"
	}
	if err != nil {
		return k.vanished(full, err)
	}
	return k.manifest.add(itemOf(e.path, set, got.stamp, got.sha256))
}

// destination returns the archive for something that is not clean; nil where ignored files are not kept.
func (k *contents) destination(e entry) (*archive, string) {
	switch {
	case e.ignored:
		return k.ignored, setIgnored
	case e.isRegular() && k.index.knows(e.path):
		return k.worktree, setWorktree
	}
	return k.untracked, setUntracked
}

func (k *contents) countFile(e entry) {
	counts := &k.result.Counts
	switch _, set := k.destination(e); set {
	case setIgnored:
		counts.Ignored++
	case setUntracked:
		counts.Untracked++
	}
}

func (k *contents) keepOther(e entry) error {
	full := filepath.Join(k.source.Worktree, e.path)
	if e.isLink() && !k.index.knows(e.path) {
		k.countFile(e)
	}
	a, set := k.destination(e)
	if a == nil {
		return nil
	}
	switch {
	case e.isDir():
		k.result.Counts.Directories++
		return errors.Join(a.addDirectory(e.path, e.stamp), k.manifest.add(newItem(e.path, typeDirectory, set, e.stamp)))
	case e.isFIFO():
		k.result.Counts.FIFOs++
		return errors.Join(a.addFIFO(e.path, e.stamp), k.manifest.add(newItem(e.path, typeFIFO, set, e.stamp)))
	}
	k.result.Counts.Links++
	target, err := readLink(full)
	if err != nil {
		return k.vanished(full, err)
	}
	i := newItem(e.path, typeLink, set, e.stamp)
	i.Target, i.Target64 = asText(target)
	return errors.Join(a.addLink(e.path, target, e.stamp), k.manifest.add(i))
}

// keepNested keeps the directory that a repository inside is in; its content is captured after this one.
func (k *contents) keepNested(e entry) error {
	reason, err := k.nestedSkip(e)
	if err != nil || reason != "" {
		return err
	}
	a, set := k.destination(e)
	return errors.Join(a.addDirectory(e.path, e.stamp), k.manifest.add(newItem(e.path, typeDirectory, set, e.stamp)))
}
