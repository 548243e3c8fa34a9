package evidence

import (
	"os"
	"path/filepath"
	"strings"

	"holdfast/ownership"
)

// Find returns the directory of the snapshot of a session whose manifest has the hash that a record keeps. It looks at
// one directory that may be it, unless that is "", and at those that [Take] made of that session below a parent, which
// is DefaultParent where it is "". It reads
// manifests and nothing else: whether the rest is whole is for [Verify] to say.
func Find(manifest string, d ownership.Digest, dir, parent string) (string, bool) {
	for _, candidate := range candidates(d, dir, parent) {
		if _, sum, err := readManifest(candidate); err == nil && sum == manifest {
			return candidate, true
		}
	}
	return "", false
}

func candidates(d ownership.Digest, dir, parent string) (all []string) {
	if dir != "" {
		all = append(all, absolute(dir))
	}
	if parent == "" {
		parent, _ = DefaultParent() // without one, none was made there
	}
	names, _ := os.ReadDir(parent) // one that cannot be listed has none to offer
	for _, n := range names {
		if strings.HasSuffix(n.Name(), nameEnd(d)) {
			all = append(all, filepath.Join(parent, n.Name()))
		}
	}
	return all
}
