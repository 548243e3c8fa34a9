package sqlitecopy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/testkit"
)

// place is a source in a directory of its own.
func place(t testing.TB) string { return filepath.Join(t.TempDir(), "tracker.db") }

// scene is everything about a directory that a copy must not change.
func scene(t testing.TB, path string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(filepath.Dir(path), func(p string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		var st unix.Stat_t
		require.NoError(t, unix.Lstat(p, &st))
		found[p] = fmt.Sprintf("%+v %s", stampOf(&st), sumOf(p, d))
		return nil
	}))
	return found
}

func sumOf(p string, d fs.DirEntry) string {
	if !d.Type().IsRegular() {
		return ""
	}
	b, err := os.ReadFile(p)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// take copies a source, proves that it was left alone and that the copy is complete, and returns where it is.
func take(t testing.TB, path string) (*Taken, string) {
	t.Helper()
	before := scene(t, path)
	out := t.TempDir()
	taken, err := Take(context.Background(), path, out, Options{})
	require.NoError(t, err)
	require.Equal(t, before, scene(t, path), "the source was touched")
	require.Empty(t, taken.Moved)
	complete(t, taken, out)
	for _, s := range kept {
		b, err := os.ReadFile(s.of(path))
		if err == nil {
			copied, err := os.ReadFile(s.of(filepath.Join(out, "raw", "db")))
			require.NoError(t, err)
			require.Equal(t, sha256.Sum256(b), sha256.Sum256(copied), "raw copy of %s", s.of(path))
		}
	}
	return taken, out
}

// complete proves that the directory has the artefacts, with their digests and modes, and nothing else.
func complete(t testing.TB, taken *Taken, out string) {
	t.Helper()
	listed := map[string]Artefact{}
	for _, a := range taken.Artefacts {
		listed[a.Name] = a
	}
	require.Len(t, listed, len(taken.Artefacts))
	require.NoError(t, filepath.WalkDir(out, func(p string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		name, _ := filepath.Rel(out, p)
		if d.IsDir() {
			require.Contains(t, []string{".", "raw"}, name)
			return nil
		}
		info, err := d.Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode(), name)
		require.Equal(t, Artefact{name, info.Size(), sumOf(p, d)}, listed[name])
		delete(listed, name)
		return nil
	}))
	require.Empty(t, listed, "artefacts that are not there")
}

// query answers a query with the plain sqlite3 tool, as a person would.
func query(t testing.TB, path, question string) string {
	t.Helper()
	out, err := exec.Command(plainSQLite(t), path, question).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func plainSQLite(t testing.TB) string {
	t.Helper()
	tool, err := exec.LookPath("sqlite3")
	if err != nil {
		testkit.Skip(t, "no sqlite3 to restore by hand with")
	}
	return tool
}

func onlyLong(t *testing.T) {
	if os.Getenv("HOLDFAST_LONG") != "1" {
		t.Skip("HOLDFAST_LONG=1 runs it")
	}
}
