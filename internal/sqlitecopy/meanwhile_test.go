package sqlitecopy

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// wideBank is a bank whose first half lies in the first chunk that is read of it and whose second half in the last.
func wideBank(setup string) []string {
	half := func(from, to int) string {
		return "WITH RECURSIVE n(i) AS (SELECT " + strconv.Itoa(from) + " UNION ALL SELECT i+1 FROM n WHERE i<" +
			strconv.Itoa(to) + ") INSERT INTO account SELECT i,1000,zeroblob(1500) FROM n"
	}
	return []string{setup, "CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER, note BLOB)",
		"CREATE TABLE pad(b BLOB)", half(1, accounts/2), "INSERT INTO pad VALUES(zeroblob(2500000))",
		half(accounts/2+1, accounts)}
}

const (
	across = "UPDATE account SET balance=balance+(CASE WHEN id<=200 THEN -1 ELSE 1 END)" // from half to half
	within = "UPDATE account SET note=zeroblob(length(note)-1) WHERE id<=200"            // of the first half alone
)

// meanwhile are things that happen when the first megabyte of a file was read. At the end everything is of one moment.
var meanwhile = []struct {
	name    string
	before  func(t *testing.T, path string)
	when    side // whose first megabyte it is
	happens func(t *testing.T, path string)
	guard   Guard
	tries   int
	after   bool // the copy is of the moment after it
}{
	{"a log is moved into the database, as far as we let it", func(t *testing.T, path string) {
		build(t, path, wideBank(logged)...)
		resting(t, path, "PRAGMA wal_autocheckpoint=0", across)
	}, db, func(t *testing.T, path string) {
		openAndClose(path)
		build(t, path, "PRAGMA wal_checkpoint")
	}, LogLock, 1, true},
	{"the last user of a log goes", func(t *testing.T, path string) {
		build(t, path, wideBank(logged)...)
		crash(t, path, "PRAGMA wal_autocheckpoint=0", across)
	}, db, func(t *testing.T, path string) {
		openAndClose(path)
		build(t, path, "SELECT * FROM account")
		require.FileExists(t, wal.of(path))
	}, LogLock, 1, true},
	{"a log without users gets one", func(t *testing.T, path string) {
		build(t, path, wideBank(logged)...)
	}, db, func(t *testing.T, path string) { build(t, path, across) }, LogLock, 2, true},
	{"a log whose index is lost gets a user who cleans up", func(t *testing.T, path string) {
		build(t, path, wideBank(logged)...)
		crash(t, path, "PRAGMA wal_autocheckpoint=0", across)
		require.NoError(t, os.Remove(shm.of(path)))
	}, db, func(t *testing.T, path string) { build(t, path, "PRAGMA wal_checkpoint(TRUNCATE)") }, LogLock, 2, true},
	{"a log that is in the database already is begun again", func(t *testing.T, path string) {
		build(t, path, wideBank(logged)...)
		resting(t, path, "PRAGMA wal_autocheckpoint=0", within, within, across, "PRAGMA wal_checkpoint")
	}, wal, func(t *testing.T, path string) { build(t, path, "PRAGMA wal_autocheckpoint=0", across, across) },
		LogLock, 1, true},
	{"a log that is in the database already is cut off", func(t *testing.T, path string) {
		build(t, path, wideBank(logged)...)
		resting(t, path, "PRAGMA wal_autocheckpoint=0", within, within, across, "PRAGMA wal_checkpoint")
	}, wal, func(t *testing.T, path string) { build(t, path, "PRAGMA wal_checkpoint(TRUNCATE)") }, LogLock, 1, true},
	{"a commit by a journal", func(t *testing.T, path string) {
		build(t, path, wideBank(unlogged)...)
	}, db, func(t *testing.T, path string) { build(t, path, across) }, Unmoved, 2, true},
	{"a journal is rolled back", func(t *testing.T, path string) {
		build(t, path, wideBank(unlogged)...)
		crash(t, path, tight, "BEGIN", across, within, fill)
		require.FileExists(t, journal.of(path))
	}, db, func(t *testing.T, path string) { build(t, path, "SELECT count(*) FROM account") }, Unmoved, 2, false},
	{"another database takes its place", func(t *testing.T, path string) {
		build(t, path, wideBank(unlogged)...)
		build(t, path+".new", append(wideBank(unlogged), across)...)
	}, db, func(t *testing.T, path string) { require.NoError(t, os.Rename(path+".new", path)) }, Unmoved, 2, true},
	{"it becomes one with a log", func(t *testing.T, path string) {
		build(t, path, wideBank(unlogged)...)
	}, db, func(t *testing.T, path string) { resting(t, path, logged, across) }, LogLock, 2, true},
}

func TestTakeWhileSomethingHappens(t *testing.T) {
	for _, c := range meanwhile {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			c.before(t, path)
			taken, out := takeWhile(t, path, c.when, func() { c.happens(t, path) })
			require.Equal(t, c.guard, taken.Guard)
			require.Equal(t, c.tries, taken.Tries)
			require.Equal(t, Sound, taken.Integrity, taken.Before.Lines)
			require.Equal(t, strconv.Itoa(accounts)+"|"+strconv.Itoa(total),
				query(t, filepath.Join(out, normalName), "SELECT count(*), sum(balance) FROM account"))
			const first = "SELECT balance<1000 FROM account WHERE id=1"
			require.Equal(t, map[bool]string{true: "1", false: "0"}[c.after], query(t, filepath.Join(out, normalName), first))
		})
	}
}

// takeWhile has something happen once, when more than a megabyte was read of one side.
func takeWhile(t *testing.T, path string, s side, happens func()) (*Taken, string) {
	t.Helper()
	l, err := lookAt(path)
	require.NoError(t, err)
	due := int64(chunk)
	if s == wal {
		due += l[db].size
		require.Greater(t, l[wal].size, int64(chunk))
	}
	out, done := t.TempDir(), false
	taken, err := Take(context.Background(), path, out, Options{Progress: func(p Progress) {
		if p.Done >= due && !done {
			done = true
			happens()
		}
	}})
	require.NoError(t, err)
	complete(t, taken, out)
	return taken, out
}
