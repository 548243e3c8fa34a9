package gitwork

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// indexEntry is what the index says of a path.
type indexEntry struct {
	mode uint32
	oid  string // in binary
}

const (
	modeGitlink = 0o160000
	modeSparse  = 0o040000 // a directory that is not checked out
	modeExec    = 0o100755
	modeFile    = 0o100644
)

// index is what the source's index says, by path. An unmerged path has no one entry.
type index struct {
	merged   map[string]indexEntry
	unmerged map[string]bool
	fault    error // why git cannot read it; everything in the working tree is then unknown to it
}

func (s *shadow) readIndex(ctx context.Context) (index, error) {
	x := index{merged: map[string]indexEntry{}, unmerged: map[string]bool{}}
	lines, err := s.fields(ctx, "ls-files", "-s", "-z")
	if cause := context.Cause(ctx); cause != nil {
		return x, cause
	}
	if err != nil {
		x.fault = err
		return x, nil
	}
	for _, line := range lines {
		if err := x.add(line); err != nil {
			return x, err
		}
	}
	return x, nil
}

func (x *index) add(line string) error {
	path, mode, oid, stage, err := parseStage(line)
	if err != nil {
		return err
	}
	if stage != 0 {
		x.unmerged[path] = true
	} else {
		raw, err := hex.DecodeString(oid)
		if err != nil {
			return err
		}
		x.merged[path] = indexEntry{mode, string(raw)}
	}
	return nil
}

// parseStage reads "mode oid stage<TAB>path".
func parseStage(line string) (path string, mode uint32, oid string, stage int, err error) {
	what, path, _ := strings.Cut(line, "\t")
	parts := strings.Fields(what)
	if len(parts) != 3 {
		return "", 0, "", 0, fmt.Errorf("git listed %q", line)
	}
	m, err := strconv.ParseUint(parts[0], 8, 32)
	if err == nil {
		stage, err = strconv.Atoi(parts[2])
	}
	return path, uint32(m), parts[1], stage, err
}

// readIgnored returns what git ignores: files, and directories with a slash at the end.
func (s *shadow) readIgnored(ctx context.Context) (map[string]bool, error) {
	paths, err := s.fields(ctx, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")
	set := make(map[string]bool, len(paths))
	for _, path := range paths {
		set[path] = true
	}
	return set, err
}

// knows reports whether the index has the path, in whatever stage.
func (x index) knows(path string) bool {
	_, merged := x.merged[path]
	return merged || x.unmerged[path]
}
