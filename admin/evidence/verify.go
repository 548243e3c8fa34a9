package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"holdfast/internal/plainfile"
)

// Verification is what a comparison of a snapshot with its manifest found.
type Verification struct {
	Dir         string       `json:"dir"`      // absolute
	Manifest    string       `json:"manifest"` // SHA-256 of the manifest; "" where it could not be read
	Files       int          `json:"files"`    // as the manifest says
	Bytes       int64        `json:"bytes"`    // that were compared
	Differences []Difference `json:"differences"`
}

// Difference names something that is not as the manifest says.
type Difference struct {
	Path string `json:"path"` // relative to the snapshot
	What string `json:"what"`
}

// Verify compares every file in the directory of a snapshot with its manifest. Differences are no error: those are of
// a directory that cannot be looked into, or the cause of ctx when that ended.
func Verify(ctx context.Context, dir string, progress func(Progress)) (*Verification, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, &Error{Kind: ErrNothing, Path: dir, Err: err, Next: "name the directory of a snapshot"}
	}
	if notSnapshot(abs) {
		return nil, &Error{Kind: ErrNothing, Path: abs, Err: fmt.Errorf("it is no snapshot: it has neither %s nor %s", ManifestName, snapshotName), Next: "name the directory of a snapshot"}
	}
	v := &verifying{ctx: ctx, progress: progress, result: &Verification{Dir: abs, Differences: []Difference{}}, named: map[string]bool{ManifestName: true}}
	return v.result, v.run()
}

// notSnapshot reports whether a directory has nothing of a snapshot, rather than a damaged one.
func notSnapshot(dir string) bool {
	for _, name := range []string{ManifestName, snapshotName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

type verifying struct {
	ctx      context.Context
	progress func(Progress)
	total    int64
	named    map[string]bool
	result   *Verification
}

func (v *verifying) run() error {
	all, sum, err := readManifest(v.result.Dir)
	v.result.Manifest, v.result.Files = sum, len(all)
	if err != nil {
		v.differs(ManifestName, bare(err))
		return nil
	}
	for _, e := range all {
		v.named[e.name] = true
		if info, err := os.Lstat(v.path(e.name)); err == nil {
			v.total += info.Size()
		}
	}
	for _, e := range all {
		if err := v.compare(e); err != nil {
			return err
		}
	}
	return v.lookForMore()
}

func (v *verifying) path(name string) string {
	return filepath.Join(v.result.Dir, filepath.FromSlash(name))
}

func (v *verifying) compare(e entry) error {
	f, err := plainfile.Open(v.path(e.name))
	if err != nil {
		v.differs(e.name, bare(err))
		return nil
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(sum, v), f)
	switch {
	case context.Cause(v.ctx) != nil:
		return context.Cause(v.ctx)
	case err != nil:
		v.differs(e.name, bare(err))
	case hex.EncodeToString(sum.Sum(nil)) != e.sha256:
		v.differs(e.name, "its content is not what the manifest says")
	}
	return nil
}

// Write counts what was compared.
func (v *verifying) Write(p []byte) (int, error) {
	v.result.Bytes += int64(len(p))
	tell(v.progress, Progress{stepVerify, v.result.Bytes, v.total})
	return len(p), context.Cause(v.ctx)
}

// lookForMore names what the manifest does not.
func (v *verifying) lookForMore() error {
	return filepath.WalkDir(v.result.Dir, func(path string, e fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(v.result.Dir, path)
		if relErr != nil {
			return relErr
		}
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			v.differs(name, bare(err))
		case !e.IsDir() && !v.named[name]:
			v.differs(name, "the manifest does not name it")
		}
		return context.Cause(v.ctx)
	})
}

func (v *verifying) differs(path, what string) {
	v.result.Differences = append(v.result.Differences, Difference{path, what})
}

// bare returns what the system said of a path, without the path.
func bare(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
