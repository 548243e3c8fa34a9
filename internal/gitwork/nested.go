package gitwork

import (
	"context"
	"fmt"
	"path/filepath"
)

// nestedSkip returns why a repository inside is not captured, or "".
func (c *capture) nestedSkip(e entry) (string, error) {
	r, err := Locate(filepath.Join(c.source.Worktree, e.path))
	if err != nil {
		return "", err
	}
	return skipReason(r, withOuter(c.outer, c.source.CommonDir), e.ignored && !c.options.IncludeIgnored), nil
}

// captureNested captures the repositories inside, each in a directory of its own.
func (c *capture) captureNested(ctx context.Context) error {
	for _, e := range c.entries {
		if !e.nested {
			continue
		}
		skip, err := c.nestedSkip(e)
		if err != nil {
			return err
		}
		n := Nested{Path: e.path, Skipped: skip}
		if skip == "" {
			n.Dir = fmt.Sprintf("nested/%03d", len(c.result.Nested))
			if n.Captured, err = c.captureInside(ctx, e, n.Dir); err != nil {
				return err
			}
		}
		c.result.Nested = append(c.result.Nested, n)
	}
	return nil
}

func (c *capture) captureInside(ctx context.Context, e entry, dir string) (*Captured, error) {
	r, err := Locate(filepath.Join(c.source.Worktree, e.path))
	if err != nil {
		return nil, err
	}
	if err := c.out.directory(dir); err != nil {
		return nil, err
	}
	if err := c.out.write(dir+"/path", []byte(e.path)); err != nil {
		return nil, err
	}
	inner := capture{
		git: c.git, options: c.options, source: r, meter: c.meter,
		out:   output{dir: c.out.dir, prefix: c.out.prefix + dir + "/", artefacts: c.out.artefacts},
		outer: withOuter(c.outer, c.source.CommonDir), plain: c.plain,
	}
	return inner.run(ctx)
}
