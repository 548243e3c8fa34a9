package gitwork

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"holdfast/internal/gitwork/packfile"
)

// composedFrom is from how many bytes of loose objects on we write the pack ourselves. Git inflates and compresses them
// one after another, and then the pack is copied behind the header of the bundle: that costs more time than all the
// rest of a capture. A variable for tests.
var composedFrom int64 = 64 << 20

// composeBundle writes the bundle in one go: what git packs of what is not loose, then every loose object. The shadow
// goes on with the source's objects, since it has no copy of the loose ones.
func (c *capture) composeBundle(ctx context.Context, tips string, t *tips) error {
	own := map[string]bool{}
	for _, name := range t.own {
		own[name] = true
	}
	part, packed, err := c.packOthers(ctx, tips, own)
	if err != nil {
		return err
	}
	if part != nil {
		defer packed.Close()
	}
	head, err := c.bundleHeader(ctx, func(name []byte) bool {
		return own[hex.EncodeToString(name)] || part != nil && part.Index.Has(name)
	})
	if err != nil {
		return err
	}
	x, err := c.writeComposed(ctx, head, part, t)
	if err != nil {
		return err
	}
	if err := c.checkBundle(ctx, int64(len(head)), x); err != nil {
		return err
	}
	c.bundled(x)
	c.borrows = true
	return nil
}

// packOthers lets git pack what the tips reach and what is not among its own; nil where that is nothing.
func (c *capture) packOthers(ctx context.Context, tips string, own map[string]bool) (*packfile.Part, *os.File, error) {
	others := filepath.Join(c.scratch, "others")
	n, err := c.listOthers(ctx, tips, own, others)
	if err != nil || n == 0 {
		return nil, nil, err
	}
	pack, err := c.pack(ctx, others)
	if err != nil {
		return nil, nil, err
	}
	x, err := c.readPackIndex(pack)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(pack + ".pack")
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return &packfile.Part{Span: packfile.Span{From: f, Size: info.Size()}, Index: x}, f, nil
}

// listOthers writes the names of what the tips reach, but for its own, to a file, and returns how many those are.
func (c *capture) listOthers(ctx context.Context, tips string, own map[string]bool, file string) (n int, err error) {
	in, err := os.Open(tips)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	reached := filepath.Join(c.scratch, "reached")
	all, err := os.Create(reached)
	if err != nil {
		return 0, err
	}
	defer all.Close()
	if err := c.shadow.run(ctx, in, all, "rev-list", "--objects", "--no-object-names", "--stdin"); err != nil {
		return 0, err
	}
	if _, err := all.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	out, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(out)
	lines := bufio.NewScanner(all)
	for lines.Scan() {
		if !own[lines.Text()] {
			n++
			w.WriteString(lines.Text() + "\n")
		}
	}
	return n, errors.Join(lines.Err(), w.Flush(), out.Close())
}

func (c *capture) writeComposed(ctx context.Context, head []byte, part *packfile.Part, t *tips) (*packfile.Index, error) {
	a, err := c.out.create("git/history.bundle")
	if err != nil {
		return nil, err
	}
	c.meter.step("writing the bundle")
	c.meter.expect(t.loose)
	var x *packfile.Index
	w := bufio.NewWriterSize(stopping{ctx, a}, 1<<20)
	if _, err = w.Write(head); err == nil {
		x, err = packfile.Compose(ctx, w, c.format, part, c.looseFiles(t), packfile.Options{Threads: c.options.Threads, Read: c.meter.add})
	}
	if err == nil {
		err = w.Flush()
	}
	return x, a.finish(err)
}

func (c *capture) looseFiles(t *tips) []packfile.Loose {
	all := make([]packfile.Loose, 0, len(t.own))
	for _, name := range t.own {
		binary, _ := hex.DecodeString(name) // it was taken for a name because it is hex
		path := filepath.Join(c.stores[0], name[:2], name[2:])
		all = append(all, packfile.Loose{Name: binary, Open: func() (io.ReadCloser, error) { return openSource(path) }})
	}
	return all
}
