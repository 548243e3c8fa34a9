package gitwork

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/gitwork/packfile"
)

// Verify reads captured evidence, the directory that Capture wrote into, and returns an [*Error] of kind ErrEvidence
// unless it is complete and agrees with itself: archives hold what worktree.jsonl says, byte for byte, nothing else
// and nothing less, and the bundle's pack matches its checksum. That nobody changed both at once is for a manifest
// to say.
func Verify(ctx context.Context, from string) error {
	v := verification{ctx: ctx, dir: from, kept: map[string]item{}}
	for _, check := range []func() error{v.checkFiles, v.checkManifest, v.checkArchives, v.checkBundle, v.checkNested} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

type verification struct {
	ctx  context.Context
	dir  string
	kept map[string]item // what an archive must have, by path
}

func (v *verification) file(name string) string { return filepath.Join(v.dir, "git", name) }

// checkFiles looks for what every capture has. A link or a directory in the place of a file is not evidence.
func (v *verification) checkFiles() error {
	for _, name := range []string{"config.safe", "operation.tar.zst", "worktree.jsonl", "clean.z", "worktree.tar.zst", "untracked.tar.zst"} {
		info, err := os.Lstat(v.file(name))
		if err != nil {
			return badEvidence(v.file(name), "%v", err)
		}
		if !info.Mode().IsRegular() {
			return badEvidence(v.file(name), "not a regular file")
		}
	}
	return nil
}

func (v *verification) checkManifest() error {
	var clean bytes.Buffer
	err := readManifest(v.file("worktree.jsonl"), func(i item) error {
		if i.Set == setClean {
			clean.WriteString(i.path() + "\x00")
		} else {
			v.kept[i.path()] = i
		}
		return nil
	})
	if err != nil {
		return err
	}
	named, err := os.ReadFile(v.file("clean.z"))
	if err != nil || !bytes.Equal(named, clean.Bytes()) {
		return badEvidence(v.file("clean.z"), "does not name the clean files of worktree.jsonl (%v)", err)
	}
	return nil
}

func (v *verification) checkArchives() error {
	for _, set := range []string{setWorktree, setUntracked, setIgnored} {
		held := map[string]string{}
		file := v.file(set + ".tar.zst")
		err := readArchive(v.ctx, file, func(h *tar.Header, content io.Reader) (err error) {
			held[h.Name], err = contentOf(h, content)
			return err
		})
		if err == nil {
			err = v.compare(file, set, held)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contentOf returns what tells an entry from others: the hash of a file, the target of a link.
func contentOf(h *tar.Header, content io.Reader) (string, error) {
	switch h.Typeflag {
	case tar.TypeReg:
		sum := sha256.New()
		_, err := io.Copy(sum, content)
		return typeFile + " " + hex.EncodeToString(sum.Sum(nil)), err
	case tar.TypeSymlink:
		return typeLink + " " + h.Linkname, nil
	case tar.TypeFifo:
		return typeFIFO, nil
	}
	return typeDirectory, nil
}

func (i item) content() string {
	switch i.Type {
	case typeFile:
		return typeFile + " " + i.SHA256
	case typeLink:
		return typeLink + " " + i.target()
	}
	return i.Type
}

func (v *verification) compare(file, set string, held map[string]string) error {
	for path, i := range v.kept {
		if i.Set != set {
			continue
		}
		if held[path] != i.content() {
			return badEvidence(file, "%q is not what worktree.jsonl says", path)
		}
		delete(held, path)
	}
	for path := range held {
		return badEvidence(file, "%q is not in worktree.jsonl", path)
	}
	return nil
}

func (v *verification) checkBundle() error {
	f, err := os.Open(v.file("history.bundle"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return badEvidence(v.file("history.bundle"), "%v", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, 1<<20)
	format, head, err := readBundleHeader(r)
	if err == nil {
		err = checkTrailer(v.ctx, r, format, info.Size()-head)
	}
	if err != nil && v.ctx.Err() == nil {
		return badEvidence(f.Name(), "%v", err)
	}
	return err
}

// readBundleHeader reads up to the pack and returns how many bytes that was.
func readBundleHeader(r *bufio.Reader) (f packfile.Format, size int64, err error) {
	f = packfile.SHA1
	for {
		line, err := r.ReadString('\n')
		size += int64(len(line))
		if err != nil || line == "\n" {
			return f, size, err
		}
		if line == "@object-format="+packfile.SHA256.Name+"\n" {
			f = packfile.SHA256
		}
	}
}

func checkTrailer(ctx context.Context, pack io.Reader, f packfile.Format, size int64) error {
	sum := f.New()
	if _, err := io.CopyN(stopping{ctx, sum}, pack, size-int64(f.Size)); err != nil {
		return err
	}
	trailer, err := io.ReadAll(pack)
	if err == nil && !bytes.Equal(trailer, sum.Sum(nil)) {
		err = packfile.ErrCorrupt
	}
	return err
}

func (v *verification) checkNested() error {
	all, err := nestedIn(v.dir)
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := Verify(v.ctx, n.dir); err != nil {
			return err
		}
	}
	return nil
}

// inside is the evidence of a repository inside another.
type inside struct{ dir, path string }

// nestedIn lists the evidence of repositories inside, in order.
func nestedIn(dir string) ([]inside, error) {
	names, err := filepath.Glob(filepath.Join(globQuote(dir), "nested", "[0-9]*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []inside
	for _, name := range names {
		path, err := os.ReadFile(filepath.Join(name, "path"))
		if err != nil || !isInside(string(path)) || string(path) == "." {
			return nil, badEvidence(name, "it does not say where it belongs: %q (%v)", path, err)
		}
		all = append(all, inside{name, string(path)})
	}
	return all, nil
}

// globQuote makes a path stand for itself in a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
