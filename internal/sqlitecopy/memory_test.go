package sqlitecopy

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTakeOfARowThatMemoryDoesNotHold(t *testing.T) {
	whole := mostMemory
	t.Cleanup(func() { mostMemory = whole })
	mostMemory = leastMemory
	path := place(t)
	build(t, path, "CREATE TABLE t(b NOT NULL CHECK(b <> 'x'))", "INSERT INTO t VALUES(zeroblob(2e7)||'')")
	taken, _ := take(t, path)
	require.Equal(t, Unchecked, taken.Integrity, "%v", taken.Before)
	require.Equal(t, NoForm, taken.Form)
	require.NotEmpty(t, taken.Notes)
}

func TestLongTakeNeedsLittleMemory(t *testing.T) {
	onlyLong(t)
	path := place(t)
	build(t, path, "PRAGMA synchronous=off", "CREATE TABLE t(id INTEGER PRIMARY KEY, k TEXT UNIQUE, b BLOB)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300000) "+
			"INSERT INTO t SELECT i, hex(randomblob(16)), randomblob(900) FROM n")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(300<<20))
	b, err := program("take", path, t.TempDir()).Output()
	require.NoError(t, err)
	var o outcome
	require.NoError(t, json.Unmarshal(b, &o))
	require.Empty(t, o.Error)
	require.Less(t, o.Memory, int64(100<<20))
}
