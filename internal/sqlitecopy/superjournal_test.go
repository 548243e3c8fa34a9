package sqlitecopy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// crashBetween leaves two databases in the middle of a commit to both: their program dies as it removes its nth file,
// of which the super-journal is the first.
func crashBetween(t *testing.T, nth int) (path, partner, super string) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Skip(t, "no strace to stop a commit with")
	}
	path = place(t)
	partner = filepath.Join(filepath.Dir(path), "partner.db")
	build(t, path, bank()...)
	build(t, partner, bank()...)
	const both = "BEGIN; UPDATE account SET balance=balance+1; UPDATE partner.account SET balance=balance+1; COMMIT"
	inject := "inject=unlink:error=EPERM:signal=SIGKILL:when=" + strconv.Itoa(nth)
	c := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=unlink", "-e", inject,
		plainSQLite(t), path, "ATTACH '"+partner+"' AS partner; "+both)
	require.Error(t, c.Run())
	require.FileExists(t, journal.of(path))
	require.FileExists(t, journal.of(partner))
	f, err := os.Open(journal.of(path))
	require.NoError(t, err)
	defer f.Close()
	super, err = superJournalName(f)
	require.NoError(t, err)
	require.NotEmpty(t, super)
	return path, partner, super
}

const undone, committed = total, total + accounts

func TestTakeInTheMiddleOfACommitToTwoFiles(t *testing.T) {
	t.Run("undone", func(t *testing.T) {
		path, _, super := crashBetween(t, 1)
		require.FileExists(t, super)
		taken, out := take(t, path)
		require.Equal(t, &SuperJournal{super, true}, taken.SuperJournal)
		sums(t, undone, filepath.Join(out, normalName))
		sums(t, undone, path)
	})
	t.Run("undone, the other already", func(t *testing.T) {
		path, partner, super := crashBetween(t, 1)
		sums(t, undone, partner)
		require.NoFileExists(t, journal.of(partner))
		require.FileExists(t, super)
		_, out := take(t, path)
		sums(t, undone, filepath.Join(out, normalName))
	})
	t.Run("committed", func(t *testing.T) {
		path, _, super := crashBetween(t, 2)
		require.NoFileExists(t, super)
		taken, out := take(t, path)
		require.Equal(t, &SuperJournal{super, false}, taken.SuperJournal)
		sums(t, committed, filepath.Join(out, normalName))
		sums(t, committed, path)
	})
}

func sums(t *testing.T, want int, path string) {
	t.Helper()
	require.Equal(t, strconv.Itoa(want), query(t, path, "SELECT sum(balance) FROM account"))
}

// What becomes of the source after it was copied does not change what the copy means, nor the other way round.
func TestASuperJournalIsReadOnce(t *testing.T) {
	meanwhile := map[string]func(t *testing.T, path, partner string){
		"recovered": func(t *testing.T, path, partner string) { sums(t, undone, path); sums(t, undone, partner) },
		"journals gone": func(t *testing.T, path, partner string) {
			require.NoError(t, os.Remove(journal.of(path)))
			require.NoError(t, os.Remove(journal.of(partner)))
		},
	}
	for name, happens := range meanwhile {
		t.Run(name, func(t *testing.T) {
			path, partner, _ := crashBetween(t, 1)
			before, err := lookAt(path)
			require.NoError(t, err)
			k := &taking{out: t.TempDir(), meter: &meter{}, taken: &Taken{Source: path}}
			require.NoError(t, k.copyRaw(context.Background(), before))
			happens(t, path, partner)
			left := scene(t, path)
			require.NoError(t, k.normalise(context.Background()))
			require.Equal(t, left, scene(t, path))
			sums(t, undone, k.path(normalName))
		})
	}
}

func TestAJournalWithoutASuperJournal(t *testing.T) {
	for name, content := range map[string]string{
		"empty":            "",
		"short":            journalMagic,
		"no name":          "\x00\x00\x00\x00\x00\x00\x00\x00" + journalMagic,
		"longer than file": "\x00\x00\x00\x09\x00\x00\x00\x00" + journalMagic,
		"other sum":        "/a\x00\x00\x00\x02\x00\x00\x00\x01" + journalMagic,
	} {
		path := place(t)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		super, err := superJournalName(f)
		require.NoError(t, err, name)
		require.Empty(t, super, name)
	}
}
