package gitwork

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// description is a text that git makes for people to read. Nothing is restored from it.
type description struct {
	name string
	args []string
}

var descriptions = []description{
	{"git/status.txt", []string{"status", "--porcelain=v2", "--branch", "--ignore-submodules=dirty"}},
	{"git/log.txt", []string{"log", "--max-count=1000", "--date=iso-strict", "--format=%H %ad %an: %s", "--all"}},
	{"git/refs.txt", []string{"for-each-ref", "--format=%(objectname) %(objecttype) %(refname)"}},
	{"git/index.txt", []string{"ls-files", "-s"}},
	{"git/index-flags.txt", []string{"ls-files", "-v"}},
}

var (
	stagedDiff   = []string{"diff", "--cached", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty"}
	unstagedDiff = []string{"diff", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty"}
)

// ofTheTree are the descriptions for which git looks into the working tree.
var ofTheTree = []string{"git/status.txt", "git/unstaged.patch"}

// describe writes what people read. A text that git cannot make of a damaged repository is noted, and no error.
func (c *capture) describe(ctx context.Context) error {
	all := slices.Concat(descriptions, []description{
		{"git/staged.patch", c.withBinaries(ctx, stagedDiff)},
		{"git/unstaged.patch", c.withBinaries(ctx, unstagedDiff)},
	})
	for _, d := range all {
		if c.hidden && slices.Contains(ofTheTree, d.name) {
			continue
		}
		if err := c.describeOne(ctx, d); err != nil {
			return err
		}
	}
	if err := c.out.write("git/ignored.txt", c.ignoredText()); err != nil {
		return err
	}
	c.omitModules()
	return c.out.write("git/worktrees.txt", c.worktreesText())
}

func (c *capture) describeOne(ctx context.Context, d description) error {
	a, err := c.out.create(d.name)
	if err != nil {
		return err
	}
	failed := c.shadow.run(ctx, nil, a, d.args...)
	if cause := context.Cause(ctx); cause != nil {
		return a.finish(cause)
	}
	if failed != nil {
		c.note("%s is not complete: %v", d.name, failed)
	}
	return a.finish(nil)
}

// patchLimit is up to how many bytes a changed file's content is spelled out in a patch if it is not text: git holds
// all of it, and its bytes are in the archives anyway.
const patchLimit = 8 << 20

// withBinaries asks for binary content in a patch unless some of it is large.
func (c *capture) withBinaries(ctx context.Context, diff []string) []string {
	raw := slices.Concat(diff, []string{"--raw", "-z", "--abbrev=64"})
	lines, err := c.fields(ctx, raw...)
	if err != nil {
		return diff
	}
	var names bytes.Buffer
	for i := 0; i+1 < len(lines); i += 2 {
		for _, word := range strings.Fields(lines[i]) {
			if len(word) == 2*c.format.Size {
				names.WriteString(word + "\n")
			}
		}
		if sizeOf(filepath.Join(c.source.Worktree, lines[i+1])) > patchLimit {
			return diff
		}
	}
	if c.anyLarge(ctx, &names) {
		return diff
	}
	return append(slices.Clone(diff), "--binary")
}

func (c *capture) anyLarge(ctx context.Context, names *bytes.Buffer) bool {
	var out bytes.Buffer
	if err := c.shadow.run(ctx, names, &out, "cat-file", "--buffer", "--batch-check=%(objectsize)"); err != nil {
		return true
	}
	for line := range strings.Lines(out.String()) {
		if size, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil && size > patchLimit {
			return true
		}
	}
	return false
}

func (c *capture) ignoredText() []byte {
	var b bytes.Buffer
	for _, e := range c.entries {
		if e.ignored && !e.isDir() {
			fmt.Fprintf(&b, "%d %s\n", e.Size, printable(e.path))
		}
	}
	return b.Bytes()
}

// printable quotes what would spoil a list of one path a line.
func printable(path string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

// worktreesText lists the linked worktrees that the repository has beside this one: other sessions'.
func (c *capture) worktreesText() []byte {
	var b bytes.Buffer
	dir := filepath.Join(c.source.CommonDir, "worktrees")
	names, err := readNames(dir)
	if err != nil {
		return nil
	}
	slices.Sort(names)
	for _, name := range names {
		pointer, _ := readPointer(filepath.Join(dir, name, "gitdir"))
		head, _ := readPointer(filepath.Join(dir, name, "HEAD"))
		fmt.Fprintf(&b, "%s %s\n", printable(strings.TrimSuffix(pointer, "/.git")), printable(head))
		if filepath.Join(dir, name) != c.source.GitDir {
			c.omit("other worktrees of this repository", "their index and files are other sessions'", pointer)
		}
	}
	return b.Bytes()
}

// omitModules lists the git directories of submodules that are not checked out here.
func (c *capture) omitModules() {
	dir := filepath.Join(c.source.GitDir, "modules")
	var look func(string)
	look = func(at string) {
		if _, err := os.Lstat(filepath.Join(at, "HEAD")); err == nil {
			if !c.checkedOut(at) {
				c.omit("submodules that are not checked out", "their repositories are only a copy of what is elsewhere", at)
			}
			return
		}
		names, _ := readNames(at)
		for _, name := range names {
			if st, err := lstat(filepath.Join(at, name)); err == nil && st.isDir() {
				look(filepath.Join(at, name))
			}
		}
	}
	look(dir)
}

// checkedOut reports whether a repository inside has that git directory.
func (c *capture) checkedOut(gitDir string) bool {
	return slices.ContainsFunc(c.entries, func(e entry) bool {
		if !e.nested {
			return false
		}
		r, err := Locate(filepath.Join(c.source.Worktree, e.path))
		return err == nil && r.GitDir == gitDir
	})
}
