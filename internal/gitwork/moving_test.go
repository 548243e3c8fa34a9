package gitwork_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
)

// at returns a progress callback that does something once, when a step begins.
func at(step string, do func()) func(gitwork.Progress) {
	var once sync.Once
	return func(p gitwork.Progress) {
		if p.Step == step {
			once.Do(do)
		}
	}
}

// steps are the steps of a capture, as it reports them.
func steps(t *testing.T, git gitwork.Git, top string) []string {
	t.Helper()
	var names []string
	_, err := gitwork.Capture(context.Background(), git, top, t.TempDir(), gitwork.CaptureOptions{Progress: func(p gitwork.Progress) {
		if len(names) == 0 || names[len(names)-1] != p.Step {
			names = append(names, p.Step)
		}
	}})
	require.NoError(t, err)
	return names
}

// Whatever changes after the first look is named, and what was read still agrees with itself and can be restored.
func TestWhatMovesIsNamed(t *testing.T) {
	git := needGit(t)
	for _, c := range []struct{ name, script, path, what string }{
		{"written", "echo more >> repo/new", "repo/new", "written"},
		{"written, time set back", "touch -r repo/new keep; printf 'other\n' > repo/new; touch -r keep repo/new", "repo/new", ""},
		{"appeared", "echo x > repo/late", "repo/late", "new"},
		{"removed", "rm repo/new", "repo/new", "removed"},
		{"replaced", "cp -p repo/new x; mv x repo/new", "repo/new", "replaced"},
		{"mode", "chmod +x repo/new", "repo/new", "mode changed"},
		{"committed", "git -C repo commit -qam late", "repo/.git/refs/heads/main", "replaced"},
		{"index", "git -C repo add new", "repo/.git/index", "replaced"},
		{"became a link", "rm repo/new; ln -s /etc/passwd repo/new", "repo/new", "replaced"},
		{"became a directory", "rm repo/new; mkdir repo/new; echo x > repo/new/x", "repo/new", "replaced"},
		{"directory vanished", "rm -r repo/d", "repo/d/c", "removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, top := findKind(t, "normal").build(t)
			out := t.TempDir()
			captured, err := gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{
				Progress: at("reading files", func() { shell(t, dir, c.script) }),
			})
			require.NoError(t, err)
			require.False(t, captured.Untouched())
			requireMoved(t, captured, filepath.Join(dir, c.path), c.what)
			_, err = gitwork.Restore(context.Background(), git, out, filepath.Join(t.TempDir(), "new"), gitwork.RestoreOptions{})
			require.NoError(t, err)
		})
	}
}

func requireMoved(t *testing.T, c *gitwork.Captured, path, what string) {
	t.Helper()
	for _, m := range c.Moved {
		if m.Path == path {
			require.True(t, what == "" || m.What == what, "%q", m.What)
			return
		}
	}
	t.Fatalf("%s is not among %v", path, c.Moved)
}

// A change at any step is noticed.
func TestChangeAtEveryStep(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	_, top := findKind(t, "normal").build(t)
	names := steps(t, git, top)
	require.Greater(t, len(names), 5)
	for _, step := range names[1:] { // during the first look there is nothing yet to compare with
		_, top := findKind(t, "normal").build(t)
		captured, err := gitwork.Capture(context.Background(), git, top, t.TempDir(), gitwork.CaptureOptions{
			Progress: at(step, func() { require.NoError(t, os.WriteFile(filepath.Join(top, "late"), nil, 0o600)) }),
		})
		require.NoError(t, err)
		requireMoved(t, captured, filepath.Join(top, "late"), "new")
	}
}

// A file that grows all the time is kept as read, once.
func TestGrowingFile(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	_, top := findKind(t, "normal").build(t)
	log, err := os.OpenFile(filepath.Join(top, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer log.Close()
	_, err = log.WriteString(strings.Repeat("line\n", 1<<18))
	require.NoError(t, err)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				fmt.Fprintln(log, "more", i)
			}
		}
	}()
	out := t.TempDir()
	captured, err := gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{})
	close(stop)
	<-stopped
	require.NoError(t, err)
	requireMoved(t, captured, log.Name(), "")
	require.NoError(t, gitwork.Verify(context.Background(), out))
	_, err = gitwork.Restore(context.Background(), git, out, filepath.Join(t.TempDir(), "new"), gitwork.RestoreOptions{})
	require.NoError(t, err)
}

var errEnough = errors.New("enough")

// A capture that is cancelled at any step ends with the cause, and has touched nothing.
func TestCancelAtEveryStep(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	dir, top := findKind(t, "normal").build(t)
	before := fingerprint(t, dir)
	names := steps(t, git, top)
	for _, step := range names[:len(names)-1] {
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := gitwork.Capture(ctx, git, top, t.TempDir(), gitwork.CaptureOptions{Progress: at(step, func() { cancel(errEnough) })})
		require.ErrorIs(t, err, errEnough, step)
		require.Equal(t, before, fingerprint(t, dir))
	}
}

// Progress only grows, and ends where it said it would.
func TestProgress(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	_, top := findKind(t, "submodulenested").build(t)
	var all []gitwork.Progress
	out := t.TempDir()
	_, err := gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{Progress: func(p gitwork.Progress) { all = append(all, p) }})
	require.NoError(t, err)
	requireProgress(t, all)
	all = nil
	_, err = gitwork.Restore(context.Background(), git, out, filepath.Join(t.TempDir(), "new"), gitwork.RestoreOptions{Progress: func(p gitwork.Progress) { all = append(all, p) }})
	require.NoError(t, err)
	requireProgress(t, all)
}

func requireProgress(t *testing.T, all []gitwork.Progress) {
	t.Helper()
	require.NotEmpty(t, all)
	for i, p := range all[1:] {
		require.GreaterOrEqual(t, p.Done, all[i].Done)
		require.GreaterOrEqual(t, p.Total, all[i].Total)
		require.LessOrEqual(t, p.Done, p.Total)
	}
	last := all[len(all)-1]
	require.Positive(t, last.Total)
	require.Equal(t, last.Total, last.Done)
}
