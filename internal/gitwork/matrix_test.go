package gitwork_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
	"holdfast/internal/testkit"
)

// Every kind of repository: counted, captured without a change or a program started, restored to the same by the
// tool and by hand. Unless in a long run, not all of them, and of those a few by hand.
func TestEveryKind(t *testing.T) {
	git := needGit(t)
	needTools(t, "tar", "zstd")
	for n, k := range someKinds(t, 7) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			c := caseOf(t, git, k)
			before := fingerprint(t, c.dir)
			c.count(t)
			c.capture(t)
			require.Equal(t, before, fingerprint(t, c.dir), "the source was touched")
			require.Empty(t, marks(t, c.dir), "a program of the source's was started")
			c.restore(t)
			if n%testkit.Rounds(4, 1) == 0 {
				c.restoreByHand(t)
			}
			require.Empty(t, marks(t, c.dir), "a program of the source's was started")
			c.controls(t)
		})
	}
}

type matrixCase struct {
	kind
	git      gitwork.Git
	dir, top string
	out      string
	captured *gitwork.Captured
	answers  map[string]answer // of the source
	loose    map[string]string // objects of the source, by common directory
}

func caseOf(t *testing.T, git gitwork.Git, k kind) *matrixCase {
	dir, top := k.build(t)
	return &matrixCase{kind: k, git: git, dir: dir, top: top, out: t.TempDir(), answers: map[string]answer{}, loose: map[string]string{}}
}

func (c *matrixCase) count(t *testing.T) {
	risk, err := gitwork.Count(context.Background(), c.git, c.top)
	if c.want["damaged"] != "" {
		require.ErrorIs(t, err, gitwork.ErrDamaged)
		requireNext(t, err)
		return
	}
	require.NoError(t, err)
	var ops []string
	for _, o := range risk.Operations {
		ops = append(ops, string(o))
	}
	c.expect(t, map[string]int{
		"staged": risk.Staged, "unstaged": risk.Unstaged, "conflicts": risk.Conflicts, "untracked": risk.Untracked,
		"ignored": risk.Ignored, "unpushed": risk.Unpushed, "stashes": risk.Stashes, "nested": len(risk.Nested),
	})
	require.Equal(t, c.want["ops"], strings.Join(ops, ","))
	for _, pair := range strings.Split(c.want["inner"], ",") {
		if name, value, ok := strings.Cut(pair, ":"); ok {
			require.Equal(t, value, strconv.Itoa(inner(risk, name)), "inside: %s", name)
		}
	}
	lost := risk.Staged+risk.Unstaged+risk.Untracked+risk.Unpushed+risk.Stashes+len(ops) > 0
	require.Equal(t, lost || c.want["inner"] != "", risk.Any())
}

// inner adds up a number over the repositories inside.
func inner(r *gitwork.Risk, name string) (n int) {
	for _, in := range r.Nested {
		if in.Risk != nil {
			n += map[string]int{
				"staged": in.Risk.Staged, "unstaged": in.Risk.Unstaged, "untracked": in.Risk.Untracked,
				"unpushed": in.Risk.Unpushed, "stashes": in.Risk.Stashes,
			}[name] + inner(in.Risk, name)
		}
	}
	return n
}

func (c *matrixCase) expect(t *testing.T, got map[string]int) {
	t.Helper()
	for name, n := range got {
		want, _ := strconv.Atoi(c.want[name])
		require.Equal(t, want, n, "%s (%s)", name, c.why)
	}
}

func (c *matrixCase) capture(t *testing.T) {
	var err error
	c.captured, err = gitwork.Capture(context.Background(), c.git, c.top, c.out, gitwork.CaptureOptions{IncludeIgnored: true, Threads: 2})
	require.NoError(t, err)
	require.True(t, c.captured.Untouched(), "%v", c.captured.Moved)
	require.Equal(t, c.want["objects"], string(c.captured.Objects.Form), c.captured.Objects.Why)
	c.expect(t, map[string]int{"clean": c.captured.Counts.Clean, "changed": c.captured.Counts.Changed})
	require.Contains(t, fmt.Sprint(c.captured.OutOfScope), c.want["omitted"])
	require.Equal(t, c.want["notes"] != "", len(c.captured.Notes) > 0, "%s", c.captured.Notes)
	require.NoDirExists(t, filepath.Join(c.out, "scratch"))
	for _, a := range c.captured.Artefacts {
		info, err := os.Lstat(filepath.Join(c.out, a.Name))
		require.NoError(t, err)
		require.Equal(t, a.Size, info.Size(), a.Name)
	}
}

func (c *matrixCase) restore(t *testing.T) {
	into := filepath.Join(t.TempDir(), "new")
	_, err := gitwork.Restore(context.Background(), c.git, c.out, into, gitwork.RestoreOptions{})
	require.NoError(t, err)
	c.requireSame(t, into, exactly)
}

func (c *matrixCase) restoreByHand(t *testing.T) {
	into := filepath.Join(t.TempDir(), "new")
	shell(t, c.out, gitwork.HandScript, c.out, into)
	c.requireSame(t, into, byHand)
}

// asked is what git says of a repository in which nothing was lost.
var asked = [][]string{
	{"ls-files", "-s"}, {"ls-files", "-v"}, {"ls-files", "--resolve-undo"}, {"for-each-ref"}, {"stash", "list"},
	{"rev-parse", "HEAD"}, {"reflog", "show", "HEAD"},
}

// connected are all objects that references, reflogs and the index reach.
var connected = []string{"rev-list", "--objects", "--all", "--reflog", "--indexed-objects", "--no-object-names"}

func (c *matrixCase) requireSame(t *testing.T, into string, how like) {
	t.Helper()
	want := tree(t, c.top, how, c.skipped)
	require.NotEmpty(t, want)
	require.Equal(t, want, tree(t, into, how, c.skipped))
	c.requireSameGit(t, c.captured, into)
}

// requireSameGit compares what git has to say, and the files that it keeps, here and in every repository inside.
func (c *matrixCase) requireSameGit(t *testing.T, source *gitwork.Captured, into string) {
	t.Helper()
	questions := asked
	if source.Objects.Form == gitwork.AsBundle {
		questions = append(slices.Clone(asked), connected)
		c.requireLoose(t, source.Repository, into)
	}
	for _, question := range questions {
		if want := c.ask(source.Repository.Worktree, question); want.ok {
			require.Equal(t, want, ask(into, question), "git %s", question)
		}
	}
	require.Equal(t, admin(t, source.Repository), admin(t, gitwork.Repository{GitDir: filepath.Join(into, ".git"), CommonDir: filepath.Join(into, ".git")}))
	for _, n := range source.Nested {
		if n.Captured != nil {
			c.requireSameGit(t, n.Captured, filepath.Join(into, n.Path))
		}
	}
}

// ask asks the source, once.
func (c *matrixCase) ask(top string, question []string) answer {
	key := top + " " + strings.Join(question, " ")
	if _, known := c.answers[key]; !known {
		c.answers[key] = ask(top, question)
	}
	return c.answers[key]
}

// requireLoose holds that every loose object is there: what nothing names any more can be work, too.
func (c *matrixCase) requireLoose(t *testing.T, r gitwork.Repository, into string) {
	t.Helper()
	names, known := c.loose[r.CommonDir]
	if !known { // before git is asked anything in the source: it may write objects there to answer
		names = looseIn(t, r.CommonDir)
		c.loose[r.CommonDir] = names
	}
	cmd := exec.Command("git", "-C", into, "cat-file", "--batch-check")
	cmd.Stdin = strings.NewReader(names)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NotContains(t, string(out), "missing")
}

func looseIn(t *testing.T, commonDir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(commonDir, "objects", "[0-9a-f][0-9a-f]", "*"))
	require.NoError(t, err)
	var names strings.Builder
	for _, file := range files {
		fmt.Fprintf(&names, "%s%s\n", filepath.Base(filepath.Dir(file)), filepath.Base(file))
	}
	return names.String()
}

// skipped reports what a capture leaves to another session.
func (c *matrixCase) skipped(rel string) bool {
	return slices.ContainsFunc(c.captured.Nested, func(n gitwork.Nested) bool { return n.Skipped != "" && n.Path == rel })
}

// answer is what git printed, its lines sorted, and whether it succeeded.
type answer struct {
	lines []string
	ok    bool
}

func ask(top string, question []string) answer {
	out, err := exec.Command("git", append([]string{"-c", "core.fsmonitor=false", "-C", top}, question...)...).Output()
	lines := strings.Split(string(out), "\n")
	slices.Sort(lines)
	return answer{lines, err == nil}
}

// admin is what git directories hold of operations in progress, logs and references, by name.
func admin(t testing.TB, r gitwork.Repository) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range []string{
		"HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "BISECT_START",
		"BISECT_EXPECTED_REV", "BISECT_TERMS", "rebase-merge", "rebase-apply", "sequencer", "logs/HEAD", "index", "refs/bisect", "info/sparse-checkout", "lfs",
	} {
		addFiles(t, filepath.Join(r.GitDir, name), name, found)
	}
	for _, name := range []string{"packed-refs", "shallow", "info/exclude", "info/grafts", "rr-cache", "logs/refs/heads", "logs/refs/stash", "refs/heads", "refs/tags"} {
		addFiles(t, filepath.Join(r.CommonDir, name), name, found)
	}
	return found
}

func addFiles(t testing.TB, path, name string, found map[string]string) {
	t.Helper()
	filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			content, err := contentOf(p, d)
			if filepath.IsAbs(content) { // a link to elsewhere comes back as what it leads to
				info, lost := os.Stat(content)
				require.NoError(t, lost)
				content, err = contentOf(content, fs.FileInfoToDirEntry(info))
			}
			require.NoError(t, err)
			found[name+strings.TrimPrefix(p, path)] = content
		}
		return nil
	})
}

// controls proves that the marks would have been made: plain git makes them.
func (c *matrixCase) controls(t *testing.T) {
	if c.control == "" {
		return
	}
	cmd := exec.Command("/bin/sh", "-c", c.control)
	cmd.Dir = c.top
	out, _ := cmd.CombinedOutput()
	for _, name := range c.ran {
		require.FileExists(t, filepath.Join(c.dir, "ran."+name), "the control proves nothing: %s", out)
	}
}

// requireNext holds that an error tells what to do.
func requireNext(t testing.TB, err error) {
	t.Helper()
	var told *gitwork.Error
	require.ErrorAs(t, err, &told)
	require.NotEmpty(t, told.Next)
}
