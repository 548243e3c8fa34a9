package packfile_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork/packfile"
)

// looseScript leaves small, empty, large and many-block objects loose beside what is packed.
const looseScript = `git repack -qadf --depth=9; : > empty; head -c 65535 /dev/urandom > block; head -c 65536 /dev/zero > block1
head -c 3000000 /dev/urandom > large; head -c 200000 /dev/urandom > blocks; git add .; git commit -qm more; git tag -am t v2`

func looseIn(t testing.TB, dir string) (all []packfile.Loose) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
	require.NoError(t, err)
	for _, file := range files {
		name, err := hex.DecodeString(filepath.Base(filepath.Dir(file)) + filepath.Base(file))
		require.NoError(t, err)
		all = append(all, packfile.Loose{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(file) }})
	}
	require.NotEmpty(t, all)
	return all
}

func partIn(t testing.TB, f packfile.Format, dir string) *packfile.Part {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	pack, err := os.ReadFile(files[0])
	require.NoError(t, err)
	idx, err := os.ReadFile(strings.TrimSuffix(files[0], "pack") + "idx")
	require.NoError(t, err)
	x, err := packfile.ParseIndex(f, idx)
	require.NoError(t, err)
	return &packfile.Part{Span: packfile.Span{From: bytes.NewReader(pack), Size: int64(len(pack))}, Index: x}
}

// A composed pack is one to us, and to git.
func TestComposedPackIsWhole(t *testing.T) {
	for _, f := range []packfile.Format{packfile.SHA1, packfile.SHA256} {
		dir := repository(t, history+"\n"+looseScript, f.Name)
		part, all := partIn(t, f, dir), looseIn(t, dir)
		var b bytes.Buffer
		var told int64
		x, err := packfile.Compose(context.Background(), &b, f, part, all, packfile.Options{Threads: 3, Read: func(n int64) { told += n }})
		require.NoError(t, err)
		require.Equal(t, part.Index.Len()+len(all), x.Len())
		require.NotZero(t, told)
		span := packfile.Span{From: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}
		require.NoError(t, packfile.Check(context.Background(), span, x, packfile.Options{Threads: 2}))

		other := repository(t, "git init -q --object-format=$1 .", f.Name)
		c := exec.Command("git", "index-pack", "--stdin", "--strict")
		c.Dir, c.Stdin = other, bytes.NewReader(b.Bytes())
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// What is not what its name says is refused, wherever the damage is.
func TestDamagedLooseObjectIsNotComposed(t *testing.T) {
	dir := repository(t, history+"\n"+looseScript, "sha1")
	for _, l := range looseIn(t, dir) {
		for _, damage := range []func([]byte) []byte{
			func(b []byte) []byte { return nil },
			func(b []byte) []byte { return b[:1] },
			func(b []byte) []byte { return b[:len(b)/2] },
			func(b []byte) []byte { b[len(b)/3] ^= 0xff; return b },
			func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) },
		} {
			open := func() (io.ReadCloser, error) {
				file, err := l.Open()
				require.NoError(t, err)
				b, err := io.ReadAll(file)
				require.NoError(t, err)
				return io.NopCloser(bytes.NewReader(damage(b))), nil
			}
			_, err := packfile.Compose(context.Background(), io.Discard, packfile.SHA1, nil, []packfile.Loose{{Name: l.Name, Open: open}}, packfile.Options{})
			require.Error(t, err, "%x", l.Name)
		}
	}
}
