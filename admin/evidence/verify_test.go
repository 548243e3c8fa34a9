package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
)

// Whatever happens to a file of a snapshot, verifying names that file, and restoring is refused.
func TestEveryFileIsVerified(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.taken(evidence.Options{IncludeIgnored: true}).Dir
	for _, name := range files(t, dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for what, harm := range harms(w.path("same")) {
			require.NoError(t, harm(path, b), what)
			requireNamed(t, dir, name, what)
			_, err := evidence.Restore(context.Background(), dir, w.path("new"), evidence.RestoreOptions{})
			require.ErrorIs(t, err, evidence.ErrDiffers, what)
			require.NoDirExists(t, w.path("new"))
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.WriteFile(path, b, 0o600))
		}
	}
	require.Empty(t, differences(t, dir))
}

// harms are what can happen to a file with the content b. Same is a place outside.
func harms(same string) map[string]func(path string, b []byte) error {
	return map[string]func(path string, b []byte) error{
		"removed": func(path string, _ []byte) error { return os.Remove(path) },
		"a bit": func(path string, b []byte) error {
			changed := append(bytes.Clone(b), 0)[:max(1, len(b))]
			changed[len(changed)/2] ^= 1
			return os.WriteFile(path, changed, 0o600)
		},
		"longer": func(path string, b []byte) error { return os.WriteFile(path, append(bytes.Clone(b), '\n'), 0o600) },
		"a link to the same": func(path string, b []byte) error {
			return errors.Join(os.WriteFile(same, b, 0o600), os.Remove(path), os.Symlink(same, path))
		},
		"a directory": func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	}
}

// requireNamed requires that exactly the harmed file is named. In the manifest itself, a changed digit blames the file
// that it is of.
func requireNamed(t *testing.T, dir, name, what string) {
	t.Helper()
	found := differences(t, dir)
	require.NotEmpty(t, found, "%s: %s", name, what)
	if name != evidence.ManifestName {
		require.Len(t, found, 1, "%s: %s", name, what)
		require.Equal(t, name, found[0].Path, what)
	}
}

func TestWhatTheManifestDoesNotName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.taken(evidence.Options{}).Dir
	require.NoError(t, os.WriteFile(filepath.Join(dir, "git", "sharedindex.x"), nil, 0o600))
	require.NoError(t, os.Symlink("/", filepath.Join(dir, "nested")))
	found := differences(t, dir)
	require.Len(t, found, 2)
	require.Equal(t, "git/sharedindex.x", found[0].Path)
	require.Equal(t, "nested", found[1].Path)
}

// A manifest that could lead elsewhere, or that somebody has written by another rule, is none.
func TestStrangeManifests(t *testing.T) {
	const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, manifest := range []string{
		"", "\n", sum, sum + "  a", sum + " a\n", sum + "  ../a\n", sum + "  /etc/passwd\n", sum + "  ./a\n", sum + "  \n",
		sum + "  b\n" + sum + "  a\n", sum + "  a\n" + sum + "  a\n", sum + "  " + evidence.ManifestName + "\n",
		"E3" + sum[2:] + "  a\n", sum[1:] + "  a\n", "\\" + sum + "  a\n",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, evidence.ManifestName), []byte(manifest), 0o600))
		found := differences(t, dir)
		require.NotEmpty(t, found, "%q", manifest)
		require.Equal(t, evidence.ManifestName, found[0].Path, "%q", manifest)
	}
}

func TestNoSnapshot(t *testing.T) {
	for _, dir := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		_, err := evidence.Verify(context.Background(), dir, nil)
		require.ErrorIs(t, err, evidence.ErrNothing)
		requireNext(t, err)
	}
}

func TestSnapshotWithoutItsManifest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.taken(evidence.Options{}).Dir
	require.NoError(t, os.Remove(filepath.Join(dir, evidence.ManifestName)))
	require.Equal(t, evidence.ManifestName, differences(t, dir)[0].Path)
}

// What README.txt says works, with none of our code.
func TestRestoreByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.taken(evidence.Options{IncludeIgnored: true}).Dir
	shell(t, dir, "sha256sum -c --quiet MANIFEST.sha256")
	shell(t, w.dir, `sed -n '/^# sh restore.sh/,$p' snapshot/README.txt > restore.sh; sh restore.sh snapshot new`)
	sameWork(t, w.worktree, w.path("new"))
	require.Equal(t, "ok\n1|open\n", shell(t, dir, `sqlite3 tracker/db.sqlite 'PRAGMA integrity_check; SELECT * FROM task'`))
	require.Equal(t, "1|open\n", shell(t, w.dir, `cp -r snapshot/tracker/raw copy; sqlite3 copy/db 'SELECT * FROM task'`))
	require.Empty(t, differences(t, dir), "by-hand use touched the evidence")
}
