package sqlitecopy

import (
	"errors"
	"slices"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/rtree"
)

// settings distrust what the schema of a strange database could make SQLite run, and its pages. A log that is ours alone
// needs no index that others could read. None of them reads the database, which may be none.
var settings = []string{"trusted_schema=off", "mmap_size=0", "cell_size_check=on", "locking_mode=exclusive"}

func (e *engine) prepare() error {
	if err := plain(e.conn); err != nil {
		return err
	}
	for _, s := range settings {
		if err := e.conn.Exec("PRAGMA " + s); err != nil {
			return err
		}
	}
	return extend(e.conn)
}

// plain makes a connection one to the SQLite that everybody has. This build brings functions and orders along (regexp,
// uint) under names that an application may have given to others of its own: to check its indexes and constraints by
// the wrong ones would find fault with a sound database. And it would take "text" for the name of a column alone, where
// old schemas rely on the opposite.
func plain(c *sqlite3.Conn) error {
	_, err := c.Config(sqlite3.DBCONFIG_DQS_DDL, true)
	return errors.Join(err, dropOrders(c), dropFunctions(c))
}

var orders = []string{"BINARY", "NOCASE", "RTRIM"}

func dropOrders(c *sqlite3.Conn) error {
	var added []string
	err := each(c, "PRAGMA collation_list", func(row *sqlite3.Stmt) {
		if name := row.ColumnText(1); !slices.Contains(orders, name) {
			added = append(added, name)
		}
	})
	for _, name := range added {
		err = errors.Join(err, c.CreateCollation(name, nil))
	}
	return err
}

func dropFunctions(c *sqlite3.Conn) error {
	type function struct {
		name      string
		arguments int
	}
	var added []function
	err := each(c, "PRAGMA function_list", func(row *sqlite3.Stmt) {
		if builtin := row.ColumnBool(1); !builtin {
			added = append(added, function{row.ColumnText(0), row.ColumnInt(4)})
		}
	})
	for _, f := range added {
		err = errors.Join(err, c.CreateFunction(f.name, f.arguments, 0, nil))
	}
	return err
}

// extend adds the kinds of table whose content a check looks into. The first is complete before it asks the database
// something, which may be none, or damaged: that is for the check to say.
func extend(c *sqlite3.Conn) error {
	if err := fts5.Register(c); err != nil && faultOf(err) == ofMachine {
		return err
	}
	return rtree.Register(c)
}
