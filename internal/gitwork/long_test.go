package gitwork_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/gitwork"
)

// longVariable, set to 1, runs the tests that need minutes and gigabytes.
const longVariable = "HOLDFAST_LONG"

func needLong(t testing.TB) {
	t.Helper()
	if os.Getenv(longVariable) != "1" {
		t.Skipf("not run without %s=1: it takes minutes and gigabytes", longVariable)
	}
	needTools(t, "tar", "zstd", "sha256sum")
}

const (
	largeBytes = 2 << 30
	largeFiles = 50_000
)

// A large tree costs no more than twice what packing it up with plain tools costs, in bounded memory. The factor is
// reported; what is asserted is processor time, well beyond the goal, for what else runs on the machine is unknown.
func TestLargeTree(t *testing.T) {
	needLong(t)
	git := needGit(t)
	for _, c := range []struct{ name, script string }{
		{"loose", "git init -q; git add .; git commit -qm all"},
		{"packed", "git init -q; git add .; git commit -qm all; git -c core.compression=1 -c pack.window=0 gc -q"},
		{"untracked", "git init -q; git commit -q --allow-empty -m none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := filepath.Join(t.TempDir(), "tree")
			grow(t, top, largeBytes, largeFiles)
			shell(t, top, c.script)
			plain := measure(func() { shell(t, top, "tar -cf - . | zstd -3 -T2 | sha256sum") })
			out := t.TempDir()
			var last gitwork.Progress
			var captured *gitwork.Captured
			ours := measure(func() {
				var err error
				captured, err = gitwork.Capture(context.Background(), git, top, out, gitwork.CaptureOptions{Progress: func(p gitwork.Progress) { last = p }})
				require.NoError(t, err)
			})
			require.Equal(t, last.Total, last.Done)
			t.Logf("capture %v, plain tools %v: factor %.2f in time, %.2f in processor time", ours, plain, ratio(ours.wall, plain.wall), ratio(ours.cpu, plain.cpu))
			t.Logf("%+v, objects %+v, evidence %s", captured.Counts, captured.Objects, strings.TrimSpace(shell(t, out, "du -sh .")))
			restored := measure(func() {
				_, err := gitwork.Restore(context.Background(), git, out, filepath.Join(t.TempDir(), "new"), gitwork.RestoreOptions{})
				require.NoError(t, err)
			})
			t.Logf("restore %v; peak resident: this process %d MiB, git %d MiB", restored, peak(unix.RUSAGE_SELF), peak(unix.RUSAGE_CHILDREN))
			require.Less(t, ratio(ours.cpu, plain.cpu), 4.0)
			require.Less(t, peak(unix.RUSAGE_SELF), int64(1<<10))
		})
	}
}

// cost is what something took: time, and processor time of this process and its children.
type cost struct{ wall, cpu time.Duration }

func (c cost) String() string {
	return fmt.Sprintf("%.1fs (%.1fs of processor)", c.wall.Seconds(), c.cpu.Seconds())
}

func measure(do func()) cost {
	start, before := time.Now(), processorTime()
	do()
	return cost{time.Since(start), processorTime() - before}
}

func processorTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// peak returns the largest resident size so far in MiB; the kernel counts in KiB.
func peak(who int) int64 {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return 0
	}
	return u.Maxrss >> 10
}

// grow fills a directory with files, three quarters of them text and one quarter noise, and one large file.
func grow(t testing.TB, top string, bytes, files int) {
	t.Helper()
	r := rand.NewChaCha8([32]byte{7})
	pick := rand.New(r)
	var text strings.Builder
	for text.Len() < 4<<20 {
		fmt.Fprintf(&text, "w%x ", pick.IntN(1<<pick.IntN(24)+1))
	}
	words, size := text.String(), bytes/files
	for i := range files {
		dir := filepath.Join(top, fmt.Sprintf("d%03d", i%400))
		require.NoError(t, os.MkdirAll(dir, 0o755))
		content := make([]byte, size/2+pick.IntN(size))
		if i%4 == 0 {
			r.Read(content)
		} else {
			copy(content, words[pick.IntN(len(words)/2):])
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), content, 0o644))
	}
}
