//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/supervise"
)

func TestTranscriptOffATerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "transcript")
	require.NoError(t, os.WriteFile(path, []byte("an older and longer transcript"), 0o640))
	w := run(t, spec{Argv: sh("echo out; echo err >&2; [ -t 1 ] || exit 4"), Transcript: path})
	require.Equal(t, 4, w.wait())
	require.Equal(t, "out\n", w.stdout())
	require.Equal(t, "err\n", w.stderr())
	require.ElementsMatch(t, []string{"out", "err"}, strings.Fields(slurp(t, path)))
}

// Package os would make both ends of its pipes non-blocking.
func TestCommandGetsBlockingPipes(t *testing.T) {
	const nonblocking = 0o4000
	w := run(t, spec{Argv: sh("grep ^flags /proc/$$/fdinfo/1 /proc/$$/fdinfo/2"), Transcript: filepath.Join(t.TempDir(), "transcript")})
	require.Zero(t, w.wait())
	require.Len(t, strings.Fields(w.stdout()), 4)
	for i, field := range strings.Fields(w.stdout()) {
		if i%2 == 1 {
			flags, err := strconv.ParseUint(field, 8, 64)
			require.NoError(t, err)
			require.Zero(t, flags&nonblocking)
		}
	}
}

func TestTranscriptIsPrivateWhateverTheUmask(t *testing.T) {
	for _, umask := range []string{"000", "777"} {
		path := filepath.Join(t.TempDir(), "transcript")
		w := through(t, "umask "+umask+`; exec "$@"`, spec{Argv: []string{"true"}, Transcript: path})
		w.start().wait()
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
}

func TestTranscriptIsDrainedOfDaemons(t *testing.T) {
	path, release := filepath.Join(t.TempDir(), "transcript"), fifo(t)
	w := run(t, spec{Argv: sh(`setsid sh -c 'read x <$0; seq 1 100000' $1 & exit 0`, release), Transcript: path})
	open(t, release)
	require.Zero(t, w.wait())
	require.True(t, strings.HasSuffix(slurp(t, path), "\n100000\n"))
	require.Equal(t, slurp(t, path), w.stdout())
}

func TestTranscriptOfAStrandedRunKeepsWhatWasWritten(t *testing.T) {
	path, pid := filepath.Join(t.TempDir(), "transcript"), filepath.Join(t.TempDir(), "pid")
	w := run(t, spec{
		Argv:   sh(`setsid sh -c 'echo daemon; echo $$ >$0; exec sleep 300' $1 & until [ -s $1 ]; do sleep 0.01; done`, pid),
		Linger: supervise.Strand, Transcript: path,
	})
	require.Equal(t, strandedCode, w.wait())
	pidIn(t, pid)
	require.Equal(t, "daemon\n", slurp(t, path))
}

func TestUnsuitableTranscriptIsRefusedBeforeTheStart(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	require.NoError(t, os.WriteFile(target, []byte("precious"), 0o600))
	require.NoError(t, os.Symlink(target, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "absent"), filepath.Join(dir, "dangling")))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	read := filepath.Join(dir, "readfifo")
	require.NoError(t, unix.Mkfifo(read, 0o600))
	reader, err := os.OpenFile(read, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer reader.Close()
	for _, name := range []string{"link", "dangling", "fifo", "readfifo", ".", "nowhere/file"} {
		mark := filepath.Join(dir, "ran")
		w := run(t, spec{Argv: []string{"touch", mark}, Transcript: filepath.Join(dir, name)})
		require.Equal(t, 1, w.wait(), name)
		require.Contains(t, w.report().Err, "transcript")
		require.NoFileExists(t, mark)
	}
	require.Equal(t, "precious", slurp(t, target))
	require.NoFileExists(t, filepath.Join(dir, "absent"))
}

func TestFullTranscriptDoesNotDisturbTheCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "transcript")
	w := through(t, `ulimit -f 1; exec "$@"`, spec{Argv: []string{"seq", "1", "99999"}, Transcript: path})
	// The report is small enough; the wrapper's stdout is a pipe, which has no limit.
	r, wr, err := os.Pipe()
	require.NoError(t, err)
	w.cmd.Stdout = wr
	w.start()
	require.NoError(t, wr.Close())
	var tail [7]byte
	buffer := make([]byte, 4096)
	for {
		n, err := r.Read(buffer)
		if err != nil {
			break
		}
		copy(tail[:], append(tail[:], buffer[:n]...)[n:])
	}
	w.wait()
	require.Equal(t, "\n99999\n", string(tail[:]))
	require.NotEmpty(t, w.report().TranscriptErr)
}
