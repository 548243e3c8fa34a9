package gitwork

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"holdfast/internal/gitwork/packfile"
)

// bundleHeader returns what stands before the pack in a bundle: the format and every reference that the pack can
// satisfy. Git reads it as one of its own, and unlike its own it needs no branch with a commit.
func (c *capture) bundleHeader(ctx context.Context, has func(name []byte) bool) ([]byte, error) {
	var b bytes.Buffer
	if c.format.Name == packfile.SHA1.Name {
		b.WriteString("# v2 git bundle\n")
	} else {
		fmt.Fprintf(&b, "# v3 git bundle\n@object-format=%s\n", c.format.Name)
	}
	head, err := c.output(ctx, "rev-parse", "-q", "--verify", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	refs, err := c.output(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return nil, err
	}
	addReference(&b, has, strings.TrimSpace(string(head))+" HEAD")
	for line := range strings.Lines(string(refs)) {
		addReference(&b, has, strings.TrimSpace(line))
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func addReference(b *bytes.Buffer, has func([]byte) bool, line string) {
	oid, _, _ := strings.Cut(line, " ")
	if name, err := hex.DecodeString(oid); err == nil && has(name) {
		b.WriteString(line + "\n")
	}
}

// readShallow returns the commits, by name in binary, whose parents were never fetched.
func readShallow(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	set := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, err := hex.DecodeString(strings.TrimSpace(line)); err == nil {
			set[string(name)] = true
		}
	}
	return set, err
}
