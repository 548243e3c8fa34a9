package procid

import (
	"path/filepath"
	"strings"
)

// resolved is dir as the kernel would print it, or as given where it does not exist (any more).
func resolved(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// isInside reports whether path is dir or below it. An empty path, an unknown one, is nowhere.
func isInside(path, dir string) bool {
	path = strings.TrimSuffix(path, " (deleted)")
	if path == dir {
		return path != ""
	}
	return path != "" && strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
