package gitwork_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
	"holdfast/internal/testkit"
)

// hang is more than any answer about a repository of three files takes.
const hang = time.Minute

// A FIFO where git reads a file of the working tree: git, which would wait for somebody to write into it, is kept out
// of the tree. The count says why there is none, the capture keeps every file.
func TestGitWouldWaitInTheTree(t *testing.T) {
	git := needGit(t)
	for _, path := range []string{".gitignore", ".gitattributes", "d/.gitignore", "d/.gitattributes", "fresh/.gitignore"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), hang)
			defer cancel()
			dir, top := findKind(t, "normal").build(t)
			shell(t, dir, `mkdir -p "repo/$(dirname "$1")"; mkfifo "repo/$1"`, path)
			before := fingerprint(t, dir)

			_, err := gitwork.Count(ctx, git, top)
			require.ErrorIs(t, err, gitwork.ErrUnsupported)
			requireNext(t, err)

			out, again := t.TempDir(), filepath.Join(t.TempDir(), "again")
			captured, err := gitwork.Capture(ctx, git, top, out, gitwork.CaptureOptions{})
			require.NoError(t, err)
			require.Len(t, captured.Notes, 1)
			require.True(t, captured.Untouched())
			require.Equal(t, before, fingerprint(t, dir))
			_, err = gitwork.Restore(ctx, git, out, again, gitwork.RestoreOptions{})
			require.NoError(t, err)
			info, err := os.Lstat(filepath.Join(again, path))
			require.NoError(t, err)
			require.Equal(t, os.ModeNamedPipe, info.Mode().Type())
			shell(t, dir, `for f in a b new d/c; do cmp "repo/$f" "$1/$f"; done`, again)
		})
	}
}

// A FIFO among the objects, also of a borrowed store, is refused before any git is there to wait for it.
func TestGitWouldWaitForAnObject(t *testing.T) {
	git := needGit(t)
	for _, path := range []string{"ab", "info/alternates", "cd/00000000000000000000000000000000000000", "pack/pack-1.idx"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), hang)
			defer cancel()
			dir, top := findKind(t, "normal").build(t)
			shell(t, dir, `cd repo/.git/objects; mkdir -p "$(dirname "$1")"; mkfifo "$1"`, path)
			_, err := gitwork.Count(ctx, git, top)
			require.ErrorIs(t, err, gitwork.ErrUnsupported)
			_, err = gitwork.Capture(ctx, git, top, t.TempDir(), gitwork.CaptureOptions{})
			require.ErrorIs(t, err, gitwork.ErrUnsupported)
			requireNext(t, err)
		})
	}
}

// A link in the git directory that leads to a FIFO is kept as a link, and git never sees it.
func TestGitWouldWaitBehindALink(t *testing.T) {
	git := needGit(t)
	for _, path := range []string{"info/exclude", "info/attributes", "refs/heads/evil", "shallow"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), hang)
			defer cancel()
			dir, top := findKind(t, "normal").build(t)
			shell(t, dir, `mkdir -p repo/.git/info; mkfifo fifo; ln -sf "$D/fifo" "repo/.git/$1"`, path)
			_, err := gitwork.Count(ctx, git, top)
			require.NoError(t, err)
			captured, err := gitwork.Capture(ctx, git, top, t.TempDir(), gitwork.CaptureOptions{})
			require.NoError(t, err)
			require.True(t, captured.Untouched())
		})
	}
}

// What is no file under the name of one that a repository rests on is told, whatever it is; nothing waits for it.
func TestEssentialFilesThatAreNone(t *testing.T) {
	git := needGit(t)
	for n, name := range []string{"index", "HEAD", "config", "packed-refs"} {
		for m, script := range []string{
			`mkfifo "$1"`, `mkdir "$1"`, `mkfifo "$D/fifo"; ln -s "$D/fifo" "$1"`, `ln -s "$D" "$1"`, `ln -s /dev/zero "$1"`,
		} {
			if (n+m)%testkit.Rounds(3, 1) != 0 {
				continue
			}
			t.Run(name+", "+script, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), hang)
				defer cancel()
				dir, top := findKind(t, "normal").build(t)
				shell(t, dir, `cd repo/.git; rm -rf "$1"; `+script, name)
				_, err := gitwork.Count(ctx, git, top)
				require.ErrorIs(t, err, gitwork.ErrUnsupported)
				requireNext(t, err)
				_, err = gitwork.Capture(ctx, git, top, t.TempDir(), gitwork.CaptureOptions{})
				require.ErrorIs(t, err, gitwork.ErrUnsupported)
				requireNext(t, err)
			})
		}
	}
}

// Gits that never end are ended, with an error that says so; nothing is left behind, and nothing was touched.
func TestGitThatDoesNotEnd(t *testing.T) {
	needGit(t)
	dir, top := findKind(t, "normal").build(t)
	before := fingerprint(t, dir)
	stuck := gitwork.Git{Path: filepath.Join(t.TempDir(), "git")}
	require.NoError(t, os.WriteFile(stuck.Path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700))
	t.Cleanup(gitwork.Limits(10*time.Millisecond, 10*time.Millisecond))
	t.Setenv("TMPDIR", t.TempDir())

	_, err := gitwork.Count(t.Context(), stuck, top)
	require.ErrorIs(t, err, gitwork.ErrEndless)
	requireNext(t, err)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)

	captured, err := gitwork.Capture(t.Context(), stuck, top, t.TempDir(), gitwork.CaptureOptions{})
	require.NoError(t, err)
	require.Equal(t, gitwork.AsFiles, captured.Objects.Form)
	require.Contains(t, captured.Objects.Why, gitwork.ErrEndless.Error())
	require.NotEmpty(t, captured.Notes)
	require.Equal(t, before, fingerprint(t, dir))
}
