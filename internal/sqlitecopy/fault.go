package sqlitecopy

import (
	"errors"

	"github.com/ncruces/go-sqlite3"
)

// errGaveUp is what a panic in the translated SQLite becomes: no memory for a row, or a database that would have crashed
// it. Its state is unknown then, so that it is asked for nothing more.
var errGaveUp = errors.New("SQLite gave up")

// full reports whether SQLite found no space to write to.
func full(err error) bool { return errors.Is(err, sqlite3.FULL) }

// fault is what an error of SQLite is about.
type fault int

const (
	ofStatement fault = iota // something that only the application has
	ofContent                // the database is damaged
	ofFormat                 // this is no database
	ofMachine                // no space, no memory, a disk that fails
	ofEngine                 // it is more than SQLite can cope with here
)

func faultOf(err error) fault {
	switch {
	case errors.Is(err, errGaveUp):
		return ofEngine
	case errors.Is(err, sqlite3.IOERR_SHORT_READ): // a file that was cut off
		return ofContent
	}
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) {
		return ofMachine
	}
	switch code {
	case sqlite3.NOTADB:
		return ofFormat
	case sqlite3.CORRUPT:
		return ofContent
	case sqlite3.FULL, sqlite3.IOERR, sqlite3.NOMEM, sqlite3.CANTOPEN, sqlite3.READONLY, sqlite3.PERM, sqlite3.INTERRUPT:
		return ofMachine
	}
	return ofStatement
}
