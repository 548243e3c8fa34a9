package gitwork

import (
	"path/filepath"
	"slices"
	"strings"
)

// isInside reports whether a path from evidence stays below the directory it is meant for, and out of any git
// directory there but the ones that restoring makes.
func isInside(path string) bool {
	return path == "." || filepath.IsLocal(path) && filepath.Clean(path) == path && !strings.ContainsRune(path, 0) &&
		!slices.ContainsFunc(strings.Split(path, "/")[:1], func(part string) bool { return strings.EqualFold(part, ".git") })
}
