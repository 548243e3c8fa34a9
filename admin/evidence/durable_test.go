package evidence_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
	"holdfast/internal/testkit"
)

// Every file and directory is durable before the snapshot gets its name, and its name before it is told.
func TestDurableBeforeItHasItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := traced(t, w)
	named := -1
	synced := map[string]int{} // the last call
	for n, call := range calls {
		if path, ok := syncedBy(call); ok && named < 0 {
			synced[path] = n
		}
		if strings.Contains(call, `, "snapshot"`) && strings.Contains(call, "rename") {
			named = n
		}
	}
	require.Positive(t, named, "no rename was seen")
	aside := regexp.MustCompile(`"(\.snapshot` + regexp.QuoteMeta(evidence.Marker) + `\w+)"`).FindStringSubmatch(calls[named])
	require.Len(t, aside, 2, calls[named])
	require.NoError(t, filepath.WalkDir(w.path("snapshot"), func(path string, _ fs.DirEntry, err error) error {
		require.NoError(t, err)
		name, err := filepath.Rel(w.path("snapshot"), path)
		require.NoError(t, err)
		built := filepath.Join(w.path(aside[1]), name)
		require.Contains(t, synced, built, "it was not synced")
		if name != "." {
			require.Greater(t, synced[filepath.Dir(built)], synced[built], "%s: its directory was not synced after it", name)
		}
		return nil
	}))
	above := false
	for _, call := range calls[named:] {
		path, ok := syncedBy(call)
		above = above || ok && path == w.path(".")
	}
	require.True(t, above, "the directory above was not synced after the rename")
}

var fsync = regexp.MustCompile(`fsync\(\d+<([^>]+)>\)?`)

func syncedBy(call string) (string, bool) {
	found := fsync.FindStringSubmatch(call)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// traced takes a snapshot and returns its system calls that make something durable or give it a name, in order.
func traced(t *testing.T, w *world) []string {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		testkit.Skip(t, "strace is not installed")
	}
	log := filepath.Join(t.TempDir(), "calls")
	c := exec.Command("strace", "-f", "--seccomp-bpf", "-y", "-s", "4096", "-e", "trace=fsync,rename,renameat,renameat2", "-o", log, os.Args[0], w.path("store"), w.path("snapshot"))
	c.Env = append(os.Environ(), roleVariable+"=take")
	out, err := c.CombinedOutput()
	if _, there := os.Stat(w.path("snapshot")); err != nil && there != nil {
		testkit.Skip(t, "no program can be traced here: "+string(out))
	}
	require.NoError(t, err, "%s", out)
	return strings.Split(read(t, log), "\n")
}
