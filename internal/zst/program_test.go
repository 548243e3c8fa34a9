package zst_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/zst"
)

// hang bounds what ends soon unless something is broken.
const hang = 30 * time.Second

// script is a program that is not what it should be. Tests with scripts run one after another: a file that a fork in
// between has open for writing cannot be executed.
func script(t *testing.T, lines string) zst.Program { return zst.At(scriptFile(t, lines)) }

func scriptFile(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), zst.Name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700))
	return path
}

// leavesNothing holds that neither a process, running or not waited for, nor a goroutine is left at the end.
func leavesNothing(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		_, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		require.ErrorIs(t, err, unix.ECHILD)
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, hang, time.Millisecond) // one is asking
	})
}

// write writes more than any pipe holds, or what is given, and returns how that ended.
func write(t *testing.T, ctx context.Context, p zst.Program, to io.Writer) error {
	t.Helper()
	w, err := p.NewWriter(ctx, to, zst.Options{Level: zst.LevelDefault, Threads: 1})
	require.NoError(t, err)
	require.NoError(t, w.Plain())
	for range 32 {
		if _, err := w.Write(content(64 << 10)); err != nil {
			w.GiveUp()
			return err
		}
	}
	return w.Close()
}

// broken are programs that end without having done their work.
var broken = map[string]string{
	"fails":                       "cat >/dev/null; echo no room for it >&2; exit 3",
	"fails at once":               "exit 3",
	"dies":                        "head -c 100000 >/dev/null; kill -9 $$",
	"writes garbage":              "cat >/dev/null; echo garbage",
	"writes half":                 "head -c 100000",
	"takes half and lies":         "head -c 100000; echo taken 2097152 given 2097152 >&2",
	"gives all and says nothing":  "cat",
	"gives all and says too much": "cat; echo taken 2097152 given 2097152 >&2; echo >&2",
	"says too little":             "cat; echo taken 2097151 given 2097152 >&2",
	"says much":                   "cat >/dev/null; yes no room | head -c 3000000 >&2; exit 3",
	"leaves a process behind":     "sleep 0.2 & exit 3",
	"reads in another process":    "sleep 0.2; true",
}

// still are programs that do not end.
var still = map[string]string{
	"closes its files and lives": "exec <&- >&- 2>&-; exec sleep 300",
	"never reads":                "exec sleep 300",
	"never ends":                 "cat >/dev/null; exec sleep 300",
}

func TestBrokenProgramsFailAStream(t *testing.T) {
	try := func(programs map[string]string, patience time.Duration) {
		for name, lines := range programs {
			t.Run(name, func(t *testing.T) {
				leavesNothing(t)
				defer zst.Limits(patience, 10*time.Millisecond)()
				err := write(t, t.Context(), script(t, lines), io.Discard)
				var failed *zst.ProgramError
				require.ErrorAs(t, err, &failed)
				require.Less(t, len(failed.Said), 2000)
			})
		}
	}
	try(broken, hang)
	try(still, 100*time.Millisecond)
}

// What a program says that it did is all that is believed of it.
func TestAnHonestProgram(t *testing.T) {
	leavesNothing(t)
	var to bytes.Buffer
	require.NoError(t, write(t, t.Context(), script(t, "cat; echo taken 2097152 given 2097152 >&2"), &to))
	require.Equal(t, 32*64<<10, to.Len())
}

// A program is given what it needs and nothing else.
func TestSurroundings(t *testing.T) {
	leavesNothing(t)
	t.Setenv("SESSION_OPERATION_ID", "secret")
	path := scriptFile(t, `pwd >&2; ls -m /proc/self/fd >&2; echo "$@" id=$SESSION_OPERATION_ID home=$HOME >&2; exit 3`)
	err := write(t, t.Context(), zst.At(path), io.Discard)
	var failed *zst.ProgramError
	require.ErrorAs(t, err, &failed)
	require.Contains(t, failed.Said, "\npack --level default --threads 1 id= home=")

	var bare strings.Builder // has what was open before this process began, which is nobody's here
	cmd := exec.Command(path, "pack", "--level", "default", "--threads", "1")
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = []string{}, "/", strings.NewReader(""), &bytes.Buffer{}, &bare
	require.Error(t, cmd.Run())
	require.Equal(t, strings.TrimSpace(bare.String()), failed.Said)
}

// What was begun without a program is whole without it.
func TestProgramsThatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"missing":        func(string) error { return nil },
		"not executable": func(path string) error { return os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600) },
		"wrong format":   func(path string) error { return os.WriteFile(path, []byte("\x00garbage"), 0o700) },
		"no interpreter": func(path string) error { return os.WriteFile(path, []byte("#!/nowhere/sh\n"), 0o700) },
		"directory":      func(path string) error { return os.Mkdir(path, 0o700) },
		"link to itself": func(path string) error { return os.Symlink(path, path) },
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			path := filepath.Join(dir, name)
			require.NoError(t, make(path))
			var stream bytes.Buffer
			w, err := zst.At(path).NewWriter(t.Context(), &stream, zst.Options{})
			require.NoError(t, err)
			var failed *zst.ProgramError
			require.ErrorAs(t, w.Plain(), &failed)
			_, err = w.Write([]byte("text"))
			require.NoError(t, err)
			require.NoError(t, w.Close())
			got, err := read(t, nowhere, stream.Bytes())
			require.NoError(t, err)
			require.Equal(t, "text", string(got))
			_, err = read(t, zst.At(path), []byte("something else"))
			require.ErrorAs(t, err, &failed)
		})
	}
}

// Whoever is told to stop does, whatever the program is at, and says why.
func TestCancelledWriting(t *testing.T) {
	for name, lines := range map[string]string{
		"never reads": "exec sleep 300", "reads": "exec cat >/dev/null", "never ends": "cat >/dev/null; exec sleep 300", "in another process": "sleep 0.2; true",
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			defer zst.Limits(hang, 10*time.Millisecond)()
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(enough) })
			p := script(t, lines)
			for {
				w, err := p.NewWriter(ctx, io.Discard, zst.Options{})
				if err != nil {
					require.ErrorIs(t, err, enough)
					return
				}
				for err == nil && ctx.Err() == nil {
					_, err = w.Write(content(64 << 10))
				}
				if err == nil {
					err = w.Close()
				}
				w.GiveUp()
				require.ErrorIs(t, err, enough)
			}
		})
	}
}

// Nobody waits for a process that a program left behind, although that keeps the pipes open.
func TestProcessesThatStayBehind(t *testing.T) {
	leavesNothing(t)
	defer zst.Limits(hang, 10*time.Millisecond)()
	path := scriptFile(t, `exec 3<&0; sleep 300 <&3 & echo $! >"$0.new"; mv "$0.new" "$0.pid"; wait`)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	w, err := zst.At(path).NewWriter(ctx, io.Discard, zst.Options{})
	require.NoError(t, err)
	left := make(chan int, 1)
	go func() { left <- started(path + ".pid"); cancel(enough) }()
	for err == nil {
		_, err = w.Write(content(64 << 10))
	}
	require.ErrorIs(t, err, enough)
	pid := <-left
	require.Greater(t, pid, 1, "it was never started")
	require.NoError(t, unix.Kill(pid, 0), "it was waited for")
	require.NoError(t, unix.Kill(pid, unix.SIGKILL))
}

// started returns the number in a file, once that is there; 0 if it does not come.
func started(file string) int {
	for deadline := time.Now().Add(hang); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if b, err := os.ReadFile(file); err == nil {
			pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
			return pid
		}
	}
	return 0
}

// full is a disk without room for more than some bytes.
type full struct{ room int }

var errFull = &os.PathError{Op: "write", Path: "artefact", Err: unix.ENOSPC}

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// A full disk is told as one, not as the end of a program that it stopped.
func TestNoRoomForTheStream(t *testing.T) {
	for name, lines := range map[string]string{"at once": "cat", "at the end": "cat >/dev/null; head -c 100000 /dev/zero"} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			require.ErrorIs(t, write(t, t.Context(), script(t, lines), &full{50_000}), unix.ENOSPC)
		})
	}
	_, err := nowhere.NewWriter(t.Context(), &full{1}, zst.Options{})
	require.ErrorIs(t, err, unix.ENOSPC)
	w, err := nowhere.NewWriter(t.Context(), &full{100}, zst.Options{})
	require.NoError(t, err)
	_, err = w.Write(content(100))
	require.NoError(t, err)
	require.ErrorIs(t, w.Close(), unix.ENOSPC)
}

// Where the system has no more descriptors, a stream is plain.
func TestNoDescriptors(t *testing.T) {
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	var was unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	none := was
	none.Cur = 0
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	w, err := zst.At(sh).NewWriter(t.Context(), io.Discard, zst.Options{})
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &was))
	require.NoError(t, err)
	require.ErrorIs(t, w.Plain(), unix.EMFILE)
	require.NoError(t, w.Close())
}
