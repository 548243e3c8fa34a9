package gitwork

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// tips are the names of objects to keep with all that they reach: whatever the git directory mentions.
type tips struct {
	names  map[string]bool // in hex; true where absence means damage
	absent int             // that no object store has
	broken string          // one of those that must be there and is not, or ""
	loose  int64           // bytes of loose objects
	own    []string        // names of loose objects
	sparse bool            // the index stands for directories: git will need private objects
}

func (c *capture) collectTips() (*tips, error) {
	t := &tips{names: map[string]bool{}}
	hexSize := 2 * c.format.Size
	for _, f := range c.shadow.admin {
		place := c.place(f.name)
		if place == "" || !f.isRegular() || isIndex(f.name) {
			continue
		}
		if err := t.scan(place, hexSize, isReference(f.name)); err != nil {
			return nil, err
		}
	}
	for _, file := range c.otherWorktrees() {
		if err := t.scan(file, hexSize, false); err != nil && !errors.Is(err, os.ErrPermission) {
			return nil, err
		}
	}
	x, err := c.readIndexFiles()
	if err != nil {
		c.note("the index names objects that were not looked for: %v", err)
	}
	t.sparse = len(x.trees) > 0
	for _, name := range x.names {
		t.add(name, false)
	}
	t.loose, err = looseObjects(c.stores[0], hexSize, func(name string) {
		t.own = append(t.own, name)
		t.add(name, true)
	})
	return t, err
}

// isReference reports whether a file of the git directory says where a reference points: not where it once pointed.
func isReference(name string) bool {
	return name == "HEAD" || name == "packed-refs" || strings.HasPrefix(name, "refs/")
}

func (t *tips) add(name string, must bool) {
	if strings.Trim(name, "0") != "" {
		t.names[name] = t.names[name] || must
	}
}

// scan adds every run of exactly hexSize hex digits in a file.
func (t *tips) scan(file string, hexSize int, must bool) error {
	f, err := openSource(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	run := make([]byte, 0, hexSize+1)
	for {
		c, err := r.ReadByte()
		if err == nil && isHexDigit(c) {
			run = append(run[:min(len(run), hexSize)], c)
			continue
		}
		if len(run) == hexSize {
			t.add(string(run), must)
		}
		run = run[:0]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func isHexDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// present writes the tips that there are to a file, one a line, and returns how many.
func (c *capture) present(ctx context.Context, t *tips, file string) (n int, err error) {
	asked := filepath.Join(c.scratch, "asked")
	if err := writeLines(asked, t.names); err != nil {
		return 0, err
	}
	in, err := os.Open(asked)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	answers := filepath.Join(c.scratch, "answers")
	out, err := os.Create(answers)
	if err != nil {
		return 0, err
	}
	err = c.shadow.run(ctx, in, out, "cat-file", "--buffer", "--batch-check=%(objectname) %(objecttype)")
	if err = errors.Join(err, out.Close()); err != nil {
		return 0, err
	}
	return t.sort(answers, file)
}

func writeLines(file string, names map[string]bool) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for name := range names {
		w.WriteString(name + "\n")
	}
	return errors.Join(w.Flush(), f.Close())
}

// sort tells what git has found from what it has not.
func (t *tips) sort(answers, present string) (n int, err error) {
	in, err := os.Open(answers)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.Create(present)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(out)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		name, kind, _ := strings.Cut(lines.Text(), " ")
		if kind == "missing" {
			t.absent++
			if t.names[name] {
				t.broken = name
			}
			continue
		}
		n++
		w.WriteString(name + "\n")
	}
	return n, errors.Join(lines.Err(), w.Flush(), out.Close())
}
