package gitwork_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
)

// What a record can name instead of a working tree: each a typed error with the next step, from every function that
// takes one, and nothing is made.
func TestNotAWorkingTree(t *testing.T) {
	git := needGit(t)
	for _, c := range []struct {
		name, script string
		kind         error
	}{
		{"plain directory", "mkdir top", gitwork.ErrNotRepository},
		{"missing", "", gitwork.ErrNotRepository},
		{"file", "echo x > top", gitwork.ErrNotRepository},
		{"dangling link", "ln -s nowhere top", gitwork.ErrNotRepository},
		{"below a repository", "git init -q .; mkdir top", gitwork.ErrNotRepository},
		{"bare", "git init -q --bare top", gitwork.ErrNotRepository},
		{"empty .git", "mkdir -p top/.git", gitwork.ErrNotRepository},
		{"no objects", "git init -q top; rm -r top/.git/objects", gitwork.ErrNotRepository},
		{"gitfile to nowhere", "mkdir top; echo 'gitdir: /nonexistent/x' > top/.git", gitwork.ErrNotRepository},
		{"gitfile to a foreign directory", "mkdir top; echo 'gitdir: /etc' > top/.git", gitwork.ErrNotRepository},
		{"gitfile without a word", "mkdir top; echo '--upload-pack=x' > top/.git", gitwork.ErrNotRepository},
		{"huge gitfile", "mkdir top; head -c 1000000 /dev/zero > top/.git", gitwork.ErrNotRepository},
		{".git is a FIFO", "mkdir top; mkfifo top/.git", gitwork.ErrNotRepository},
		{"worktree whose repository is gone", "git init -q r; git -C r commit -q --allow-empty -m x; git -C r worktree add -q ../top; rm -r r", gitwork.ErrNotRepository},
		{"reftable", "git init -q top; mkdir top/.git/reftable", gitwork.ErrUnsupported},
		{"reftable by configuration", "git init -q top; git -C top config extensions.refStorage reftable", gitwork.ErrUnsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			shell(t, dir, c.script)
			before := fingerprint(t, dir)
			_, err := gitwork.Count(context.Background(), git, filepath.Join(dir, "top"))
			require.ErrorIs(t, err, c.kind)
			requireNext(t, err)
			_, err = gitwork.Capture(context.Background(), git, filepath.Join(dir, "top"), t.TempDir(), gitwork.CaptureOptions{})
			require.ErrorIs(t, err, c.kind)
			require.Equal(t, before, fingerprint(t, dir))
		})
	}
}

func TestGitIsMissing(t *testing.T) {
	t.Setenv("PATH", ".:"+t.TempDir())
	_, err := gitwork.FindGit(context.Background())
	require.ErrorIs(t, err, gitwork.ErrNoGit)
	requireNext(t, err)
}

// A git that lies in the current directory, or is no program, is not run.
func TestGitIsFoundByAbsolutePathOnly(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("sub", 0o755))
	shell(t, dir, `for d in . sub; do printf '#!/bin/sh\n: > "$D/ran.git"\n' > $d/git; chmod +x $d/git; done; mkdir other; echo x > other/git`)
	t.Setenv("PATH", ".:sub:"+filepath.Join(dir, "other"))
	_, err := gitwork.FindGit(context.Background())
	require.ErrorIs(t, err, gitwork.ErrNoGit)
	require.Empty(t, marks(t, dir))
}

// Names that look like options are only names.
func TestTopThatLooksLikeAnOption(t *testing.T) {
	git := needGit(t)
	dir := t.TempDir()
	shell(t, dir, `git init -q -- ./--exec=x; echo x > ./--exec=x/-f`)
	t.Chdir(dir)
	risk, err := gitwork.Count(context.Background(), git, "--exec=x")
	require.NoError(t, err)
	require.Equal(t, 1, risk.Untracked)
	out := t.TempDir()
	_, err = gitwork.Capture(context.Background(), git, "--exec=x", out, gitwork.CaptureOptions{})
	require.NoError(t, err)
	_, err = gitwork.Restore(context.Background(), git, out, "-new", gitwork.RestoreOptions{})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "-new", "-f"))
}

// The caller's environment does not reach git, and the evidence lies outside what it is of.
func TestEnvironmentDoesNotReachGit(t *testing.T) {
	git := needGit(t)
	k := findKind(t, "normal")
	dir, top := k.build(t)
	shell(t, dir, `printf '#!/bin/sh\n: > "$D/ran.env"\n' > evil; chmod +x evil`)
	for name, value := range map[string]string{
		"GIT_DIR": "/nonexistent", "GIT_INDEX_FILE": "/nonexistent", "GIT_OBJECT_DIRECTORY": "/nonexistent", "GIT_EXTERNAL_DIFF": filepath.Join(dir, "evil"),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": filepath.Join(dir, "evil"), "GIT_TRACE": filepath.Join(dir, "trace"),
	} {
		t.Setenv(name, value)
	}
	risk, err := gitwork.Count(context.Background(), git, top)
	require.NoError(t, err)
	require.Equal(t, 1, risk.Staged)
	_, err = gitwork.Capture(context.Background(), git, top, t.TempDir(), gitwork.CaptureOptions{})
	require.NoError(t, err)
	require.Empty(t, marks(t, dir))
	require.NoFileExists(t, filepath.Join(dir, "trace"))
}

func TestTargetInUse(t *testing.T) {
	git := needGit(t)
	_, top := findKind(t, "normal").build(t)
	inside := filepath.Join(top, "evidence")
	require.NoError(t, os.Mkdir(inside, 0o700))
	_, err := gitwork.Capture(context.Background(), git, top, inside, gitwork.CaptureOptions{})
	require.ErrorIs(t, err, gitwork.ErrTargetInUse)
	requireNext(t, err)
	out := t.TempDir()
	_, err = gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{})
	require.NoError(t, err)
	_, err = gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{})
	require.ErrorIs(t, err, gitwork.ErrTargetInUse)

	into := t.TempDir()
	shell(t, into, "echo x > mine")
	_, err = gitwork.Restore(context.Background(), git, out, into, gitwork.RestoreOptions{})
	require.ErrorIs(t, err, gitwork.ErrTargetInUse)
	requireNext(t, err)
	require.FileExists(t, filepath.Join(into, "mine"))
	_, err = gitwork.Restore(context.Background(), git, out, t.TempDir(), gitwork.RestoreOptions{})
	require.NoError(t, err, "an empty directory is as good as a new one")
}

func findKind(t testing.TB, name string) kind {
	t.Helper()
	for _, k := range readKinds(t) {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("no kind %q", name)
	return kind{}
}
