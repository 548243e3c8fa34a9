package gitwork_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/gitwork"
	"holdfast/internal/zst"
)

// failsLater does well until another archive is open.
const failsLater = `for n in 1 2 3; do mkdir "$0.$n" 2>/dev/null && break; done
[ $n -lt 3 ] || exit 3
cat >"$0.$n/in"; n=$(($(wc -c <"$0.$n/in"))); head -c $n /dev/zero; echo taken $n given $n >&2`

// A program that compresses and fails has the capture fail, whatever it was at; one that fails to unpack, the restore.
// Each is told with the next step, and nothing is left in its place.
func TestPackerThatFails(t *testing.T) {
	git := needGit(t)
	_, top := findKind(t, "normal").build(t)
	require.NoError(t, os.WriteFile(filepath.Join(top, "large"), make([]byte, 1<<20), 0o600)) // more than a pipe holds
	path := filepath.Join(t.TempDir(), zst.Name)
	defer gitwork.PackWith(zst.At(path))()
	play := func(script string) {
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
	}
	for _, script := range []string{
		"exit 3", "cat >/dev/null; kill -9 $$", "cat >/dev/null; echo half", "cat >/dev/null; echo no room >&2; exit 74", failsLater,
	} {
		play(script)
		_, err := gitwork.Capture(t.Context(), git, top, t.TempDir(), gitwork.CaptureOptions{})
		require.ErrorIs(t, err, gitwork.ErrPacker, script)
		requireNext(t, err)
		_, err = unix.Wait4(-1, nil, unix.WNOHANG, nil)
		require.ErrorIs(t, err, unix.ECHILD, "one was left: %s", script)
	}

	require.NoError(t, os.Remove(path))
	out := t.TempDir()
	c, err := gitwork.Capture(t.Context(), git, top, out, gitwork.CaptureOptions{})
	require.NoError(t, err)
	require.Contains(t, *c.Plain, path)
	require.Contains(t, *c.Plain, "`go build -o "+path+" ./cmd/"+zst.Name+"`")
	require.NoError(t, gitwork.Verify(t.Context(), out))

	archive := filepath.Join(out, "git", "untracked.tar.zst")
	require.NoError(t, os.WriteFile(archive, []byte(strings.Repeat("another kind of stream", 1000)), 0o600))
	for script, kind := range map[string]error{
		"exit 3": gitwork.ErrPacker, "kill -9 $$": gitwork.ErrPacker, "echo half": gitwork.ErrPacker,
		"cat >/dev/null; echo it is none >&2; exit 65": gitwork.ErrPacker, "exec cat": gitwork.ErrPacker,
		"cat >/dev/null; echo session-zstd: damaged: it is none >&2; exit 65": gitwork.ErrEvidence,
	} {
		play(script)
		into := filepath.Join(t.TempDir(), "new")
		_, err := gitwork.Restore(t.Context(), git, out, into, gitwork.RestoreOptions{})
		require.ErrorIs(t, err, kind, script)
		requireNext(t, err)
		require.Equal(t, 1, strings.Count(err.Error(), kind.Error()), "%v", err)
		require.NoDirExists(t, into)
	}
}
