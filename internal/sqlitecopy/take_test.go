package sqlitecopy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	spilled = "UPDATE account SET balance=balance+1, note=zeroblob(1500)" // more than fits in the cache of tight
	tight   = "PRAGMA cache_size=1"
	fill    = "INSERT INTO account SELECT id+1000, 0, zeroblob(1500) FROM account"
)

// dead are databases that nobody uses any more. Each holds the bank as it was built, or with one row more.
var dead = []struct {
	name    string
	make    func(t *testing.T, path string)
	beside  []side // what lies beside the database
	journal Journal
	guard   Guard
	rows    int
}{
	{"rollback journal, closed", func(t *testing.T, path string) {
		build(t, path, bank()...)
	}, nil, Rollback, Unmoved, accounts},
	{"pages of 512 bytes, UTF-16", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA page_size=512", "PRAGMA encoding='UTF-16le'")...)
	}, nil, Rollback, Unmoved, accounts},
	{"pages of 65536 bytes, incremental vacuum", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA page_size=65536", "PRAGMA auto_vacuum=incremental")...)
	}, nil, Rollback, Unmoved, accounts},
	{"hot journal", func(t *testing.T, path string) {
		build(t, path, bank()...)
		crash(t, path, tight, "BEGIN", spilled, fill)
	}, []side{journal}, Rollback, Unmoved, accounts},
	{"hot journal, not synced", func(t *testing.T, path string) {
		build(t, path, bank()...)
		crash(t, path, tight, "PRAGMA synchronous=off", "BEGIN", spilled, fill)
	}, []side{journal}, Rollback, Unmoved, accounts},
	{"persistent journal, finished", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=persist")...)
	}, []side{journal}, Rollback, Unmoved, accounts},
	{"persistent journal, hot", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=persist")...)
		crash(t, path, "PRAGMA journal_mode=persist", tight, "BEGIN", spilled, fill)
	}, []side{journal}, Rollback, Unmoved, accounts},
	{"write-ahead log, closed", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=wal")...)
	}, nil, WriteAhead, Unmoved, accounts},
	{"write-ahead log, crashed", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=wal")...)
		crash(t, path, "INSERT INTO account VALUES(9999,0,'')")
	}, []side{wal, shm}, WriteAhead, LogLock, accounts + 1},
	{"write-ahead log, all of it in the log", func(t *testing.T, path string) {
		crash(t, path, bank("PRAGMA journal_mode=wal", "PRAGMA wal_autocheckpoint=0")...)
	}, []side{wal, shm}, WriteAhead, LogLock, accounts},
	{"write-ahead log, crashed, without its index", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=wal")...)
		crash(t, path, "INSERT INTO account VALUES(9999,0,'')")
		require.NoError(t, os.Remove(shm.of(path)))
	}, []side{wal}, WriteAhead, Unmoved, accounts + 1},
	{"write-ahead log, index of something else", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=wal")...)
		crash(t, path, "INSERT INTO account VALUES(9999,0,'')")
		require.NoError(t, os.WriteFile(shm.of(path), []byte(strings.Repeat("index?", 6000)), 0o600))
	}, []side{wal, shm}, WriteAhead, LogLock, accounts + 1},
	{"write-ahead log, frames of no transaction", func(t *testing.T, path string) {
		build(t, path, bank("PRAGMA journal_mode=wal")...)
		crash(t, path, tight, "BEGIN", spilled, fill)
	}, []side{wal, shm}, WriteAhead, LogLock, accounts},
	{"odd name", func(t *testing.T, path string) {
		odd := filepath.Join(filepath.Dir(path), "-a?b#c%41 d")
		build(t, odd, bank()...)
		require.NoError(t, os.Rename(odd, path))
	}, nil, Rollback, Unmoved, accounts},
}

func TestTakeOfWhatNobodyUses(t *testing.T) {
	for _, c := range dead {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			c.make(t, path)
			for _, s := range c.beside {
				require.FileExists(t, s.of(path))
			}
			taken, out := take(t, path)
			require.Equal(t, c.journal, taken.Journal)
			require.Equal(t, c.guard, taken.Guard)
			require.Equal(t, Sound, taken.Integrity)
			require.Equal(t, Vacuumed, taken.Form)
			require.True(t, taken.After.OK)
			holdsTheBank(t, out, c.rows)
		})
	}
}

// holdsTheBank reads the copy by hand: db.sqlite, and a copy of the raw one, which sqlite3 recovers by itself.
func holdsTheBank(t *testing.T, out string, rows int) {
	t.Helper()
	const question = "SELECT count(*), sum(balance), (SELECT moves FROM tally) FROM account; PRAGMA integrity_check"
	byHand := t.TempDir()
	require.NoError(t, exec.Command("cp", "-r", filepath.Join(out, "raw"), byHand).Run())
	want := strings.Join([]string{strconv.Itoa(rows), strconv.Itoa(total), "0"}, "|") + "\nok"
	require.Equal(t, want, query(t, filepath.Join(out, "db.sqlite"), question))
	require.Equal(t, want, query(t, filepath.Join(byHand, "raw", "db"), question))
	require.Equal(t, rowsOf(t, filepath.Join(byHand, "raw", "db")), rowsOf(t, filepath.Join(out, "db.sqlite")))
}

// rowsOf is every row, with its number.
func rowsOf(t *testing.T, path string) string {
	return query(t, path, "SELECT rowid, id, balance, hex(note) FROM account ORDER BY id")
}

func TestTakeKeepsWhatBelongsToTheFile(t *testing.T) {
	t.Parallel()
	path := place(t)
	build(t, path, "PRAGMA user_version=7", "PRAGMA application_id=77", "CREATE TABLE t(a)",
		"INSERT INTO t(rowid,a) VALUES(5,'x'),(50,'y'),(500,NULL)", "DELETE FROM t WHERE a='x'",
		"CREATE VIEW v AS SELECT a FROM t", "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE f USING fts5(words)", "INSERT INTO f VALUES('some words')",
		`CREATE TABLE q(a CHECK(a <> "a word in the wrong quotes"))`)
	taken, out := take(t, path)
	require.Equal(t, Vacuumed, taken.Form)
	normal := filepath.Join(out, "db.sqlite")
	require.Equal(t, "7\n77\n50|y\n500|", query(t, normal, "PRAGMA user_version; PRAGMA application_id; SELECT rowid,a FROM t"))
	const schema = "SELECT sql FROM sqlite_schema ORDER BY name"
	require.Equal(t, query(t, path, schema), query(t, normal, schema))
	require.Equal(t, "some words", query(t, normal, "SELECT words FROM f WHERE f MATCH 'words'"))
}

// Bytes at the end of each page belong to the application; some others keep checksums in as many.
func TestTakeOfPagesWithSpareBytes(t *testing.T) {
	t.Parallel()
	path := place(t)
	c := exec.Command(plainSQLite(t), path)
	c.Stdin = strings.NewReader(".filectrl reserve_bytes 8\nVACUUM; CREATE TABLE t(a); INSERT INTO t VALUES('x');")
	require.NoError(t, c.Run())
	taken, out := take(t, path)
	require.Equal(t, Sound, taken.Integrity)
	require.Equal(t, "x", query(t, filepath.Join(out, normalName), "SELECT a FROM t"))
}

func TestTakeOfNothingYet(t *testing.T) {
	t.Parallel()
	path := place(t)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	taken, out := take(t, path)
	require.Equal(t, Sound, taken.Integrity)
	require.Equal(t, "ok", query(t, filepath.Join(out, "db.sqlite"), "PRAGMA integrity_check"))
}
