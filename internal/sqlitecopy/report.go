package sqlitecopy

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// report writes integrity.txt, for people.
func (t *taking) report() error {
	text := t.taken.text()
	path := t.path(integrityName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return target(path, err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return target(path, err)
	}
	sum := sha256.New()
	sum.Write(text)
	t.note(integrityName, int64(len(text)), sum)
	return nil
}

func (t *Taken) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Integrity: %s\nJournal: %s, guarded by: %s\nSQLite: %s\n", t.Integrity, t.Journal, t.Guard, t.SQLite)
	section(&b, "integrity_check of raw/db with its log or journal, before anything else", &t.Before)
	if t.After != nil {
		section(&b, "integrity_check of db.sqlite, made by "+t.Form.words(), t.After)
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "\nNote: %s.\n", printable(n))
	}
	return b.Bytes()
}

func section(b *bytes.Buffer, title string, c *Check) {
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, line := range c.Lines {
		fmt.Fprintln(b, printable(line))
	}
}

// printable escapes what a name in a strange database could do to a terminal.
func printable(line string) string {
	if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(line)
	}
	return line
}

func (f Form) words() string {
	if f == Vacuumed {
		return "VACUUM INTO"
	}
	return "copying the pages"
}
