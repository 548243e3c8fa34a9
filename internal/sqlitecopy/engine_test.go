package sqlitecopy

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// private is an engine on a new file in a directory of its own.
func private(t *testing.T) (e *engine, dir string) {
	t.Helper()
	dir = t.TempDir()
	e, err := openEngine(t.Context(), filepath.Join(dir, "db"), "")
	require.NoError(t, err)
	t.Cleanup(func() { e.close() })
	return e, dir
}

func TestTemporaryFilesAreBesideThePrivateOne(t *testing.T) {
	e, dir := private(t)
	t.Setenv("TMPDIR", "/nowhere")
	t.Setenv("SQLITE_TMPDIR", "/nowhere")
	_, err := e.lines(t.Context(), "PRAGMA cache_size=10")
	require.NoError(t, err)
	sorted, err := e.lines(t.Context(), "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000) "+
		"SELECT hex(randomblob(800)) FROM n ORDER BY 1") // more than a megabyte is sorted in files
	require.NoError(t, err)
	require.Len(t, sorted, 3000)
	require.NoError(t, e.close())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// What is said of an error in a long schema must not be looked for in the short statement that met it.
func TestCheckOfAConstraintThatOnlyTheApplicationKnows(t *testing.T) {
	path := place(t)
	build(t, path, "CREATE TABLE t(a CHECK(a REGEXP 'x'))", "INSERT INTO t VALUES('y')")
	e, err := openEngine(t.Context(), path, "")
	require.NoError(t, err)
	defer e.close()
	_, result, err := e.check(t.Context())
	require.NoError(t, err)
	require.Equal(t, Unchecked, result)
	require.NoError(t, e.gaveUp)
}

func TestAStatementEndsWithItsContext(t *testing.T) {
	e, _ := private(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := e.lines(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n")
		ended <- err
	}()
	cancel()
	select {
	case err := <-ended:
		require.Equal(t, ofMachine, faultOf(err))
	case <-time.After(hangGuard):
		require.Fail(t, "it goes on")
	}
}

func TestAnEngineThatGaveUpIsAskedNothingMore(t *testing.T) {
	e, dir := private(t)
	require.ErrorIs(t, e.do(t.Context(), func() error { panic("as if memory was out") }), errGaveUp)
	err := e.vacuumInto(t.Context(), filepath.Join(dir, "new"))
	require.ErrorIs(t, err, errGaveUp)
	require.Equal(t, ofEngine, faultOf(err))
	require.NoFileExists(t, filepath.Join(dir, "new"))
}
