package zst_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/internal/zst"
)

// nowhere is a program that is not installed.
var nowhere = zst.At("/nowhere/session-zstd")

// content is n bytes, no two pieces of which are the same.
func content(n int) []byte {
	b := make([]byte, 0, n+4)
	for i := uint32(0); len(b) < n; i++ {
		b = binary.BigEndian.AppendUint32(b, i*2654435761)
	}
	return b[:n]
}

// plain returns the plain stream of b, written in pieces of that many bytes.
func plain(t testing.TB, b []byte, pieces int) []byte {
	t.Helper()
	var stream bytes.Buffer
	w, err := nowhere.NewWriter(t.Context(), &stream, zst.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, w.Plain(), os.ErrNotExist)
	for piece := range slices.Chunk(b, pieces) {
		n, err := w.Write(piece)
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
	}
	require.NoError(t, w.Close())
	return stream.Bytes()
}

// file puts a stream into a file that is open for reading.
func file(t *testing.T, stream []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stream")
	require.NoError(t, os.WriteFile(path, stream, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// read returns all of a stream, or why there is not all of it.
func read(t *testing.T, p zst.Program, stream []byte) ([]byte, error) {
	t.Helper()
	r, err := p.NewReader(t.Context(), file(t, stream), 1<<20)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	require.NoError(t, r.Close())
	return b, err
}

// around are sizes on both sides of every limit of a plain stream.
var around = []int{0, 1, 31, 32, 33, 128<<10 - 1, 128 << 10, 128<<10 + 1, 300 << 10}

func TestPlainStreams(t *testing.T) {
	for _, size := range around {
		for _, pieces := range []int{size + 1, 128 << 10, 777} {
			b := content(size)
			got, err := read(t, nowhere, plain(t, b, pieces))
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, got), "%d bytes in pieces of %d", size, pieces)
		}
	}
}

// Every zstd reads a plain stream and finds its checksum right.
func TestPlainStreamsAreZstandard(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		testkit.Skip(t, "zstd is not installed")
	}
	for _, size := range around {
		b := content(size)
		cmd := exec.Command("zstd", "-dc")
		cmd.Stdin = bytes.NewReader(plain(t, b, 1000))
		got, err := cmd.Output()
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, got), "%d bytes", size)
	}
}

// No byte of a plain stream can be changed, be missing or be too much.
func TestDamagedPlainStreams(t *testing.T) {
	whole := plain(t, content(100), 7)
	for at := range whole {
		_, err := read(t, nowhere, whole[:at])
		require.ErrorIs(t, err, zst.ErrDamaged, "cut at %d", at)
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x04
		_, err = read(t, nowhere, flipped)
		if at < len(zst.Mark) { // it is another's then
			require.ErrorIs(t, err, os.ErrNotExist)
		} else {
			require.ErrorIs(t, err, zst.ErrDamaged, "flipped at %d", at)
		}
	}
	_, err := read(t, nowhere, append(bytes.Clone(whole), 0))
	require.ErrorIs(t, err, zst.ErrDamaged)
	_, err = read(t, nowhere, append(bytes.Clone(whole), whole...))
	require.ErrorIs(t, err, zst.ErrDamaged)
}

// Blocks that a plain stream never has are refused before their content is read.
func TestForeignBlocks(t *testing.T) {
	begin := plain(t, nil, 1)[:len(zst.Mark)+6]
	for name, head := range map[string]uint32{
		"run":        1<<1 | 5<<3 | 1,
		"compressed": 2<<1 | 5<<3 | 1,
		"reserved":   3<<1 | 5<<3 | 1,
		"too large":  (128<<10+1)<<3 | 1,
		"empty":      0,
		"not full":   5 << 3,
	} {
		stream := binary.LittleEndian.AppendUint32(bytes.Clone(begin), head)[:len(begin)+3]
		_, err := read(t, nowhere, append(stream, content(200<<10)...))
		require.ErrorIs(t, err, zst.ErrDamaged, name)
		require.ErrorContains(t, err, "block", name)
	}
}

// An empty block ends nothing but what is empty, which would have a second encoding otherwise.
func TestEmptyLastBlock(t *testing.T) {
	whole := plain(t, content(128<<10), 1000)
	at := len(zst.Mark) + 6
	end := len(whole) - 4
	more := slices.Concat(whole[:at], []byte{whole[at] &^ 1}, whole[at+1:end], []byte{1, 0, 0}, whole[end:])
	_, err := read(t, nowhere, more)
	require.ErrorIs(t, err, zst.ErrDamaged)
}

// Content has one plain stream: what is read is what would be written.
func FuzzPlain(f *testing.F) {
	for _, size := range []int{0, 1, 33, 128<<10 + 1} {
		f.Add(plain(f, content(size), size+1))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		b, err := zst.ReadPlain(stream)
		if err != nil {
			require.ErrorIs(t, err, zst.ErrDamaged)
			return
		}
		require.True(t, bytes.Equal(stream, plain(t, b, len(b)+1)))
	})
}
