package sqlitecopy

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const engineVersion = sqlite3.SQLITE_VERSION

// engine is the one connection to a private file. Nothing else here knows which SQLite it is.
type engine struct {
	pool *sql.DB
	conn *sql.Conn
}

// settings distrust what the schema of a strange database could make SQLite run, and its pages. None of them reads the
// database, which may be none.
var settings = []string{"trusted_schema=off", "mmap_size=0", "cell_size_check=on"}

// openEngine opens a file of ours. Options are parameters of SQLite's file URIs.
func openEngine(ctx context.Context, path, options string) (*engine, error) {
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options)
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	e := &engine{pool, conn}
	for _, s := range settings {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+s); err != nil {
			return nil, errors.Join(err, e.close())
		}
	}
	return e, nil
}

func (e *engine) close() error { return errors.Join(e.conn.Close(), e.pool.Close()) }

// lines returns the first column of what a statement answers.
func (e *engine) lines(ctx context.Context, statement string) (lines []string, err error) {
	rows, err := e.conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return lines, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// reindex makes every index from its table, or changes nothing.
func (e *engine) reindex(ctx context.Context) error {
	_, err := e.conn.ExecContext(ctx, "REINDEX")
	return err
}

// vacuumInto writes the database afresh to a file that is empty or absent.
func (e *engine) vacuumInto(ctx context.Context, path string) error {
	_, err := e.conn.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}

// fold moves the log into the database, and makes that one with a rollback journal. A damaged schema can forbid it;
// closing then moves the log all the same.
func (e *engine) fold(ctx context.Context) {
	e.lines(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	e.lines(ctx, "PRAGMA journal_mode=DELETE")
}

// full reports whether SQLite found no space to write to.
func full(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_FULL
}

// fault is what an error of SQLite is about.
type fault int

const (
	ofStatement fault = iota // something that only the application has
	ofContent                // the database is damaged
	ofFormat                 // this is no database
	ofMachine                // no space, no memory, a disk that fails
)

func faultOf(err error) fault {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ofMachine
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return ofFormat
	case sqlite3.SQLITE_CORRUPT:
		return ofContent
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_INTERRUPT:
		return ofMachine
	}
	return ofStatement
}
