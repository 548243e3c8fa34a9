package gitwork_test

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
	"holdfast/internal/zst"
)

// captured returns a fresh capture of a kind of repository.
func captured(t *testing.T, git gitwork.Git, kind string) string {
	t.Helper()
	_, top := findKind(t, kind).build(t)
	out := t.TempDir()
	_, err := gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{})
	require.NoError(t, err)
	return out
}

// Evidence that was changed, cut short or made to lead elsewhere is refused, and nothing is left of the attempt.
func TestDamagedEvidence(t *testing.T) {
	git := needGit(t)
	whole := captured(t, git, "normal")
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
	}{
		{"no list", remove("git/worktree.jsonl")},
		{"no archive", remove("git/untracked.tar.zst")},
		{"no safe configuration", remove("git/config.safe")},
		{"no references", remove("git/refs.txt")},
		{"no bundle", remove("git/history.bundle")},
		{"archive cut short", cut("git/untracked.tar.zst")},
		{"bundle cut short", cut("git/history.bundle")},
		{"list cut short", cut("git/worktree.jsonl")},
		{"byte of an archive", flip("git/worktree.tar.zst")},
		{"byte of the bundle", flip("git/history.bundle")},
		{"byte of the operation", flip("git/operation.tar.zst")},
		{"byte of the index", flip("git/index")},
		{"list is a link", func(t *testing.T, dir string) {
			shell(t, dir, "mv git/worktree.jsonl x; ln -s ../x git/worktree.jsonl")
		}},
		{"path upwards", item(`"path":"new"`, `"path":"../new"`)},
		{"absolute path", item(`"path":"new"`, `"path":"/tmp/new"`)},
		{"path into .git", item(`"path":"new"`, `"path":".git/config"`)},
		{"other hash", item(`"sha256":"`, `"sha256":"0`)},
		{"other hash of a clean file", func(t *testing.T, dir string) {
			shell(t, dir, `zeros=$(printf '%064d' 0); sed -i '/"path":"d.c"/s/"sha256":"[0-9a-f]*"/"sha256":"'$zeros'"/' git/worktree.jsonl; grep -q "$zeros" git/worktree.jsonl`)
		}},
		{"a hook among the files", planted(".git/hooks/post-checkout")},
		{"a hook among the files, spelt otherwise", planted(".GIT/hooks/post-checkout")},
		{"a file outside, in list and archive", planted("../outside")},
		{"other mode", item(`"mode":"0644"`, `"mode":"junk"`)},
		{"one file more", func(t *testing.T, dir string) {
			rewrite(t, filepath.Join(dir, "git/untracked.tar.zst"), &tar.Header{Name: "extra", Typeflag: tar.TypeReg, Mode: 0o644})
		}},
		{"a hook", operation(&tar.Header{Name: "hooks/post-checkout", Typeflag: tar.TypeReg, Mode: 0o755})},
		{"a hook, spelt otherwise", operation(&tar.Header{Name: "Hooks/post-checkout", Typeflag: tar.TypeReg, Mode: 0o755})},
		{"a configuration", operation(&tar.Header{Name: "config", Typeflag: tar.TypeReg, Mode: 0o644})},
		{"another repository", operation(&tar.Header{Name: "commondir", Typeflag: tar.TypeReg, Mode: 0o644})},
		{"out of the git directory", operation(&tar.Header{Name: "../x", Typeflag: tar.TypeReg, Mode: 0o644})},
		{"a device", operation(&tar.Header{Name: "x", Typeflag: tar.TypeChar, Mode: 0o644})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			c.damage(t, dir)
			parent := t.TempDir()
			_, err := gitwork.Restore(context.Background(), git, dir, filepath.Join(parent, "new"), gitwork.RestoreOptions{Trust: true})
			require.Error(t, err)
			left, err := os.ReadDir(parent)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// Links in evidence lead nowhere outside while it is restored.
func TestLinksInEvidenceAreNotFollowed(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	dir := captured(t, git, "normal")
	victim := t.TempDir()
	operation(&tar.Header{Name: "aa", Typeflag: tar.TypeSymlink, Linkname: victim}, &tar.Header{Name: "aa/x", Typeflag: tar.TypeReg, Mode: 0o644})(t, dir)
	_, err := gitwork.Restore(context.Background(), git, dir, filepath.Join(t.TempDir(), "new"), gitwork.RestoreOptions{})
	require.Error(t, err)
	left, err := os.ReadDir(victim)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Settings that start programs do not come back even if config.safe has them; with trust, hooks and configuration do.
func TestTrust(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	dir := captured(t, git, "hooks")
	safe := filepath.Join(dir, "git/config.safe")
	f, err := os.OpenFile(safe, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("[core]\n\tfsmonitor = /evil\n[remote \"x\"]\n\turl = ext::evil\n\tvcs = evil\n[user]\n\tname = Ana\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())

	into := filepath.Join(t.TempDir(), "new")
	_, err = gitwork.Restore(context.Background(), git, dir, into, gitwork.RestoreOptions{})
	require.NoError(t, err)
	config, err := os.ReadFile(filepath.Join(into, ".git/config"))
	require.NoError(t, err)
	require.NotContains(t, string(config), "evil")
	require.NotContains(t, string(config), "hooks")
	require.Contains(t, string(config), "Ana")
	require.NoDirExists(t, filepath.Join(into, ".git/hooks"))

	trusted := filepath.Join(t.TempDir(), "new")
	_, err = gitwork.Restore(context.Background(), git, dir, trusted, gitwork.RestoreOptions{Trust: true})
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(trusted, ".git/hooks/post-checkout"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
	config, err = os.ReadFile(filepath.Join(trusted, ".git/config"))
	require.NoError(t, err)
	require.Contains(t, string(config), "hooksPath")
}

// Ignored files are counted and listed, and kept only when asked for.
func TestIgnoredFilesAreLeftOut(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	dir, top := findKind(t, "ignored").build(t)
	out := t.TempDir()
	c, err := gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{})
	require.NoError(t, err)
	require.Equal(t, 4, c.Counts.Ignored)
	require.NoFileExists(t, filepath.Join(out, "git/ignored.tar.zst"))
	list, err := os.ReadFile(filepath.Join(out, "git/ignored.txt"))
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(list), "\n"))
	into := filepath.Join(dir, "new")
	_, err = gitwork.Restore(context.Background(), git, out, into, gitwork.RestoreOptions{})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(into, "x.log"))
	require.FileExists(t, filepath.Join(into, "kept.log"))
}

// A count and a capture say of links and of what has no content what git says.
func TestWhatCountsAsUntracked(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	_, top := findKind(t, "ignored").build(t)
	shell(t, top, `git add -A; git -c user.name=a -c user.email=a@b commit -qm all; ln -s nowhere link; ln -s nowhere l.log; mkfifo pipe p.log; mkdir fresh; echo x >fresh/file`)
	names := shell(t, top, "git status --porcelain -uall --ignored")
	untracked, ignored := strings.Count(names, "?? "), strings.Count(names, "!! ")
	require.Equal(t, 2, untracked, names)
	risk, err := gitwork.Count(t.Context(), git, top)
	require.NoError(t, err)
	require.Equal(t, []int{untracked, ignored}, []int{risk.Untracked, risk.Ignored}, names)
	for _, o := range []gitwork.CaptureOptions{{}, {IncludeIgnored: true}} {
		c, err := gitwork.Capture(t.Context(), git, top, t.TempDir(), o)
		require.NoError(t, err)
		require.Equal(t, []int{untracked, ignored}, []int{c.Counts.Untracked, c.Counts.Ignored}, names)
	}
}

// The bundle is one that git itself takes.
func TestBundleCanBeCloned(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	dir := captured(t, git, "stashes")
	shell(t, dir, `git clone -q git/history.bundle clone; git -C clone log --oneline | grep -q second; git bundle list-heads git/history.bundle | grep -q refs/stash`)
}

// The counts and artefacts of a capture can be written as JSON, which is what they are for.
func TestCapturedIsJSON(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	_, top := findKind(t, "submoduledirty").build(t)
	c, err := gitwork.Capture(context.Background(), git, top, t.TempDir(), gitwork.CaptureOptions{})
	require.NoError(t, err)
	b, err := json.Marshal(c)
	require.NoError(t, err)
	var again gitwork.Captured
	require.NoError(t, json.Unmarshal(b, &again))
	require.Equal(t, *c, again)
	require.Len(t, c.Nested, 1)
	require.Equal(t, "nested/000", c.Nested[0].Dir)
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, name))) }
}

func cut(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b[:len(b)-len(b)/3], 0o600))
	}
}

func flip(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		b[len(b)/2] ^= 0x40
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
}

func item(old, new string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		name := filepath.Join(dir, "git/worktree.jsonl")
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, string(b), old)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(b), old, new, 1)), 0o600))
	}
}

// planted puts an empty file into the archive and into the list, which then agree.
func planted(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		rewrite(t, filepath.Join(dir, "git/untracked.tar.zst"), &tar.Header{Name: path, Typeflag: tar.TypeReg, Mode: 0o755})
		line, err := json.Marshal(map[string]any{"path": path, "type": "file", "mode": "0755", "mtimeNs": 1, "set": "untracked", "sha256": fmt.Sprintf("%x", sha256.Sum256(nil))})
		require.NoError(t, err)
		list, err := os.OpenFile(filepath.Join(dir, "git/worktree.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = list.Write(append(line, '\n'))
		require.NoError(t, err)
		require.NoError(t, list.Close())
	}
}

func operation(extra ...*tar.Header) func(*testing.T, string) {
	return func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "git/operation.tar.zst"), extra...) }
}

// rewrite adds entries to an archive, which is then as well-formed as before.
func rewrite(t *testing.T, name string, extra ...*tar.Header) {
	t.Helper()
	in, err := os.Open(name)
	require.NoError(t, err)
	defer in.Close()
	z, err := zst.Beside().NewReader(t.Context(), in, 1<<20)
	require.NoError(t, err)
	defer z.Close()
	out, err := os.Create(name + ".new")
	require.NoError(t, err)
	zw, err := zst.Beside().NewWriter(t.Context(), out, zst.Options{})
	require.NoError(t, err)
	from, to := tar.NewReader(z), tar.NewWriter(zw)
	for h, err := from.Next(); err != io.EOF; h, err = from.Next() {
		require.NoError(t, err)
		require.NoError(t, to.WriteHeader(h))
		_, err = io.Copy(to, from)
		require.NoError(t, err)
	}
	for _, h := range extra {
		require.NoError(t, to.WriteHeader(h))
	}
	require.NoError(t, to.Close())
	require.NoError(t, zw.Close())
	require.NoError(t, out.Close())
	require.NoError(t, os.Rename(name+".new", name))
}
