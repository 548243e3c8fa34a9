package sqlitecopy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// engine is the one connection to a private file.
type engine struct {
	conn   *sqlite3.Conn
	files  string // the name by which SQLite finds its files
	gaveUp error  // the answer to everything, unless it is nil
}

// What it may take for its cache and the widest row: as much as pointers of four bytes reach, or far less where a limit
// of the process stands against that, which has to do for the rest of the program too.
var (
	mostMemory  int64 = min(4<<30, math.MaxInt/4)
	leastMemory int64 = 16 << 20
)

// openEngine opens a file of ours. Options are more parameters of SQLite's file URIs.
func openEngine(ctx context.Context, path, options string) (*engine, error) {
	e := &engine{}
	e.files = fmt.Sprintf("%p", e)
	vfs.Register(e.files, ownFiles{filepath.Dir(path)})
	uri := "file:" + (&url.URL{Path: path}).EscapedPath() + "?vfs=" + e.files + options
	err := e.connect(ctx, uri)
	if err == nil {
		err = e.do(ctx, e.prepare)
	}
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *engine) connect(ctx context.Context, uri string) (err error) {
	for memory := mostMemory; memory >= leastMemory; memory /= 16 {
		e.gaveUp = nil
		err = e.guard(func() (err error) {
			e.conn, err = sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, memory), uri)
			return err
		})
		if e.gaveUp == nil {
			break
		}
	}
	return err
}

// engineVersion asks a connection without a file, since one to a file that is no database answers nothing.
func engineVersion(ctx context.Context) (string, error) {
	e, err := openEngine(ctx, ":memory:", "")
	if err != nil {
		return "", err
	}
	version, err := e.lines(ctx, "SELECT sqlite_version()")
	return strings.Join(version, ""), errors.Join(err, e.close())
}

// close is harmless when it is repeated.
func (e *engine) close() error {
	defer vfs.Unregister(e.files) // closing still removes a journal
	return e.guard(e.conn.Close)
}

// do calls f, which ends when ctx does.
func (e *engine) do(ctx context.Context, f func() error) error {
	if e.gaveUp != nil {
		return e.gaveUp
	}
	e.conn.SetInterrupt(ctx)
	return e.guard(f)
}

func (e *engine) guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e.gaveUp = fmt.Errorf("%w: %v", errGaveUp, p)
			err = e.gaveUp
		}
	}()
	return call()
}

// lines returns the first column of what a statement answers.
func (e *engine) lines(ctx context.Context, statement string) (lines []string, err error) {
	err = e.do(ctx, func() error {
		return each(e.conn, statement, func(row *sqlite3.Stmt) { lines = append(lines, row.ColumnText(0)) })
	})
	return lines, err
}

// each steps through a statement. Where something that it ran went wrong, the schema of the database for instance, the
// binding cuts the statement at the place of the error in the other text: so there has to be room behind it.
func each(c *sqlite3.Conn, statement string, see func(row *sqlite3.Stmt)) error {
	rows, _, err := c.Prepare(statement + strings.Repeat(" ", 1<<18))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Step() {
		see(rows)
	}
	return rows.Err()
}

// reindex makes every index from its table, or changes nothing.
func (e *engine) reindex(ctx context.Context) error {
	_, err := e.lines(ctx, "REINDEX")
	return err
}

// vacuumInto writes the database afresh to a file that is empty or absent.
func (e *engine) vacuumInto(ctx context.Context, path string) error {
	_, err := e.lines(ctx, "VACUUM INTO "+sqlite3.Quote(path))
	return err
}

// fold moves the log into the database, and makes that one with a rollback journal. A damaged schema can forbid it;
// closing then moves the log all the same.
func (e *engine) fold(ctx context.Context) {
	e.lines(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	e.lines(ctx, "PRAGMA journal_mode=DELETE")
}
