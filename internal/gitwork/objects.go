package gitwork

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"holdfast/internal/gitwork/packfile"
)

// Form is how the objects of a repository are kept.
type Form string

// The forms.
const (
	AsBundle Form = "bundle" // history.bundle, read back object by object
	AsFiles  Form = "files"  // objects.tar.zst, the object stores as they are
	AsNone   Form = "none"   // there is not one object
)

// Objects says what became of a repository's objects.
type Objects struct {
	Form   Form   `json:"form"`
	Why    string `json:"why"`    // why they are not a bundle
	Count  int    `json:"count"`  // in the bundle
	Tips   int    `json:"tips"`   // names in the git directory, and loose objects, that were found
	Absent int    `json:"absent"` // names that no store has: forgotten by git, or not fetched
}

// keepObjects writes the bundle, or where that cannot be whole the object stores as they are.
func (c *capture) keepObjects(ctx context.Context) error {
	if err := c.arm(ctx, true); err != nil {
		return err
	}
	c.keeps = func(string) bool { return false }
	err := c.keepBundle(ctx)
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var failed *GitError
	if !errors.As(err, &failed) && !errors.Is(err, packfile.ErrCorrupt) && !errors.Is(err, errBroken) {
		return err
	}
	if err := c.out.discard("git/history.bundle"); err != nil {
		return err
	}
	c.result.Objects.Form, c.result.Objects.Why = AsFiles, err.Error()
	return c.keepStores(ctx)
}

// errBroken is returned when the objects are known to be incomplete before anything is packed.
var errBroken = errors.New("the object store is damaged or incomplete")

func (c *capture) keepBundle(ctx context.Context) error {
	t, err := c.collectTips()
	if err != nil {
		return err
	}
	present := filepath.Join(c.scratch, "tips")
	kept := &c.result.Objects
	kept.Tips, err = c.present(ctx, t, present)
	kept.Absent = t.absent
	switch {
	case err != nil:
		return err
	case t.broken != "":
		return fmt.Errorf("%w: %s cannot be read", errBroken, t.broken)
	case kept.Tips == 0:
		kept.Form = AsNone
		return os.Remove(c.alternates())
	}
	if t.loose > composedFrom && !t.sparse {
		err := c.composeBundle(ctx, present, t)
		if err == nil || context.Cause(ctx) != nil {
			return err
		}
		if err := c.out.discard("git/history.bundle"); err != nil { // git may make more of it
			return err
		}
	}
	pack, err := c.pack(ctx, present, "--revs")
	if err != nil {
		return err
	}
	return c.bundle(ctx, pack)
}

// pack packs the objects that are named in a file, with --revs also what they reach, in the shadow, and returns the file without its suffix. Deltas are taken
// over and none are looked for.
func (c *capture) pack(ctx context.Context, tips string, how ...string) (string, error) {
	in, err := os.Open(tips)
	if err != nil {
		return "", err
	}
	defer in.Close()
	base := filepath.Join(c.dir, "objects", "pack", "pack")
	var sum strings.Builder
	args := []string{"-c", "core.compression=1", "pack-objects", "--delta-base-offset",
		"--window=0", "--depth=4095", "--threads=" + strconv.Itoa(c.options.Threads), "-q"}
	stop := c.watchPacking()
	err = c.shadow.run(ctx, in, &sum, append(append(args, how...), base)...)
	stop()
	return base + "-" + strings.TrimSpace(sum.String()), err
}

// bundle makes a bundle of a pack in the shadow, reads it back, and cuts the shadow off from the source's objects.
func (c *capture) bundle(ctx context.Context, pack string) error {
	x, err := c.readPackIndex(pack)
	if err != nil {
		return err
	}
	head, err := c.bundleHeader(ctx, x.Has)
	if err != nil {
		return err
	}
	if err := c.writeBundle(ctx, head, pack+".pack"); err != nil {
		return err
	}
	if err := c.checkBundle(ctx, int64(len(head)), x); err != nil {
		return err
	}
	c.bundled(x)
	return os.Remove(c.alternates())
}

func (c *capture) readPackIndex(pack string) (*packfile.Index, error) {
	b, err := os.ReadFile(pack + ".idx")
	if err != nil {
		return nil, err
	}
	return packfile.ParseIndex(c.format, b)
}

// writeBundle copies the pack behind the header.
func (c *capture) writeBundle(ctx context.Context, head []byte, pack string) error {
	in, err := os.Open(pack)
	if err != nil {
		return err
	}
	defer in.Close()
	a, err := c.out.create("git/history.bundle")
	if err != nil {
		return err
	}
	if _, err = a.Write(head); err == nil {
		_, err = io.Copy(stopping{ctx, a}, in)
	}
	return a.finish(err)
}

// checkBundle reads what was written: every object of the index is there, whole, and so is all that it names.
func (c *capture) checkBundle(ctx context.Context, head int64, x *packfile.Index) error {
	f, err := os.Open(c.out.path("git/history.bundle"))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	shallow, err := readShallow(filepath.Join(c.dir, "shallow"))
	if err != nil {
		return err
	}
	c.meter.step("reading the bundle back")
	span := packfile.Span{From: f, At: head, Size: info.Size() - head}
	c.meter.expect(span.Size)
	return packfile.Check(ctx, span, x, packfile.Options{Threads: c.options.Threads, Shallow: shallow, Read: c.meter.add})
}

func (c *capture) bundled(x *packfile.Index) {
	c.result.Objects.Form, c.result.Objects.Count = AsBundle, x.Len()
	c.keeps = func(oid string) bool { return x.Has([]byte(oid)) }
}

// discard removes an artefact that turned out useless.
func (o output) discard(name string) error {
	err := os.Remove(o.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for i, a := range *o.artefacts {
		if a.Name == o.prefix+name {
			*o.artefacts = append((*o.artefacts)[:i], (*o.artefacts)[i+1:]...)
			break
		}
	}
	return err
}
