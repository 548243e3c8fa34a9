package packfile_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork/packfile"
	"holdfast/internal/testkit"
)

// history makes a repository with deltas of several generations, a tag and an executable in a directory.
const history = `git init -q -b main --object-format=$1 .; mkdir d
for i in 1 2 3; do
	for n in a b c d e f g h i j k l m n o p q r s t; do echo "line $n of a file that is worth a delta against another one"; done > f
	echo "version $i" >> f; cp f d/g; echo "$i" > "d/s$i"; chmod +x "d/s$i"
	git add .; git commit -qm "$i"
done
git tag -a -m tag v1`

// git runs a script in a fresh directory and returns the directory.
func repository(t testing.TB, script string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		testkit.Skip(t, "git is not installed")
	}
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", append([]string{"-euc", script, "sh"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// packed is a pack with its index, in memory.
type packed struct {
	format      packfile.Format
	pack, index []byte
}

// packOf packs a repository with one more script, which leaves p-*.pack and p-*.idx.
func packOf(t testing.TB, f packfile.Format, script string) packed {
	t.Helper()
	dir := repository(t, history+"\n"+script, f.Name)
	names, err := filepath.Glob(filepath.Join(dir, "p-*.pack"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	pack, err := os.ReadFile(names[0])
	require.NoError(t, err)
	index, err := os.ReadFile(strings.TrimSuffix(names[0], ".pack") + ".idx")
	require.NoError(t, err)
	return packed{f, pack, index}
}

const everything = "git repack -qadf --depth=10; printf 'main\nv1\n' | git pack-objects --revs -q p >/dev/null"

func (p packed) check(o packfile.Options) error {
	x, err := packfile.ParseIndex(p.format, p.index)
	if err != nil {
		return err
	}
	o.Threads = max(1, o.Threads)
	return packfile.Check(context.Background(), packfile.Span{From: bytes.NewReader(p.pack), Size: int64(len(p.pack))}, x, o)
}

func TestWholePack(t *testing.T) {
	for _, f := range []packfile.Format{packfile.SHA1, packfile.SHA256} {
		for name, script := range map[string]string{
			"offset deltas": strings.Replace(everything, "--revs", "--revs --delta-base-offset", 1),
			"named deltas":  everything,
			"no deltas":     strings.Replace(everything, "-qadf", "-qadf --window=0", 1),
		} {
			t.Run(f.Name+" "+name, func(t *testing.T) {
				p := packOf(t, f, script)
				var read atomic.Int64
				require.NoError(t, p.check(packfile.Options{Threads: 3, Read: func(n int64) { read.Add(n) }}))
				require.Equal(t, int64(len(p.pack)-12-f.Size), read.Load(), "every byte is read once")
			})
		}
	}
}

// A pack need not begin where its file does.
func TestPackInsideAFile(t *testing.T) {
	p := packOf(t, packfile.SHA1, everything)
	x, err := packfile.ParseIndex(p.format, p.index)
	require.NoError(t, err)
	file := append([]byte("# v2 git bundle\n\n"), p.pack...)
	span := packfile.Span{From: bytes.NewReader(file), At: 17, Size: int64(len(p.pack))}
	require.NoError(t, packfile.Check(context.Background(), span, x, packfile.Options{Threads: 1}))
}

// Whichever byte of a pack is damaged, it is noticed.
func TestEveryDamagedByte(t *testing.T) {
	p := packOf(t, packfile.SHA1, everything)
	for i := range p.pack {
		damaged := p
		damaged.pack = bytes.Clone(p.pack)
		damaged.pack[i] ^= 1 << (i % 8)
		require.ErrorIs(t, damaged.check(packfile.Options{}), packfile.ErrCorrupt, "byte %d of %d", i, len(p.pack))
	}
}

func TestEveryDamagedByteOfAnIndex(t *testing.T) {
	p := packOf(t, packfile.SHA1, everything)
	for i := range p.index {
		damaged := p
		damaged.index = bytes.Clone(p.index)
		damaged.index[i] ^= 1 << (i % 8)
		require.ErrorIs(t, damaged.check(packfile.Options{}), packfile.ErrCorrupt, "byte %d", i)
	}
}

func TestCutShort(t *testing.T) {
	p := packOf(t, packfile.SHA1, everything)
	for n := range len(p.pack) {
		damaged := p
		damaged.pack = p.pack[:n]
		require.ErrorIs(t, damaged.check(packfile.Options{}), packfile.ErrCorrupt, "%d bytes", n)
	}
}

// A pack from which an object is missing that another names is not whole, whatever kind of object names it.
func TestMissingReference(t *testing.T) {
	for name, left := range map[string]string{
		"blob of a tree": "HEAD:d/s1", "tree of a commit": "HEAD^{tree}", "tree of a tree": "HEAD:d",
		"parent of a commit": "HEAD^", "commit of a tag": "HEAD",
	} {
		t.Run(name, func(t *testing.T) {
			p := packOf(t, packfile.SHA1, `git rev-list --objects --no-object-names main v1 > all; git rev-parse v1 >> all; sort -u all | grep -v "$(git rev-parse `+left+`)" | git pack-objects -q p >/dev/null`)
			require.ErrorIs(t, p.check(packfile.Options{}), packfile.ErrCorrupt)
		})
	}
}

// Beyond a shallow boundary nothing is missing, and commits of submodules never are.
func TestShallowAndGitlinks(t *testing.T) {
	p := packOf(t, packfile.SHA1, `git update-index --add --cacheinfo "160000,1111111111111111111111111111111111111111,sub"; git commit -qm sub
	git clone -q --depth=1 "file://$PWD" s; (cd s; git rev-parse HEAD > ../tip; git rev-parse HEAD | git pack-objects --revs -q ../p >/dev/null)`)
	require.ErrorIs(t, p.check(packfile.Options{}), packfile.ErrCorrupt)
	tip := tipOf(t, p)
	require.NoError(t, p.check(packfile.Options{Shallow: map[string]bool{string(tip): true}}))
}

// tipOf finds the one commit that is named as lacking a parent.
func tipOf(t *testing.T, p packed) []byte {
	t.Helper()
	words := strings.Fields(p.check(packfile.Options{}).Error())
	for i, word := range words {
		if word == "commit" {
			name, err := hex.DecodeString(words[i+1])
			require.NoError(t, err)
			return name
		}
	}
	t.Fatal("no commit is named")
	return nil
}

func TestCancelledCheck(t *testing.T) {
	p := packOf(t, packfile.SHA1, everything)
	x, err := packfile.ParseIndex(p.format, p.index)
	require.NoError(t, err)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	require.ErrorIs(t, packfile.Check(ctx, packfile.Span{From: bytes.NewReader(p.pack), Size: int64(len(p.pack))}, x, packfile.Options{Threads: 2}), enough)
}

// Nothing that a pack or an index can hold makes the check panic or run on.
func FuzzCheck(f *testing.F) {
	p := packOf(f, packfile.SHA1, everything)
	f.Add(p.pack, p.index)
	f.Fuzz(func(t *testing.T, pack, index []byte) {
		x, err := packfile.ParseIndex(packfile.SHA1, resealed(index))
		if err == nil {
			err = packfile.Check(context.Background(), packfile.Span{From: bytes.NewReader(pack), Size: int64(len(pack))}, x, packfile.Options{Threads: 1})
		}
		if err != nil {
			require.ErrorIs(t, err, packfile.ErrCorrupt)
		}
	})
}

// resealed gives bytes the checksum that an index ends with, so that what is in it is reached.
func resealed(b []byte) []byte {
	if len(b) < packfile.SHA1.Size {
		return b
	}
	body := b[:len(b)-packfile.SHA1.Size]
	h := packfile.SHA1.New()
	h.Write(body)
	return h.Sum(bytes.Clone(body))
}
