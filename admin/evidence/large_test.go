package evidence_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
	"holdfast/internal/testkit"
	"holdfast/internal/zst"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// largeVariable is the environment variable that says how many MiB the large worktree has; the tracker has half of them.
const largeVariable = "HOLDFAST_LARGE"

// mostMemory is how much a snapshot may have resident at a time, however large its sources are.
const mostMemory = 1 << 30

// largeTrees are worktrees of many files, by what git has of them.
var largeTrees = []struct{ name, script string }{
	{"cloned", `git -c core.bigFileThreshold=1 add .; git commit -qm all; for f in */f*00; do echo changed >> "$f"; done`},
	{"loose", `git add .; git commit -qm all`},
	{"untracked", `git commit -q --allow-empty -m none`},
}

// A snapshot of a large worktree and a large tracker takes bounded memory. Beside it, in turns and on the same files,
// plain tools pack them up; how many times as long the snapshot takes is told, not asserted: what else runs on a
// machine is unknown.
func TestLargeTreeAndDatabase(t *testing.T) {
	if os.Getenv(testkit.LongVariable) != "1" {
		t.Skipf("not run without %s=1: it takes minutes and gigabytes", testkit.LongVariable)
	}
	needTools(t, "git", "sqlite3", "tar", "zstd", "sha256sum", "go")
	installPacker(t)
	for _, tree := range largeTrees {
		t.Run(tree.name, func(t *testing.T) {
			dir := t.TempDir()
			growSources(t, dir, tree.script)
			var plain, ours []cost
			for range 2 {
				plain = append(plain, costOf(t, exec.Command("/bin/sh", "-euc", `cd "$1"; tar -cf - tree tracker.db | zstd -3 -T2 | sha256sum`, "sh", dir)))
				require.NoError(t, os.RemoveAll(filepath.Join(dir, "snapshot")))
				ours = append(ours, costOf(t, large(dir)))
			}
			for n := range ours {
				t.Logf("plain tools %v; snapshot %v: %.2f times the time, %.2f times the processor time, at most %d MiB",
					plain[n], ours[n], ratio(ours[n].wall, plain[n].wall), ratio(ours[n].cpu, plain[n].cpu), ours[n].memory>>20)
				require.Less(t, ours[n].memory, int64(mostMemory))
			}
			began := time.Now()
			_, err := evidence.Restore(t.Context(), filepath.Join(dir, "snapshot"), filepath.Join(dir, "new"), evidence.RestoreOptions{})
			require.NoError(t, err)
			t.Logf("verified, restored and compared again in %.1fs", time.Since(began).Seconds())
		})
	}
}

// installPacker puts the program that compresses beside this one.
func installPacker(t testing.TB) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(filepath.Dir(self), zst.Name)
	out, err := exec.Command("go", "build", "-o", path, "holdfast/cmd/"+zst.Name).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Cleanup(func() { require.NoError(t, os.Remove(path)) })
}

// large is the program that takes the snapshot.
func large(dir string) *exec.Cmd {
	c := exec.Command(os.Args[0], dir)
	c.Env = append(os.Environ(), roleVariable+"=large")
	return c
}

func takeLarge(dir string) error {
	s, err := dirstore.Open(filepath.Join(dir, "store"), dirstore.Options{})
	if err != nil {
		return err
	}
	i, err := lease.Inspect(context.Background(), s, theKey.Digest())
	if err != nil {
		return err
	}
	var step string
	began := time.Now()
	taken, err := evidence.Take(context.Background(), s, i, evidence.Options{
		Out: filepath.Join(dir, "snapshot"), Worktree: filepath.Join(dir, "tree"), Tracker: filepath.Join(dir, "tracker.db"),
		Progress: func(p evidence.Progress) {
			if p.Step != step {
				fmt.Printf("%8.2fs %s\n", time.Since(began).Seconds(), p.Step)
				step = p.Step
			}
		},
	})
	if err == nil && len(taken.Findings) > 0 {
		return fmt.Errorf("%q", taken.Findings)
	}
	return err
}

// growSources makes a worktree of files of about 40 kB, of which a quarter is noise, and a tracker.
func growSources(t testing.TB, dir, script string) {
	t.Helper()
	size := 2048
	if text := os.Getenv(largeVariable); text != "" {
		var err error
		size, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	growTree(t, filepath.Join(dir, "tree"), size<<20)
	shell(t, filepath.Join(dir, "tree"), "git init -q; git config user.name Ana; git config user.email ana@example.org; git config core.fsync none; git config gc.auto 0\n"+script)
	shell(t, dir, `sqlite3 tracker.db "PRAGMA synchronous=off; PRAGMA journal_mode=wal; CREATE TABLE task(id INTEGER PRIMARY KEY, name TEXT, note BLOB);
		CREATE INDEX byname ON task(name);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<$1) INSERT INTO task SELECT i, 'task ' || i, CASE i%4 WHEN 0 THEN randomblob(900) ELSE hex(zeroblob(450)) END FROM n"`, strconv.Itoa(size/2*1024*1024/1000))
	s, err := dirstore.Open(filepath.Join(dir, "store"), dirstore.Options{})
	require.NoError(t, err)
	l, err := lease.Acquire(t.Context(), s, theKey, lease.Owner{Facts: ownership.Facts{}})
	require.NoError(t, err)
	require.NoError(t, l.Release(t.Context()))
}

func growTree(t testing.TB, top string, bytes int) {
	t.Helper()
	const each = 40 << 10
	r := rand.NewChaCha8([32]byte{7})
	pick := rand.New(r)
	var text strings.Builder
	for text.Len() < 4<<20 {
		fmt.Fprintf(&text, "w%x ", pick.IntN(1<<pick.IntN(24)+1))
	}
	words := text.String()
	for i := range bytes / each {
		dir := filepath.Join(top, fmt.Sprintf("d%03d", i%400))
		require.NoError(t, os.MkdirAll(dir, 0o755))
		content := make([]byte, each/2+pick.IntN(each))
		if i%4 == 0 {
			r.Read(content)
		} else {
			copy(content, words[pick.IntN(len(words)/2):])
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d", i)), content, 0o644))
	}
}

// cost is what a program and those that it started took.
type cost struct {
	wall, cpu time.Duration
	memory    int64 // bytes, of the largest of them
}

func (c cost) String() string {
	return fmt.Sprintf("%.1fs (%.1fs of processor)", c.wall.Seconds(), c.cpu.Seconds())
}

func costOf(t testing.TB, c *exec.Cmd) cost {
	t.Helper()
	began := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(began)
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{took, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), usage.Maxrss << 10}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
