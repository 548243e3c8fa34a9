package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/internal/zst"
)

// programs are what the test binary is when it is started under another name. They stand beside each other, on the
// PATH.
var programs = map[string]func(){
	zst.Name: asStarted,
	"keeper": keep,
}

// asStarted is the program as session starts it, which gives it no environment: the race detector would hold each up.
func asStarted() {
	if os.Getenv(testkit.RaceVariable) == "" {
		self, err := os.Executable()
		if err == nil {
			err = syscall.Exec(self, os.Args, []string{testkit.RaceVariable + "=" + testkit.RaceAtOnce})
		}
		panic(err)
	}
	main()
}

func TestMain(m *testing.M) {
	if _, is := programs[filepath.Base(os.Args[0])]; !is {
		testkit.PrepareChildren()
	}
	testscript.Main(m, programs)
}

// text is n bytes that are worth compressing.
func text(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.AppendUvarint(b, random.Uint64N(1<<20))
	}
	return b[:n]
}

// filtered runs the program in this process.
func filtered(args string, stdin io.Reader) (stdout []byte, stderr string, code int) {
	var out, said bytes.Buffer
	code = run(strings.Fields(args), stdin, &out, &said)
	return out.Bytes(), said.String(), code
}

func TestFilter(t *testing.T) {
	for _, args := range []string{"pack", "pack --threads 3", "pack -level fastest --threads 1"} {
		for _, size := range []int{0, 1, 5000, 3 << 20} {
			b := text(size)
			packed, said, code := filtered(args, bytes.NewReader(b))
			require.Zero(t, code, said)
			require.Equal(t, zst.Receipt{Taken: int64(size), Given: int64(len(packed))}.String(), said)
			got, said, code := filtered("unpack", bytes.NewReader(packed))
			require.Zero(t, code, said)
			require.Equal(t, zst.Receipt{Taken: int64(len(packed)), Given: int64(size)}.String(), said)
			require.True(t, bytes.Equal(b, got))
		}
	}
}

// What the real zstd packs is unpacked, and the other way round.
func TestWithTheRealZstd(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		testkit.Skip(t, "zstd is not installed")
	}
	through := func(in []byte, args ...string) []byte {
		cmd := exec.Command("zstd", args...)
		cmd.Stdin = bytes.NewReader(in)
		out, err := cmd.Output()
		require.NoError(t, err)
		return out
	}
	b := text(1 << 20)
	packed, _, _ := filtered("pack --threads 2", bytes.NewReader(b))
	require.True(t, bytes.Equal(b, through(packed, "-dc")))
	got, said, code := filtered("unpack", bytes.NewReader(through(b, "-c")))
	require.Zero(t, code, said)
	require.True(t, bytes.Equal(b, got))
}

func TestWhatIsNotUnderstood(t *testing.T) {
	for _, args := range []string{"", "squeeze", "pack file", "pack --threads 0", "pack --threads x", "pack --level 3", "pack --fast",
		"unpack --window 0", "unpack --window -1", "unpack --window 99999999999999", "unpack file"} {
		out, said, code := filtered(args, strings.NewReader(""))
		require.Equal(t, zst.ExitUsage, code, args)
		require.Empty(t, out)
		require.Regexp(t, `^session-zstd: .+\n$`, said)
	}
	for _, args := range []string{"help", "--help", "pack -h", "unpack --help"} {
		out, said, code := filtered(args, strings.NewReader(""))
		require.Zero(t, code, args)
		require.Equal(t, usage, string(out))
		require.Empty(t, said)
	}
}

func TestDamage(t *testing.T) {
	whole, _, _ := filtered("pack", bytes.NewReader(text(300<<10)))
	flipped := bytes.Clone(whole)
	flipped[len(whole)/2] ^= 1
	var wide bytes.Buffer
	z, err := zstd.NewWriter(&wide, zstd.WithWindowSize(4<<20))
	require.NoError(t, err)
	_, err = z.Write(text(6 << 20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for name, stream := range map[string][]byte{
		"empty": nil, "text": []byte("text"), "cut": whole[:len(whole)-1], "half": whole[:len(whole)/2], "flipped": flipped,
		"followed": append(bytes.Clone(whole), "text"...), "window": wide.Bytes(),
	} {
		_, said, code := filtered("unpack --window 1048576", bytes.NewReader(stream))
		require.Equal(t, zst.ExitDamaged, code, name)
		require.Regexp(t, `^session-zstd: damaged: .+\n$`, said)
	}
	_, said, code := filtered("unpack --window 4194304", &wide)
	require.Zero(t, code, said)
}

// failing neither reads nor writes.
type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, syscall.EIO }
func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestWhatTheSystemWillNot(t *testing.T) {
	packed, _, _ := filtered("pack", bytes.NewReader(text(3<<20)))
	for args, in := range map[string]io.Reader{"pack": bytes.NewReader(text(3 << 20)), "unpack": bytes.NewReader(packed)} {
		_, said, code := filtered(args, failing{})
		require.Equal(t, zst.ExitIO, code, args)
		require.Equal(t, "session-zstd: "+syscall.EIO.Error()+"\n", said)
		var stderr bytes.Buffer
		require.Equal(t, zst.ExitIO, run([]string{args}, in, failing{}, &stderr), args)
		require.Equal(t, "session-zstd: "+syscall.ENOSPC.Error()+"\n", stderr.String())
	}
}
