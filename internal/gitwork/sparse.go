package gitwork

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// withoutSource runs do, which may let git read the index, so that git cannot touch the source's objects. Reading an
// index with sparse directories, git makes the trees of what is in them and freshens those that exist already: the
// trees are then copied into the shadow and the source's objects are out of reach. Other indexes need no object.
func (s *shadow) withoutSource(ctx context.Context, do func() error) error {
	x, err := s.readIndexFiles()
	if err != nil || len(x.trees) == 0 {
		return do() // git says what is wrong with an index
	}
	if err := s.copyTrees(ctx, x.trees); err != nil {
		return err
	}
	if err := os.Remove(s.alternates()); err != nil {
		return err
	}
	return errors.Join(do(), s.writeAlternates())
}

// copyTrees copies the commit, its trees and those of sparse directories into the shadow, without the files in them.
func (s *shadow) copyTrees(ctx context.Context, trees []string) error {
	if commit, err := s.output(ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}"); err == nil {
		head := strings.TrimSpace(string(commit))
		if err := s.copyObjects(ctx, []string{head}); err != nil {
			return err
		}
		trees = append(trees, head+"^{tree}")
	}
	return s.copyObjects(ctx, trees, "--revs", "--filter=blob:none")
}

func (s *shadow) copyObjects(ctx context.Context, names []string, how ...string) error {
	file := filepath.Join(s.scratch, "some.pack")
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	in := strings.NewReader(strings.Join(names, "\n") + "\n")
	err = s.run(ctx, in, out, append([]string{"pack-objects", "--stdout", "--window=0", "-q"}, how...)...)
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = s.run(ctx, out, io.Discard, "index-pack", "--stdin")
	}
	return errors.Join(err, out.Close(), os.Remove(file))
}
