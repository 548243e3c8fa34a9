package evidence_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/admin/evidence"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

const roleVariable = "EVIDENCE_ROLE"

// TestMain makes this binary a program that takes a snapshot, and waits at every step until it is told to go on.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		take := func() error { return takeSlowly(os.Args[1], os.Args[2]) }
		if role == "large" {
			take = func() error { return takeLarge(os.Args[1]) }
		}
		if err := take(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Unsetenv("XDG_CONFIG_HOME")
	os.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	testkit.InMemory()
	os.Exit(runAlone(m))
}

// home is a directory of the tests' own.
var home string

func runAlone(m *testing.M) int {
	var err error
	if home, err = os.MkdirTemp("", "evidence-home-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	return m.Run()
}

func takeSlowly(store, out string) error {
	s, err := dirstore.Open(store, dirstore.Options{})
	if err != nil {
		return err
	}
	i, err := lease.Inspect(context.Background(), s, theKey.Digest())
	if err != nil {
		return err
	}
	answers, step := bufio.NewReader(os.Stdin), ""
	_, err = evidence.Take(context.Background(), s, i, evidence.Options{Out: out, Progress: func(p evidence.Progress) {
		if p.Step != step {
			step = p.Step
			fmt.Println(step)
			answers.ReadString('\n')
		}
	}})
	return err
}

var theKey, _ = ownership.ParseKey("web/42")

// world is a session with a store, a repository with work in it, a tracker and a transcript.
type world struct {
	t                             testing.TB
	dir                           string
	store                         *dirstore.Store
	worktree, tracker, transcript string
}

// newWorld makes a session that names everything, and has been released.
func newWorld(t testing.TB) *world {
	t.Helper()
	needTools(t, "git", "sqlite3", "tar", "zstd", "sha256sum")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, dir: dir, worktree: filepath.Join(dir, "tree"), tracker: filepath.Join(dir, "tracker.db"), transcript: filepath.Join(dir, "agent.log")}
	w.store, err = dirstore.Open(filepath.Join(dir, "store"), dirstore.Options{})
	require.NoError(t, err)
	shell(t, dir, `cp -a "$1/." .`, template(t))
	w.own(ownership.Facts{Worktree: &w.worktree, Tracker: &w.tracker, Transcript: &w.transcript})
	return w
}

var (
	templateOnce sync.Once
	templateDir  string
)

// template is a directory with the sources of a session, made once and copied for each.
func template(t testing.TB) string {
	t.Helper()
	templateOnce.Do(func() {
		dir, err := os.MkdirTemp(home, "")
		require.NoError(t, err)
		shell(t, dir, script)
		templateDir = dir
	})
	return templateDir
}

const script = `
git init -q -b main tree; cd tree
git config user.name Ana; git config user.email ana@example.org; git config core.fsync none
printf '*.log\n' > .gitignore; echo one > one; echo two > two; echo three > three; git add .; git commit -qm first
echo stashed >> one; git stash -q
echo staged >> one; git add one; echo unstaged >> one; rm two; chmod +x three
mkdir empty; echo new > untracked; ln -s untracked link; echo noise > x.log
cd ..
sqlite3 tracker.db 'PRAGMA journal_mode=wal; CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT); INSERT INTO task VALUES(1,"open")' >/dev/null
echo TASK_DONE > agent.log
`

// own acquires and releases the session once.
func (w *world) own(f ownership.Facts) {
	w.t.Helper()
	l, err := lease.Acquire(context.Background(), w.store, theKey, lease.Owner{Facts: f})
	require.NoError(w.t, err)
	require.NoError(w.t, l.Release(context.Background()))
}

func (w *world) inspect() lease.Inspection {
	w.t.Helper()
	i, err := lease.Inspect(context.Background(), w.store, theKey.Digest())
	require.NoError(w.t, err)
	return i
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) take(o evidence.Options) (*evidence.Taken, error) {
	if o.Out == "" {
		o.Out = w.path("snapshot")
	}
	return evidence.Take(context.Background(), w.store, w.inspect(), o)
}

// taken takes a snapshot that has no findings.
func (w *world) taken(o evidence.Options) *evidence.Taken {
	w.t.Helper()
	taken, err := w.take(o)
	require.NoError(w.t, err)
	require.Empty(w.t, taken.Findings)
	return taken
}

// nothingLeft proves that neither a snapshot nor a part of one is there.
func (w *world) nothingLeft() {
	w.t.Helper()
	require.NoDirExists(w.t, w.path("snapshot"))
	require.Empty(w.t, w.leftovers())
}

// leftovers are the directories in which a snapshot was being built.
func (w *world) leftovers() []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, "*"+evidence.Marker+"*"))
	require.NoError(w.t, err)
	return found
}

// differences verifies a snapshot.
func differences(t testing.TB, dir string) []evidence.Difference {
	t.Helper()
	v, err := evidence.Verify(context.Background(), dir, nil)
	require.NoError(t, err)
	return v.Differences
}

// files lists the files below a directory.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	for path, what := range scene(t, dir) {
		if !strings.HasPrefix(what, "d") {
			names = append(names, path)
		}
	}
	return names
}

// scene is everything about a directory that a snapshot must not change, by relative path.
func scene(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		var st unix.Stat_t
		require.NoError(t, unix.Lstat(path, &st))
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		found[name] = fmt.Sprint(info.Mode(), st.Ino, st.Mtim, st.Ctim, sumOf(t, path, info))
		return nil
	}))
	return found
}

func sumOf(t testing.TB, path string, info fs.FileInfo) string {
	if !info.Mode().IsRegular() {
		return ""
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// shell runs a script in a directory and returns what it printed.
func shell(t testing.TB, dir, script string, args ...string) string {
	t.Helper()
	c := exec.Command("/bin/sh", append([]string{"-euc", script, "sh"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func needTools(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			testkit.Skip(t, name+" is not installed")
		}
	}
}

func requireNext(t testing.TB, err error) {
	t.Helper()
	require.NotEmpty(t, evidence.NextStep(err, "--out"), "%v", err)
}
