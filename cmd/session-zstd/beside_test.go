package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
	"holdfast/internal/testkit"
	"holdfast/internal/zst"
)

// installed returns the program as it stands on the PATH.
func installed(t *testing.T) zst.Program {
	t.Helper()
	path, err := exec.LookPath(zst.Name)
	require.NoError(t, err)
	return zst.At(path)
}

// packedFile is a stream of b, as the program wrote it, that is open for reading.
func packedFile(t *testing.T, b []byte) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stream"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	w, err := installed(t).NewWriter(t.Context(), f, zst.Options{Level: zst.LevelDefault, Threads: 2})
	require.NoError(t, err)
	require.NoError(t, w.Plain())
	_, err = io.Copy(w, bytes.NewReader(b))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = f.Seek(0, io.SeekStart)
	require.NoError(t, err)
	return f
}

func TestStreamsThroughTheProgram(t *testing.T) {
	for _, size := range []int{0, 1, 3 << 20} {
		b := text(size)
		f := packedFile(t, b)
		r, err := installed(t).NewReader(t.Context(), f, 128<<20)
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.True(t, bytes.Equal(b, got), "%d bytes", size)
	}
}

func TestDamageFoundByTheProgram(t *testing.T) {
	f := packedFile(t, text(300<<10))
	info, err := f.Stat()
	require.NoError(t, err)
	require.NoError(t, os.Truncate(f.Name(), info.Size()-1))
	r, err := installed(t).NewReader(t.Context(), f, 128<<20)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, r)
	require.ErrorIs(t, err, zst.ErrDamaged)
	require.NoError(t, r.Close())
}

// A program that says that all is well, and gives something else than was compressed, is not believed; nor is one that
// gives without end waited for.
func TestProgramsThatGiveSomethingElse(t *testing.T) {
	for _, size := range []int{1, 3 << 20} {
		for _, lines := range []string{
			"s=$(wc -c); echo taken $s given 0 >&2",
			"s=$(wc -c); head -c 1000 /dev/zero; echo taken $s given 1000 >&2",
			"exec cat /dev/zero",
		} {
			path := filepath.Join(t.TempDir(), zst.Name)
			require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700))
			r, err := zst.At(path).NewReader(t.Context(), packedFile(t, text(size)), 128<<20)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, r)
			var failed *zst.ProgramError
			require.ErrorAs(t, err, &failed, lines)
			require.NoError(t, r.Close())
		}
	}
}

// childOf is the number of the one child of this process.
func childOf(t *testing.T) int {
	t.Helper()
	threads, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	var all []string
	for _, thread := range threads {
		b, _ := os.ReadFile(thread) // it may have ended
		all = append(all, strings.Fields(string(b))...)
	}
	if len(threads) == 0 {
		testkit.Skip(t, "/proc does not tell the children of a process")
	}
	require.Len(t, all, 1)
	pid, err := strconv.Atoi(all[0])
	require.NoError(t, err)
	return pid
}

// A program that is killed in between fails what it was at.
func TestKilledInBetween(t *testing.T) {
	w, err := installed(t).NewWriter(t.Context(), io.Discard, zst.Options{Level: zst.LevelDefault, Threads: 1})
	require.NoError(t, err)
	_, err = w.Write(text(1 << 20))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(childOf(t), syscall.SIGKILL))
	var failed *zst.ProgramError
	require.ErrorAs(t, w.Close(), &failed)
	require.ErrorContains(t, failed, "killed")

	f := packedFile(t, text(3<<20))
	r, err := installed(t).NewReader(t.Context(), f, 128<<20)
	require.NoError(t, err)
	_, err = io.ReadFull(r, make([]byte, 1<<10))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(childOf(t), syscall.SIGKILL))
	_, err = io.Copy(io.Discard, r)
	require.ErrorAs(t, err, &failed)
	require.NoError(t, r.Close())
}

// keep is a program that captures a working tree into a new directory, or restores it from there.
func keep() {
	if err := keepOrRestore(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func keepOrRestore(what, from, to string) error {
	ctx := context.Background()
	git, err := gitwork.FindGit(ctx)
	if err != nil {
		return err
	}
	if what == "restore" {
		_, err = gitwork.Restore(ctx, git, from, to, gitwork.RestoreOptions{})
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	c, err := gitwork.Capture(ctx, git, from, to, gitwork.CaptureOptions{})
	if err == nil {
		fmt.Println("compressed:", c.Plain == nil)
	}
	return err
}

// alone returns a keeper beside which no program stands.
func alone(t *testing.T, keeper string) string {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile(keeper)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keeper"), b, 0o700))
	return filepath.Join(dir, "keeper")
}

// Archives are compressed where the program stands beside, and whole where it does not. What is compressed needs it to
// be restored, and says so.
func TestArchivesWithAndWithoutTheProgram(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		testkit.Skip(t, "git is not installed")
	}
	beside, err := exec.LookPath("keeper")
	require.NoError(t, err)
	lone := alone(t, beside)
	dir := t.TempDir()
	run := func(code int, argv ...string) string {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if code == 0 {
			require.NoError(t, err, "%s", out)
		}
		require.Equal(t, code, cmd.ProcessState.ExitCode(), "%s", out)
		return string(out)
	}
	run(0, "git", "init", "-q", "tree")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tree", "untracked"), bytes.Repeat([]byte("text\n"), 100_000), 0o600))

	require.Equal(t, "compressed: true\n", run(0, beside, "capture", "tree", "small"))
	require.Equal(t, "compressed: false\n", run(0, lone, "capture", "tree", "large"))
	for captured, keeper := range map[string]string{"small": beside, "large": lone} {
		info, err := os.Stat(filepath.Join(dir, captured, "git", "untracked.tar.zst"))
		require.NoError(t, err)
		require.Equal(t, captured == "small", info.Size() < 100_000)
		run(0, keeper, "restore", captured, captured+"-restored")
		run(0, "cmp", "tree/untracked", captured+"-restored/untracked")
	}
	said := run(1, lone, "restore", "small", "small-restored-alone")
	require.Contains(t, said, ".tar.zst")
	require.Contains(t, said, filepath.Join(filepath.Dir(lone), zst.Name))
	require.NoDirExists(t, filepath.Join(dir, "small-restored-alone"))
}
