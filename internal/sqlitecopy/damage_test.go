package sqlitecopy

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// noise is the same at every run.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// foreign are files that SQLite does not know.
var foreign = map[string][]byte{
	"garbage":            []byte("this is no database, and it is long enough to be told so\n"),
	"encrypted":          noise(8 << 12),
	"encrypted, no page": noise(100),
	"header cut":         []byte("SQLite format 3\x00\x10\x00\x02\x02"),
}

func TestTakeOfNoDatabase(t *testing.T) {
	for name, content := range foreign {
		t.Run(name, func(t *testing.T) {
			path := place(t)
			require.NoError(t, os.WriteFile(path, content, 0o600))
			before := scene(t, path)
			out := t.TempDir()
			taken, err := Take(context.Background(), path, out, Options{})
			require.ErrorIs(t, err, ErrNotDatabase)
			require.Equal(t, before, scene(t, path))
			require.Equal(t, NotDatabase, taken.Integrity)
			require.Equal(t, NoForm, taken.Form)
			complete(t, taken, out)
			require.NoFileExists(t, filepath.Join(out, normalName))
			kept, err := os.ReadFile(filepath.Join(out, rawName, "db"))
			require.NoError(t, err)
			require.Equal(t, content, kept)
			_, err = Take(context.Background(), path, t.TempDir(), Options{Accept: Anything})
			require.NoError(t, err)
		})
	}
}

// damage are databases that something is wrong with.
var damage = []struct {
	name      string
	make      func(t *testing.T, path string)
	integrity Integrity
	form      Form
	healed    bool
}{
	{"cut off", func(t *testing.T, path string) {
		build(t, path, bank()...)
		require.NoError(t, os.Truncate(path, 5<<12))
	}, Damaged, PageByPage, false},
	{"cut within a page", func(t *testing.T, path string) {
		build(t, path, bank()...)
		require.NoError(t, os.Truncate(path, 5<<12+100))
	}, Damaged, PageByPage, false},
	{"index that disagrees with its table", func(t *testing.T, path string) {
		build(t, path, append(bank(), "CREATE INDEX i ON account(balance)", "UPDATE account SET balance=id",
			"PRAGMA writable_schema=on", "UPDATE sqlite_schema SET sql='CREATE INDEX i ON account(id)' WHERE name='i'",
			"PRAGMA writable_schema=off")...)
		build(t, path, "UPDATE account SET balance=1000")
		build(t, path, "PRAGMA writable_schema=on",
			"UPDATE sqlite_schema SET sql='CREATE INDEX i ON account(balance)' WHERE name='i'")
	}, Damaged, Vacuumed, true},
	{"order of the application", func(t *testing.T, path string) {
		build(t, path, append(bank(), "CREATE TABLE t(a TEXT COLLATE zz UNIQUE)", "INSERT INTO t VALUES('x'),('y')")...)
	}, Unchecked, PageByPage, false},
	{"order of the application, in a log", func(t *testing.T, path string) {
		crash(t, path, bank("PRAGMA journal_mode=wal", "CREATE TABLE t(a TEXT COLLATE zz UNIQUE)")...)
	}, Unchecked, PageByPage, false},
	{"order of the application, by a name that others use", func(t *testing.T, path string) {
		build(t, path, append(bank(), "CREATE TABLE t(a COLLATE uint UNIQUE)", "INSERT INTO t VALUES('10'),('9')")...)
	}, Unchecked, PageByPage, false},
	{"function of the application, by a name that others use", func(t *testing.T, path string) {
		build(t, path, append(bank(), "CREATE TABLE t(a CHECK(a REGEXP 'x'))", "CREATE INDEX i ON t(regexp('y', a))",
			"INSERT INTO t VALUES('y')")...)
	}, Unchecked, PageByPage, false},
	{"schema that does not parse, in a log", func(t *testing.T, path string) {
		crash(t, path, bank("PRAGMA journal_mode=wal", "CREATE TABLE t(a)", "PRAGMA writable_schema=on",
			"UPDATE sqlite_schema SET sql='CREATE TABLE t(a, and some more, (' WHERE name='t'")...)
	}, Damaged, PageByPage, false},
}

func TestTakeOfADamagedDatabase(t *testing.T) {
	for _, c := range damage {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			c.make(t, path)
			taken, _ := take(t, path)
			require.Equal(t, c.integrity, taken.Integrity, "%v", taken.Before)
			require.False(t, taken.Before.OK)
			require.NotEmpty(t, taken.Before.Lines)
			require.Equal(t, c.form, taken.Form, "%v", taken.Notes)
			require.Equal(t, c.healed, taken.After.OK, "%v", taken.After.Lines)
			if c.form == PageByPage {
				require.NotEmpty(t, taken.Notes)
			}
		})
	}
}

func TestTheOrderOfTheApplicationIsKept(t *testing.T) {
	t.Parallel()
	path := place(t)
	crash(t, path, "PRAGMA journal_mode=wal", "CREATE TABLE t(a TEXT COLLATE zz UNIQUE)", "INSERT INTO t VALUES('x'),('y')")
	_, out := take(t, path)
	build(t, filepath.Join(out, normalName), "INSERT INTO t VALUES('z')")
	require.Equal(t, "3", query(t, filepath.Join(out, normalName), "SELECT count(*) FROM t"))
}

// Whatever a disk or a stranger did to the bytes, a copy ends with the same bytes and a word about them.
func TestTakeOfBytesThatWereChanged(t *testing.T) { changedBytes(t, 8) }

func TestLongTakeOfBytesThatWereChanged(t *testing.T) {
	onlyLong(t)
	changedBytes(t, 1000)
}

func changedBytes(t *testing.T, rounds int) {
	t.Parallel()
	path := place(t)
	crash(t, path, append(bank("PRAGMA page_size=512", "PRAGMA journal_mode=wal"),
		"CREATE INDEX i ON account(balance)", "PRAGMA wal_checkpoint", spilled)...)
	good := map[side][]byte{}
	for _, s := range []side{db, wal} {
		b, err := os.ReadFile(s.of(path))
		require.NoError(t, err)
		good[s] = b
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		for s, b := range good {
			require.NoError(t, os.WriteFile(s.of(path), scramble(random, b), 0o600))
		}
		out := t.TempDir()
		taken, err := Take(context.Background(), path, out, Options{Accept: Anything})
		require.NoError(t, err)
		complete(t, taken, out)
		for s := range good {
			was, err := os.ReadFile(s.of(path))
			require.NoError(t, err)
			is, err := os.ReadFile(s.of(filepath.Join(out, rawName, "db")))
			require.NoError(t, err)
			require.Equal(t, sha256.Sum256(was), sha256.Sum256(is))
		}
	}
}

// scramble returns b with some runs of bytes changed.
func scramble(random *rand.Rand, b []byte) []byte {
	b = append([]byte(nil), b...)
	for range 1 + random.IntN(8) {
		at := random.IntN(len(b))
		for i := at; i < min(len(b), at+1+random.IntN(16)); i++ {
			b[i] = byte(random.Uint32())
		}
	}
	return b
}
